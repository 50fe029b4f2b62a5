/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/run-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "engine/base/pool.h"
#include "engine/store/file.h"
#include "engine/train/queue-needs.h"

#define NAME       "run.ini"
#define GROUP      "run"
#define MADE       "made"
#define EXAMPLES   "examples"
#define NEEDS      "needs"
#define PROOF      "reproduced"
#define SOURCE     "project " /* and the step after which it holds: the name of a group */
#define INPUT      "input "   /* and its key: the name of a group */
#define READ_BYTES (256 << 10)

static void
input_clear (gpointer data)
{
  SluiceRunInput *input = data;
  g_free (input->key);
  g_free (input->path);
  g_free (input->sha256);
}

static void
source_clear (gpointer data)
{
  g_free (((SluiceRunSource *) data)->text);
}

static void
proof_free (SluiceRunProof *self)
{
  g_free (self->machine);
  g_free (self->build);
  g_free (self->where);
  g_free (self);
}

static SluiceRunFile *
run_file_alloc (void)
{
  SluiceRunFile *self = g_new0 (SluiceRunFile, 1);
  self->examples = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->sources = g_array_new (FALSE, TRUE, sizeof (SluiceRunSource));
  g_array_set_clear_func (self->sources, source_clear);
  self->made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->needs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->inputs = g_array_new (FALSE, TRUE, sizeof (SluiceRunInput));
  g_array_set_clear_func (self->inputs, input_clear);
  return self;
}

void
sluice_run_file_free (SluiceRunFile *self)
{
  g_array_unref (self->inputs);
  g_array_unref (self->sources);
  g_hash_table_unref (self->made);
  g_hash_table_unref (self->examples);
  g_hash_table_unref (self->needs);
  g_clear_pointer (&self->proof, proof_free);
  g_free (self->name);
  g_free (self->project);
  g_free (self->graph_hash);
  g_free (self->notes);
  g_free (self->group);
  g_free (self->color);
  g_free (self->init_from);
  g_strfreev (self->tags);
  g_free (self);
}

/* ---- what the files are ---- */

static gint64
ns_of (struct timespec t)
{
  return (gint64) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A member of an archive is of the archive. (transfer full) */
static char *
dup_file_path (const char *path)
{
  const char *member = strstr (path, ".npz:");
  return member != NULL ? g_strndup (path, member - path + strlen (".npz")) : g_strdup (path);
}

static gboolean
sum_file (int fd, const char *path, char **sha256, GError **error)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guint8 *bytes = g_malloc (READ_BYTES);
  gssize n;
  while ((n = read (fd, bytes, READ_BYTES)) > 0 || (n < 0 && errno == EINTR))
    if (n > 0)
      g_checksum_update (sum, bytes, n);
  if (n < 0)
    return sluice_file_fail (error, errno, "input '%s' cannot be read", path);
  *sha256 = g_strdup (g_checksum_get_string (sum));
  return TRUE;
}

/* Nobody can change a file and leave the time of its last change as it was. */
static gboolean
is_untouched (const SluiceRunInput *a, const SluiceRunInput *b)
{
  return a->bytes == b->bytes && a->modified == b->modified && a->changed == b->changed
         && a->inode == b->inode && strcmp (a->path, b->path) == 0;
}

