/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/run-diff.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/diff.h"
#include "engine/graph/graphdef.h"
#include "engine/store/json-text.h"
#include "engine/store/kinds/event.h"
#include "engine/store/kinds/hparams.h"
#include "engine/train/run-file.h"
#include "engine/train/seed-spread.h"

#define GRAPH   N_ ("graph")
#define SETTING N_ ("setting")
#define DATA    N_ ("data")
#define ORDER   N_ ("order")
#define SEED    N_ ("seed")
#define START   N_ ("start")

const char *const sluice_run_diff_kinds[] = {
  GRAPH,        SETTING,        DATA,           ORDER,          SEED, START,
  N_ ("build"), N_ ("machine"), N_ ("devices"), N_ ("threads"), NULL
};

/* ---- what is known of one run ---- */

typedef struct
{
  const char *what;
  char *name, *value;
} Fact;

static void
fact_free (gpointer data)
{
  Fact *self = data;
  g_free (self->name);
  g_free (self->value);
  g_free (self);
}

/* Takes value, which may be NULL: then nothing is known. */
static void
add_fact (GPtrArray *facts, const char *what, const char *name, char *value)
{
  if (value == NULL)
    return;
  Fact *fact = g_new (Fact, 1);
  *fact = (Fact){ what, g_strdup (name), value };
  g_ptr_array_add (facts, fact);
}

/* Where a key of project.ini belongs; NULL: it decides no number, or another fact tells it. */
static const char *
get_kind_of_key (const char *group, const char *key)
{
  static const char *const silent[] = { "name",    "description", "graph",  "seed",
                                        "train-x", "train-y",     "test-x", "test-y",
                                        "shuffle", "cpus",        "device", NULL };
  if (strcmp (group, "parameters") == 0 || strcmp (group, "sweep") == 0
      || g_strv_contains (silent, key))
    return NULL;
  return strcmp (group, "data") == 0 ? DATA : SETTING;
}

/* Numbers in as few digits as bring them back, as people have written them. (transfer full) */
static char *
dup_value (GKeyFile *file, const char *group, const char *key)
{
  g_autofree char *text = g_key_file_get_string (file, group, key, NULL);
  char *end;
  double number = text != NULL ? g_ascii_strtod (text, &end) : NAN;
  if (!isfinite (number) || end == text || *end != '\0' || strchr (text, '.') == NULL)
    return g_steal_pointer (&text);
  GString *digits = g_string_new (NULL);
  sluice_json_append_double (digits, number);
  return g_string_free (digits, FALSE);
}

static void
add_keys (GPtrArray *facts, GKeyFile *file, const char *group)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      const char *kind = get_kind_of_key (group, keys[i]);
      gboolean is_plain = strcmp (group, "train") == 0 || strcmp (group, "overrides") == 0
                          || strcmp (group, "data") == 0;
      g_autofree char *name =
          is_plain ? g_strdup (keys[i]) : g_strdup_printf ("%s.%s", group, keys[i]);
      if (kind != NULL)
        add_fact (facts, kind, name, dup_value (file, group, keys[i]));
    }
}

