/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/cluster.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/base/text.h"
#include "engine/device/device.h"

#define MAX_JSON_DEPTH 16 /* TF_CONFIG needs 3; what else lies in it is skipped */
#define EXAMPLE        "write it like 'worker=a:2222,b:2222;ps=c:2222'"

/* ---- making one ---- */

/* What is read of a cluster. */
typedef struct
{
  GArray *jobs;     /* of SluiceJob */
  GHashTable *seen; /* addresses: whose they are, of char */
  guint n_tasks;
} Draft;

static void
clear_job (gpointer data)
{
  SluiceJob *job = data;
  for (guint i = 0; i < job->n_tasks; i++)
    g_free (job->addresses[i]);
  g_free (job->addresses);
  g_free (job->name);
}

static void
draft_init (Draft *self)
{
  *self = (Draft){ .jobs = g_array_new (FALSE, FALSE, sizeof (SluiceJob)),
                   .seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free) };
  g_array_set_clear_func (self->jobs, clear_job);
}

static void
draft_clear (Draft *self)
{
  g_array_unref (self->jobs);
  g_hash_table_unref (self->seen);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Draft, draft_clear)

/* As a device's name can hold it: a letter, then letters, digits and '_'. */
static gboolean
is_job_name (const char *text)
{
  if (!g_ascii_isalpha (*text))
    return FALSE;
  while (g_ascii_isalnum (*text) || *text == '_')
    text++;
  return *text == '\0';
}

/* (transfer full) take_name */
static SluiceJob *
add_job (Draft *draft, const char *name, GError **error)
{
  g_autofree char *shown = sluice_text_escape (name);
  if (!is_job_name (name))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "'%s' is no name of a job: a letter, then letters, digits and '_'", shown);
      return NULL;
    }
  for (guint i = 0; i < draft->jobs->len; i++)
    if (strcmp (g_array_index (draft->jobs, SluiceJob, i).name, name) == 0)
      {
        sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                     "job '%s' is there twice; put its tasks into one list", name);
        return NULL;
      }
  SluiceJob job = { .name = g_strdup (name) };
  g_array_append_val (draft->jobs, job);
  return &g_array_index (draft->jobs, SluiceJob, draft->jobs->len - 1);
}

/* "host:port": a name, IPv4, or IPv6 in brackets. */
static gboolean
is_address (const char *text)
{
  const char *host = text, *end;
  if (*host == '[')
    {
      gsize n = strspn (++host, "0123456789abcdefABCDEF:.");
      end = host + n;
      if (n == 0 || *end++ != ']')
        return FALSE;
    }
  else
    {
      while (g_ascii_isalnum (*host) || (*host != '\0' && strchr ("-._", *host) != NULL))
        host++;
      end = host;
    }
  guint64 port;
  return end > text && *end == ':' && g_ascii_isdigit (end[1]) && strlen (end + 1) <= 5
         && g_ascii_string_to_unsigned (end + 1, 10, 1, G_MAXUINT16, &port, NULL);
}

/* Task number `index` of a job; those between get no address. */
static gboolean
add_task (Draft *draft, SluiceJob *job, guint64 index, const char *address, GError **error)
{
  g_autofree char *shown = sluice_text_escape (address);
  if (!is_address (address))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "task %" G_GUINT64_FORMAT " of job '%s': '%s' is no address; write "
                        "'host:port', the port a number from 1 to 65535",
                        index, job->name, shown);
  if (index >= SLUICE_MAX_TASKS
      || draft->n_tasks + index - MIN (index, job->n_tasks) >= SLUICE_MAX_TASKS)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "task %" G_GUINT64_FORMAT " of job '%s': a cluster has up to %d tasks",
                        index, job->name, SLUICE_MAX_TASKS);
  const char *other = g_hash_table_lookup (draft->seen, address);
  if (other != NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "task %" G_GUINT64_FORMAT " of job '%s' has the address '%s' of %s; each "
                        "task has its own",
                        index, job->name, address, other);
  if (index >= job->n_tasks)
    {
      job->addresses = g_renew (char *, job->addresses, index + 1);
      for (; job->n_tasks <= index; job->n_tasks++, draft->n_tasks++)
        job->addresses[job->n_tasks] = NULL;
    }
  if (job->addresses[index] != NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "task %" G_GUINT64_FORMAT " of job '%s' is there twice", index, job->name);
  job->addresses[index] = g_strdup (address);
  g_hash_table_insert (
      draft->seen, g_strdup (address),
      g_strdup_printf ("task %" G_GUINT64_FORMAT " of job '%s'", index, job->name));
  return TRUE;
}

