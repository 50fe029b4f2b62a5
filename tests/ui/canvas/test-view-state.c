/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <math.h>
#include <string.h>

#include "ui/canvas/view-state.h"

static void
test_round_trip (void)
{
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *hash = NULL;
  double x, y, zoom;
  sluice_view_state_set_open (state, "tower", TRUE);
  sluice_view_state_set_open (state, "a b\\c", TRUE);
  sluice_view_state_set_move (state, "tower/conv ∇", 12.25, -3);
  sluice_view_state_set_place (state, "init", SLUICE_PLACE_INCLUDE);
  sluice_view_state_set_place (state, "hub", SLUICE_PLACE_EXCLUDE);
  sluice_view_state_set_use_dot (state, TRUE);
  sluice_view_state_set_view (state, 100, 50.5, 0.75);
  sluice_view_state_set_size (state, 820, 640.5);
  g_autofree char *text = sluice_view_state_print (state, "abc123");
  g_assert_cmpstr (text, ==,
                   "layout 1 graph=abc123\nengine dot\nexclude hub\ninclude init\nmoved "
                   "tower/conv\\040∇ 12.25 -3\n"
                   "open a\\040b\\134c\nopen tower\nsize 820 640.50\nview 100 50.50 0.7500\n");
  g_autoptr (SluiceViewState) back = sluice_view_state_parse (text, &hash, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (hash, ==, "abc123");
  g_assert_true (sluice_view_state_is_open (back, "a b\\c"));
  g_assert_true (sluice_view_state_get_move (back, "tower/conv ∇", &x, &y));
  g_assert_cmpfloat (x, ==, 12.25);
  g_assert_cmpfloat (y, ==, -3);
  g_assert_cmpint (sluice_view_state_get_place (back, "hub"), ==, SLUICE_PLACE_EXCLUDE);
  g_assert_true (sluice_view_state_get_view (back, &x, &y, &zoom));
  g_assert_cmpfloat (zoom, ==, 0.75);
  g_autofree char *again = sluice_view_state_print (back, hash);
  g_assert_cmpstr (again, ==, text);
  g_autoptr (SluiceViewState) copy = sluice_view_state_copy (back);
  g_autofree char *copied = sluice_view_state_print (copy, hash);
  g_assert_cmpstr (copied, ==, text);
}

static void
test_unknown_lines_are_kept (void)
{
  const char *text = "layout 1 graph=h\nframe \"my layer\" 1 2 3 4\nmoved a 1 2\nmoved b 1 2 90 "
                     "collapsed\nopen s\n";
  g_autoptr (GError) error = NULL;
  g_autofree char *hash = NULL;
  g_autoptr (SluiceViewState) state = sluice_view_state_parse (text, &hash, &error);
  g_assert_no_error (error);
  g_autofree char *again = sluice_view_state_print (state, hash);
  g_assert_cmpstr (again, ==, text);
}

static void
test_bad_lines (void)
{
  static const struct
  {
    const char *text;
    const char *says;
  } cases[] = {
    { "", "*Line 1*layout 1 graph=HASH*" },
    { "nodes 1\n", "*Line 1*nodes 1*" },
    { "layout 2 graph=x\n", "*version 2*" },
    { "layout 1\nmoved a 1\n", "*Line 2*moved a 1*" },
    { "layout 1\nopen s\nmoved a x 1\n", "*Line 3*moved a x 1*" },
    { "layout 1\nmoved a nan 1\n", "*Line 2*" },
    { "layout 1\nmoved a 1e999 1\n", "*Line 2*" },
    { "layout 1\nsize 100 0\n", "*Line 2*size*" },
    { "layout 1\nview 1 2 0\n", "*Line 2*view*" },
    { "layout 1\nview 1 2 -1\n", "*Line 2*view*" },
    { "layout 1\nopen\n", "*Line 2*open*" },
    { "layout 1\nopen a b\n", "*Line 2*open*" },
    { "layout 1\nopen \xff\n", "*UTF-8*" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceViewState) state = sluice_view_state_parse (cases[i].text, NULL, &error);
      g_assert_null (state);
      g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
      if (!g_pattern_match_simple (cases[i].says, error->message))
        g_error ("\"%s\" does not say %s", error->message, cases[i].says);
    }
}

static void
test_windows_line_ends (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceViewState) state =
      sluice_view_state_parse ("layout 1 graph=h\r\nopen  a\r\n\r\n", NULL, &error);
  g_assert_no_error (error);
  g_assert_true (sluice_view_state_is_open (state, "a"));
}

/* Any change of a valid file is read or refused with a message, and what is read prints and reads
 * again. */
static void
test_fuzz (void)
{
  const char seed[] =
      "layout 1 graph=h\nnode a\\040b 1.5 -2\nopen s\nview 1 2 0.5\ninclude x\nengine dot\n";
  GRand *rand = g_rand_new_with_seed (3);
  for (guint round = 0; round < 3000; round++)
    {
      char text[sizeof seed];
      memcpy (text, seed, sizeof seed);
      for (guint k = 0; k < 4; k++)
        text[g_rand_int_range (rand, 0, sizeof seed - 1)] = (char) g_rand_int_range (rand, 0, 128);
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceViewState) state = sluice_view_state_parse (text, NULL, &error);
      g_assert_true ((state == NULL) == (error != NULL));
      if (state == NULL)
        continue;
      g_autofree char *printed = sluice_view_state_print (state, "h");
      g_autoptr (SluiceViewState) back = sluice_view_state_parse (printed, NULL, &error);
      g_assert_no_error (error);
      g_autofree char *again = sluice_view_state_print (back, "h");
      g_assert_cmpstr (again, ==, printed);
    }
  g_rand_free (rand);
}

