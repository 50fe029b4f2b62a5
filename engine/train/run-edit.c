/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/run-edit.h"

#include <glib/gstdio.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/diff.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/savedmodel.h"
#include "engine/store/file.h"
#include "engine/store/kinds/graph.h"
#include "engine/train/checkpoint-folder.h"
#include "engine/train/run-file.h"
#include "engine/train/trainer-private.h"

#define EDITS "edits"
#define NOTE  "edit.ini"
#define GROUP "edit"
#define STATE "state.safetensors"
/* Of the workspace: of each run that is being edited a file, by its number, with that of the edit.
 * While it is there, the edit is half done and nobody may rely on row and folder being of one
 * graph. */
#define MARKS "runs/.editing"

/* ---- edits/N ---- */

static char *
dup_edit_folder (const char *folder, guint number)
{
  g_autofree char *name = g_strdup_printf ("%u", number);
  return g_build_filename (folder, EDITS, name, NULL);
}

/* What was noted of an edit. FALSE: there is none of that number. */
static gboolean
read_note (const char *folder, guint number, gint64 *step, char **graph_hash)
{
  g_autofree char *edit = dup_edit_folder (folder, number);
  g_autofree char *path = g_build_filename (edit, NOTE, NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return FALSE;
  *step = g_key_file_get_int64 (file, GROUP, "step", NULL);
  if (graph_hash != NULL)
    *graph_hash = g_key_file_get_string (file, GROUP, "graph-hash", NULL);
  return TRUE;
}

static gboolean
write_note (const char *edit, gint64 step, const char *graph_hash, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_key_file_set_int64 (file, GROUP, "step", step);
  g_key_file_set_string (file, GROUP, "graph-hash", graph_hash);
  gsize length;
  g_autofree char *text = g_key_file_to_data (file, &length, NULL);
  g_autofree char *path = g_build_filename (edit, NOTE, NULL);
  return sluice_file_put ("edit", path, text, length, error);
}

static guint
count_edits (const char *folder)
{
  gint64 step;
  guint n = 0;
  while (read_note (folder, n + 1, &step, NULL))
    n++;
  return n;
}

gint64
sluice_run_edit_get_last (const char *folder)
{
  gint64 step = -1;
  for (guint i = 1; read_note (folder, i, &step, NULL); i++)
    ;
  return step;
}

char *
sluice_run_edit_dup_folder_at (const char *folder, gint64 step)
{
  gint64 at;
  for (guint i = 1; read_note (folder, i, &at, NULL); i++)
    if (step < at)
      return dup_edit_folder (folder, i);
  return g_strdup (folder);
}

/* ---- marks ---- */

static char *
dup_mark (SluiceStore *store, gint64 run)
{
  return g_strdup_printf ("%s/" MARKS "/%" G_GINT64_FORMAT, sluice_store_get_workspace (store),
                          run);
}

static gboolean
set_mark (SluiceStore *store, gint64 run, guint number, GError **error)
{
  g_autofree char *path = dup_mark (store, run);
  g_autofree char *text = g_strdup_printf ("%u", number);
  return sluice_file_make_folder (path, error)
         && sluice_file_put ("edit", path, text, strlen (text), error);
}

static void
remove_mark (SluiceStore *store, gint64 run)
{
  g_autofree char *path = dup_mark (store, run);
  g_unlink (path);
}

/* ---- an edit ---- */

typedef struct
{
  SluiceStore *store;
  const SluiceGraphEdit *edit;
  SluiceGraphEdited *edited;
  SluiceRunInfo *info; /* (nullable): locked once it is there */
  char *folder;        /* of the run */
  char *kept;          /* (nullable): edits/N, until it counts */
  char *graph_path;    /* (nullable): the same */
  SluiceProject *before, *after;
  SluiceExamples *examples, *test;
  SluiceReplica *was, *is; /* that stand at the step */
  char *graph_hash;        /* of the new graph */
} Edit;

static void
edit_clear (Edit *self)
{
  if (self->kept != NULL)
    {
      sluice_file_remove_flat (self->kept);
      remove_mark (self->store, self->info->id);
    }
  if (self->graph_path != NULL)
    g_unlink (self->graph_path);
  g_clear_pointer (&self->was, sluice_replica_free);
  g_clear_pointer (&self->is, sluice_replica_free);
  g_clear_pointer (&self->examples, sluice_examples_free);
  g_clear_pointer (&self->test, sluice_examples_free);
  g_clear_pointer (&self->before, sluice_project_free);
  g_clear_pointer (&self->after, sluice_project_free);
  if (self->info != NULL)
    sluice_store_unlock_run (self->store, self->info->id);
  g_clear_pointer (&self->info, sluice_run_info_free);
  g_free (self->folder);
  g_free (self->kept);
  g_free (self->graph_path);
  g_free (self->graph_hash);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Edit, edit_clear)

/* Nobody else trains it from here on; what its row says is what was written last. */
static gboolean
take_run (Edit *self, const SluiceRunInfo *run, GError **error)
{
  g_autofree char *number = g_strdup_printf ("#%" G_GINT64_FORMAT, run->id);
  if (!sluice_store_lock_run (self->store, run->id, error))
    return FALSE;
  self->info = sluice_store_dup_run (self->store, number, error);
  if (self->info == NULL)
    {
      sluice_store_unlock_run (self->store, run->id);
      return FALSE;
    }
  self->folder = sluice_store_dup_run_folder (self->store, run->id);
  return TRUE;
}

static gboolean
check_step (Edit *self, GError **error)
{
  gint64 step = self->edit->step >= 0 ? self->edit->step : self->info->step;
  gint64 least = sluice_run_edit_get_last (self->folder);
  self->edited->step = step;
  if (step > self->info->step)
    return sluice_fail (error, SLUICE_ERROR_OUT_OF_RANGE,
                        "run '%s' is at step %" G_GINT64_FORMAT
                        " and has not come to step %" G_GINT64_FORMAT,
                        self->info->name, self->info->step, step);
  if (step < least)
    return sluice_fail (error, SLUICE_ERROR_OUT_OF_RANGE,
                        "the graph of run '%s' was edited at step %" G_GINT64_FORMAT
                        "; take that back to edit it at step %" G_GINT64_FORMAT,
                        self->info->name, least, step);
  return TRUE;
}

/* The project with the new graph, which lies beside the old one. */
static gboolean
load_projects (Edit *self, GError **error)
{
  self->before = sluice_project_load (self->folder, error);
  if (self->before == NULL || !check_step (self, error))
    return FALSE;
  if (sluice_saved_model_exists (self->before->graph_path))
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "the graph of run '%s' is a SavedModel, whose variables and tables come "
                        "with it; begin a run with a graph of its own: sluice convert",
                        self->info->name);
  gsize length;
  const char *data = g_bytes_get_data (self->edit->graph, &length);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  if (!sluice_graph_import (graph, self->edit->graph, error))
    return FALSE;
  g_autofree char *name = g_strdup_printf (
      "graph-edit-%u.%s", count_edits (self->folder) + 1,
      length > 0 && g_utf8_validate (data, (gssize) length, NULL) ? "pbtxt" : "pb");
  self->graph_path = g_build_filename (self->folder, name, NULL);
  if (!sluice_file_put ("graph", self->graph_path, data, length, error))
    return FALSE;
  self->after = sluice_project_load (self->folder, error);
  if (self->after == NULL)
    return FALSE;
  g_free (self->after->graph_path);
  self->after->graph_path = g_strdup (self->graph_path);
  return TRUE;
}

