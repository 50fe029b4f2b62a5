/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/new-project.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/command/stack.h"
#include "engine/store/file.h"
#include "engine/train/data.h"

#define MOST_CLASSES 1000
#define HIDDEN       128
#define BATCH        64

static const char *
get_source (const SluiceNewProject *self)
{
  static const struct
  {
    const char *ending, *source;
  } endings[] = { { ".csv", "csv" }, { ".npy", "npy" }, { ".npz", "npy" } };
  if (self->source != NULL)
    return self->source;
  g_autofree char *lower = g_ascii_strdown (self->train_x, -1);
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (strstr (lower, endings[i].ending) != NULL)
      return endings[i].source;
  return "idx";
}

/* ---- what the data are ---- */

static void
measure (const SluiceTensor *values, double *least, double *most, gboolean *is_whole)
{
  *least = INFINITY;
  *most = -INFINITY;
  *is_whole = TRUE;
  for (gint64 i = 0; i < (gint64) values->n_elements; i++)
    {
      double value = sluice_examples_get_value (values, i);
      *least = MIN (*least, value);
      *most = MAX (*most, value);
      *is_whole = *is_whole && value == floor (value);
    }
}

/* Without the dimension that counts examples. */
static void
get_example_shape (const SluiceTensor *values, SluiceShape *shape)
{
  shape->rank = values->shape.rank - 1;
  memcpy (shape->dim, values->shape.dim + 1, shape->rank * sizeof *shape->dim);
}

static void
describe (const SluiceExamples *examples, SluiceDataAbout *about)
{
  gboolean is_whole;
  *about = (SluiceDataAbout){ .n = examples->n,
                              .x_dtype = examples->x->dtype,
                              .y_dtype = examples->y->dtype };
  get_example_shape (examples->x, &about->x);
  get_example_shape (examples->y, &about->y);
  measure (examples->x, &about->x_least, &about->x_most, &is_whole);
  measure (examples->y, &about->y_least, &about->y_most, &is_whole);
  if (is_whole && about->y.rank == 0 && about->y_least >= 0 && about->y_most < MOST_CLASSES)
    about->n_classes = (gint64) about->y_most + 1;
  /* Grey pictures of bytes: layers that convolve want their one channel. */
  if (about->x_dtype == SLUICE_UINT8 && about->x.rank == 2)
    about->x.dim[about->x.rank++] = 1;
}

/* A project that has the files alone: enough to read them. */
static gboolean
read_examples (const SluiceNewProject *self, SluiceDataAbout *about, GError **error)
{
  SluiceProject project = { .source = (char *) get_source (self),
                            .y_column = (char *) self->y_column,
                            .train_x = (char *) self->train_x,
                            .train_y = (char *) self->train_y,
                            .test_x = (char *) self->test_x,
                            .test_y = (char *) self->test_y };
  g_autoptr (SluiceExamples) train = sluice_examples_load (&project, FALSE, error);
  if (train == NULL)
    return FALSE;
  describe (train, about);
  g_autoptr (SluiceExamples) test =
      self->test_x != NULL ? sluice_examples_load (&project, TRUE, error) : NULL;
  if (test != NULL)
    about->n_test = test->n;
  return test != NULL || self->test_x == NULL;
}

gboolean
sluice_new_project_describe (const SluiceNewProject *self, SluiceDataAbout *about, GError **error)
{
  return read_examples (self, about, error);
}

/* ---- its graph ---- */

/* "[?,8,8,1]" */
static void
append_shape (GString *script, const SluiceShape *shape)
{
  g_string_append (script, "[?");
  for (int i = 0; i < shape->rank; i++)
    g_string_append_printf (script, ",%" G_GINT64_FORMAT, shape->dim[i]);
  g_string_append (script, "]");
}

static void
append_convolutions (GString *script)
{
  g_string_append (script,
                   "layer conv2d conv1 input=x filters=32 size=3 activation=relu\n"
                   "layer pool pool1 input=conv1/output\n"
                   "layer conv2d conv2 input=pool1/output filters=64 size=3 activation=relu\n"
                   "layer pool pool2 input=conv2/output\n");
}