/* before: (nullable): what the file was. */
static gboolean
look_at (SluiceRunInput *input,
         const char *key,
         const char *path,
         const SluiceRunInput *before,
         GError **error)
{
  struct stat info;
  *input = (SluiceRunInput){ .key = g_strdup (key), .path = dup_file_path (path) };
  int fd = open (input->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a FIFO would block here */
  if (fd < 0)
    return sluice_file_fail (error, errno, "input '%s' cannot be read", input->path);
  if (fstat (fd, &info) != 0)
    info = (struct stat){ 0 };
  input->bytes = info.st_size;
  input->modified = ns_of (info.st_mtim);
  input->changed = ns_of (info.st_ctim);
  input->inode = (gint64) info.st_ino;
  gboolean ok = TRUE;
  if (before != NULL && is_untouched (before, input))
    input->sha256 = g_strdup (before->sha256);
  else if (S_ISREG (info.st_mode))
    ok = sum_file (fd, input->path, &input->sha256, error);
  close (fd);
  return ok;
}

static const SluiceRunInput *
find_input (const GArray *inputs, const char *key)
{
  for (guint i = 0; inputs != NULL && i < inputs->len; i++)
    if (strcmp (g_array_index (inputs, SluiceRunInput, i).key, key) == 0)
      return &g_array_index (inputs, SluiceRunInput, i);
  return NULL;
}

/* Adds those that the project names. before: (nullable). */
static gboolean
add_inputs (GArray *inputs, const SluiceProject *project, const GArray *before, GError **error)
{
  gboolean trains = !sluice_project_has_own_input (project);
  gboolean tests = trains && sluice_project_evaluates (project);
  const struct
  {
    const char *key, *path;
    gboolean is_read;
  } files[] = { { "graph", project->graph_path, TRUE },
                { "train-x", project->train_x, trains },
                { "train-y", project->train_y, trains },
                { "test-x", project->test_x, tests },
                { "test-y", project->test_y, tests } };
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      if (files[i].path == NULL || !files[i].is_read)
        continue;
      SluiceRunInput input;
      gboolean ok =
          look_at (&input, files[i].key, files[i].path, find_input (before, files[i].key), error);
      g_array_append_val (inputs, input);
      if (!ok)
        return FALSE;
    }
  return TRUE;
}

SluiceRunFile *
sluice_run_file_new (const SluiceProject *project, GError **error)
{
  g_autoptr (SluiceRunFile) self = run_file_alloc ();
  return add_inputs (self->inputs, project, NULL, error) ? g_steal_pointer (&self) : NULL;
}

/* ---- differences ---- */

static char *
dup_time (gint64 ns)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (ns / 1000000000);
  return time != NULL ? g_date_time_format (time, "%F %T") : g_strdup ("?");
}

static void
describe (GString *text, const SluiceRunInput *before, const SluiceRunInput *now)
{
  g_autofree char *old_time = dup_time (before->modified);
  g_autofree char *new_time = dup_time (now->modified);
  g_string_append_printf (
      text, "%s'%s' ([data] %s) had %" G_GINT64_FORMAT " bytes of %s, SHA-256 %.12s…, and ",
      text->len > 0 ? "; " : "", before->path, now->key, before->bytes, old_time, before->sha256);
  if (strcmp (before->path, now->path) != 0)
    g_string_append_printf (text, "'%s' ", now->path);
  g_string_append_printf (text, "has %" G_GINT64_FORMAT " of %s, %.12s…", now->bytes, new_time,
                          now->sha256 != NULL ? now->sha256 : "(no file)");
}

gboolean
sluice_run_file_compare (SluiceRunFile *self,
                         const SluiceProject *project,
                         char **difference,
                         GError **error)
{
  g_autoptr (SluiceRunFile) now = run_file_alloc ();
  g_autoptr (GString) text = g_string_new (NULL);
  *difference = NULL;
  if (!add_inputs (now->inputs, project, self->inputs, error))
    return FALSE;
  for (guint i = 0; i < now->inputs->len; i++)
    {
      const SluiceRunInput *input = &g_array_index (now->inputs, SluiceRunInput, i);
      const SluiceRunInput *before = find_input (self->inputs, input->key);
      if (before != NULL && strcmp (input->key, "graph") != 0
          && g_strcmp0 (before->sha256, input->sha256) != 0)
        describe (text, before, input);
    }
  GArray *inputs = self->inputs;
  self->inputs = g_steal_pointer (&now->inputs);
  now->inputs = inputs;
  if (text->len > 0)
    *difference = g_strdup (text->str);
  return TRUE;
}

/* ---- what makes it ---- */

static char *(*describe_build) (void); /* set once, before there are threads */

void
sluice_run_file_set_build (char *(*dup_description) (void) )
{
  describe_build = dup_description;
}

char *
sluice_dup_build (void)
{
  return describe_build != NULL ? describe_build () : NULL;
}

/* "AMD EPYC 9B14, x86_64": libraries choose their code by it. */
char *
sluice_dup_machine (void)
{
  struct utsname system;
  g_autofree char *text = NULL;
  const char *line = NULL;
  uname (&system);
  if (g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL))
    line = strstr (text, "model name");
  const char *colon = line != NULL ? strchr (line, ':') : NULL;
  if (colon == NULL)
    return g_strdup (system.machine);
  g_autofree char *model = g_strndup (colon + 1, strcspn (colon + 1, "\n"));
  return g_strdup_printf ("%s, %s", g_strstrip (model), system.machine);
}