/* *is_same: nothing is to be done. */
static gboolean
compare_graphs (Edit *self, GError **error)
{
  g_autoptr (SluiceGraph) graph = sluice_project_load_graph (self->after, error);
  self->graph_hash = graph != NULL ? sluice_graph_dup_hash (graph, error) : NULL;
  self->edited->is_same = g_strcmp0 (self->graph_hash, self->info->graph_hash) == 0;
  return self->graph_hash != NULL;
}

/* Both stand at the step, the new one with what it keeps. */
static gboolean
make_replicas (Edit *self, GError **error)
{
  const SluiceGraphEdit *edit = self->edit;
  if (!sluice_examples_load_all (self->before, &self->examples, &self->test, error))
    return FALSE;
  self->is = sluice_replica_new (self->after, self->examples, self->test, 0, edit->host, error);
  if (self->is == NULL)
    return FALSE;
  self->was = sluice_replica_new (self->before, self->examples, self->test, 0, edit->host, error);
  return self->was != NULL
         && sluice_replica_stand_at (self->was, self->store, self->info, self->edited->step,
                                     edit->recomputes, edit->recomputes_data, error)
         && sluice_replica_initialize (self->is, error)
         && sluice_replica_carry (self->is, self->was, &self->edited->n_kept, &self->edited->n_new,
                                  &self->edited->n_dropped, error);
}

/* What it is before: the note comes last, by which the rest is there. */
static gboolean
keep (Edit *self, GError **error)
{
  gsize bytes;
  guint number = count_edits (self->folder) + 1;
  self->kept = dup_edit_folder (self->folder, number);
  g_autofree char *state = g_build_filename (self->kept, STATE, NULL);
  sluice_file_remove_flat (self->kept); /* of a program that was killed */
  return set_mark (self->store, self->info->id, number, error)
         && sluice_file_make_folder (state, error)
         && sluice_project_save (self->before, self->kept, error)
         && sluice_replica_save (self->was, state, &bytes, error)
         && write_note (self->kept, self->edited->step, self->info->graph_hash, error);
}