/* FALSE: there is no project in the folder. */
static gboolean
add_project (GPtrArray *facts, const char *folder, const SluiceRunInfo *info)
{
  g_autofree char *path = g_build_filename (folder, "project.ini", NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return FALSE;
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    add_keys (facts, file, groups[i]);
  gboolean shuffled = g_key_file_get_boolean (file, "data", "shuffle", NULL);
  add_fact (facts, ORDER, ORDER,
            shuffled ? g_strdup_printf (_ ("shuffled by seed %" PRIu64), info->seed)
                     : g_strdup (_ ("as the data have it")));
  add_fact (facts, SEED, SEED, g_strdup_printf ("%" PRIu64, info->seed));
  return TRUE;
}

static const char *
find_fact (GPtrArray *facts, const char *what, const char *name)
{
  for (guint i = 0; i < facts->len; i++)
    {
      const Fact *fact = facts->pdata[i];
      if (strcmp (fact->what, what) == 0 && (name == NULL || strcmp (fact->name, name) == 0))
        return fact->value;
    }
  return NULL;
}

/* What it said that it began with: all that is known of a run that was imported, and of ours what
 * project.ini leaves to the graph. */
static void
add_settings (GPtrArray *facts, const SluiceRunEntry *entry)
{
  for (guint i = 0; i < entry->settings->len; i++)
    {
      const SluiceSetting *setting = entry->settings->pdata[i];
      const char *what = strcmp (setting->name, SEED) == 0 ? SEED : SETTING;
      g_autoptr (GString) number = g_string_new (NULL);
      if (find_fact (facts, what, setting->name) != NULL)
        continue;
      sluice_json_append_double (number, setting->number);
      add_fact (facts, what, setting->name,
                g_strdup (setting->text != NULL ? setting->text : number->str));
    }
}

static void
add_folder (GPtrArray *facts, const char *folder)
{
  g_autoptr (SluiceRunFile) file = sluice_run_file_read (folder);
  if (file == NULL)
    return;
  for (guint i = 0; i < file->inputs->len; i++)
    {
      const SluiceRunInput *input = &g_array_index (file->inputs, SluiceRunInput, i);
      if (strcmp (input->key, "graph") != 0)
        add_fact (facts, DATA, input->key, g_strdup_printf ("SHA-256 %.16s…", input->sha256));
    }
  for (guint i = 0; sluice_run_diff_kinds[i] != NULL; i++)
    add_fact (facts, sluice_run_diff_kinds[i], sluice_run_diff_kinds[i],
              g_strdup (g_hash_table_lookup (file->made, sluice_run_diff_kinds[i])));
}

static gboolean
add_start (GPtrArray *facts, SluiceStore *store, const SluiceRunInfo *info, GError **error)
{
  g_autoptr (GPtrArray) events = sluice_store_read_events (store, info->id, error);
  if (events == NULL)
    return FALSE;
  for (guint i = 0; i < events->len; i++)
    {
      const SluiceEvent *event = events->pdata[i];
      if (strcmp (event->kind, "init-from") != 0)
        continue;
      add_fact (facts, START, START, g_strdup_printf (_ ("values of “%s”"), event->text));
      return TRUE;
    }
  g_autofree char *folder = sluice_store_dup_run_folder (store, info->id);
  g_autoptr (SluiceRunFile) file = sluice_run_file_read (folder);
  if (file != NULL && file->init_from != NULL) /* it waits */
    {
      add_fact (facts, START, START, g_strdup_printf (_ ("values of “%s”"), file->init_from));
      return TRUE;
    }
  g_autofree char *number = g_strdup_printf ("#%" PRId64, info->parent);
  g_autoptr (SluiceRunInfo) parent =
      info->parent != 0 ? sluice_store_dup_run (store, number, NULL) : NULL;
  add_fact (facts, START, START,
            info->parent != 0 ? g_strdup_printf (_ ("step %" PRId64 " of %s"), info->parent_step,
                                                 parent != NULL ? parent->name : number)
                              : g_strdup (_ ("nothing")));
  return TRUE;
}

/* (transfer full) (nullable) (element-type Fact) */
static GPtrArray *
collect_facts (SluiceStore *store, const SluiceRunEntry *entry, GError **error)
{
  g_autoptr (GPtrArray) facts = g_ptr_array_new_with_free_func (fact_free);
  g_autofree char *folder = sluice_store_dup_run_folder (store, entry->info->id);
  const char *hash = entry->info->graph_hash;
  add_fact (facts, GRAPH, GRAPH, hash != NULL && *hash != '\0' ? g_strndup (hash, 16) : NULL);
  gboolean is_ours = add_project (facts, folder, entry->info);
  add_settings (facts, entry);
  add_folder (facts, folder);
  if (is_ours && !add_start (facts, store, entry->info, error))
    return NULL;
  return g_steal_pointer (&facts);
}

/* ---- the kinds, compared ---- */

static void
item_free (gpointer data)
{
  SluiceRunDiffItem *self = data;
  g_free (self->name);
  for (char **value = self->values; value != NULL && value < self->values + self->n_values; value++)
    g_free (*value);
  g_free (self->values);
  g_free (self);
}

static SluiceRunDiffItem *
item_new (const char *what, const char *name, guint n)
{
  SluiceRunDiffItem *self = g_new0 (SluiceRunDiffItem, 1);
  self->what = what;
  self->name = g_strdup (name);
  self->values = g_new0 (char *, n);
  self->n_values = n;
  return self;
}

/* Does any run that is known in this kind have another value than another one? */
static gboolean
differs (GPtrArray *all, const char *what, const char *name)
{
  const char *first = NULL;
  gboolean has_first = FALSE;
  for (guint i = 0; i < all->len; i++)
    {
      if (find_fact (all->pdata[i], what, NULL) == NULL)
        continue;
      const char *value = find_fact (all->pdata[i], what, name);
      if (has_first && g_strcmp0 (first, value) != 0)
        return TRUE;
      first = value;
      has_first = TRUE;
    }
  return FALSE;
}

static void
add_item (SluiceRunDiff *self, GPtrArray *all, const char *what, const char *name)
{
  SluiceRunDiffItem *item = item_new (what, name, all->len);
  for (guint i = 0; i < all->len; i++)
    item->values[i] = g_strdup (find_fact (all->pdata[i], what, name));
  g_ptr_array_add (self->differs, item);
}

/* Names in the order in which runs have them. */
static gboolean
compare_kind (SluiceRunDiff *self, GPtrArray *all, const char *what)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  guint before = self->differs->len;
  for (guint i = 0; i < all->len; i++)
    {
      GPtrArray *facts = all->pdata[i];
      for (guint k = 0; k < facts->len; k++)
        {
          const Fact *fact = facts->pdata[k];
          if (strcmp (fact->what, what) == 0 && g_hash_table_add (seen, fact->name)
              && differs (all, what, fact->name))
            add_item (self, all, what, fact->name);
        }
    }
  return self->differs->len > before;
}

