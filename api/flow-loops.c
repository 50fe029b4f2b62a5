/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Loops over rows: map, fold and scan, from a while loop and arrays. */
#include "api/flow.h"

#include <string.h>

#include "api/scope-private.h"
#include "engine/base/error.h"

/* An array of rows, read or written in the loop. */
typedef struct
{
  SluiceEdge handle, flow; /* flow: outside, before the loop; of a written one after it, too */
  SluiceDType dtype;
  SluiceShape row;
} Rows;

typedef struct
{
  SluiceScope *scope;
  SluiceEdge n; /* rows */
  Rows *read, *written;
  guint n_read, n_values, n_written;
  SluiceFlowFunc func;
  gpointer user_data;
} Walk;

/* The error of the first op that fails sticks: what follows gets no edge and makes nothing. */
static SluiceEdge
add (SluiceScope *scope,
     const char *op,
     const SluiceEdge *inputs,
     guint n_inputs,
     const SluiceAttr *attrs,
     guint n_attrs,
     GError **error)
{
  for (guint i = 0; i < n_inputs; i++)
    if (inputs[i].node == NULL)
      return SLUICE_NO_EDGE;
  return sluice_scope_add_edge (scope, op, NULL, inputs, n_inputs, attrs, n_attrs, error);
}

#define EDGES(...) (const SluiceEdge[]){ __VA_ARGS__ }, SLUICE_COUNT_ (SluiceEdge, __VA_ARGS__)
#define NO_ATTRS   NULL, 0

static SluiceEdge
add_int (SluiceScope *scope, gint32 value, GError **error)
{
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_int32 (value);
  SluiceNode *node = sluice_scope_add_constant (scope, NULL, tensor, error);
  if (node == NULL)
    return SLUICE_NO_EDGE;
  sluice_node_release (node); /* the scope keeps its graph */
  return (SluiceEdge){ node, 0 };
}

static SluiceEdge
all_rows (Walk *walk, GError **error)
{
  SluiceEdge zero = add_int (walk->scope, 0, error), one = add_int (walk->scope, 1, error);
  return add (walk->scope, "Range", EDGES (zero, walk->n, one), NO_ATTRS, error);
}

/* ---- before the loop ---- */

static gboolean
count_rows (Walk *walk, SluiceEdge elem, GError **error)
{
  SluiceScope *scope = walk->scope;
  SluiceEdge shape = add (scope, "Shape", EDGES (elem), NO_ATTRS, error);
  SluiceEdge first = SLUICE_NO_EDGE, size = SLUICE_NO_EDGE;
  for (gint32 i = 0; shape.node != NULL && i < 2; i++)
    {
      g_autoptr (SluiceTensor) tensor =
          sluice_tensor_new_from (SLUICE_INT32, &SLUICE_SHAPE (1), &i);
      SluiceNode *node = sluice_scope_add_constant (scope, NULL, tensor, error);
      if (node == NULL)
        return FALSE;
      sluice_node_release (node);
      *(i == 0 ? &first : &size) = (SluiceEdge){ node, 0 };
    }
  walk->n = add (scope, "StridedSlice", EDGES (shape, first, size, size),
                 SLUICE_ATTRS (sluice_attr_int ("shrink_axis_mask", 1)), error);
  return walk->n.node != NULL;
}

static gboolean
make_array (Walk *walk, Rows *rows, SluiceDType dtype, GError **error)
{
  rows->dtype = sluice_dtype_base (dtype);
  rows->handle = add (walk->scope, "TensorArrayV3", EDGES (walk->n),
                      SLUICE_ATTRS (sluice_attr_type ("dtype", rows->dtype),
                                    sluice_attr_bool ("identical_element_shapes", TRUE)),
                      error);
  rows->flow = sluice_edge_port (rows->handle, 1);
  return rows->handle.node != NULL;
}

static gboolean
parse_edge (Walk *walk, const char *what, const char *text, SluiceEdge *edge, GError **error)
{
  if (sluice_graph_parse_edge (walk->scope->graph, text, edge, error))
    return TRUE;
  g_prefix_error (error, "'%s': %s: ", walk->scope->prefix, what);
  return FALSE;
}

/* Every elem as an array of its rows. */
static gboolean
unstack (Walk *walk, const char *const *elems, GError **error)
{
  for (guint i = 0; i < walk->n_read; i++)
    {
      SluiceEdge elem;
      if (!parse_edge (walk, "elem", elems[i], &elem, error)
          || (i == 0 && !count_rows (walk, elem, error))
          || !make_array (walk, &walk->read[i], sluice_edge_dtype (elem), error))
        return FALSE;
      Rows *rows = &walk->read[i];
      rows->flow =
          add (walk->scope, "TensorArrayScatterV3",
               EDGES (rows->handle, all_rows (walk, error), elem, rows->flow), NO_ATTRS, error);
      if (rows->flow.node == NULL)
        return FALSE;
    }
  return TRUE;
}