static void
note (SluiceRunFile *self, const char *what, char *take_value)
{
  g_hash_table_replace (self->made, g_strdup (what), take_value);
}

void
sluice_run_file_note_made (SluiceRunFile *self, const char *devices)
{
  if (describe_build != NULL)
    note (self, "build", describe_build ());
  note (self, "machine", sluice_dup_machine ());
  note (self, "devices", g_strdup (devices));
  note (self, "threads", g_strdup_printf ("%u", sluice_pool_get_threads ()));
}

gboolean
sluice_run_file_is_made_here (const SluiceRunFile *self, const char *devices)
{
  static const char *const kinds[] = { "build", "machine", "devices", "threads" };
  g_autoptr (SluiceRunFile) here = run_file_alloc ();
  sluice_run_file_note_made (here, devices);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strcmp0 (g_hash_table_lookup (here->made, kinds[i]),
                   g_hash_table_lookup (self->made, kinds[i]))
        != 0)
      return FALSE;
  return TRUE;
}

void
sluice_run_file_note_asked (SluiceRunFile *self,
                            const SluiceQueueNeeds *needs,
                            const char *init_from)
{
  g_free (self->init_from);
  self->init_from = g_strdup (init_from);
  g_hash_table_remove_all (self->needs);
  for (guint i = 0; sluice_queue_need_keys[i] != NULL; i++)
    {
      char *text = sluice_queue_needs_dup_text (needs, sluice_queue_need_keys[i]);
      if (*text != '\0')
        g_hash_table_insert (self->needs, g_strdup (sluice_queue_need_keys[i]), text);
      else
        g_free (text);
    }
}

void
sluice_run_file_note_source (SluiceRunFile *self, gint64 from, const SluiceProject *project)
{
  while (self->sources->len > 0
         && g_array_index (self->sources, SluiceRunSource, self->sources->len - 1).from >= from)
    g_array_set_size (self->sources, self->sources->len - 1);
  SluiceRunSource source = { from, sluice_project_dup_text (project) };
  const SluiceRunSource *last =
      self->sources->len > 0
          ? &g_array_index (self->sources, SluiceRunSource, self->sources->len - 1)
          : NULL;
  if (last != NULL && strcmp (last->text, source.text) == 0)
    source_clear (&source);
  else
    g_array_append_val (self->sources, source);
}

/* ---- what came of it when it was trained again ---- */

char *
sluice_run_proof_dup_badge (const SluiceRunProof *self)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local ((gint64) self->when);
  g_autofree char *date = time != NULL ? g_date_time_format (time, "%F") : g_strdup ("?");
  const char *build = self->build != NULL ? self->build : "?";
  if (!self->equal)
    return g_strdup_printf (_ ("parted at step %" PRId64 " (%s) on %s, build %s, %s"), self->to,
                            self->where != NULL ? self->where : "?", self->machine, build, date);
  if (self->from > 0)
    return g_strdup_printf (
        _ ("bit-equal from step %" PRId64 " to %" PRId64 " on %s, build %s, %s"), self->from,
        self->to, self->machine, build, date);
  return g_strdup_printf (_ ("bit-equal to step %" PRId64 " on %s, build %s, %s"), self->to,
                          self->machine, build, date);
}

void
sluice_run_file_set_proof (SluiceRunFile *self, const SluiceRunProof *proof)
{
  g_clear_pointer (&self->proof, proof_free);
  self->proof = g_memdup2 (proof, sizeof *proof);
  self->proof->machine = g_strdup (proof->machine);
  self->proof->build = g_strdup (proof->build);
  self->proof->where = g_strdup (proof->where);
}

static void
put_proof (const SluiceRunProof *proof, GKeyFile *file)
{
  g_key_file_set_boolean (file, PROOF, "equal", proof->equal);
  g_key_file_set_int64 (file, PROOF, "from", proof->from);
  g_key_file_set_int64 (file, PROOF, "to", proof->to);
  g_key_file_set_double (file, PROOF, "when", proof->when);
  g_key_file_set_string (file, PROOF, "machine", proof->machine);
  if (proof->build != NULL)
    g_key_file_set_string (file, PROOF, "build", proof->build);
  if (proof->where != NULL)
    g_key_file_set_string (file, PROOF, "where", proof->where);
}

