/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cli.h"
#include "app/cli/json.h"
#include "engine/base/error.h"
#include "engine/train/new-project.h"

static char *data, *labels, *test_data, *test_labels, *label_column, *model, *name;

static const GOptionEntry options[] = {
  { "data", 0, 0, G_OPTION_ARG_FILENAME, &data,
    N_ ("The examples: IDX, CSV or NumPy (FILE.npz:MEMBER), packed by gzip or not"), N_ ("FILE") },
  { "labels", 0, 0, G_OPTION_ARG_FILENAME, &labels,
    N_ ("What belongs to each example (a column of a CSV file)"), N_ ("FILE") },
  { "label-column", 0, 0, G_OPTION_ARG_STRING, &label_column,
    N_ ("Of a CSV file: name or number of that column (the last)"), N_ ("COLUMN") },
  { "test-data", 0, 0, G_OPTION_ARG_FILENAME, &test_data,
    N_ ("Examples to test on, which it is not trained with"), N_ ("FILE") },
  { "test-labels", 0, 0, G_OPTION_ARG_FILENAME, &test_labels, N_ ("What belongs to those"),
    N_ ("FILE") },
  { "model", 0, 0, G_OPTION_ARG_STRING, &model,
    N_ ("A first model: none, dense or convolution (dense)"), N_ ("MODEL") },
  { "name", 0, 0, G_OPTION_ARG_STRING, &name, N_ ("What the project is called (as its folder)"),
    N_ ("NAME") },
  G_OPTION_ENTRY_NULL,
};

static gboolean
parse_model (SluiceFirstModel *kind, GError **error)
{
  static const char *const models[] = { [SLUICE_FIRST_MODEL_NONE] = "none",
                                        [SLUICE_FIRST_MODEL_DENSE] = "dense",
                                        [SLUICE_FIRST_MODEL_CONVOLUTION] = "convolution" };
  *kind = SLUICE_FIRST_MODEL_DENSE;
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    if (model != NULL && strcmp (model, models[i]) == 0)
      {
        *kind = i;
        return TRUE;
      }
  return model == NULL
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                         "--model %s: must be none, dense or convolution", model);
}

static char *
dup_number (gint64 number)
{
  return g_strdup_printf ("%" G_GINT64_FORMAT, number);
}

static void
print_about (const char *folder, const SluiceDataAbout *about, gboolean learns)
{
  char x[SLUICE_SHAPE_STR];
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "project", folder);
  sluice_cli_json_int (b, "examples", about->n);
  sluice_cli_json_int (b, "test", about->n_test);
  sluice_cli_json_string (b, "shape", sluice_shape_str (&about->x, x));
  sluice_cli_json_double (b, "least", about->x_least);
  sluice_cli_json_double (b, "most", about->x_most);
  sluice_cli_json_int (b, "classes", about->n_classes);
  sluice_cli_json_end (b);
  if (sluice_cli_json)
    return;
  g_autofree char *n = dup_number (about->n), *n_test = dup_number (about->n_test);
  g_autofree char *n_classes = dup_number (about->n_classes);
  printf (_ ("%s examples %s, %g to %g"), n, x, about->x_least, about->x_most);
  if (about->n_classes > 0)
    printf (_ (", %s classes"), n_classes);
  if (about->n_test > 0)
    printf (_ (", and %s to test on"), n_test);
  if (learns)
    printf (_ ("\n%s is made; train it: sluice train %s\n"), folder, folder);
  else
    printf (
        _ ("\n%s is made; nothing in it learns yet: sluice edit %s/model.pbtxt adds layers, and "
           "so does the page Build\n"),
        folder, folder);
}

static int
new_verb (char **arguments, GError **error)
{
  SluiceDataAbout about;
  SluiceNewProject what = { .name = name,
                            .train_x = data,
                            .train_y = labels,
                            .test_x = test_data,
                            .test_y = test_labels,
                            .y_column = label_column };
  if (g_strv_length (arguments) != 1 || data == NULL)
    return sluice_cli_usage (error, _ ("give the FOLDER of the project, and --data"));
  if (!parse_model (&what.model, error) || !sluice_new_project_describe (&what, &about, error)
      || !sluice_new_project_create (&what, arguments[0], error))
    return EXIT_FAILED;
  print_about (arguments[0], &about, what.model != SLUICE_FIRST_MODEL_NONE);
  return EXIT_OK;
}

const Verb sluice_verb_new = {
  .name = "new",
  .arguments = N_ ("FOLDER --data FILE"),
  .summary = N_ ("Make a project from data, with a first model"),
  .details = N_ ("The folder gets a project.ini that says how the data are read, and a graph of "
                 "what reads them and of a model that learns their classes. Both are a beginning: "
                 "sluice edit and the page Build change the graph."),
  .json = "{\"project\": \"string\", \"examples\": \"number\", \"test\": \"number\", \"shape\": "
          "\"string\", \"least\": \"number\", \"most\": \"number\", \"classes\": \"number\"}",
  .options = options,
  .run = new_verb,
};