/* ---- in the loop ---- */

static char **
goes_on (SluiceScope *scope, const char *const *inputs, gpointer data, GError **error)
{
  Walk *walk = data;
  SluiceEdge i;
  if (!sluice_graph_parse_edge (scope->graph, inputs[0], &i, error))
    return NULL;
  SluiceEdge less = add (scope, "Less", EDGES (i, walk->n), NO_ATTRS, error);
  char *name[] = { sluice_api_edge_name (less), NULL };
  char **names = less.node != NULL ? g_strdupv (name) : NULL;
  g_free (name[0]);
  return names;
}

/* What the function gets: the values, and row i of every elem. */
static char **
take_row (Walk *walk, SluiceScope *scope, SluiceEdge i, const char *const *values, GError **error)
{
  g_auto (GStrv) names = g_new0 (char *, walk->n_values + walk->n_read + 1);
  for (guint k = 0; k < walk->n_values; k++)
    names[k] = g_strdup (values[k]);
  for (guint k = 0; k < walk->n_read; k++)
    {
      Rows *rows = &walk->read[k];
      SluiceEdge row = add (scope, "TensorArrayReadV3", EDGES (rows->handle, i, rows->flow),
                            SLUICE_ATTRS (sluice_attr_type ("dtype", rows->dtype)), error);
      if (row.node == NULL)
        return NULL;
      names[walk->n_values + k] = sluice_api_edge_name (row);
    }
  return g_steal_pointer (&names);
}

/* What it made of them goes into the arrays. next: names of the variables of the next iteration */
static gboolean
keep_row (Walk *walk,
          SluiceScope *scope,
          SluiceEdge i,
          char **made,
          const char *const *flows,
          char **next,
          GError **error)
{
  for (guint k = 0; k < walk->n_written; k++)
    {
      Rows *rows = &walk->written[k];
      SluiceEdge value, flow;
      if (!parse_edge (walk, "the function", made[k], &value, error)
          || !parse_edge (walk, "array", flows[k], &flow, error))
        return FALSE;
      SluiceDType dtype = sluice_dtype_base (sluice_edge_dtype (value));
      if (dtype != rows->dtype)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "'%s': the function returns '%s', which is %s, where %s is wanted",
                            walk->scope->prefix, made[k], sluice_dtype_name (dtype),
                            sluice_dtype_name (rows->dtype));
      rows->row = *sluice_edge_shape (value);
      SluiceEdge written =
          add (scope, "TensorArrayWriteV3", EDGES (rows->handle, i, value, flow), NO_ATTRS, error);
      if (written.node == NULL)
        return FALSE;
      next[k] = sluice_api_edge_name (written);
    }
  return TRUE;
}

static char **
walk_on (SluiceScope *scope, const char *const *inputs, gpointer data, GError **error)
{
  Walk *walk = data;
  SluiceEdge i;
  if (!sluice_graph_parse_edge (scope->graph, inputs[0], &i, error))
    return NULL;
  g_auto (GStrv) given = take_row (walk, scope, i, inputs + 1, error);
  g_auto (GStrv) made =
      given != NULL ? walk->func (scope, (const char *const *) given, walk->user_data, error)
                    : NULL;
  if (made == NULL)
    return NULL;
  guint n = g_strv_length (made), wanted = MAX (walk->n_values, walk->n_written);
  if (n != wanted)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "'%s': the function returns %u edges, %u are wanted", walk->scope->prefix, n,
                   wanted);
      return NULL;
    }
  g_auto (GStrv) next = g_new0 (char *, 2 + walk->n_values + walk->n_written);
  SluiceEdge after = add (scope, "AddV2", EDGES (i, add_int (scope, 1, error)), NO_ATTRS, error);
  if (after.node == NULL)
    return NULL;
  next[0] = sluice_api_edge_name (after);
  for (guint k = 0; k < walk->n_values; k++)
    next[1 + k] = g_strdup (made[k]);
  if (!keep_row (walk, scope, i, made, inputs + 1 + walk->n_values, next + 1 + walk->n_values,
                 error))
    return NULL;
  return g_steal_pointer (&next);
}

/* ---- all of it ---- */