/* ---- graphs, node by node ---- */

static SluiceGraph *
load_graph (SluiceStore *store, const SluiceRunInfo *info, GError **error)
{
  g_autoptr (GBytes) bytes = sluice_store_get_graph (store, info->graph_hash, error);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  return bytes != NULL && sluice_graph_import (graph, bytes, error) ? g_steal_pointer (&graph)
                                                                    : NULL;
}

static void
node_free (gpointer data)
{
  SluiceRunNodeDiff *self = data;
  g_free (self->name);
  g_free (self->was);
  g_free (self->what);
  g_free (self);
}

/* As one line. */
static SluiceRunNodeDiff *
node_new (const SluiceNodeDiff *diff, const char *name, const char *op)
{
  SluiceRunNodeDiff *self = g_new0 (SluiceRunNodeDiff, 1);
  const SluiceFieldDiff *field =
      diff->fields->len > 0 ? &g_array_index (diff->fields, SluiceFieldDiff, 0) : NULL;
  self->kind = diff->kind;
  self->name = g_strdup (name);
  self->was = diff->kind == SLUICE_DIFF_RENAMED ? g_strdup (diff->was->name) : NULL;
  self->what = field == NULL ? g_strdup (op)
                             : g_strdup_printf ("%s: %s → %s", field->field,
                                                field->from != NULL ? field->from : "–",
                                                field->to != NULL ? field->to : "–");
  return self;
}

/* Takes from and to. */
static void
add_node (SluiceRunDiff *self, const char *name, char *from, char *to)
{
  SluiceRunDiffItem *item = item_new (GRAPH, name, 2);
  item->values[0] = from;
  item->values[1] = to;
  g_ptr_array_add (self->differs, item);
}

static void
add_node_diff (SluiceRunDiff *self, const SluiceNodeDiff *diff)
{
  const char *name = diff->function != NULL ? diff->function
                     : diff->is != NULL     ? diff->is->name
                                            : diff->was->name;
  if (diff->kind == SLUICE_DIFF_RENAMED)
    add_node (self, name, g_strdup (diff->was->name), g_strdup (diff->is->name));
  for (guint i = 0; i < diff->fields->len; i++)
    {
      const SluiceFieldDiff *field = &g_array_index (diff->fields, SluiceFieldDiff, i);
      g_autofree char *full = g_strdup_printf ("%s: %s", name, field->field);
      add_node (self, full, g_strdup (field->from), g_strdup (field->to));
    }
  const char *op = diff->function != NULL ? _ ("function")
                   : diff->is != NULL     ? diff->is->op_name
                                          : diff->was->op_name;
  g_ptr_array_add (self->nodes, node_new (diff, name, op));
  if (diff->kind == SLUICE_DIFF_ADDED || diff->kind == SLUICE_DIFF_REMOVED
      || diff->function != NULL)
    add_node (self, name, diff->kind == SLUICE_DIFF_ADDED ? NULL : g_strdup (op),
              diff->kind == SLUICE_DIFF_REMOVED ? NULL : g_strdup (op));
}