static const SluiceJob *
find_job (const SluiceJob *jobs, guint n, const char *name, GError **error)
{
  g_autofree const char **names = g_new (const char *, n);
  g_autoptr (GString) known = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    {
      if (strcmp (jobs[i].name, name) == 0)
        return &jobs[i];
      names[i] = jobs[i].name;
      g_string_append_printf (known, "%s'%s'", i > 0 ? ", " : "", jobs[i].name);
    }
  const char *meant = sluice_suggest_name (name, names, n);
  g_autofree char *shown = sluice_text_escape (name);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
               "there is no job '%s' in the cluster, which has %s%s%s%s", shown, known->str,
               meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
               meant != NULL ? "'?" : "");
  return NULL;
}

/* (transfer full) (nullable) */
static SluiceCluster *
finish (Draft *draft, const char *own_job, guint64 own_task, GError **error)
{
  const SluiceJob *jobs = &g_array_index (draft->jobs, SluiceJob, 0);
  g_autoptr (GError) reason = NULL;
  const SluiceJob *own = find_job (jobs, draft->jobs->len, own_job, &reason);
  if (own == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "this process: %s", reason->message);
      return NULL;
    }
  if (own_task >= own->n_tasks || own->addresses[own_task] == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "this process: job '%s' has no task %" G_GUINT64_FORMAT ", its last one is %u",
                   own_job, own_task, own->n_tasks - 1);
      return NULL;
    }
  SluiceCluster *self = g_new0 (SluiceCluster, 1);
  atomic_init (&self->ref_count, 1);
  self->n_jobs = draft->jobs->len;
  self->own_job = (guint) (own - jobs);
  self->own_task = (guint) own_task;
  self->incarnation = 1;
  self->jobs = (SluiceJob *) g_array_steal (draft->jobs, NULL);
  return self;
}

SluiceCluster *
sluice_cluster_get_local (void)
{
  static char localhost[] = "localhost", *addresses[] = { NULL };
  static SluiceJob job = { localhost, addresses, 1 };
  static SluiceCluster local = { .ref_count = 1, .jobs = &job, .n_jobs = 1, .incarnation = 1 };
  return &local;
}

SluiceCluster *
sluice_cluster_ref (SluiceCluster *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_cluster_unref (SluiceCluster *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  for (guint i = 0; i < self->n_jobs; i++)
    clear_job (&self->jobs[i]);
  g_free (self->jobs);
  g_free (self);
}

/* ---- text ---- */

/* "worker=a:1,b:2" */
static gboolean
parse_job (Draft *draft, const char *text, GError **error)
{
  const char *is = strchr (text, '=');
  g_autofree char *shown = sluice_text_escape (text);
  if (is == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is no job with tasks; " EXAMPLE,
                        shown);
  g_autofree char *name = g_strndup (text, (gsize) (is - text));
  SluiceJob *job = add_job (draft, name, error);
  if (job == NULL)
    return FALSE;
  g_auto (GStrv) addresses = g_strsplit (is + 1, ",", -1);
  guint n = g_strv_length (addresses);
  if (n == 0 || *addresses[n - 1] == '\0')
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "job '%s' ends without the address of a task; " EXAMPLE, name);
  for (guint i = 0; i < n; i++)
    if (*addresses[i] != '\0' && !add_task (draft, job, i, addresses[i], error))
      return FALSE;
  return TRUE;
}

