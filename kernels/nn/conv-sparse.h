/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/nn/conv-problem.h"

/**
 * sluice_conv_sparse:
 * @kind: one of the gradients
 * @done: (out): whether the output is there; else the caller is to compute it
 *
 * Gradients of convolutions whose incoming gradient is mostly zeros, as it is behind a pool that
 * takes the largest (three of four are zero) and behind a Relu: only what is not zero is
 * multiplied. Float, images, channels last, no groups. Where zero times something that is not
 * finite has to make NaN, nothing is done.
 *
 * Returns: %FALSE: call->error is set
 */
gboolean sluice_conv_sparse (SluiceKernelCall *call,
                             SluiceConvKind kind,
                             const SluiceConvCall *c,
                             gboolean *done);
