/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/shape.h"
#include "engine/base/dtype.h"

/*
 * A project made from data: its folder with project.ini and a graph that reads the columns, and, if
 * that is wanted, a first model that learns them. The graph is made by commands
 * (engine/command/command.h), and trained by what the command `train` names init, train and
 * global_step.
 */
typedef enum
{
  SLUICE_FIRST_MODEL_NONE,  /* the columns alone */
  SLUICE_FIRST_MODEL_DENSE, /* a hidden layer */
  SLUICE_FIRST_MODEL_CONVOLUTION,
} SluiceFirstModel;

/* The files as [data] of project.ini has them. */
typedef struct
{
  const char *name;            /* (nullable): the folder's */
  const char *source;          /* (nullable): by the name of train_x: "idx", "csv", "npy" */
  const char *train_x;         /* a path, as all of them */
  const char *train_y;         /* (nullable): a column of a CSV file */
  const char *test_x, *test_y; /* (nullable) */
  const char *y_column;        /* (nullable): the last */
  SluiceFirstModel model;
} SluiceNewProject;

/* What the examples are. */
typedef struct
{
  gint64 n, n_test;
  SluiceDType x_dtype, y_dtype; /* as the file has them */
  SluiceShape x, y;             /* of one example, as it is fed */
  double x_least, x_most, y_least, y_most;
  gint64 n_classes; /* y are whole numbers from 0 to this, exclusive; 0: y is a quantity */
} SluiceDataAbout;

/**
 * sluice_new_project_describe:
 * @about: (out caller-allocates)
 *
 * Reads the files.
 *
 * Returns: %FALSE with NOT_FOUND, DATA_LOSS or INVALID_ARGUMENT, as sluice_examples_load()
 */
gboolean
sluice_new_project_describe (const SluiceNewProject *self, SluiceDataAbout *about, GError **error);

/* The commands that make its graph, a line each; UNIMPLEMENTED: there is no such model of these
 * data. (transfer full) (nullable) */
char *sluice_new_project_dup_script (const SluiceNewProject *self,
                                     const SluiceDataAbout *about,
                                     GError **error);

/**
 * sluice_new_project_create:
 * @folder: must not be there; appears whole or not at all
 *
 * Returns: %FALSE with ALREADY_EXISTS, or as sluice_new_project_describe()
 */
gboolean
sluice_new_project_create (const SluiceNewProject *self, const char *folder, GError **error);
