/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Logs of W&B, made by hand (engine/store/wandb-log.h). */

/* The seven bytes. */
void wandb_sample_begin (GByteArray *log);
/* A record, in as many frames as it needs. */
void wandb_sample_put (GByteArray *log, const guint8 *record, gsize length);
/* A point of a history: {key: value} at a step. */
void wandb_sample_put_point (GByteArray *log, gint64 step, const char *key, const char *json);
/* The run: its name, and one setting. */
void wandb_sample_put_run (GByteArray *log, const char *name, const char *key, const char *json);
void wandb_sample_put_exit (GByteArray *log, gint64 code);
/* Puts right checksums where frames are. */
void wandb_sample_sign (guint8 *bytes, gsize length);
