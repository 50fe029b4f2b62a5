/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/csv.h"

#include <string.h>

#include "engine/base/error.h"

/* All fields with '|' between; a record's end is '/', what fails '!'. */
static char *
read_all (const char *text, gboolean by_lines)
{
  SluiceCsv reader;
  SluiceCsvResult result;
  g_autoptr (GString) field = g_string_new (NULL);
  GString *all = g_string_new (NULL);
  sluice_csv_init (&reader, text, strlen (text), ',', by_lines);
  while ((result = sluice_csv_next (&reader, field, NULL)) > SLUICE_CSV_END)
    g_string_append_printf (all, "%s%s", field->str, result == SLUICE_CSV_FIELD ? "|" : "/");
  if (result == SLUICE_CSV_FAILED)
    g_string_append_c (all, '!');
  return g_string_free (all, FALSE);
}

static void
test_records (void)
{
  static const struct
  {
    const char *text;
    gboolean by_lines;
    const char *want;
  } cases[] = {
    { "a,b", FALSE, "a|b|" },
    { "a,b,", FALSE, "a|b||" },
    { "\"a,\"\"b\"\"\nc\",d", FALSE, "a,\"b\"\nc|d|" },
    { "a\"b", FALSE, "!" },
    { "\"a\" ,b", FALSE, "!" },
    { "", FALSE, "" },
    { "a,b\n1,2\n", TRUE, "a|b/1|2/" },
    { "a,b\r\n1,2", TRUE, "a|b/1|2/" },
    { "1,\n\n,2", TRUE, "1|//|2/" },
    { "1,2,", TRUE, "1|2|/" },
    { " \"a\nb\" , \"c,d\"\n1,2", TRUE, "a\nb|c,d/1|2/" },
    { "\"open\n1,2", TRUE, "!" },
    { "a\rb\n", TRUE, "!" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *got = read_all (cases[i].text, cases[i].by_lines);
      g_assert_cmpstr (got, ==, cases[i].want);
    }
}

static void
test_lines (void)
{
  static const char text[] = "\"a\nb\",c\n1,2\n";
  SluiceCsv reader;
  g_autoptr (GString) field = g_string_new (NULL);
  sluice_csv_init (&reader, text, strlen (text), ',', TRUE);
  g_assert_cmpint (sluice_csv_next (&reader, field, NULL), ==, SLUICE_CSV_FIELD);
  g_assert_cmpint (reader.line, ==, 1); /* one end of a line stood in the quotes */
  g_assert_cmpint (sluice_csv_next (&reader, field, NULL), ==, SLUICE_CSV_LAST_FIELD);
  g_assert_cmpint (reader.line, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/csv/records", test_records);
  g_test_add_func ("/base/csv/lines", test_lines);
  return g_test_run ();
}