/* (nullable) */
static SluiceRunProof *
get_proof (GKeyFile *file)
{
  g_autofree char *machine = g_key_file_get_string (file, PROOF, "machine", NULL);
  if (machine == NULL)
    return NULL;
  SluiceRunProof *proof = g_new0 (SluiceRunProof, 1);
  proof->equal = g_key_file_get_boolean (file, PROOF, "equal", NULL);
  proof->from = g_key_file_get_int64 (file, PROOF, "from", NULL);
  proof->to = g_key_file_get_int64 (file, PROOF, "to", NULL);
  proof->when = g_key_file_get_double (file, PROOF, "when", NULL);
  proof->machine = g_steal_pointer (&machine);
  proof->build = g_key_file_get_string (file, PROOF, "build", NULL);
  proof->where = g_key_file_get_string (file, PROOF, "where", NULL);
  return proof;
}

/* ---- the file ---- */

static void
put_table (GHashTable *table, GKeyFile *file, const char *group)
{
  GHashTableIter iter;
  gpointer key, value;
  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_key_file_set_string (file, group, key, value);
}

static void
get_table (GHashTable *table, GKeyFile *file, const char *group)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    g_hash_table_replace (table, g_strdup (keys[i]),
                          g_key_file_get_string (file, group, keys[i], NULL));
}

static void
put_input (const SluiceRunInput *input, GKeyFile *file)
{
  g_autofree char *group = g_strconcat (INPUT, input->key, NULL);
  g_key_file_set_string (file, group, "path", input->path);
  g_key_file_set_int64 (file, group, "bytes", input->bytes);
  g_key_file_set_int64 (file, group, "modified-ns", input->modified);
  g_key_file_set_int64 (file, group, "changed-ns", input->changed);
  g_key_file_set_int64 (file, group, "inode", input->inode);
  if (input->sha256 != NULL)
    g_key_file_set_string (file, group, "sha256", input->sha256);
}

/* What stands there that the store does not know. */
static void
put_rest (const SluiceRunFile *self, GKeyFile *file)
{
  put_table (self->made, file, MADE);
  put_table (self->examples, file, EXAMPLES);
  put_table (self->needs, file, NEEDS);
  if (self->init_from != NULL)
    g_key_file_set_string (file, GROUP, "init-from", self->init_from);
  for (guint i = 0; i < self->inputs->len; i++)
    put_input (&g_array_index (self->inputs, SluiceRunInput, i), file);
  for (guint i = 0; i < self->sources->len; i++)
    {
      const SluiceRunSource *source = &g_array_index (self->sources, SluiceRunSource, i);
      g_autofree char *group = g_strdup_printf (SOURCE "%" G_GINT64_FORMAT, source->from);
      g_key_file_set_string (file, group, "text", source->text);
    }
  if (self->proof != NULL)
    put_proof (self->proof, file);
}

gboolean
sluice_run_file_write (const SluiceRunFile *self,
                       const char *folder,
                       const SluiceRunInfo *info,
                       GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_key_file_set_string (file, GROUP, "name", info->name);
  g_key_file_set_string (file, GROUP, "project", info->project != NULL ? info->project : "");
  g_key_file_set_string (file, GROUP, "graph-hash",
                         info->graph_hash != NULL ? info->graph_hash : "");
  g_key_file_set_double (file, GROUP, "created", info->created);
  g_key_file_set_boolean (file, GROUP, "starred", info->is_starred);
  if (info->color != NULL)
    g_key_file_set_string (file, GROUP, "color", info->color);
  if (info->notes != NULL)
    g_key_file_set_string (file, GROUP, "notes", info->notes);
  if (info->group != NULL)
    g_key_file_set_string (file, GROUP, "group", info->group);
  if (info->tags != NULL)
    g_key_file_set_string_list (file, GROUP, "tags", (const char *const *) info->tags,
                                g_strv_length (info->tags));
  put_rest (self, file);
  gsize length;
  g_autofree char *text = g_key_file_to_data (file, &length, NULL);
  g_autofree char *path = g_build_filename (folder, NAME, NULL);
  return sluice_file_put ("run", path, text, length, error);
}

