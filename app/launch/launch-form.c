/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/launch-form.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/device/device.h"
#include "engine/graph/graphdef.h"
#include "engine/runtime/session/options.h"
#include "engine/train/attr-parameter.h"
#include "engine/train/parameter-note.h"
#include "engine/train/project-changes.h"
#include "engine/train/queue-needs.h"
#include "engine/train/run-file.h"
#include "engine/train/system-probe.h"
#include "ui/chart/ticks.h"

#define WHOLE  N_ ("whole number")
#define NUMBER N_ ("number")
#define SWITCH N_ ("on or off")
#define PATH   N_ ("file")
#define TEXT   N_ ("text")

typedef struct
{
  const char *group, *key, *type, *title;
} Title;

/* What the keys of project.ini are called where a person meets them. The graph itself is not
 * chosen here. */
static const Title titles[] = {
  { "train", "steps", WHOLE, N_ ("Steps") },
  { "train", "batch", WHOLE, N_ ("Examples a step") },
  { "train", "seed", WHOLE, N_ ("Seed") },
  { "train", "checkpoint-every", WHOLE, N_ ("Steps from checkpoint to checkpoint") },
  { "train", "checkpoint-minutes", NUMBER,
    N_ ("Minutes of training from checkpoint to checkpoint (0: none)") },
  { "train", "keep-last", WHOLE, N_ ("Newest checkpoints to keep (0: all)") },
  { "train", "keep-best", WHOLE, N_ ("Best checkpoints to keep") },
  { "train", "keep-every", WHOLE,
    N_ ("Keep for good each checkpoint whose step this divides (0: none)") },
  { "train", "best", TEXT, N_ ("What is best, as loss:min") },
  { "train", "summary-every", WHOLE, N_ ("Steps from summary to summary") },
  { "train", "evaluate-every", WHOLE, N_ ("Steps from evaluation to evaluation (0: never)") },
  { "train", "record-steps", WHOLE, N_ ("Last steps whose trace is kept (0: none)") },
  { "train", "record-slow", NUMBER, N_ ("A step is slow that takes so many medians (0: none)") },
  { "train", "cpus", WHOLE, N_ ("Virtual CPU devices") },
  { "train", "policy", TEXT, N_ ("Policy that chooses devices, as greedy") },
  { "train", "place-again", WHOLE,
    N_ ("Step at which the policy chooses devices again (0: none)") },
  { "train", "max-iterations", WHOLE, N_ ("Iterations that a loop may want (0: any)") },
  { "train", "soft-placement", SWITCH, N_ ("Replace devices that are not here") },
  { "train", "ordered", SWITCH, N_ ("Order what the graph leaves without an order") },
  { "train", "truncate-transfers", SWITCH, N_ ("Halve the bits of floats between devices") },
  { "train", "recompute", SWITCH, N_ ("Compute cheap values again instead of keeping them") },
  { "train", "fit", TEXT, N_ ("Memory of each device that a step fits into, as 12M (0: any)") },
  { "train", "optimize", SWITCH, N_ ("Fold, merge and fuse nodes") },
  { "train", "fusion", SWITCH, N_ ("Run element-wise nodes as one") },
  { "data", "source", TEXT, N_ ("Format of the data") },
  { "data", "train-x", PATH, N_ ("File of training examples") },
  { "data", "train-y", PATH, N_ ("File of training labels") },
  { "data", "test-x", PATH, N_ ("File of test examples") },
  { "data", "test-y", PATH, N_ ("File of test labels") },
  { "data", "y-column", TEXT, N_ ("Column of the labels") },
  { "data", "scale", NUMBER, N_ ("Factor of the examples") },
  { "data", "shuffle", SWITCH, N_ ("A new order each epoch") },
  { "data", "shape", TEXT, N_ ("Shape of one example, as 8;8;1") },
  { "data", "x", TEXT, N_ ("Edge that examples are fed to") },
  { "data", "y", TEXT, N_ ("Edge that labels are fed to") },
  { "evaluate", "fetches", TEXT, N_ ("What is evaluated, as NAME:EDGE") },
  { "evaluate", "texts", TEXT, N_ ("Texts that are written, as NAME:EDGE") },
  { "evaluate", "batch", WHOLE, N_ ("Examples at a time") },
  { "project", "name", TEXT, N_ ("Name of the project") },
  { "project", "description", TEXT, N_ ("Description") },
  { "project", "init", TEXT, N_ ("Nodes that initialise") },
  { "project", "train", TEXT, N_ ("Nodes that train") },
  { "project", "loss", TEXT, N_ ("Edges of the loss") },
  { "project", "step", TEXT, N_ ("Edge of the step") },
  { "project", "summaries", TEXT, N_ ("Edge of the summaries") },
  { "project", "fetches", TEXT, N_ ("What is logged each step, as NAME:EDGE") },
};

