/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/cost-model-private.h"

#include <math.h>

#include "engine/base/suggest.h"
#include "engine/base/text.h"
#include "engine/cost/json.h"
#include "engine/device/kernel.h"

/* A formula knows nothing of caches and threads: the truth is mostly within a factor of two. */
#define FORMULA_PLUS_MINUS 0.5

/* What the file says of a node. */
typedef struct
{
  GHashTable *us;  /* (nullable): a device's name or type: double; NULL: it says nothing of that */
  double *bytes;   /* by output */
  guint n_outputs; /* of which it says something */
} Given;

struct _SluiceCostModel
{
  GHashTable *given;        /* name of a node: Given */
  SluiceMeasured *measured; /* (nullable) */
  SluiceGraph *sized;       /* (nullable) */
  gint64 batch;             /* 0: as they ask */
};

static void
given_free (gpointer data)
{
  Given *self = data;
  g_clear_pointer (&self->us, g_hash_table_unref);
  g_free (self->bytes);
  g_free (self);
}

SluiceCostModel *
sluice_cost_model_new (void)
{
  SluiceCostModel *self = g_new0 (SluiceCostModel, 1);
  self->given = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, given_free);
  return self;
}

void
sluice_cost_model_free (SluiceCostModel *self)
{
  g_hash_table_unref (self->given);
  g_free (self);
}

void
sluice_cost_model_set_measured (SluiceCostModel *self, SluiceMeasured *measured)
{
  self->measured = measured;
}

void
sluice_cost_model_set_batch (SluiceCostModel *self, SluiceGraph *sized, gint64 batch)
{
  self->sized = sized;
  self->batch = batch;
}

/* ---- costs.json ---- */

static gboolean
read_times (Given *given, JsonObject *times, const char *where, GError **error)
{
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;
  given->us = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  json_object_iter_init_ordered (&iter, times);
  while (json_object_iter_next_ordered (&iter, &key, &node))
    {
      double us;
      if (!sluice_cost_json_read_number (node, key, where, SLUICE_COST_JSON_FROM_0, &us, error))
        return FALSE;
      g_autofree char *full = sluice_machine_dup_device_name (key, NULL);
      g_hash_table_insert (given->us,
                           full != NULL ? g_steal_pointer (&full) : g_ascii_strup (key, -1),
                           g_memdup2 (&us, sizeof us));
    }
  return TRUE;
}

