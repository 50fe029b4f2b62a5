/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/run-variant.h"

#include "engine/store/kinds/hparams.h"
#include "engine/train/run-file.h"

/* ---- values ---- */

static void
add (GVariantBuilder *b, const char *name, GVariant *value)
{
  g_variant_builder_add (b, "{sv}", name, value);
}

static GVariant *
text_new (const char *text)
{
  return g_variant_new_take_string (g_utf8_make_valid (text, -1));
}

/* (nullable) */
static GVariant *
maybe_text_new (const char *text)
{
  return g_variant_new_maybe (G_VARIANT_TYPE_STRING, text != NULL ? text_new (text) : NULL);
}

static void
add_text (GVariantBuilder *b, const char *name, const char *text)
{
  add (b, name, maybe_text_new (text));
}

static void
add_int (GVariantBuilder *b, const char *name, gint64 value)
{
  add (b, name, g_variant_new_int64 (value));
}

static void
add_maybe_int (GVariantBuilder *b, const char *name, gboolean has_it, gint64 value)
{
  add (b, name,
       g_variant_new_maybe (G_VARIANT_TYPE_INT64, has_it ? g_variant_new_int64 (value) : NULL));
}

static void
add_maybe_double (GVariantBuilder *b, const char *name, gboolean has_it, double value)
{
  add (b, name,
       g_variant_new_maybe (G_VARIANT_TYPE_DOUBLE, has_it ? g_variant_new_double (value) : NULL));
}

static void
add_doubles (GVariantBuilder *b, const char *name, const double *values, guint n)
{
  add (b, name, g_variant_new_fixed_array (G_VARIANT_TYPE_DOUBLE, values, n, sizeof *values));
}

/* texts: (nullable): none */
static void
add_texts (GVariantBuilder *b, const char *name, const char *const *texts)
{
  GVariantBuilder list;
  g_variant_builder_init (&list, G_VARIANT_TYPE_STRING_ARRAY);
  for (; texts != NULL && *texts != NULL; texts++)
    g_variant_builder_add_value (&list, text_new (*texts));
  add (b, name, g_variant_builder_end (&list));
}

/* Keys that the store has need not be UTF-8, either. */
static void
add_valid (GVariantBuilder *b, const char *name, GVariant *value)
{
  g_autofree char *valid = g_utf8_make_valid (name, -1);
  add (b, valid, value);
}

/* ---- a run ---- */

static GVariant *
settings_new (const SluiceRunEntry *self)
{
  GVariantBuilder b;
  g_variant_builder_init (&b, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; i < self->settings->len; i++)
    {
      const SluiceSetting *setting = self->settings->pdata[i];
      add_valid (&b, setting->name,
                 setting->text != NULL ? text_new (setting->text)
                                       : g_variant_new_double (setting->number));
    }
  return g_variant_builder_end (&b);
}

static GVariant *
results_new (const SluiceRunEntry *self)
{
  GVariantBuilder b;
  g_variant_builder_init (&b, G_VARIANT_TYPE ("a{sv}"));
  for (guint i = 0; i < self->results->len; i++)
    {
      const SluiceRunResult *result = self->results->pdata[i];
      GVariantBuilder one;
      gint64 best_step;
      double best;
      gboolean has_best = sluice_run_result_get_best (result, &best, &best_step);
      g_variant_builder_init (&one, G_VARIANT_TYPE_VARDICT);
      add (&one, "first", g_variant_new_double (result->first));
      add (&one, "last", g_variant_new_double (result->last));
      add_maybe_double (&one, "best", has_best, best);
      add_maybe_int (&one, "best_step", has_best, best_step);
      add_valid (&b, result->tag, g_variant_builder_end (&one));
    }
  return g_variant_builder_end (&b);
}

GHashTable *
sluice_run_entries_map_names (GPtrArray *entries)
{
  GHashTable *names = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (guint i = 0; i < entries->len; i++)
    {
      SluiceRunInfo *info = ((const SluiceRunEntry *) entries->pdata[i])->info;
      g_hash_table_insert (names, &info->id, info->name);
    }
  return names;
}

/* What came of it when it was trained again. */
static void
add_badge (GVariantBuilder *b, SluiceStore *store, gint64 run)
{
  g_autofree char *folder = sluice_store_dup_run_folder (store, run);
  g_autoptr (SluiceRunFile) file = sluice_run_file_read (folder);
  g_autofree char *badge =
      file != NULL && file->proof != NULL ? sluice_run_proof_dup_badge (file->proof) : NULL;
  add_text (b, "badge", badge);
}

GVariant *
sluice_run_entry_to_variant (SluiceStore *store, const SluiceRunEntry *self, GHashTable *names)
{
  const SluiceRunInfo *info = self->info;
  GVariantBuilder b;
  g_variant_builder_init (&b, G_VARIANT_TYPE_VARDICT);
  add_int (&b, "id", info->id);
  add (&b, "run", text_new (info->name));
  add (&b, "state", g_variant_new_string (sluice_run_state_name (info->state)));
  add_text (&b, "project", info->project);
  add_int (&b, "step", info->step);
  add_int (&b, "steps", info->n_steps);
  add (&b, "settings", settings_new (self));
  add (&b, "results", results_new (self));
  add_texts (&b, "tags", (const char *const *) info->tags);
  add_text (&b, "notes", info->notes);
  add_text (&b, "group", info->group);
  add (&b, "starred", g_variant_new_boolean (info->is_starred));
  add_text (&b, "color", info->color);
  add_text (&b, "parent", g_hash_table_lookup (names, &info->parent));
  add_maybe_int (&b, "parent_step", info->parent != 0, info->parent_step);
  add_maybe_double (&b, "created", info->created > 0, info->created);
  add_maybe_double (&b, "ended", info->ended > 0, info->ended);
  add (&b, "seconds_active", g_variant_new_double (info->seconds));
  add_badge (&b, store, info->id);
  add_text (&b, "message", info->message);
  add_text (&b, "failed_node", info->failed_node);
  return g_variant_builder_end (&b);
}

