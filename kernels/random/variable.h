/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/random/generator.h"

/* A generator that is a variable, and what is wanted of it. */
typedef struct
{
  gint64 algorithm;       /* SluiceRandomAlgorithm, or whatever the graph says */
  gboolean has_algorithm; /* the variable itself begins with it; `algorithm` is not read */
  gboolean knows_all;     /* takes SLUICE_ALGORITHM_AUTO, and ThreeFry is UNIMPLEMENTED to it */
  guint64 n_groups;       /* groups of four words to move on by */
} SluiceRandomVariable;

/**
 * sluice_call_random_variable:
 * @start: (out): the generator as the call finds it
 *
 * Moves the generator behind the handle at input 0 on. FALSE: call->error is set: NOT_FOUND of a
 * variable without a value, INVALID_ARGUMENT where it is no generator or
 * the algorithm is none of a CPU's
 */
gboolean sluice_call_random_variable (SluiceKernelCall *call,
                                      const SluiceRandomVariable *wanted,
                                      SluicePhilox *start);
