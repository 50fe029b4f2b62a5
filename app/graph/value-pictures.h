/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/* The elements of a value as something to look at. No GTK. */

/* As doubles: (transfer full) (nullable): they are no real numbers. */
SluiceTensor *sluice_value_to_doubles (SluiceTensor *value);

/* Counts between n + 1 edges of equal distance over all finite elements. FALSE: none is finite.
 * values: of sluice_value_to_doubles() */
gboolean
sluice_value_histogram (const SluiceTensor *values, guint n, double *edges, double *counts);

/* Pixels, three bytes each, row by row. */
typedef struct
{
  guint width, height;
  guint8 *pixels;
  guint n_shown, n; /* pictures side by side, of so many */
} SluiceValueImage;

/**
 * sluice_value_image:
 * @most: pictures beside each other
 *
 * [n,height,width,channels], one or three of them, are pictures; other channels are a picture each,
 * of the first example. [height,width,1 or 3] is one, [n,height,width] are several, a matrix is one
 * and a vector a row of it. The least element is black and the greatest white; what is not finite
 * is red.
 *
 * Returns: %FALSE where there is no element
 */
gboolean sluice_value_image (const SluiceTensor *values, guint most, SluiceValueImage *image);
void sluice_value_image_clear (SluiceValueImage *self);

/* The first rows and columns, as text; of more than two axes the last two, of the first of each
 * other. (transfer full) */
char *sluice_value_table (const SluiceTensor *values, guint most_rows, guint most_columns);