static void
setting_free (gpointer data)
{
  SluiceLaunchSetting *self = data;
  g_free (self->key);
  g_free (self->value);
  g_free (self->from);
  g_free (self->unit);
  g_free (self->help);
  g_free (self->range);
  g_strfreev (self->choices);
  g_free (self);
}

void
sluice_launch_form_free (SluiceLaunchForm *self)
{
  g_free (self->folder);
  g_free (self->graph_hash);
  g_free (self->graph_failure);
  g_clear_pointer (&self->project, sluice_project_free);
  g_clear_pointer (&self->settings, g_ptr_array_unref);
  g_free (self);
}

static SluiceLaunchSetting *
add_setting (SluiceLaunchForm *self, const char *group, const char *key, char *take_value)
{
  SluiceLaunchSetting *setting = g_new0 (SluiceLaunchSetting, 1);
  setting->group = group;
  setting->key = g_strdup (key);
  setting->value = take_value;
  setting->is_switch = g_strcmp0 (take_value, "true") == 0 || g_strcmp0 (take_value, "false") == 0;
  g_ptr_array_add (self->settings, setting);
  return setting;
}

/* ---- promoted parameters ---- */

/* graph: with what the project says otherwise */
static void
add_attr (SluiceLaunchForm *self, const SluiceNamedEdge *parameter, SluiceGraph *graph)
{
  const char *const *choices = sluice_graph_get_attr_choices (graph, parameter->target);
  const char *type = sluice_graph_get_attr_type (graph, parameter->target);
  SluiceLaunchSetting *setting = add_setting (
      self, "", parameter->name, sluice_graph_dup_attr_parameter (graph, parameter->target));
  setting->from = g_strdup (parameter->target);
  setting->type = type != NULL ? type : TEXT;
  setting->effect = SLUICE_EFFECT_RESTART;
  setting->choices = g_strdupv ((char **) choices);
  setting->is_gone = type == NULL;
}

/* graph: (nullable): it cannot be read, which is told elsewhere */
static void
add_edge (SluiceLaunchForm *self, const SluiceNamedEdge *parameter, SluiceGraph *graph)
{
  const SluiceOverride *override = sluice_project_find_override (self->project, parameter->name);
  SluiceEdge edge = { 0 };
  gboolean is_there =
      graph != NULL && sluice_graph_parse_edge (graph, parameter->target, &edge, NULL);
  SluiceLaunchSetting *setting =
      add_setting (self, "", parameter->name,
                   override != NULL ? sluice_text_dup_number (override->value, FALSE)
                   : is_there       ? sluice_project_dup_constant (graph, parameter->target)
                                    : NULL);
  gboolean is_first = g_str_has_suffix (parameter->target, ":0");
  setting->from = g_strndup (parameter->target, strlen (parameter->target) - 2 * is_first);
  setting->type = is_there ? sluice_dtype_name (sluice_edge_dtype (edge)) : NUMBER;
  setting->effect = SLUICE_EFFECT_NEXT_STEP;
  setting->is_switch = FALSE;
  setting->is_gone = graph != NULL && !is_there;
}

