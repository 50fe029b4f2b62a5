/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/nn/sliding-window.h"

typedef enum
{
  SLUICE_CONV_FORWARD,
  SLUICE_CONV_BACKPROP_INPUT,
  SLUICE_CONV_BACKPROP_FILTER,
} SluiceConvKind;

/* A convolution of known sizes: x [batch, in, channels], filter [size, depth, out_channels],
 * y [batch, out, out_channels]. Compared by its bytes: always made of zeros first. */
typedef struct
{
  gint64 batch, channels, depth, out_channels; /* depth: channels that a filter takes */
  SluiceSlidingWindowPlace place;
  gint64 stride[SLUICE_AXES], dilation[SLUICE_AXES];
  gint64 channels_first, first_axis;
} SluiceConv;

/* A problem and where its tensors are. */
typedef struct
{
  SluiceConv conv;
  SluiceTensor *x, *filter, *y; /* which of them is the output is a matter of the kind */
} SluiceConvCall;

/**
 * sluice_conv_place:
 * @y: (out): the shape of what comes out
 *
 * Works out the sizes of a convolution of values of shape x.
 *
 * Returns: %FALSE: call->error is set
 */
gboolean sluice_conv_place (SluiceKernelCall *call,
                            const SluiceSlidingWindow *window,
                            const SluiceShape *x,
                            const SluiceShape *filter,
                            SluiceConv *conv,
                            SluiceShape *y);

/* Checks the inputs of the node and works out the sizes; result: the shape of its output. FALSE:
 * call->error is set. */
gboolean sluice_conv_check (SluiceKernelCall *call,
                            SluiceConvKind kind,
                            const SluiceSlidingWindow *window,
                            SluiceConv *conv,
                            SluiceShape *result);

/**
 * sluice_conv_begin:
 *
 * The same, and allocates the output.
 *
 * Returns: %FALSE: call->error is set
 */
gboolean sluice_conv_begin (SluiceKernelCall *call,
                            SluiceConvKind kind,
                            const SluiceSlidingWindow *window,
                            SluiceConvCall *out);

/* Nothing to sum, or nothing to compute: the output is zeros or empty. */
gboolean sluice_conv_is_trivial (const SluiceConv *conv);

/* Pixels of a filter. */
double sluice_conv_count_taps (const SluiceConv *conv);

/**
 * sluice_conv_cut:
 * @n_parts: (out): chunks
 *
 * Cuts a batch into chunks of nearly the same size: big enough to be worth it, and else small, so
 * that they share the work, what a chunk reads twice is still in the second cache, and a run that
 * is cancelled ends soon. A chunk of the filter's gradient also costs a pass over a gradient of its
 * own. By shape only.
 *
 * Returns: images of a chunk
 */
gint64 sluice_conv_cut (SluiceConvKind kind, const SluiceConv *conv, gint64 *n_parts);
