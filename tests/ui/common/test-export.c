/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/export.h"

#include <glib/gstdio.h>
#include <math.h>

static void
draw (cairo_t *cr, double width, double height, gboolean vector, gpointer data)
{
  gboolean *was_vector = data;

  *was_vector = vector;
  cairo_rectangle (cr, 0, 0, width, height);
  cairo_fill (cr);
}

static void
test_names (void)
{
  static const struct
  {
    const char *name;
    SluiceExportFormat format;
  } names[] = { { "a.png", SLUICE_EXPORT_PNG }, { "A.PNG", SLUICE_EXPORT_PNG },
                { "a.Svg", SLUICE_EXPORT_SVG }, { "/b.png/a.pdf", SLUICE_EXPORT_PDF },
                { "a.gv", SLUICE_EXPORT_DOT },  { "a.csv", SLUICE_EXPORT_CSV } };
  SluiceExportFormat format;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_assert_true (sluice_export_format_from_name (names[i].name, &format));
      g_assert_cmpint (format, ==, names[i].format);
    }
  g_assert_false (sluice_export_format_from_name ("png", &format));
  g_assert_false (sluice_export_format_from_name ("a.jpeg", &format));
}

static void
test_files (void)
{
  static const struct
  {
    const char *name;
    const char *magic;
    gboolean vector;
  } files[] = { { "a.PNG", "\211PNG", FALSE },
                { "a.svg", "<?xml", TRUE },
                { "a.pdf", "%PDF", TRUE } };
  g_autofree char *folder = g_dir_make_tmp ("sluice-export-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (folder, files[i].name, NULL);
      g_autofree char *content = NULL;
      g_autoptr (GError) error = NULL;
      gboolean vector = !files[i].vector;

      g_assert_true (sluice_export_named_picture (path, 10.2, 7, 2, draw, &vector, &error));
      g_assert_no_error (error);
      g_assert_cmpint (vector, ==, files[i].vector);
      g_assert_true (g_file_get_contents (path, &content, NULL, &error));
      g_assert_true (g_str_has_prefix (content, files[i].magic));
      g_remove (path);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_size (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sluice-export-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.png", NULL);
  g_autoptr (GError) error = NULL;
  cairo_surface_t *surface;
  gboolean vector;

  g_assert_true (sluice_export_named_picture (path, 10.2, 7, 2, draw, &vector, &error));
  surface = cairo_image_surface_create_from_png (path);
  g_assert_cmpint (cairo_image_surface_get_width (surface), ==, (int) ceil (10.2 * 2));
  g_assert_cmpint (cairo_image_surface_get_height (surface), ==, 14);
  cairo_surface_destroy (surface);
  g_remove (path);
  g_rmdir (folder);
}

static void
test_errors (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sluice-export-XXXXXX", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "no", "such.png", NULL);
  g_autofree char *huge = g_build_filename (folder, "huge.png", NULL);
  g_autoptr (GError) error = NULL;
  gboolean vector;

  g_assert_false (sluice_export_named_picture ("a.csv", 1, 1, 1, draw, &vector, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_assert_nonnull (strstr (error->message, "a.csv"));
  g_clear_error (&error);
  g_assert_false (sluice_export_named_picture (nowhere, 1, 1, 1, draw, &vector, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull (strstr (error->message, "such.png"));
  g_clear_error (&error);
  /* More pixels than a surface can have: nothing is left behind. */
  g_assert_false (sluice_export_named_picture (huge, 40000, 1, 1, draw, &vector, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED);
  g_assert_nonnull (strstr (error->message, "huge.png"));
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/common/export/names", test_names);
  g_test_add_func ("/ui/common/export/files", test_files);
  g_test_add_func ("/ui/common/export/size", test_size);
  g_test_add_func ("/ui/common/export/errors", test_errors);
  return g_test_run ();
}