/* (transfer full) */
static char *
describe (Edit *self)
{
  guint n[SLUICE_DIFF_RENAMED + 1] = { 0 };
  if (self->edit->words != NULL)
    return g_strdup (self->edit->words);
  g_autoptr (GPtrArray) diffs = sluice_graph_diff (self->was->graph, self->is->graph);
  for (guint i = 0; i < diffs->len; i++)
    n[((SluiceNodeDiff *) diffs->pdata[i])->kind]++;
  return g_strdup_printf ("nodes: %u added, %u removed, %u changed, %u renamed",
                          n[SLUICE_DIFF_ADDED], n[SLUICE_DIFF_REMOVED], n[SLUICE_DIFF_CHANGED],
                          n[SLUICE_DIFF_RENAMED]);
}

/* ---- what the run is from now on ---- */

/* The run stands at the step, with the checkpoint that its folder has of it. */
static gboolean
tell (SluiceStore *store,
      SluiceRunInfo *info,
      gint64 step,
      const char *kind,
      const char *words,
      GBytes *graph,
      GError **error)
{
  double now = sluice_trainer_wall_now ();
  g_autofree char *folder = sluice_store_dup_run_folder (store, info->id);
  g_autofree char *name = sluice_checkpoint_folder_dup_name (step);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GPtrArray) checkpoints = sluice_store_read_checkpoints (store, info->id, error);
  SluiceRunLog *log = checkpoints != NULL ? sluice_store_open_log (store, info->id, error) : NULL;
  GStatBuf file;
  if (log == NULL)
    return FALSE;
  gboolean ok = sluice_checkpoint_folder_forget (checkpoints, log, step, error);
  gint64 series =
      ok ? sluice_run_log_series (log, SLUICE_RUN_GRAPH_TAG, SLUICE_SERIES_GRAPH, error) : -1;
  if (series >= 0)
    {
      sluice_run_log_event (log, step, now, kind, words);
      sluice_run_log_record (log, series, &sluice_graph_record_new (step, now, graph)->base);
      ok = sluice_run_log_publish_checkpoint (
          log, step, name, g_stat (path, &file) == 0 ? (gsize) file.st_size : 0, NULL, error);
    }
  ok = sluice_run_log_close (log, ok && series >= 0 ? error : NULL) && ok && series >= 0;
  info->state = SLUICE_RUN_STOPPED;
  info->step = step;
  g_clear_pointer (&info->message, g_free);
  g_clear_pointer (&info->failed_node, g_free);
  return ok && sluice_store_put_graph (store, info->graph_hash, graph, error)
         && sluice_store_update_run (store, info, error);
}

static gboolean
write_files (const SluiceProject *project,
             const SluiceRunInfo *info,
             const char *folder,
             GError **error)
{
  g_autoptr (SluiceRunFile) file = sluice_run_file_read (folder);
  if (file != NULL)
    sluice_run_file_note_source (file, info->step, project);
  return sluice_project_save (project, folder, error)
         && (file == NULL || sluice_run_file_write (file, folder, info, error));
}

static gboolean
commit (Edit *self, GError **error)
{
  gsize bytes;
  const gint64 step = self->edited->step;
  g_autofree char *name = sluice_checkpoint_folder_dup_name (step);
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  g_autofree char *words = describe (self);
  g_autoptr (GBytes) graph = sluice_graph_export (self->is->graph, SLUICE_EXPORT_BINARY, error);
  if (graph == NULL || !keep (self, error) || !sluice_replica_save (self->is, path, &bytes, error))
    return FALSE;
  /* From here on it can be taken back. */
  g_clear_pointer (&self->kept, g_free);
  g_clear_pointer (&self->graph_path, g_free);
  g_free (self->info->graph_hash);
  self->info->graph_hash = g_strdup (self->graph_hash);
  if (!tell (self->store, self->info, step, "edit", words, graph, error)
      || !write_files (self->after, self->info, self->folder, error))
    return FALSE; /* what of it was done is taken back when the workspace is opened */
  remove_mark (self->store, self->info->id);
  return TRUE;
}

/* ---- back ---- */

