/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/cli/cli.h"
#include "engine/train/trainer.h"

/* A run that the command trains, shown until its end. */

/* The lines that sluice_cli_train() prints, for Verb.json. */
#define CLI_TRAIN_JSON                                                                             \
  "{\"run\": \"string\", \"state\": \"string\", \"step\": \"int\", \"steps\": \"int\", "           \
  "\"loss\": \"number\", \"steps_per_second\": \"number\", \"eta_seconds\": \"number\", "          \
  "\"eta_margin_seconds\": \"number\", \"evaluation\": \"number\", "                               \
  "\"wait_seconds\": \"number\", \"points_committed\": \"int\", "                                  \
  "\"committed_step\": \"int\", \"checkpoint\": \"int\", \"reason\": \"string|null\"}"

/**
 * sluice_cli_train:
 * @workspace: for what is said of how to go on
 * @waits_again: where it is stopped: it is of the queue
 *
 * Starts it and follows it to its end: a bar, a line every two seconds, or JSON. The first signal
 * stops it, saved.
 *
 * Returns: as sluice_trainer_wait()
 */
gboolean sluice_cli_train (SluiceTrainer *trainer,
                           const char *workspace,
                           gboolean waits_again,
                           GError **error);

/* From now on sluice_cli_train() is called on several threads at a time: it draws no bar. */
void sluice_cli_follow_several (void);
/* From now on sluice_cli_train() says nothing of runs: they are the verb's own means. */
void sluice_cli_follow_silently (void);

/* A signal came, or nobody reads what is printed. */
gboolean sluice_cli_was_interrupted (void);

/* SluiceTrainerOptions.begins: from here on a signal is no end. */
void sluice_cli_catch_signals (gpointer unused);