/* Of the setting that was added last. */
static void
add_note (SluiceLaunchForm *self, const char *name)
{
  SluiceLaunchSetting *setting = self->settings->pdata[self->settings->len - 1];
  const SluiceParameterNote *note = g_hash_table_lookup (self->project->notes, name);
  if (note == NULL)
    return;
  setting->unit = g_strdup (note->unit);
  setting->help = g_strdup (note->help);
  setting->range = sluice_parameter_note_dup_range (note);
}

static void
add_parameters (SluiceLaunchForm *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_project_load_graph (self->project, &error);
  if (graph != NULL)
    self->graph_hash = sluice_graph_dup_hash (graph, NULL);
  else
    self->graph_failure = g_strdup (error->message);
  for (guint i = 0; i < self->project->parameters->len; i++)
    {
      const SluiceNamedEdge *parameter =
          &g_array_index (self->project->parameters, SluiceNamedEdge, i);
      if (graph != NULL && sluice_parameter_is_attr (parameter->target))
        add_attr (self, parameter, graph);
      else
        add_edge (self, parameter, graph);
      add_note (self, parameter->name);
    }
}

/* ---- keys of project.ini ---- */

/* Of a key that project.ini may leave out: what holds then. (transfer full) */
static char *
dup_default (const SluiceProject *project, const char *key)
{
  const SluiceOption *option = sluice_options_find (key);
  return option != NULL ? sluice_option_to_text (option, &project->session) : g_strdup ("");
}

static void
add_keys (SluiceLaunchForm *self)
{
  g_autofree char *text = sluice_project_dup_text (self->project);
  g_autofree char *changeable = sluice_project_list_changeable (self->project);
  g_auto (GStrv) now = g_strsplit (changeable, ", ", -1);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_key_file_load_from_data (file, text, strlen (text), G_KEY_FILE_NONE, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    {
      const Title *t = &titles[i];
      char *value = g_key_file_get_string (file, t->group, t->key, NULL);
      SluiceLaunchSetting *setting = add_setting (
          self, t->group, t->key, value != NULL ? value : dup_default (self->project, t->key));
      gboolean is_now =
          g_str_equal (t->group, "train") && g_strv_contains ((const char *const *) now, t->key);
      setting->title = t->title;
      setting->type = t->type;
      setting->from = g_strconcat (t->group, ".", t->key, NULL);
      setting->effect = is_now ? SLUICE_EFFECT_NOW : SLUICE_EFFECT_RESTART;
    }
}

/* ---- what it needs ---- */

/* Of all kinds: "CPU:0", which is the usual one, "CUDA:0"; chosen: there, too. (transfer full) */
static char **
dup_devices (const char *chosen)
{
  guint n;
  const SluiceDeviceKind *const *kinds = sluice_device_list_kinds (&n);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_strv_builder_add (names, "CPU:0");
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < sluice_device_kind_count_listed (kinds[i]); k++)
      {
        g_autofree char *name = g_strdup_printf ("%s:%u", kinds[i]->klass->type, k);
        g_strv_builder_add (names, name);
      }
  char **all = g_strv_builder_end (names);
  if (g_strv_contains ((const char *const *) all, chosen))
    return all;
  g_strv_builder_addv (names, (const char **) all);
  g_strv_builder_add (names, chosen);
  g_strfreev (all);
  return g_strv_builder_end (names);
}

/* "CUDA:0: NVIDIA H100": what there is beside processors. (transfer full) (nullable) */
static char *
dup_accelerators (void)
{
  guint n;
  const SluiceDeviceKind *const *kinds = sluice_device_list_kinds (&n);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    for (guint k = 0; !kinds[i]->is_simulated && k < kinds[i]->count (); k++)
      {
        g_autofree char *words = kinds[i]->describe (k);
        g_string_append_printf (text, "%s%s:%u: %s", text->len > 0 ? "; " : "",
                                kinds[i]->klass->type, k, words);
      }
  return g_string_free (text, text->len == 0);
}

