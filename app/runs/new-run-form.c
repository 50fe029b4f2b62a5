/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/new-run-form.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/runtime/session/options.h"
#include "engine/train/project.h"
#include "engine/train/repeats.h"

typedef struct
{
  const char *group, *key, *title;
} Title;

/* What the keys of project.ini are called where a person meets them. The graph itself is not
 * chosen here. */
static const Title titles[] = {
  { "train", "steps", N_ ("Steps") },
  { "train", "batch", N_ ("Examples a step") },
  { "train", "seed", N_ ("Seed") },
  { "train", "checkpoint-every", N_ ("Steps from checkpoint to checkpoint") },
  { "train", "keep-last", N_ ("Newest checkpoints to keep (0: all)") },
  { "train", "keep-best", N_ ("Best checkpoints to keep") },
  { "train", "keep-every", N_ ("Keep for good each checkpoint whose step this divides (0: none)") },
  { "train", "best", N_ ("What is best, as loss:min") },
  { "train", "summary-every", N_ ("Steps from summary to summary") },
  { "train", "evaluate-every", N_ ("Steps from evaluation to evaluation (0: never)") },
  { "train", "cpus", N_ ("Virtual CPU devices") },
  { "train", "max-iterations", N_ ("Iterations that a loop may want (0: any)") },
  { "train", "soft-placement", N_ ("Replace devices that are not here") },
  { "train", "ordered", N_ ("Order what the graph leaves without an order") },
  { "train", "truncate-transfers", N_ ("Halve the bits of floats between devices") },
  { "train", "recompute", N_ ("Compute cheap values again instead of keeping them") },
  { "train", "optimize", N_ ("Fold, merge and fuse nodes") },
  { "train", "fusion", N_ ("Run element-wise nodes as one") },
  { "data", "source", N_ ("Format of the data") },
  { "data", "train-x", N_ ("File of training examples") },
  { "data", "train-y", N_ ("File of training labels") },
  { "data", "test-x", N_ ("File of test examples") },
  { "data", "test-y", N_ ("File of test labels") },
  { "data", "y-column", N_ ("Column of the labels") },
  { "data", "scale", N_ ("Factor of the examples") },
  { "data", "shuffle", N_ ("A new order each epoch") },
  { "data", "shape", N_ ("Shape of one example, as 8;8;1") },
  { "data", "x", N_ ("Edge that examples are fed to") },
  { "data", "y", N_ ("Edge that labels are fed to") },
  { "evaluate", "fetches", N_ ("What is evaluated, as NAME:EDGE") },
  { "evaluate", "texts", N_ ("Texts that are written, as NAME:EDGE") },
  { "evaluate", "batch", N_ ("Examples at a time") },
  { "project", "name", N_ ("Name of the project") },
  { "project", "description", N_ ("Description") },
  { "project", "init", N_ ("Nodes that initialise") },
  { "project", "train", N_ ("Nodes that train") },
  { "project", "loss", N_ ("Edges of the loss") },
  { "project", "step", N_ ("Edge of the step") },
  { "project", "summaries", N_ ("Edge of the summaries") },
  { "project", "fetches", N_ ("What is logged each step, as NAME:EDGE") },
};

static void
row_free (gpointer data)
{
  SluiceRunFormRow *self = data;
  g_free (self->key);
  g_free (self->value);
  g_free (self);
}

static SluiceRunFormRow *
add_row (GPtrArray *rows, const char *group, const char *key, const char *value)
{
  SluiceRunFormRow *row = g_new0 (SluiceRunFormRow, 1);
  row->group = group;
  row->key = g_strdup (key);
  row->value = g_strdup (value);
  row->is_switch = g_strcmp0 (value, "true") == 0 || g_strcmp0 (value, "false") == 0;
  g_ptr_array_add (rows, row);
  return row;
}

static void
add_parameters (GPtrArray *rows, const SluiceProject *project)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  for (guint i = 0; i < project->parameters->len; i++)
    {
      const char *name = g_array_index (project->parameters, SluiceNamedEdge, i).name;
      const char *value = NULL;
      for (guint j = 0; j < project->overrides->len; j++)
        {
          const SluiceOverride *override = &g_array_index (project->overrides, SluiceOverride, j);
          if (strcmp (override->name, name) == 0)
            value = g_ascii_dtostr (number, sizeof number, override->value);
        }
      add_row (rows, "", name, value);
    }
}

/* Of a key that project.ini may leave out: what holds then. (transfer full) */
static char *
dup_default (const SluiceProject *project, const char *key)
{
  const SluiceOption *option = sluice_options_find (key);
  return option != NULL ? sluice_option_to_text (option, &project->session) : g_strdup ("");
}

static void
add_keys (GPtrArray *rows, const SluiceProject *project)
{
  g_autofree char *text = sluice_project_dup_text (project);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_key_file_load_from_data (file, text, strlen (text), G_KEY_FILE_NONE, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    {
      const Title *t = &titles[i];
      g_autofree char *value = g_key_file_get_string (file, t->group, t->key, NULL);
      if (value == NULL)
        value = dup_default (project, t->key);
      add_row (rows, t->group, t->key, value)->title = t->title;
    }
}

GPtrArray *
sluice_run_form_rows_new (const char *folder, GError **error)
{
  g_autoptr (SluiceProject) project = sluice_project_load (folder, error);
  if (project == NULL)
    return NULL;
  GPtrArray *rows = g_ptr_array_new_with_free_func (row_free);
  add_parameters (rows, project);
  add_keys (rows, project);
  return rows;
}

char *
sluice_run_form_row_assign (const SluiceRunFormRow *self, const char *value)
{
  return g_strconcat (self->group, *self->group != '\0' ? "." : "", self->key, "=", value, NULL);
}

gboolean
sluice_run_form_check (const char *folder,
                       const char *const *assignments,
                       SluiceStore *store,
                       char **repeated,
                       GError **error)
{
  g_autoptr (SluiceProject) project = sluice_project_load (folder, error);
  *repeated = NULL;
  if (project == NULL)
    return FALSE;
  for (guint i = 0; assignments[i] != NULL; i++)
    if (!sluice_project_set (project, assignments[i], error))
      return FALSE;
  *repeated = sluice_project_dup_repeated (project, store);
  return TRUE;
}