/* The files of edits/N take their places again. */
static gboolean
put_back (Edit *self, const char *kept, gint64 step, GError **error)
{
  g_autofree char *name = sluice_checkpoint_folder_dup_name (step);
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  g_autofree char *state = g_build_filename (kept, STATE, NULL);
  self->before = sluice_project_load (kept, error);
  g_autoptr (SluiceGraph) graph =
      self->before != NULL ? sluice_project_load_graph (self->before, error) : NULL;
  g_autoptr (GBytes) bytes =
      graph != NULL ? sluice_graph_export (graph, SLUICE_EXPORT_BINARY, error) : NULL;
  return bytes != NULL && sluice_file_copy ("checkpoint", state, path, error)
         && tell (self->store, self->info, step, "edit-undone", NULL, bytes, error)
         && write_files (self->before, self->info, self->folder, error);
}

/* Of the edit of that number; hash: taken. Until the note is gone it can be done again. */
static gboolean
take_back (Edit *self, guint number, gint64 step, char *hash, GError **error)
{
  g_autofree char *kept = dup_edit_folder (self->folder, number);
  g_autofree char *note = g_build_filename (kept, NOTE, NULL);
  g_free (self->info->graph_hash);
  self->info->graph_hash = hash;
  if (!set_mark (self->store, self->info->id, number, error) || !put_back (self, kept, step, error))
    return FALSE;
  g_unlink (note);
  sluice_file_remove_flat (kept);
  remove_mark (self->store, self->info->id);
  return TRUE;
}

gboolean
sluice_run_take_back_edit (
    SluiceStore *store, const SluiceRunInfo *run, gint64 *step, GBytes **graph, GError **error)
{
  g_auto (Edit) self = { .store = store };
  if (!take_run (&self, run, error))
    return FALSE;
  guint number = count_edits (self.folder);
  char *hash;
  if (!read_note (self.folder, number, step, &hash))
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                        "the graph of run '%s' was not edited while it was trained",
                        self.info->name);
  if (!take_back (&self, number, *step, hash, error))
    return FALSE;
  if (graph != NULL)
    {
      char *data = NULL;
      gsize length = 0;
      g_autofree char *name = g_path_get_basename (self.before->graph_path);
      g_autofree char *path = g_build_filename (self.folder, name, NULL);
      if (!g_file_get_contents (path, &data, &length, error))
        return FALSE;
      *graph = g_bytes_new_take (data, length);
    }
  return TRUE;
}

/* ---- one that was interrupted ---- */

/* Before its note is there nothing of the run is another. (transfer full) (nullable): the run */
static char *
mend (SluiceStore *store, gint64 run)
{
  g_auto (Edit) self = { .store = store };
  g_autofree char *folder = sluice_store_dup_run_folder (store, run);
  g_autofree char *mark = dup_mark (store, run), *text = NULL, *kept = NULL;
  gint64 step;
  char *hash;
  if (!g_file_test (mark, G_FILE_TEST_EXISTS))
    return NULL;
  if (!g_file_test (folder, G_FILE_TEST_IS_DIR)) /* it was purged */
    remove_mark (store, run);
  else if (!take_run (&self, &(SluiceRunInfo){ .id = run }, NULL))
    return NULL; /* at work, or in the trash */
  guint number = g_file_get_contents (mark, &text, NULL, NULL)
                     ? (guint) g_ascii_strtoull (text, NULL, 10)
                     : 0; /* somebody was faster */
  if (number == 0)
    return NULL;
  if (read_note (self.folder, number, &step, &hash))
    return take_back (&self, number, step, hash, NULL) ? g_strdup (self.info->name) : NULL;
  kept = dup_edit_folder (self.folder, number);
  sluice_file_remove_flat (kept);
  remove_mark (store, run);
  return NULL;
}

gboolean
sluice_run_edit (SluiceStore *store,
                 const SluiceRunInfo *run,
                 const SluiceGraphEdit *edit,
                 SluiceGraphEdited *edited,
                 GError **error)
{
  g_auto (Edit) self = { .store = store, .edit = edit, .edited = edited };
  *edited = (SluiceGraphEdited){ 0 };
  g_free (mend (store, run->id));
  return take_run (&self, run, error) && load_projects (&self, error)
         && compare_graphs (&self, error)
         && (edited->is_same || (make_replicas (&self, error) && commit (&self, error)));
}

char **
sluice_run_mend_edits (SluiceStore *store)
{
  g_autofree char *path = g_build_filename (sluice_store_get_workspace (store), MARKS, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  const char *entry;
  while (dir != NULL && (entry = g_dir_read_name (dir)) != NULL)
    {
      gint64 run;
      g_autofree char *name = g_ascii_string_to_signed (entry, 10, 1, G_MAXINT64, &run, NULL)
                                  ? mend (store, run)
                                  : NULL;
      if (name != NULL)
        g_strv_builder_add (names, name);
    }
  return g_strv_builder_end (names);
}