/* Of an example of more than one dimension a row is made first. */
static void
append_model (GString *script, const SluiceNewProject *self, const SluiceDataAbout *about)
{
  gboolean convolves = self->model == SLUICE_FIRST_MODEL_CONVOLUTION;
  const char *input = convolves ? "pool2/output" : "x";
  if (convolves)
    append_convolutions (script);
  if (about->x.rank > 1)
    g_string_append_printf (script, "layer flatten flat input=%s\n", input);
  g_string_append_printf (script, "layer dense hidden input=%s units=%d activation=relu\n",
                          about->x.rank > 1 ? "flat/output" : input, HIDDEN);
  g_string_append_printf (script,
                          "layer dense logits input=hidden/output units=%" G_GINT64_FORMAT "\n",
                          about->n_classes);
  g_string_append (script, "layer softmax-cross-entropy loss input=logits/output labels=y\n"
                           "layer accuracy accuracy input=logits/output labels=y\n"
                           "train loss/output optimizer=adam learning-rate=0.003\n"
                           "summary scalar loss/output loss\n"
                           "summary scalar accuracy/output accuracy\n");
}

static gboolean
check_model (const SluiceNewProject *self, const SluiceDataAbout *about, GError **error)
{
  if (self->model == SLUICE_FIRST_MODEL_NONE)
    return TRUE;
  if (about->n_classes < 2)
    return sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                        "y is no class, a whole number from 0 to %d: a first model is proposed for "
                        "classes alone; make the project without one, and build the model",
                        MOST_CLASSES - 1);
  return self->model != SLUICE_FIRST_MODEL_CONVOLUTION || about->x.rank == 3
         || sluice_fail (
             error, SLUICE_ERROR_UNIMPLEMENTED,
             "an example has %u dimensions, and a model that convolves reads 3: height, "
             "width and channels",
             about->x.rank);
}

char *
sluice_new_project_dup_script (const SluiceNewProject *self,
                               const SluiceDataAbout *about,
                               GError **error)
{
  if (!check_model (self, about, error))
    return NULL;
  GString *script = g_string_new ("add Placeholder x dtype=DT_FLOAT shape=");
  append_shape (script, &about->x);
  g_string_append_printf (script, "\nadd Placeholder y dtype=%s shape=",
                          about->n_classes > 0 ? "DT_INT64" : "DT_FLOAT");
  append_shape (script, &about->y);
  g_string_append (script, "\n");
  if (self->model != SLUICE_FIRST_MODEL_NONE)
    append_model (script, self, about);
  return g_string_free (script, FALSE);
}

/* ---- its folder ---- */

static void
set_path (GKeyFile *ini, const char *key, const char *path)
{
  g_autofree char *full = path != NULL ? g_canonicalize_filename (path, NULL) : NULL;
  if (full != NULL)
    g_key_file_set_string (ini, "data", key, full);
}

static void
set_shape (GKeyFile *ini, const SluiceShape *shape)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (int i = 0; i < shape->rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ";" : "", shape->dim[i]);
  if (shape->rank > 0)
    g_key_file_set_string (ini, "data", "shape", text->str);
}

static void
set_data (GKeyFile *ini, const SluiceNewProject *self, const SluiceDataAbout *about)
{
  g_key_file_set_string (ini, "data", "source", get_source (self));
  set_path (ini, "train-x", self->train_x);
  set_path (ini, "train-y", self->train_y);
  set_path (ini, "test-x", self->test_x);
  set_path (ini, "test-y", self->test_y);
  if (self->y_column != NULL)
    g_key_file_set_string (ini, "data", "y-column", self->y_column);
  if (about->x_dtype == SLUICE_UINT8)
    g_key_file_set_double (ini, "data", "scale", 1.0 / 255);
  g_key_file_set_string (ini, "data", "shuffle", "true");
  set_shape (ini, &about->x);
  g_key_file_set_string (ini, "data", "x", "x:0");
  g_key_file_set_string (ini, "data", "y", "y:0");
}

