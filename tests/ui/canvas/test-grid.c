/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/grid.h"

/* The index finds what a look at every rectangle finds, in order. */
static void
test_grid (void)
{
  GRand *rand = g_rand_new_with_seed (9);
  for (guint round = 0; round < 60; round++)
    {
      guint n = g_rand_int_range (rand, 0, 400);
      g_autofree SluiceRect *rects = g_new (SluiceRect, n + 1);
      for (guint i = 0; i < n; i++)
        rects[i] = (SluiceRect){ g_rand_double_range (rand, -3000, 3000),
                                 g_rand_double_range (rand, -900, 900),
                                 g_rand_double_range (rand, 0, i % 9 == 0 ? 4000 : 100),
                                 g_rand_double_range (rand, 0, 60) };
      g_autoptr (SluiceGrid) grid = sluice_grid_new (rects, n);
      for (guint k = 0; k < 20; k++)
        {
          g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint));
          SluiceRect area = { g_rand_double_range (rand, -3500, 3500),
                              g_rand_double_range (rand, -1200, 1200),
                              g_rand_double_range (rand, 0, k % 4 == 0 ? 9000 : 200),
                              g_rand_double_range (rand, 0, k % 4 == 0 ? 3000 : 200) };
          guint at = 0;
          double least = k % 3 == 0 ? 50 : 0;
          sluice_grid_query (grid, &area, least, found);
          for (guint i = 0; i < n; i++)
            if (sluice_rect_touches (&rects[i], &area)
                && MAX (rects[i].width, rects[i].height) >= least)
              g_assert_cmpuint (g_array_index (found, guint, at++), ==, i);
          g_assert_cmpuint (found->len, ==, at);
        }
    }
  g_rand_free (rand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/canvas/grid", test_grid);
  return g_test_run ();
}