static gboolean
read_bytes (Given *given, JsonArray *list, const char *where, GError **error)
{
  guint n = given->n_outputs = json_array_get_length (list);
  given->bytes = g_new (double, n + 1);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *key = g_strdup_printf ("bytes[%u]", i);
      if (!sluice_cost_json_read_number (json_array_get_element (list, i), key, where,
                                         SLUICE_COST_JSON_FROM_0, &given->bytes[i], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_node (SluiceGraph *graph, const char *name, const char *path, GError **error)
{
  if (graph == NULL || sluice_graph_find (graph, name) != NULL)
    return TRUE;
  guint n = sluice_graph_get_n_nodes (graph);
  g_autofree const char **names = g_new (const char *, n + 1);
  for (guint i = 0; i < n; i++)
    names[i] = sluice_graph_get_node (graph, i)->name;
  const char *meant = sluice_suggest_name (name, names, n);
  g_autofree char *shown = sluice_text_escape (name);
  return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "'%s': the graph has no node '%s'%s%s%s", path,
                      shown, meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                      meant != NULL ? "'?" : "");
}

static gboolean
read_node (
    SluiceCostModel *self, const char *name, JsonNode *node, const char *path, GError **error)
{
  static const char *const keys[] = { "us", "bytes", NULL };
  g_autofree char *shown = sluice_text_escape (name);
  g_autofree char *where = g_strdup_printf ("'%s': node '%s'", path, shown);
  JsonObject *times;
  JsonArray *bytes;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s is no object; write {\"us\": {\"CPU\": 10}}", where);
  JsonObject *object = json_node_get_object (node);
  Given *given = g_new0 (Given, 1);
  g_hash_table_replace (self->given, g_strdup (name), given);
  return sluice_cost_json_check_keys (object, keys, where, error)
         && sluice_cost_json_get_object (object, "us", where, &times, error)
         && sluice_cost_json_get_array (object, "bytes", where, &bytes, error)
         && (times == NULL || read_times (given, times, where, error))
         && (bytes == NULL || read_bytes (given, bytes, where, error));
}

gboolean
sluice_cost_model_parse_given (SluiceCostModel *self,
                               const char *text,
                               gsize length,
                               const char *path,
                               SluiceGraph *graph,
                               GError **error)
{
  static const char *const keys[] = { "nodes", NULL };
  g_autoptr (JsonObject) root = sluice_cost_json_parse (text, length, path, error);
  g_autofree char *where = g_strdup_printf ("'%s'", path);
  JsonObject *nodes;
  if (root == NULL || !sluice_cost_json_check_keys (root, keys, where, error)
      || !sluice_cost_json_get_object (root, "nodes", where, &nodes, error))
    return FALSE;
  if (nodes == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s has no \"nodes\"; write {\"nodes\": {\"a\": {\"us\": {\"CPU\": 10}}}}",
                        where);
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  json_object_iter_init_ordered (&iter, nodes);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    if (!check_node (graph, name, path, error) || !read_node (self, name, node, path, error))
      return FALSE;
  return TRUE;
}

gboolean
sluice_cost_model_load_given (SluiceCostModel *self,
                              const char *path,
                              SluiceGraph *graph,
                              GError **error)
{
  g_autoptr (GBytes) bytes = sluice_cost_json_read ("costs", path, error);
  if (bytes == NULL)
    return FALSE;
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);
  return sluice_cost_model_parse_given (self, text != NULL ? text : "", length, path, graph, error);
}

/* ---- figures ---- */

/* An op that has no kernel at all is told when a run reaches it; here it can stand anywhere. */
static gboolean
has_kernel (const SluiceNode *node, const SluiceDevice *device)
{
  guint n_kernels;
  sluice_kernel_list (node->op_name, &n_kernels);
  return n_kernels == 0 || !device->klass->computes
         || sluice_device_class_find_kernel (device->klass, node, G_MAXINT, NULL) != NULL;
}

/* What cannot be computed beside what is read and written takes the longer of both. */
double
sluice_cost_formula_get_us (const SluiceCost *cost, const SluiceMachineDevice *device)
{
  return device->overhead_us
         + MAX (cost->flops / device->flops_per_us, cost->bytes / device->bytes_per_us);
}

/* A node whose shapes say nothing at all has the overhead alone. */
static double
get_formula (const SluiceNode *node, const SluiceMachineDevice *device, gint64 unknown_dim)
{
  SluiceCost cost;
  if (!sluice_node_get_cost (node, unknown_dim, &cost))
    return device->overhead_us;
  return sluice_cost_formula_get_us (&cost, device);
}

/* The node whose shapes count. */
static const SluiceNode *
size (const SluiceCostModel *self, const SluiceNode *node, gint64 *unknown_dim)
{
  const SluiceNode *sized =
      self->sized != NULL ? sluice_graph_find (self->sized, node->name) : NULL;
  if (self->batch > 0)
    *unknown_dim = self->batch;
  return sized != NULL && sized->n_outputs == node->n_outputs ? sized : node;
}

static SluiceFigure
get (SluiceCostModel *self,
     const SluiceNode *node,
     const SluiceMachineDevice *device,
     gint64 unknown_dim)
{
  const Given *given = g_hash_table_lookup (self->given, node->name);
  SluiceFigure figure = { INFINITY, 0, NAN, 0, SLUICE_COST_NONE, INFINITY, 1, FALSE, NULL };
  if (!has_kernel (node, device->device))
    return figure;
  node = size (self, node, &unknown_dim);
  if (given != NULL && given->us != NULL)
    {
      const double *us = g_hash_table_lookup (given->us, device->name);
      if (us == NULL)
        us = g_hash_table_lookup (given->us, device->type);
      if (us != NULL)
        {
          figure.us = *us;
          figure.source = SLUICE_COST_GIVEN;
        }
      return figure;
    }
  if (self->measured != NULL && device->is_here
      && sluice_cost_measured_get (self->measured, node, device, unknown_dim, &figure))
    return figure;
  figure.us = get_formula (node, device, unknown_dim);
  figure.plus_minus = figure.us * FORMULA_PLUS_MINUS;
  figure.source = SLUICE_COST_FORMULA;
  return figure;
}

SluiceFigure
sluice_cost_model_get (SluiceCostModel *self,
                       const SluiceNode *node,
                       const SluiceMachineDevice *device,
                       gint64 unknown_dim)
{
  SluiceFigure figure = get (self, node, device, unknown_dim);
  if (figure.source != SLUICE_COST_MEASURED)
    {
      figure.mean_us = figure.us;
      figure.rounds = 1;
    }
  return figure;
}

double
sluice_cost_model_get_bytes (SluiceCostModel *self,
                             const SluiceNode *node,
                             guint output,
                             gint64 unknown_dim)
{
  const Given *given = g_hash_table_lookup (self->given, node->name);
  if (given != NULL && output < given->n_outputs)
    return given->bytes[output];
  node = size (self, node, &unknown_dim);
  return sluice_output_bytes (&node->outputs[output], (double) unknown_dim);
}
