/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/builder.h"

typedef struct
{
  gint64 batch, units;
  gint64 parallel_iterations;
  gboolean swap_memory;
} LstmSize;

/**
 * lstm_build:
 *
 * An LSTM by a while loop, over as many iterations as the int32 scalar placeholder "steps" says:
 * the input of each is the same matrix, seen through the step's number. "init" makes the variables
 * "kernel" and "bias", "loss" is the sum over the last state, "gradients" has the gradients of both
 * below it ("gradients/kernel", "gradients/bias"), "train" takes a step of gradient descent.
 */
void lstm_build (SluiceGraph *graph, const LstmSize *size);