gboolean
sluice_run_file_update (SluiceStore *store, const SluiceRunInfo *info, GError **error)
{
  g_autofree char *folder = sluice_store_dup_run_folder (store, info->id);
  g_autoptr (SluiceRunFile) self = sluice_run_file_read (folder);
  return self == NULL || sluice_run_file_write (self, folder, info, error);
}

void
sluice_run_file_update_source (SluiceStore *store, gint64 run, const SluiceProject *project)
{
  g_autofree char *folder = sluice_store_dup_run_folder (store, run);
  g_autofree char *id = g_strdup_printf ("#%" G_GINT64_FORMAT, run);
  g_autoptr (SluiceRunFile) self = sluice_run_file_read (folder);
  g_autoptr (SluiceRunInfo) info = self != NULL ? sluice_store_dup_run (store, id, NULL) : NULL;
  if (info == NULL || self->sources->len == 0)
    return;
  SluiceRunSource *last = &g_array_index (self->sources, SluiceRunSource, self->sources->len - 1);
  g_free (last->text);
  last->text = sluice_project_dup_text (project);
  sluice_run_file_write (self, folder, info, NULL);
}

static void
read_input (SluiceRunFile *self, GKeyFile *file, const char *group)
{
  SluiceRunInput input = {
    .key = g_strdup (group + strlen (INPUT)),
    .path = g_key_file_get_string (file, group, "path", NULL),
    .bytes = g_key_file_get_int64 (file, group, "bytes", NULL),
    .modified = g_key_file_get_int64 (file, group, "modified-ns", NULL),
    .changed = g_key_file_get_int64 (file, group, "changed-ns", NULL),
    .inode = g_key_file_get_int64 (file, group, "inode", NULL),
    .sha256 = g_key_file_get_string (file, group, "sha256", NULL),
  };
  if (input.path != NULL && input.sha256 != NULL)
    g_array_append_val (self->inputs, input);
  else
    input_clear (&input);
}

static void
read_source (SluiceRunFile *self, GKeyFile *file, const char *group)
{
  SluiceRunSource source = { 0, g_key_file_get_string (file, group, "text", NULL) };
  if (source.text != NULL
      && g_ascii_string_to_signed (group + strlen (SOURCE), 10, 0, G_MAXINT64, &source.from, NULL))
    g_array_append_val (self->sources, source);
  else
    source_clear (&source);
}

static gint
by_step (gconstpointer a, gconstpointer b)
{
  gint64 x = ((const SluiceRunSource *) a)->from, y = ((const SluiceRunSource *) b)->from;
  return (x > y) - (x < y);
}

SluiceRunFile *
sluice_run_file_read (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, NAME, NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return NULL;
  SluiceRunFile *self = run_file_alloc ();
  self->name = g_key_file_get_string (file, GROUP, "name", NULL);
  self->project = g_key_file_get_string (file, GROUP, "project", NULL);
  self->graph_hash = g_key_file_get_string (file, GROUP, "graph-hash", NULL);
  self->created = g_key_file_get_double (file, GROUP, "created", NULL);
  self->notes = g_key_file_get_string (file, GROUP, "notes", NULL);
  self->group = g_key_file_get_string (file, GROUP, "group", NULL);
  self->tags = g_key_file_get_string_list (file, GROUP, "tags", NULL, NULL);
  self->is_starred = g_key_file_get_boolean (file, GROUP, "starred", NULL);
  self->color = g_key_file_get_string (file, GROUP, "color", NULL);
  self->proof = get_proof (file);
  get_table (self->made, file, MADE);
  get_table (self->examples, file, EXAMPLES);
  get_table (self->needs, file, NEEDS);
  self->init_from = g_key_file_get_string (file, GROUP, "init-from", NULL);
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    if (g_str_has_prefix (groups[i], INPUT))
      read_input (self, file, groups[i]);
    else if (g_str_has_prefix (groups[i], SOURCE))
      read_source (self, file, groups[i]);
  g_array_sort (self->sources, by_step);
  return self;
}