/* "worker:1", "/job:worker/task:1". (transfer full) (nullable) */
static char *
parse_own (const char *text, guint64 *task, GError **error)
{
  SluiceDeviceSpec spec;
  const char *colon = strchr (text, ':');
  if (*text != '/' && colon != NULL
      && g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXINT, task, NULL))
    return g_strndup (text, (gsize) (colon - text));
  if (*text == '/' && sluice_device_spec_parse (&spec, text, NULL))
    {
      char *job = g_steal_pointer (&spec.job);
      gboolean is_task =
          job != NULL && spec.task >= 0 && spec.replica <= 0 && spec.type == NULL && spec.index < 0;
      *task = (guint64) MAX (spec.task, 0);
      sluice_device_spec_clear (&spec);
      if (is_task)
        return job;
      g_free (job);
    }
  g_autofree char *shown = sluice_text_escape (text);
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
               "'%s' is no task; write it like 'worker:1' or '/job:worker/task:1'", shown);
  return NULL;
}

SluiceCluster *
sluice_cluster_parse (const char *text, const char *own, GError **error)
{
  g_auto (Draft) draft;
  guint64 task = 0;
  draft_init (&draft);
  g_auto (GStrv) jobs = g_strsplit (text, ";", -1);
  for (guint i = 0; jobs[i] != NULL; i++)
    if (!parse_job (&draft, jobs[i], error))
      return NULL;
  if (draft.jobs->len == 0)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "a cluster has a job; " EXAMPLE);
      return NULL;
    }
  g_autofree char *job = parse_own (own, &task, error);
  return job != NULL ? finish (&draft, job, task, error) : NULL;
}

char *
sluice_cluster_to_text (const SluiceCluster *self)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < self->n_jobs; i++)
    {
      const SluiceJob *job = &self->jobs[i];
      g_string_append_printf (text, "%s%s=", i > 0 ? ";" : "", job->name);
      for (guint k = 0; k < job->n_tasks; k++)
        g_string_append_printf (text, "%s%s", k > 0 ? "," : "",
                                job->addresses[k] != NULL ? job->addresses[k] : "");
    }
  return g_string_free (text, FALSE);
}

const SluiceJob *
sluice_cluster_find_job (const SluiceCluster *self, const char *name, GError **error)
{
  return find_job (self->jobs, self->n_jobs, name, error);
}

char *
sluice_cluster_dup_own_name (const SluiceCluster *self)
{
  return g_strdup_printf ("/job:%s/replica:0/task:%u", self->jobs[self->own_job].name,
                          self->own_task);
}

/* ---- TF_CONFIG ---- */

static const char *
get_text (JsonNode *node)
{
  gboolean is_text = node != NULL && JSON_NODE_HOLDS_VALUE (node)
                     && json_node_get_value_type (node) == G_TYPE_STRING;
  return is_text ? json_node_get_string (node) : NULL;
}

/* A whole number, or a text of one. */
static gboolean
get_index (JsonNode *node, guint64 *index)
{
  const char *text = get_text (node);
  if (text != NULL)
    return g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT, index, NULL);
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node)
      || json_node_get_value_type (node) != G_TYPE_INT64)
    return FALSE;
  gint64 number = json_node_get_int (node);
  *index = (guint64) number;
  return number >= 0;
}

static gboolean
read_address (Draft *draft, SluiceJob *job, guint64 index, JsonNode *node, GError **error)
{
  const char *address = get_text (node);
  if (address == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "task %" G_GUINT64_FORMAT " of job '%s' is no text; write \"host:port\"",
                        index, job->name);
  return add_task (draft, job, index, address, error);
}

static gboolean
read_list (Draft *draft, SluiceJob *job, JsonArray *list, GError **error)
{
  guint n = json_array_get_length (list);
  for (guint i = 0; i < n; i++)
    if (!read_address (draft, job, i, json_array_get_element (list, i), error))
      return FALSE;
  return TRUE;
}

