/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Breakpoints as text, and which values they ask for. */
#include <math.h>

#include "engine/base/error.h"
#include "engine/runtime/debug/breakpoint.h"

static void
test_text (void)
{
  static const char *const good[] = {
    "a/b",
    "a:1",
    "a/",
    "*",
    "* if nonfinite",
    "a if |x| > 2.5 and step >= 10",
    "a:0 if shape is [2,?]",
    "a if shape is not [] and hits >= 3",
  };
  static const char *const bad[] = {
    "",
    " if nonfinite",
    "a:b",
    "a if",
    "a if x",
    "a if |x| > ",
    "a if |x| > b",
    "a if shape is 3",
    "a if shape is [1,b]",
    "a if shape is [1,2,3,4,5,6,7,8,9]",
    "a if step >= -1",
    "a if hits >= 1.5",
    "a if nonfinite or step >= 3",
    "a if |x| > nan",
    "a if shape is [99999999999999999999]",
  };
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr (GError) error = NULL;
      SluiceBreakpoint breakpoint;
      sluice_breakpoint_parse (&breakpoint, good[i], &error);
      g_assert_no_error (error);
      g_autofree char *text = sluice_breakpoint_to_text (&breakpoint);
      g_assert_cmpstr (text, ==, good[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      SluiceBreakpoint breakpoint;
      if (sluice_breakpoint_parse (&breakpoint, bad[i], &error))
        g_error ("'%s' is taken", bad[i]);
      g_test_message ("%s: %s", bad[i], error != NULL ? error->message : "");
    }
}

static gboolean
fits (const char *text, const SluiceTensor *value)
{
  SluiceBreakpoint breakpoint;
  g_assert_true (sluice_breakpoint_parse (&breakpoint, text, NULL));
  g_assert_true (sluice_breakpoint_is_behind (&breakpoint));
  return sluice_breakpoint_fits (&breakpoint, value);
}

static void
test_fits (void)
{
  const float some[] = { -3, 2, 0, 1 }, bad[] = { 1, NAN, 0, 0 };
  const gint32 whole[] = { 7, -9 };
  g_autoptr (SluiceTensor) a = sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (2, 2), some);
  g_autoptr (SluiceTensor) b = sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (4), bad);
  g_autoptr (SluiceTensor) c = sluice_tensor_new_from (SLUICE_INT32, &SLUICE_SHAPE (2), whole);
  g_autoptr (SluiceTensor) empty = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (0));
  g_autoptr (SluiceTensor) words = sluice_tensor_new_zeros (SLUICE_STRING, &SLUICE_SHAPE (2));
  g_assert_true (fits ("x if |x| > 2.5", a));
  g_assert_false (fits ("x if |x| > 3", a));
  g_assert_false (fits ("x if nonfinite", a));
  g_assert_true (fits ("x if nonfinite", b));
  g_assert_true (fits ("x if |x| > 1e30", b));
  g_assert_true (fits ("x if |x| > 8", c));
  g_assert_false (fits ("x if nonfinite", c));
  g_assert_true (fits ("x if shape is [2,?]", a));
  g_assert_false (fits ("x if shape is [2,?]", b));
  g_assert_true (fits ("x if shape is not [2,3]", a));
  g_assert_false (fits ("x if shape is [2,2] and |x| > 5", a));
  g_assert_false (fits ("x if |x| > 0", empty));
  g_assert_false (fits ("x if nonfinite", empty));
  g_assert_false (fits ("x if nonfinite", words));
  g_assert_true (fits ("x:0", words));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/runtime/breakpoint/text", test_text);
  g_test_add_func ("/runtime/breakpoint/fits", test_fits);
  return g_test_run ();
}