/* ---- what differs ---- */

static GVariant *
items_new (const SluiceRunDiff *self)
{
  GVariantBuilder list;
  g_variant_builder_init (&list, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < self->differs->len; i++)
    {
      const SluiceRunDiffItem *item = self->differs->pdata[i];
      GVariantBuilder b, values;
      g_variant_builder_init (&b, G_VARIANT_TYPE_VARDICT);
      g_variant_builder_init (&values, G_VARIANT_TYPE ("ams"));
      for (guint k = 0; k < item->n_values; k++)
        g_variant_builder_add_value (&values, maybe_text_new (item->values[k]));
      add_text (&b, "what", item->what);
      add_text (&b, "name", item->name);
      add (&b, "values", g_variant_builder_end (&values));
      g_variant_builder_add_value (&list, g_variant_builder_end (&b));
    }
  return g_variant_builder_end (&list);
}

static GVariant *
verdict_new (SluiceSeedsVerdict verdict)
{
  return g_variant_new_maybe (G_VARIANT_TYPE_BOOLEAN,
                              verdict != SLUICE_SEEDS_UNKNOWN
                                  ? g_variant_new_boolean (verdict == SLUICE_SEEDS_MORE)
                                  : NULL);
}

static GVariant *
result_diffs_new (const SluiceRunDiff *self)
{
  GVariantBuilder list;
  g_variant_builder_init (&list, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < self->results->len; i++)
    {
      const SluiceRunResultDiff *result = self->results->pdata[i];
      GVariantBuilder b;
      g_variant_builder_init (&b, G_VARIANT_TYPE_VARDICT);
      add_text (&b, "tag", result->tag);
      add_doubles (&b, "values", result->values, result->n_values);
      add (&b, "more_than_seeds", verdict_new (result->more_than_seeds));
      add_text (&b, "why", result->why);
      g_variant_builder_add_value (&list, g_variant_builder_end (&b));
    }
  return g_variant_builder_end (&list);
}

GVariant *
sluice_run_diff_to_variant (const SluiceRunDiff *self, const char *const *names)
{
  g_autoptr (GPtrArray) same = g_ptr_array_new ();
  GVariantBuilder b;
  for (guint i = 0; i < self->same->len; i++)
    g_ptr_array_add (same, self->same->pdata[i]);
  g_ptr_array_add (same, NULL);
  g_variant_builder_init (&b, G_VARIANT_TYPE_VARDICT);
  add_texts (&b, "runs", names);
  add (&b, "differs", items_new (self));
  add_texts (&b, "same", (const char *const *) same->pdata);
  add (&b, "results", result_diffs_new (self));
  return g_variant_builder_end (&b);
}

/* ---- what was asked of a run, and made of it again ---- */

GVariant *
sluice_command_to_variant (const SluiceCommand *self, const SluiceRunInfo *run)
{
  GVariantBuilder b;
  g_variant_builder_init (&b, G_VARIANT_TYPE_VARDICT);
  add (&b, "run", text_new (run->name));
  add (&b, "command", text_new (self->verb));
  add_text (&b, "argument", self->argument);
  add_int (&b, "step", self->step);
  add (&b, "answer", text_new (self->answer));
  return g_variant_builder_end (&b);
}

/* An element as a number where it is one. text: (nullable) */
static void
add_element (GVariantBuilder *b, const char *name, const char *text)
{
  char *end = NULL;
  double number = text != NULL ? g_ascii_strtod (text, &end) : 0;
  if (text != NULL && end != text && *end == '\0')
    add (b, name, g_variant_new_double (number));
  else
    add_text (b, name, text);
}

/* self: (nullable) */
static GVariant *
parting_new (const SluiceParting *self)
{
  GVariantBuilder b;
  if (self == NULL)
    return g_variant_new_maybe (G_VARIANT_TYPE_VARDICT, NULL);
  g_variant_builder_init (&b, G_VARIANT_TYPE_VARDICT);
  add_int (&b, "step", self->step);
  add_text (&b, "node", self->node);
  add_text (&b, "tensor", self->tensor);
  add_maybe_int (&b, "element", self->element >= 0, self->element);
  add_element (&b, "was", self->was);
  add_element (&b, "is", self->is);
  add (&b, "cause", text_new (sluice_parting_cause_name (self->cause)));
  add_text (&b, "because", self->because);
  return g_variant_new_maybe (NULL, g_variant_builder_end (&b));
}

GVariant *
sluice_reproduction_to_variant (const SluiceReproduction *self)
{
  GVariantBuilder b, notes;
  g_variant_builder_init (&notes, G_VARIANT_TYPE_STRING_ARRAY);
  for (guint i = 0; i < self->notes->len; i++)
    g_variant_builder_add_value (&notes, text_new (self->notes->pdata[i]));
  g_variant_builder_init (&b, G_VARIANT_TYPE_VARDICT);
  add (&b, "equal", g_variant_new_boolean (self->equal));
  add_int (&b, "from", self->from);
  add_int (&b, "to_step", self->to);
  add_int (&b, "values", (gint64) self->n_values);
  add_int (&b, "checkpoints", self->n_checkpoints);
  add (&b, "machine", text_new (self->machine));
  add_text (&b, "build", self->build);
  add (&b, "first_difference", parting_new (self->parting));
  add (&b, "notes", g_variant_builder_end (&notes));
  return g_variant_builder_end (&b);
}
