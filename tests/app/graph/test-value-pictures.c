/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What elements look like. */
#include <math.h>

#include "app/graph/value-pictures.h"

static SluiceTensor *
new_values (const SluiceShape *shape, const float *elements)
{
  g_autoptr (SluiceTensor) value = sluice_tensor_new_from (SLUICE_FLOAT, shape, elements);
  SluiceTensor *doubles = sluice_value_to_doubles (value);
  g_assert_nonnull (doubles);
  return doubles;
}

static void
test_histogram (void)
{
  const float elements[] = { 0, 1, 1, 4, NAN, INFINITY };
  double edges[5], counts[4];
  g_autoptr (SluiceTensor) values = new_values (&SLUICE_SHAPE (6), elements);
  g_assert_true (sluice_value_histogram (values, 4, edges, counts));
  g_assert_cmpfloat (edges[0], ==, 0);
  g_assert_cmpfloat (edges[4], ==, 4);
  g_assert_cmpfloat (counts[0], ==, 1);
  g_assert_cmpfloat (counts[1], ==, 2);
  g_assert_cmpfloat (counts[3], ==, 1);
  /* One value alone lies in the middle; none is no histogram. */
  g_autoptr (SluiceTensor) same = new_values (&SLUICE_SHAPE (2), (float[]){ 3, 3 });
  g_assert_true (sluice_value_histogram (same, 2, edges, counts));
  g_assert_cmpfloat (counts[0] + counts[1], ==, 2);
  g_autoptr (SluiceTensor) nan = new_values (&SLUICE_SHAPE (1), (float[]){ NAN });
  g_assert_false (sluice_value_histogram (nan, 2, edges, counts));
  g_autoptr (SluiceTensor) text = sluice_tensor_new_string ("a", 1);
  g_assert_null (sluice_value_to_doubles (text));
}

static const guint8 *
pixel (const SluiceValueImage *image, guint x, guint y)
{
  return image->pixels + 3 * (y * image->width + x);
}

static void
test_image (void)
{
  SluiceValueImage image;
  /* Three pictures of one row and two columns, two beside each other. */
  g_autoptr (SluiceTensor) batch =
      new_values (&SLUICE_SHAPE (3, 1, 2, 1), (float[]){ 0, 1, 2, NAN, 4, 4 });
  g_assert_true (sluice_value_image (batch, 16, &image));
  g_assert_cmpuint (image.n_shown, ==, 3);
  g_assert_cmpuint (image.width, ==, 5);
  g_assert_cmpuint (image.height, ==, 3);
  g_assert_cmpuint (pixel (&image, 0, 0)[0], ==, 0);
  g_assert_cmpuint (pixel (&image, 3, 0)[1], ==, 128);
  g_assert_cmpuint (pixel (&image, 4, 0)[0], ==, 224); /* not finite */
  g_assert_cmpuint (pixel (&image, 0, 2)[2], ==, 255);
  sluice_value_image_clear (&image);
  g_assert_true (sluice_value_image (batch, 1, &image));
  g_assert_cmpuint (image.n_shown, ==, 1);
  g_assert_cmpuint (image.n, ==, 3);
  sluice_value_image_clear (&image);
  /* Colours; other channels are pictures of the first example. */
  g_autoptr (SluiceTensor) color = new_values (&SLUICE_SHAPE (1, 1, 3), (float[]){ 1, 0, 0 });
  g_assert_true (sluice_value_image (color, 16, &image));
  g_assert_cmpmem (image.pixels, 3, "\xff\0\0", 3);
  sluice_value_image_clear (&image);
  g_autoptr (SluiceTensor) maps = new_values (&SLUICE_SHAPE (2, 1, 1, 2), (float[]){ 0, 1, 5, 5 });
  g_assert_true (sluice_value_image (maps, 16, &image));
  g_assert_cmpuint (image.n, ==, 2);
  g_assert_cmpuint (image.width, ==, 3);
  sluice_value_image_clear (&image);
  /* A matrix is one picture, a number too, nothing is none. */
  g_autoptr (SluiceTensor) matrix = new_values (&SLUICE_SHAPE (1, 3), (float[]){ 0, 1, 2 });
  g_assert_true (sluice_value_image (matrix, 16, &image));
  g_assert_cmpuint (image.width, ==, 3);
  sluice_value_image_clear (&image);
  g_autoptr (SluiceTensor) scalar = new_values (&SLUICE_SHAPE_SCALAR, (float[]){ 7 });
  g_assert_true (sluice_value_image (scalar, 16, &image));
  sluice_value_image_clear (&image);
  g_autoptr (SluiceTensor) empty = new_values (&SLUICE_SHAPE (0, 4), (float[]){ 0 });
  g_assert_false (sluice_value_image (empty, 16, &image));
}

static void
test_table (void)
{
  g_autoptr (SluiceTensor) values =
      new_values (&SLUICE_SHAPE (2, 2, 2), (float[]){ 1, 2, 3, 4, 5, 6, 7, 8 });
  g_autofree char *all = sluice_value_table (values, 9, 9);
  g_assert_cmpstr (all, ==,
                   "                0          1\n"
                   "    0           1          2\n"
                   "    1           3          4");
  g_autofree char *some = sluice_value_table (values, 1, 1);
  g_assert_cmpstr (some, ==,
                   "                0 …\n"
                   "    0           1\n"
                   "    …");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/value-pictures/histogram", test_histogram);
  g_test_add_func ("/value-pictures/image", test_image);
  g_test_add_func ("/value-pictures/table", test_table);
  return g_test_run ();
}