/* The names are those that the commands give. */
static void
set_model (GKeyFile *ini, const SluiceNewProject *self, const SluiceDataAbout *about)
{
  gboolean has_model = self->model != SLUICE_FIRST_MODEL_NONE;
  g_key_file_set_string (ini, "project", "graph", "model.pbtxt");
  g_key_file_set_string (ini, "project", "init", "init");
  g_key_file_set_string (ini, "project", "train", "train");
  g_key_file_set_string (ini, "project", "loss", "loss/output:0");
  if (has_model)
    {
      g_key_file_set_string (ini, "project", "step", "global_step/Read/ReadVariableOp:0");
      g_key_file_set_string (ini, "project", "summaries", "summaries/merged:0");
      g_key_file_set_string (ini, "project", "fetches", "accuracy:accuracy/output:0");
      g_key_file_set_string (ini, "parameters", "learning-rate", "train/learning_rate:0");
    }
  if (has_model && about->n_test > 0)
    {
      g_key_file_set_string (ini, "evaluate", "fetches",
                             "accuracy:accuracy/output:0;loss:loss/output:0");
      g_key_file_set_int64 (ini, "evaluate", "batch", MIN (about->n_test, 4 * BATCH));
    }
}

static gboolean
write_ini (const SluiceNewProject *self,
           const SluiceDataAbout *about,
           const char *name,
           const char *folder,
           GError **error)
{
  g_autoptr (GKeyFile) ini = g_key_file_new ();
  g_autofree char *path = g_build_filename (folder, "project.ini", NULL);
  gsize length;
  g_key_file_set_string (ini, "project", "name", name);
  set_model (ini, self, about);
  g_key_file_set_int64 (ini, "train", "steps", 2000);
  g_key_file_set_int64 (ini, "train", "batch", MIN (about->n, BATCH));
  g_key_file_set_int64 (ini, "train", "seed", 1);
  g_key_file_set_int64 (ini, "train", "checkpoint-every", 500);
  g_key_file_set_int64 (ini, "train", "summary-every", 20);
  if (about->n_test > 0 && self->model != SLUICE_FIRST_MODEL_NONE)
    g_key_file_set_int64 (ini, "train", "evaluate-every", 250);
  set_data (ini, self, about);
  g_autofree char *text = g_key_file_to_data (ini, &length, NULL);
  return sluice_file_put ("project", path, text, length, error);
}

static gboolean
write_graph (const SluiceNewProject *self,
             const SluiceDataAbout *about,
             const char *folder,
             GError **error)
{
  g_autofree char *path = g_build_filename (folder, "model.pbtxt", NULL);
  g_autofree char *script = sluice_new_project_dup_script (self, about, error);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  return script != NULL && sluice_command_stack_run (stack, script, FALSE, NULL, NULL, error)
         && sluice_command_write (graph, path, error);
}

static void
take_away (const char *folder)
{
  static const char *const files[] = { "project.ini", "model.pbtxt" };
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (folder, files[i], NULL);
      g_remove (path);
    }
  g_rmdir (folder);
}

gboolean
sluice_new_project_create (const SluiceNewProject *self, const char *folder, GError **error)
{
  SluiceDataAbout about;
  g_autofree char *full = g_canonicalize_filename (folder, NULL);
  g_autofree char *parent = g_path_get_dirname (full), *base = g_path_get_basename (full);
  g_autofree char *made = g_build_filename (parent, ".new-project-XXXXXX", NULL);
  if (g_file_test (full, G_FILE_TEST_EXISTS))
    return sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                        "'%s' is there already; choose another folder", full);
  if (!read_examples (self, &about, error) || !sluice_file_make_folder (made, error))
    return FALSE;
  if (g_mkdtemp_full (made, 0777) == NULL)
    return sluice_file_fail (error, errno, "folder '%s'", made);
  if (write_ini (self, &about, self->name != NULL ? self->name : base, made, error)
      && write_graph (self, &about, made, error))
    {
      if (g_rename (made, full) == 0)
        return TRUE;
      sluice_file_fail (error, errno, "folder '%s'", full);
    }
  take_away (made);
  return FALSE;
}
