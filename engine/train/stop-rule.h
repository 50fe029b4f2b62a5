/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/project.h"

/*
 * When a run ends before its steps do ([stop] of project.ini): a series has come to a target, has
 * had so many values without a better one, or is not finite. It goes by the values alone, so a run
 * that was resumed ends where it would have ended.
 */
typedef struct
{
  gboolean is_max; /* the greatest is best */
  double best;     /* NAN: no finite value yet */
  gint64 best_step;
  gint64 n_since; /* values since, none of which was better */
} SluiceStopRule;

/* "loss:min": FALSE where it is not such a text; *length: of the series' name. */
gboolean sluice_parse_best (const char *text, gsize *length, gboolean *is_max);

/* metric: as sluice_parse_best() takes it. */
void sluice_stop_rule_init (SluiceStopRule *self, gboolean is_max);
/* The next value. (transfer full) (nullable): why the run ends now. */
char *sluice_stop_rule_take (SluiceStopRule *self,
                             const SluiceProject *project,
                             gint64 step,
                             double value);