/* said: (nullable): how the run was asked for that this one is begun from */
static SluiceLaunchSetting *
add_need (SluiceLaunchForm *self, const SluiceRunFile *said, const char *key, const char *usual)
{
  const char *value = said != NULL ? g_hash_table_lookup (said->needs, key) : NULL;
  SluiceLaunchSetting *setting =
      add_setting (self, SLUICE_LAUNCH_NEEDS, key, g_strdup (value != NULL ? value : usual));
  setting->effect = SLUICE_EFFECT_RESTART;
  return setting;
}

static void
add_needs (SluiceLaunchForm *self, const SluiceRunFile *said)
{
  guint n_threads = sluice_pool_get_threads ();
  const SluiceSessionOptions *session = &self->project->session;
  SluiceLaunchSetting *device = add_need (self, said, SLUICE_LAUNCH_DEVICE,
                                          session->device != NULL ? session->device : "CPU:0");
  device->title = N_ ("Device");
  device->from = g_strdup (_ ("for nodes that ask for none"));
  device->choices = dup_devices (device->value);
  device->help = dup_accelerators ();
  SluiceLaunchSetting *options =
      add_need (self, NULL, SLUICE_LAUNCH_DEVICE_OPTIONS,
                session->device_options != NULL ? session->device_options : "");
  options->title = N_ ("Simulated device");
  options->from = g_strdup (_ ("its memory, links and speed"));
  options->placeholder = _ ("as the machine");
  options->help = g_strdup (_ ("As memory=256M, latency=500us, bandwidth=10G, speed=0.5"));
  SluiceLaunchSetting *threads = add_need (self, said, "threads", "");
  threads->title = N_ ("Threads");
  threads->from = g_strdup_printf (_ ("%u here, which runs side by side share"), n_threads);
  threads->placeholder = _ ("not said");
  SluiceLaunchSetting *memory = add_need (self, said, "memory", "");
  g_autofree char *size =
      sluice_format_value ((double) sluice_system_get_available (), SLUICE_UNIT_BYTES);
  memory->title = N_ ("Memory");
  memory->from = g_strdup_printf (_ ("%s free here, which runs side by side share"), size);
  memory->placeholder = _ ("by its plan");
  memory->help = g_strdup (_ ("As 500M or 2G"));
}

SluiceLaunchForm *
sluice_launch_form_load (const char *folder, gint64 step, GError **error)
{
  g_autoptr (SluiceLaunchForm) self = g_new0 (SluiceLaunchForm, 1);
  self->folder = g_strdup (folder);
  self->project = sluice_project_load (folder, error);
  if (self->project == NULL)
    return NULL;
  if (step >= 0)
    sluice_project_begin_at (self->project, step);
  self->settings = g_ptr_array_new_with_free_func (setting_free);
  add_parameters (self);
  add_keys (self);
  g_autoptr (SluiceRunFile) said = step >= 0 ? sluice_run_file_read (folder) : NULL;
  add_needs (self, said);
  return g_steal_pointer (&self);
}

/* ---- one of them ---- */

char *
sluice_launch_setting_dup_name (const SluiceLaunchSetting *self)
{
  return g_strconcat (self->group, *self->group != '\0' ? "." : "", self->key, NULL);
}

gboolean
sluice_launch_setting_is_frequent (const SluiceLaunchSetting *self)
{
  static const char *const keys[] = { "steps", "batch", "seed", NULL };
  return *self->group == '\0'
         || (g_str_equal (self->group, "train") && g_strv_contains (keys, self->key));
}

gboolean
sluice_launch_setting_is_default (const SluiceLaunchSetting *self, const char *value)
{
  return strcmp (value, self->value != NULL ? self->value : "") == 0;
}

const char *
sluice_effect_words (SluiceSettingEffect effect)
{
  static const char *const words[] = { [SLUICE_EFFECT_NOW] = N_ ("now"),
                                       [SLUICE_EFFECT_NEXT_STEP] = N_ ("next step"),
                                       [SLUICE_EFFECT_RESTART] = N_ ("needs restart") };
  return _ (words[effect]);
}