typedef struct
{
  SluiceStore *store;
  const SluiceRunInfo *info;
  GError *error;
} Loading;

static gpointer
load_beside (gpointer data)
{
  Loading *self = data;
  return load_graph (self->store, self->info, &self->error);
}

/* Two of 36,000 nodes take most of the time: on two threads. FALSE: none is left to be freed. */
static gboolean
load_both (SluiceStore *store,
           const SluiceRunInfo *const *runs,
           SluiceGraph **from,
           SluiceGraph **to,
           GError **error)
{
  Loading other = { store, runs[1], NULL };
  GThread *thread = g_thread_try_new ("load-graph", load_beside, &other, NULL);
  *from = load_graph (store, runs[0], error);
  *to = thread != NULL ? g_thread_join (thread) : load_beside (&other);
  if (*from != NULL && *to != NULL)
    return TRUE;
  if (*from != NULL)
    g_propagate_error (error, g_steal_pointer (&other.error));
  g_clear_error (&other.error);
  g_clear_pointer (from, sluice_graph_unref);
  g_clear_pointer (to, sluice_graph_unref);
  return FALSE;
}

static gpointer
unref_beside (gpointer graph)
{
  sluice_graph_unref (graph);
  return NULL;
}

/* As they came: on two threads. */
static void
unref_both (SluiceGraph *from, SluiceGraph *to)
{
  GThread *thread = g_thread_try_new ("free-graph", unref_beside, to, NULL);
  sluice_graph_unref (from);
  if (thread != NULL)
    g_thread_join (thread);
  else
    sluice_graph_unref (to);
}

/* Instead of that their hashes differ. */
static gboolean
compare_graphs (SluiceRunDiff *self,
                SluiceStore *store,
                const SluiceRunInfo *const *runs,
                GError **error)
{
  SluiceGraph *from = NULL, *to = NULL;
  if (!load_both (store, runs, &from, &to, error))
    return FALSE;
  GPtrArray *diffs = sluice_graph_diff (from, to);
  for (guint i = 0; i < diffs->len; i++)
    add_node_diff (self, diffs->pdata[i]);
  self->has_graphs = TRUE;
  self->n_nodes = sluice_graph_get_n_nodes (to);
  g_ptr_array_unref (diffs);
  unref_both (from, to);
  return TRUE;
}

/* ---- the whole ---- */

void
sluice_run_diff_free (SluiceRunDiff *self)
{
  g_ptr_array_unref (self->differs);
  g_ptr_array_unref (self->same);
  g_strfreev (self->same_values);
  g_ptr_array_unref (self->nodes);
  g_clear_pointer (&self->results, g_ptr_array_unref);
  g_free (self);
}

static SluiceRunDiff *
diff_new (guint n_runs)
{
  SluiceRunDiff *self = g_new0 (SluiceRunDiff, 1);
  self->n_runs = n_runs;
  self->differs = g_ptr_array_new_with_free_func (item_free);
  self->same = g_ptr_array_new ();
  self->nodes = g_ptr_array_new_with_free_func (node_free);
  return self;
}

static gboolean
compare_kinds (SluiceRunDiff *self,
               SluiceStore *store,
               GPtrArray *all,
               const SluiceRunInfo *const *runs,
               GError **error)
{
  for (guint i = 0; sluice_run_diff_kinds[i] != NULL; i++)
    {
      const char *what = sluice_run_diff_kinds[i];
      gboolean known = TRUE;
      for (guint k = 0; k < all->len; k++)
        known &= find_fact (all->pdata[k], what, NULL) != NULL;
      if (strcmp (what, GRAPH) == 0 && self->n_runs == 2 && known && differs (all, what, what))
        {
          if (!compare_graphs (self, store, runs, error))
            return FALSE;
        }
      else if (!compare_kind (self, all, what) && known)
        g_ptr_array_add (self->same, (gpointer) what);
    }
  return TRUE;
}

/* The one value of a kind in which they do not differ; "" where there are several. (transfer full)
 */