/* What makes the one of the other, and back. */
static void
test_diff (void)
{
  char *both[] = { "a", "b c", NULL }, *none[] = { NULL };
  g_autoptr (SluiceViewState) from = sluice_view_state_new ();
  g_autoptr (SluiceViewState) to = sluice_view_state_new ();
  sluice_view_state_set_move (from, "a", 1, 2);
  sluice_view_state_set_move (to, "a", 3, 2);
  sluice_view_state_set_place (from, "hub", SLUICE_PLACE_EXCLUDE);
  sluice_view_state_set_use_dot (to, TRUE);
  sluice_view_state_set_bends (to, "a", "b c", &(SluiceViewBends){ 1, { { 5, -6.5 } } });
  sluice_view_state_set_note (to, "1", &(SluiceViewNote){ TRUE, "two of them", both, 0, 0 });
  sluice_view_state_set_note (to, "2", &(SluiceViewNote){ FALSE, "one\nline", none, 7, 8 });
  sluice_view_state_set_open (to, "is no arrangement", TRUE);
  g_autoptr (GPtrArray) lines = sluice_view_state_diff (from, to);
  g_ptr_array_add (lines, NULL);
  g_autofree char *text = g_strjoinv ("|", (char **) lines->pdata);
  g_assert_cmpstr (text, ==,
                   "-exclude hub|-moved a 1 2|+bend a b\\040c 5 -6.50|+engine dot|"
                   "+frame 1 two\\040of\\040them a b\\040c|+moved a 3 2|+note 2 one\\012line 7 8");
  for (guint i = 0; i + 1 < lines->len; i++)
    sluice_view_state_apply (from, lines->pdata[i]);
  g_autoptr (GPtrArray) rest = sluice_view_state_diff (from, to);
  g_assert_cmpuint (rest->len, ==, 0);
  for (guint i = lines->len - 1; i > 0; i--)
    {
      char *line = lines->pdata[i - 1];
      *line = *line == '+' ? '-' : '+';
      sluice_view_state_apply (from, line);
    }
  sluice_view_state_rename (to, "b c", "d");
  sluice_view_state_rename (to, "a", "b");
  g_autofree char *renamed = sluice_view_state_print (to, "");
  g_assert_cmpstr (renamed, ==,
                   "layout 1 graph=\nbend b d 5 -6.50\nengine dot\nframe 1 two\\040of\\040them b "
                   "d\nmoved b 3 2\nnote 2 one\\012line 7 8\nopen is\\040no\\040arrangement\n");
  g_autofree char *back = sluice_view_state_print (from, "");
  g_assert_cmpstr (back, ==, "layout 1 graph=\nexclude hub\nmoved a 1 2\n");
}

/* A line may be bent more than once; a file that says it once is as it ever was. */
static void
test_bends (void)
{
  static const char text[] = "layout 1 graph=\nbend a b 5 -6.50\nbend b c 1 2 3 4 5 6\n";
  g_autoptr (GError) error = NULL;
  SluiceViewBends bends;
  g_autoptr (SluiceViewState) state = sluice_view_state_parse (text, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (sluice_view_state_get_bends (state, "a", "b", &bends));
  g_assert_cmpuint (bends.n, ==, 1);
  g_assert_cmpfloat (bends.by[0].y, ==, -6.5);
  g_assert_true (sluice_view_state_get_bends (state, "b", "c", &bends));
  g_assert_cmpuint (bends.n, ==, 3);
  g_assert_cmpfloat (bends.by[2].x, ==, 5);
  g_autofree char *again = sluice_view_state_print (state, "");
  g_assert_cmpstr (again, ==, text);
  g_assert_null (sluice_view_state_parse ("layout 1 graph=\nbend a b 5 -6 1\n", NULL, NULL));
  g_assert_null (sluice_view_state_parse ("layout 1 graph=\nbend a b\n", NULL, NULL));
  /* More than there are here is another version's. */
  static const char more[] = "layout 1 graph=\nbend a b 1 1 2 2 3 3 4 4 5 5 6 6 7 7 8 8 9 9\n";
  g_autoptr (SluiceViewState) other = sluice_view_state_parse (more, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *kept = sluice_view_state_print (other, "");
  g_assert_cmpstr (kept, ==, more);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/canvas/view-state/round-trip", test_round_trip);
  g_test_add_func ("/canvas/view-state/bends", test_bends);
  g_test_add_func ("/canvas/view-state/unknown", test_unknown_lines_are_kept);
  g_test_add_func ("/canvas/view-state/bad", test_bad_lines);
  g_test_add_func ("/canvas/view-state/crlf", test_windows_line_ends);
  g_test_add_func ("/canvas/view-state/fuzz", test_fuzz);
  g_test_add_func ("/canvas/view-state/diff", test_diff);
  return g_test_run ();
}