/* What was written, row upon row; or the values. left: the variables after the loop */
static char **
collect (Walk *walk, char **left, GError **error)
{
  if (walk->n_written == 0)
    return g_strdupv (left + 1);
  g_auto (GStrv) names = g_new0 (char *, walk->n_written + 1);
  for (guint k = 0; k < walk->n_written; k++)
    {
      Rows *rows = &walk->written[k];
      SluiceEdge flow;
      if (!parse_edge (walk, "array", left[1 + walk->n_values + k], &flow, error))
        return NULL;
      SluiceEdge stacked = add (walk->scope, "TensorArrayGatherV3",
                                EDGES (rows->handle, all_rows (walk, error), flow),
                                SLUICE_ATTRS (sluice_attr_type ("dtype", rows->dtype),
                                              sluice_attr_shape ("element_shape", &rows->row)),
                                error);
      if (stacked.node == NULL)
        return NULL;
      names[k] = sluice_api_edge_name (stacked);
    }
  return g_steal_pointer (&names);
}

static char **
walk_rows (Walk *walk, const char *const *elems, const char *const *initial, GError **error)
{
  if (!unstack (walk, elems, error))
    return NULL;
  g_auto (GStrv) begin = g_new0 (char *, 2 + walk->n_values + walk->n_written);
  SluiceEdge zero = add_int (walk->scope, 0, error);
  if (zero.node == NULL)
    return NULL;
  begin[0] = sluice_api_edge_name (zero);
  for (guint k = 0; k < walk->n_values; k++)
    begin[1 + k] = g_strdup (initial[k]);
  for (guint k = 0; k < walk->n_written; k++)
    {
      SluiceEdge value = SLUICE_NO_EDGE;
      if (walk->n_values > 0 && !parse_edge (walk, "initial", initial[k], &value, error))
        return NULL;
      if (!make_array (walk, &walk->written[k],
                       value.node != NULL ? sluice_edge_dtype (value) : walk->written[k].dtype,
                       error))
        return NULL;
      begin[1 + walk->n_values + k] = sluice_api_edge_name (walk->written[k].flow);
    }
  g_auto (GStrv) left = sluice_scope_add_while (walk->scope, NULL, (const char *const *) begin,
                                                goes_on, walk, walk_on, walk, 10, error);
  return left != NULL ? collect (walk, left, error) : NULL;
}

static guint
count (const char *const *names)
{
  return names != NULL ? g_strv_length ((char **) names) : 0;
}

char **
sluice_scope_add_map (SluiceScope *self,
                      const char *name,
                      const char *const *elems,
                      SluiceFlowFunc func,
                      gpointer user_data,
                      const SluiceDType *dtypes,
                      gsize n_dtypes,
                      GError **error)
{
  g_return_val_if_fail (func != NULL, NULL);
  guint n = count (elems);
  Walk walk = { .n_read = n, .n_written = dtypes != NULL ? n_dtypes : n, .func = func };
  if (n == 0 || walk.n_written == 0)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "'%s': a map needs elems and a dtype to return", self->prefix);
      return NULL;
    }
  g_autoptr (SluiceScope) scope =
      sluice_scope_new_below (self, name != NULL ? name : "map", "Shape");
  g_autofree Rows *rows = g_new0 (Rows, n + walk.n_written);
  walk.scope = scope;
  walk.user_data = user_data;
  walk.read = rows;
  walk.written = rows + n;
  for (guint i = 0; i < walk.n_written; i++)
    {
      SluiceEdge elem;
      if (dtypes == NULL && !parse_edge (&walk, "elem", elems[i], &elem, error))
        return NULL;
      walk.written[i].dtype = dtypes != NULL ? dtypes[i] : sluice_edge_dtype (elem);
    }
  return walk_rows (&walk, elems, NULL, error);
}

char **
sluice_scope_add_fold (SluiceScope *self,
                       const char *name,
                       const char *const *elems,
                       const char *const *initial,
                       SluiceFlowFunc func,
                       gpointer user_data,
                       gboolean keep_all,
                       GError **error)
{
  g_return_val_if_fail (func != NULL, NULL);
  guint n = count (elems), n_values = count (initial);
  if (n == 0 || n_values == 0)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "'%s': a fold needs elems and values to begin with", self->prefix);
      return NULL;
    }
  g_autoptr (SluiceScope) scope = sluice_scope_new_below (self,
                                                          name != NULL ? name
                                                          : keep_all   ? "scan"
                                                                       : "foldl",
                                                          "Shape");
  g_autofree Rows *rows = g_new0 (Rows, n + n_values);
  Walk walk = { .scope = scope,
                .read = rows,
                .written = rows + n,
                .n_read = n,
                .n_values = n_values,
                .n_written = keep_all ? n_values : 0,
                .func = func,
                .user_data = user_data };
  return walk_rows (&walk, elems, initial, error);
}