static char *
dup_same_value (GPtrArray *facts, const char *what)
{
  const char *value = NULL;
  for (guint i = 0; i < facts->len; i++)
    {
      const Fact *fact = facts->pdata[i];
      if (strcmp (fact->what, what) != 0)
        continue;
      if (value != NULL)
        return g_strdup ("");
      value = fact->value;
    }
  return g_strdup (value != NULL ? value : "");
}

static void
add_same_values (SluiceRunDiff *self, GPtrArray *all)
{
  self->same_values = g_new0 (char *, self->same->len + 1);
  for (guint i = 0; i < self->same->len; i++)
    self->same_values[i] = dup_same_value (all->pdata[0], self->same->pdata[i]);
}

static guint
count_settings (GPtrArray *all)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < all->len; i++)
    {
      GPtrArray *facts = all->pdata[i];
      for (guint k = 0; k < facts->len; k++)
        if (strcmp (((const Fact *) facts->pdata[k])->what, SETTING) == 0)
          g_hash_table_add (names, ((const Fact *) facts->pdata[k])->name);
    }
  return g_hash_table_size (names);
}

/* All that decides numbers but the seed and what follows from it. Threads and devices decide none;
 * another build or machine may. */
static char *
dup_mark (const SluiceRunEntry *entry, gpointer store)
{
  static const char *const silent[] = { "graph", "order", "seed", "devices", "threads", NULL };
  g_autoptr (GPtrArray) facts = collect_facts (store, entry, NULL);
  GString *mark = g_string_new (NULL);
  for (guint i = 0; facts != NULL && i < facts->len; i++)
    {
      const Fact *fact = facts->pdata[i];
      if (!g_strv_contains (silent, fact->what))
        g_string_append_printf (mark, "\n%s %s=%s", fact->what, fact->name, fact->value);
    }
  return g_string_free (mark, FALSE);
}

static const SluiceRunEntry *
find_entry (GPtrArray *entries, gint64 run)
{
  for (guint i = 0; i < entries->len; i++)
    if (((const SluiceRunEntry *) entries->pdata[i])->info->id == run)
      return entries->pdata[i];
  return NULL;
}

SluiceRunDiff *
sluice_run_diff_new (SluiceStore *store,
                     const SluiceRunInfo *const *runs,
                     guint n_runs,
                     GError **error)
{
  g_return_val_if_fail (n_runs >= 2, NULL);
  g_autoptr (GPtrArray) entries = sluice_store_read_run_entries (store, FALSE, error);
  g_autoptr (GPtrArray) compared = g_ptr_array_new ();
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; entries != NULL && i < n_runs; i++)
    {
      const SluiceRunEntry *entry = find_entry (entries, runs[i]->id);
      GPtrArray *facts = entry != NULL ? collect_facts (store, entry, error) : NULL;
      if (entry == NULL)
        sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "run '%s' is gone", runs[i]->name);
      if (facts == NULL)
        return NULL;
      g_ptr_array_add (compared, (gpointer) entry);
      g_ptr_array_add (all, facts);
    }
  g_autoptr (SluiceRunDiff) self = diff_new (n_runs);
  if (entries == NULL || !compare_kinds (self, store, all, runs, error))
    return NULL;
  add_same_values (self, all);
  self->n_settings = count_settings (all);
  const SluiceRunMark mark = { dup_mark, store };
  self->results = sluice_seed_spread_compare (entries, compared, &mark);
  return g_steal_pointer (&self);
}

SluiceRunDiff *
sluice_run_diff_new_of (SluiceStore *store,
                        const char *const *names,
                        char ***own_names,
                        GError **error)
{
  g_autoptr (GPtrArray) runs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_info_free);
  g_autoptr (GStrvBuilder) own = g_strv_builder_new ();
  for (guint i = 0; names[i] != NULL; i++)
    {
      SluiceRunInfo *run = sluice_store_dup_run (store, names[i], error);
      if (run == NULL)
        return NULL;
      g_ptr_array_add (runs, run);
      g_strv_builder_add (own, run->name);
    }
  SluiceRunDiff *self =
      sluice_run_diff_new (store, (const SluiceRunInfo *const *) runs->pdata, runs->len, error);
  if (self != NULL)
    *own_names = g_strv_builder_end (own);
  return self;
}