/* {"1": "a:2222"}: some of the tasks. */
static gboolean
read_map (Draft *draft, SluiceJob *job, JsonObject *map, GError **error)
{
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;
  json_object_iter_init_ordered (&iter, map);
  while (json_object_iter_next_ordered (&iter, &key, &node))
    {
      guint64 index;
      g_autofree char *shown = sluice_text_escape (key);
      if (!g_ascii_string_to_unsigned (key, 10, 0, G_MAXINT, &index, NULL))
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "job '%s': '%s' is no number of a task", job->name, shown);
      if (!read_address (draft, job, index, node, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_jobs (Draft *draft, JsonObject *cluster, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  json_object_iter_init_ordered (&iter, cluster);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    {
      SluiceJob *job = add_job (draft, name, error);
      if (job == NULL)
        return FALSE;
      gboolean is_list = JSON_NODE_HOLDS_ARRAY (node), is_map = JSON_NODE_HOLDS_OBJECT (node);
      if (!is_list && !is_map)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "job '%s' is no list of addresses; write it like [\"a:2222\", "
                            "\"b:2222\"]",
                            name);
      if (!(is_list ? read_list (draft, job, json_node_get_array (node), error)
                    : read_map (draft, job, json_node_get_object (node), error)))
        return FALSE;
      if (job->n_tasks == 0)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "job '%s' has no tasks", name);
    }
  return TRUE;
}

/* (transfer none) (nullable): there is none. FALSE: it is something else */
static gboolean
get_object (JsonObject *from, const char *name, JsonObject **object, GError **error)
{
  JsonNode *node = json_object_get_member (from, name);
  *object = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  return node == NULL || JSON_NODE_HOLDS_NULL (node) || *object != NULL
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "\"%s\" is no object in braces",
                         name);
}

/* Alone, as in TensorFlow: it may be called the first worker. */
static SluiceCluster *
make_alone (JsonObject *task, GError **error)
{
  guint64 index = 0;
  const char *type = task != NULL ? get_text (json_object_get_member (task, "type")) : NULL;
  if (task != NULL)
    get_index (json_object_get_member (task, "index"), &index);
  if (index == 0 && (type == NULL || strcmp (type, "worker") == 0))
    return sluice_cluster_ref (sluice_cluster_get_local ());
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
               "there is a \"task\" and no \"cluster\" that it is one of");
  return NULL;
}

static SluiceCluster *
read_config (JsonObject *config, GError **error)
{
  g_auto (Draft) draft;
  JsonObject *cluster, *task;
  guint64 index;
  draft_init (&draft);
  if (!get_object (config, "cluster", &cluster, error)
      || !get_object (config, "task", &task, error))
    return NULL;
  if (cluster == NULL || json_object_get_size (cluster) == 0)
    return make_alone (task, error);
  if (!read_jobs (&draft, cluster, error))
    return NULL;
  const char *type = task != NULL ? get_text (json_object_get_member (task, "type")) : NULL;
  if (type != NULL && get_index (json_object_get_member (task, "index"), &index))
    return finish (&draft, type, index, error);
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
               "\"task\" does not say which task this process is; write it like "
               "{\"type\": \"worker\", \"index\": 0}");
  return NULL;
}

SluiceCluster *
sluice_cluster_parse_tf_config (const char *json, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) reason = NULL;
  gsize length = strlen (json);
  JsonNode *root = NULL;
  if (!sluice_text_is_shallow_json (json, length, MAX_JSON_DEPTH))
    sluice_fail (&reason, SLUICE_ERROR_INVALID_ARGUMENT, "it is nested too deep");
  else if (json_parser_load_from_data (parser, json, (gssize) length, &reason))
    root = json_parser_get_root (parser);
  SluiceCluster *self = NULL;
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    self = read_config (json_node_get_object (root), &reason);
  else if (reason == NULL)
    sluice_fail (&reason, SLUICE_ERROR_INVALID_ARGUMENT, "it is no object in braces");
  if (self == NULL)
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "TF_CONFIG: %s", reason->message);
  return self;
}
