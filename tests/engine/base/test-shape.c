/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/error.h"
#include "engine/base/shape.h"

#define UNKNOWN SLUICE_SHAPE_UNKNOWN
#define SCALAR  SLUICE_SHAPE_SCALAR

static void
assert_shape (const SluiceShape *shape, const char *wanted)
{
  char text[SLUICE_SHAPE_STR];
  g_assert_cmpstr (sluice_shape_str (shape, text), ==, wanted);
}

static void
test_make (void)
{
  SluiceShape shape;
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_shape_make (&shape, (gint64[]){ 2, -1, 3 }, 3, &error));
  g_assert_no_error (error);
  assert_shape (&shape, "[2,?,3]");
  g_assert_true (sluice_shape_make (&shape, NULL, 0, &error));
  assert_shape (&shape, "[]");

  gint64 many[100] = { 0 };
  g_assert_false (sluice_shape_make (&shape, many, 100, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_false (sluice_shape_make (&shape, (gint64[]){ 2, -2 }, 2, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  gint64 big = G_GINT64_CONSTANT (1) << 40;
  g_assert_false (sluice_shape_make (&shape, (gint64[]){ big, big }, 2, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_true (sluice_shape_make (&shape, (gint64[]){ big, big, 0 }, 3, &error));
  g_assert_cmpint (sluice_shape_n_elements (&shape), ==, 0);
}

static void
test_elements (void)
{
  g_assert_cmpint (sluice_shape_n_elements (&UNKNOWN), ==, -1);
  g_assert_cmpint (sluice_shape_n_elements (&SCALAR), ==, 1);
  g_assert_cmpint (sluice_shape_n_elements (&SLUICE_SHAPE (2, 3)), ==, 6);
  g_assert_cmpint (sluice_shape_n_elements (&SLUICE_SHAPE (2, -1)), ==, -1);
  g_assert_cmpint (sluice_shape_n_elements (&SLUICE_SHAPE (-1, 0)), ==, 0);
  gint64 big = G_GINT64_CONSTANT (1) << 40;
  g_assert_cmpint (sluice_shape_n_elements (&SLUICE_SHAPE (big, big)), ==, G_MAXINT64);
  g_assert_cmpint (sluice_shape_n_elements (&SLUICE_SHAPE (big, big, 0)), ==, 0);
  g_assert_true (sluice_shape_is_known (&SLUICE_SHAPE (0, 4)));
  g_assert_false (sluice_shape_is_known (&SLUICE_SHAPE (-1, 0)));
  g_assert_false (sluice_shape_is_known (&UNKNOWN));
  SluiceShape free = sluice_shape_of_rank (2);
  assert_shape (&free, "[?,?]");
  assert_shape (&UNKNOWN, "<unknown>");
  gint64 m = G_MAXINT64;
  assert_shape (&SLUICE_SHAPE (m, m, m, m, m, m, m, m),
                "[9223372036854775807,9223372036854775807,9223372036854775807,9223372036854775807,"
                "9223372036854775807,9223372036854775807,9223372036854775807,9223372036854775807]");
}

typedef struct
{
  SluiceShape a, b;
  const char *result; /* NULL: impossible */
} PairCase;

static void
check_pairs (const PairCase *cases,
             guint n,
             gboolean (*rule) (const SluiceShape *, const SluiceShape *, SluiceShape *))
{
  for (guint i = 0; i < n; i++)
    for (guint swap = 0; swap < 2; swap++)
      {
        SluiceShape a = swap ? cases[i].b : cases[i].a, b = swap ? cases[i].a : cases[i].b;
        SluiceShape out = a; /* also in place */
        g_assert_cmpint (rule (&out, &b, &out), ==, cases[i].result != NULL);
        if (cases[i].result)
          assert_shape (&out, cases[i].result);
      }
}

static void
test_merge (void)
{
  const PairCase cases[] = {
    { UNKNOWN, SLUICE_SHAPE (2, -1), "[2,?]" },
    { SLUICE_SHAPE (2, -1), SLUICE_SHAPE (-1, 3), "[2,3]" },
    { SLUICE_SHAPE (2, 3), SLUICE_SHAPE (2, 4), NULL },
    { SLUICE_SHAPE (2, 3), SLUICE_SHAPE (2), NULL },
    { SCALAR, SCALAR, "[]" },
    { SCALAR, SLUICE_SHAPE (1), NULL },
    { SLUICE_SHAPE (0, -1), SLUICE_SHAPE (-1, -1), "[0,?]" },
    { UNKNOWN, UNKNOWN, "<unknown>" },
  };
  check_pairs (cases, G_N_ELEMENTS (cases), sluice_shape_merge);
  g_assert_false (sluice_shape_compatible (&cases[2].a, &cases[2].b));
  g_assert_true (sluice_shape_compatible (&cases[1].a, &cases[1].b));
}

static void
test_broadcast (void)
{
  const PairCase cases[] = {
    { SLUICE_SHAPE (2, 3), SLUICE_SHAPE (3), "[2,3]" },
    { SLUICE_SHAPE (2, 1), SLUICE_SHAPE (1, 5), "[2,5]" },
    { SLUICE_SHAPE (2, 3), SCALAR, "[2,3]" },
    { SLUICE_SHAPE (2, 3), SLUICE_SHAPE (2), NULL },
    { SLUICE_SHAPE (2, 3), UNKNOWN, "<unknown>" },
    { SLUICE_SHAPE (-1, 3), SLUICE_SHAPE (2, 3), "[2,3]" },
    { SLUICE_SHAPE (-1), SLUICE_SHAPE (1), "[?]" },
    { SLUICE_SHAPE (-1), SLUICE_SHAPE (-1), "[?]" },
    { SLUICE_SHAPE (0), SLUICE_SHAPE (1), "[0]" },
    { SLUICE_SHAPE (-1), SLUICE_SHAPE (0), "[0]" },
    { SLUICE_SHAPE (0), SLUICE_SHAPE (2), NULL },
  };
  check_pairs (cases, G_N_ELEMENTS (cases), sluice_shape_broadcast);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/shape/make", test_make);
  g_test_add_func ("/base/shape/elements", test_elements);
  g_test_add_func ("/base/shape/merge", test_merge);
  g_test_add_func ("/base/shape/broadcast", test_broadcast);
  return g_test_run ();
}
