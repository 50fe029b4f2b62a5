/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/trainer.h"
#include "tests/engine/train/folder.h"

/* A project in a folder of its own, and a workspace to train it in. */
typedef struct
{
  Folder folder;
  SluiceStore *store;
} Fixture;

void open_store (Fixture *f);
void set_up (Fixture *f, gconstpointer unused);
void tear_down (Fixture *f, gconstpointer unused);
SluiceProject *load_project (const char *folder, const char *const *assignments);
SluiceTrainer *
new_trainer (Fixture *f, const SluiceTrainerOptions *options, const char *const *assignments);
/* Trains to the end; returns the name of the run. */
char *train (Fixture *f, const SluiceTrainerOptions *options, const char *const *assignments);
/* With such lines in its project.ini nothing is trained, and the error says that part. */
void assert_project_refused (Fixture *f, const char *ini, const char *part);
void wait_for_state (SluiceTrainer *trainer, SluiceRunState state, gint64 step);
char *checkpoint_path (Fixture *f, const char *run, gint64 step);
void assert_same_checkpoint (Fixture *f, const char *a, const char *b, gint64 step);
/* The points of a series by tag. */
GArray *read_series (Fixture *f, const char *run, const char *tag);
/* Every step from first to last once, with the same values as the other run. */
void assert_same_series (Fixture *f, const char *a, const char *b, const char *tag, guint n);
/* Steps so far, then stops; the run is resumable. */
void stop_at (Fixture *f, const char *name, gint64 step);
