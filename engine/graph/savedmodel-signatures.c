/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a MetaGraphDef of a SavedModel says beside its nodes: signatures, how state is restored,
 * what Python called the functions. */
#include <string.h>

#include "engine/graph/graph-private.h"
#include "engine/graph/savedmodel.h"
#include "engine/graph/tensorproto-private.h"
#include "engine/graph/wire.h"

#define INIT_SIGNATURE "__saved_model_init_op"

/* Nodes of the object graph that are looked at: a path to each is kept. */
#define MAX_OBJECTS 1000000

/* (nullable): without an error the graph came without one. In the arena. */
static const Tensorflow__MetaGraphDef *
unpack_meta (SluiceGraph *graph, SluiceArena *arena, GError **error)
{
  if (graph->meta_shell == NULL)
    return NULL;
  gsize length;
  const guint8 *bytes = g_bytes_get_data (graph->meta_shell, &length);
  return sluice_wire_unpack (arena, &tensorflow__meta_graph_def__descriptor, bytes, length, error);
}

/* ---- signatures ---- */

static void
signature_tensor_clear (gpointer data)
{
  SluiceSavedTensor *self = data;
  g_free (self->name);
  g_free (self->edge);
}

static void
signature_free (gpointer data)
{
  SluiceSavedSignature *self = data;
  g_free (self->name);
  g_free (self->method);
  g_array_unref (self->inputs);
  g_array_unref (self->outputs);
  g_free (self);
}

static int
by_tensor_name (gconstpointer a, gconstpointer b)
{
  return strcmp (((const SluiceSavedTensor *) a)->name, ((const SluiceSavedTensor *) b)->name);
}

static int
by_signature_name (gconstpointer a, gconstpointer b)
{
  const SluiceSavedSignature *const *x = a, *const *y = b;
  return strcmp ((*x)->name, (*y)->name);
}

typedef struct
{
  SluiceGraph *graph;
  const char *signature;
  GArray *tensors;
  GError **error;
} Reader;

/* dtype, shape: what the file says; the edge's own are taken where it says nothing. */
static gboolean
add_edge (Reader *r,
          const char *name,
          const char *suffix,
          const char *text,
          SluiceDType dtype,
          const Tensorflow__TensorShapeProto *shape)
{
  SluiceEdge edge;
  SluiceSavedTensor tensor = { .dtype = dtype, .shape = SLUICE_SHAPE_UNKNOWN };
  if (!sluice_graph_parse_edge (r->graph, text, &edge, r->error)
      || (shape != NULL && !sluice_shape_unpack (shape, &tensor.shape, r->error)))
    {
      g_prefix_error (r->error, "signature '%s', '%s': ", r->signature, name);
      return FALSE;
    }
  if (dtype == SLUICE_INVALID)
    tensor.dtype = sluice_dtype_base (sluice_edge_dtype (edge));
  if (shape == NULL)
    tensor.shape = *sluice_edge_shape (edge);
  tensor.name = g_strconcat (name, suffix, NULL);
  tensor.edge = g_strdup (text);
  g_array_append_val (r->tensors, tensor);
  return TRUE;
}

static gboolean
add_info (Reader *r, const char *name, const Tensorflow__TensorInfo *info, guint depth)
{
  if (info == NULL || info->encoding_case == TENSORFLOW__TENSOR_INFO__ENCODING__NOT_SET)
    return sluice_fail (r->error, SLUICE_ERROR_DATA_LOSS, "signature '%s': '%s' names no tensor",
                        r->signature, name);
  if (info->encoding_case == TENSORFLOW__TENSOR_INFO__ENCODING_NAME)
    return add_edge (r, name, "", info->name, (SluiceDType) info->dtype, info->tensor_shape);
  if (info->encoding_case == TENSORFLOW__TENSOR_INFO__ENCODING_COO_SPARSE)
    {
      const Tensorflow__TensorInfo__CooSparse *sparse = info->coo_sparse;
      SluiceDType dtype = (SluiceDType) info->dtype;
      return add_edge (r, name, "/values", sparse->values_tensor_name, dtype, NULL)
             && add_edge (r, name, "/indices", sparse->indices_tensor_name, SLUICE_INT64, NULL)
             && add_edge (r, name, "/dense_shape", sparse->dense_shape_tensor_name, SLUICE_INT64,
                          NULL);
    }
  const Tensorflow__TensorInfo__CompositeTensor *composite = info->composite_tensor;
  for (gsize i = 0; i < composite->n_components; i++)
    {
      g_autofree char *part = g_strdup_printf ("%s/%zu", name, i);
      if (depth > 8 || !add_info (r, part, composite->components[i], depth + 1))
        return FALSE;
    }
  return TRUE;
}

static GArray *
read_tensors (Reader *r, Tensorflow__SignatureDef__TensorInfoEntry *const *entries, gsize n)
{
  r->tensors = g_array_new (FALSE, FALSE, sizeof (SluiceSavedTensor));
  g_array_set_clear_func (r->tensors, signature_tensor_clear);
  for (gsize i = 0; i < n; i++)
    if (!add_info (r, entries[i]->key, entries[i]->value, 0))
      {
        g_clear_pointer (&r->tensors, g_array_unref);
        return NULL;
      }
  g_array_sort (r->tensors, by_tensor_name);
  return r->tensors;
}

static gboolean
add_signature (SluiceGraph *graph,
               GPtrArray *signatures,
               const Tensorflow__MetaGraphDef__SignatureEntry *entry,
               GError **error)
{
  const Tensorflow__SignatureDef *def = entry->value;
  Reader r = { .graph = graph, .signature = entry->key, .error = error };
  if (def == NULL || g_str_has_prefix (entry->key, "__saved_model_"))
    return TRUE;
  g_autoptr (GArray) inputs = read_tensors (&r, def->inputs, def->n_inputs);
  g_autoptr (GArray) outputs =
      inputs != NULL ? read_tensors (&r, def->outputs, def->n_outputs) : NULL;
  if (outputs == NULL)
    return FALSE;
  SluiceSavedSignature *signature = g_new0 (SluiceSavedSignature, 1);
  signature->name = g_strdup (entry->key);
  signature->method = g_strdup (def->method_name);
  signature->inputs = g_steal_pointer (&inputs);
  signature->outputs = g_steal_pointer (&outputs);
  g_ptr_array_add (signatures, signature);
  return TRUE;
}

GPtrArray *
sluice_graph_dup_signatures (SluiceGraph *self, GError **error)
{
  g_autoptr (GPtrArray) signatures = g_ptr_array_new_with_free_func (signature_free);
  g_autoptr (GError) damage = NULL;
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  const Tensorflow__MetaGraphDef *meta = unpack_meta (self, &arena, &damage);
  for (gsize i = 0; meta != NULL && i < meta->n_signature_def; i++)
    if (!add_signature (self, signatures, meta->signature_def[i], error))
      return NULL;
  if (damage != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&damage));
      return NULL;
    }
  g_ptr_array_sort (signatures, by_signature_name);
  return g_steal_pointer (&signatures);
}

const SluiceSavedSignature *
sluice_signatures_find (const GPtrArray *self, const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < self->len; i++)
    {
      const SluiceSavedSignature *signature = self->pdata[i];
      if (strcmp (signature->name, name) == 0)
        return signature;
      g_string_append_printf (names, "%s'%s'", i > 0 ? ", " : "", signature->name);
    }
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is no signature '%s'; %s%s", name,
               self->len > 0 ? "there is " : "the graph has none", names->str);
  return NULL;
}

const SluiceSavedTensor *
sluice_signature_find (const GArray *tensors, const char *name)
{
  for (guint i = 0; i < tensors->len; i++)
    {
      const SluiceSavedTensor *tensor = &g_array_index (tensors, SluiceSavedTensor, i);
      if (strcmp (tensor->name, name) == 0)
        return tensor;
    }
  return NULL;
}

char *
sluice_signature_describe (const GArray *tensors)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < tensors->len; i++)
    {
      const SluiceSavedTensor *tensor = &g_array_index (tensors, SluiceSavedTensor, i);
      char shape[SLUICE_SHAPE_STR];
      g_string_append_printf (text, "%s%s (%s %s)", i > 0 ? ", " : "", tensor->name,
                              sluice_dtype_name (tensor->dtype),
                              sluice_shape_str (&tensor->shape, shape));
    }
  return g_string_free (text, FALSE);
}

/* ---- state ---- */

static void
asset_clear (gpointer data)
{
  SluiceAsset *self = data;
  g_free (self->edge);
  g_free (self->file);
}

void
sluice_saved_state_free (SluiceSavedState *self)
{
  g_free (self->restore);
  g_free (self->checkpoint);
  g_free (self->init);
  g_array_unref (self->assets);
  g_strfreev (self->tags);
  g_free (self->producer);
  g_free (self);
}

/* "node:0" or "node" as a target, where the graph has it. FALSE: it has not. */
static gboolean
take_target (SluiceGraph *graph, const char *what, const char *name, char **target, GError **error)
{
  if (*name == '\0')
    return TRUE;
  const char *colon = strrchr (name, ':');
  g_autofree char *node = colon != NULL ? g_strndup (name, colon - name) : g_strdup (name);
  if (sluice_graph_find (graph, node) == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the MetaGraph's %s is '%s', which is no node of it", what, node);
  g_free (*target);
  *target = g_steal_pointer (&node);
  return TRUE;
}

static gboolean
read_saver (SluiceGraph *graph,
            const Tensorflow__SaverDef *saver,
            SluiceSavedState *state,
            GError **error)
{
  SluiceEdge edge;
  if (saver == NULL || *saver->restore_op_name == '\0')
    return TRUE;
  if (!take_target (graph, "restore_op_name", saver->restore_op_name, &state->restore, error))
    return FALSE;
  if (!sluice_graph_parse_edge (graph, saver->filename_tensor_name, &edge, error))
    {
      g_prefix_error (error, "the MetaGraph's filename_tensor_name: ");
      return FALSE;
    }
  state->checkpoint = g_strdup (saver->filename_tensor_name);
  return TRUE;
}

/* The signature that TensorFlow 2 writes, else the collection, else the one before it. */
static gboolean
read_init (SluiceGraph *graph,
           const Tensorflow__MetaGraphDef *meta,
           SluiceSavedState *state,
           GError **error)
{
  static const char *const collections[] = { "saved_model_main_op", "legacy_init_op" };
  for (gsize i = 0; i < meta->n_signature_def; i++)
    {
      const Tensorflow__MetaGraphDef__SignatureEntry *entry = meta->signature_def[i];
      if (strcmp (entry->key, INIT_SIGNATURE) != 0 || entry->value == NULL)
        continue;
      for (gsize k = 0; k < entry->value->n_outputs; k++)
        {
          const Tensorflow__TensorInfo *info = entry->value->outputs[k]->value;
          if (info != NULL && info->encoding_case == TENSORFLOW__TENSOR_INFO__ENCODING_NAME)
            return take_target (graph, INIT_SIGNATURE, info->name, &state->init, error);
        }
    }
  for (guint c = 0; c < G_N_ELEMENTS (collections); c++)
    for (gsize i = 0; i < meta->n_collection_def; i++)
      {
        const Tensorflow__CollectionDef *collection = meta->collection_def[i]->value;
        if (strcmp (meta->collection_def[i]->key, collections[c]) == 0 && collection != NULL
            && collection->kind_case == TENSORFLOW__COLLECTION_DEF__KIND_NODE_LIST
            && collection->node_list->n_value > 0)
          return take_target (graph, collections[c], collection->node_list->value[0], &state->init,
                              error);
      }
  return TRUE;
}

static gboolean
read_asset (SluiceGraph *graph,
            const Tensorflow__AssetFileDef *def,
            SluiceSavedState *state,
            GError **error)
{
  const Tensorflow__TensorInfo *info = def->tensor_info;
  SluiceEdge edge;
  if (info == NULL || info->encoding_case != TENSORFLOW__TENSOR_INFO__ENCODING_NAME)
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "asset '%s' names no tensor", def->filename);
  g_auto (GStrv) parts = g_strsplit (def->filename, "/", -1);
  if (*def->filename == '\0' || *def->filename == '/'
      || g_strv_contains ((const char *const *) parts, ".."))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "asset '%s': the name must be one of a file in assets/", def->filename);
  if (!sluice_graph_parse_edge (graph, info->name, &edge, error))
    {
      g_prefix_error (error, "asset '%s': ", def->filename);
      return FALSE;
    }
  for (guint i = 0; i < state->assets->len; i++)
    if (strcmp (g_array_index (state->assets, SluiceAsset, i).edge, info->name) == 0)
      return TRUE; /* it says so twice */
  SluiceAsset asset = { g_strdup (info->name), g_strdup (def->filename) };
  g_array_append_val (state->assets, asset);
  return TRUE;
}

/* Where TensorFlow 1 keeps them. */
static gboolean
read_asset_collection (SluiceGraph *graph,
                       SluiceArena *arena,
                       const Tensorflow__MetaGraphDef *meta,
                       SluiceSavedState *state,
                       GError **error)
{
  for (gsize i = 0; i < meta->n_collection_def; i++)
    {
      const Tensorflow__CollectionDef *collection = meta->collection_def[i]->value;
      if (strcmp (meta->collection_def[i]->key, "saved_model_assets") != 0 || collection == NULL
          || collection->kind_case != TENSORFLOW__COLLECTION_DEF__KIND_ANY_LIST)
        continue;
      for (gsize k = 0; k < collection->any_list->n_value; k++)
        {
          const ProtobufCBinaryData *bytes = &collection->any_list->value[k]->value;
          const Tensorflow__AssetFileDef *def = sluice_wire_unpack (
              arena, &tensorflow__asset_file_def__descriptor, bytes->data, bytes->len, error);
          if (def == NULL || !read_asset (graph, def, state, error))
            {
              g_prefix_error (error, "collection saved_model_assets: ");
              return FALSE;
            }
        }
    }
  return TRUE;
}

static gboolean
read_state (SluiceGraph *graph,
            SluiceArena *arena,
            const Tensorflow__MetaGraphDef *meta,
            SluiceSavedState *state,
            GError **error)
{
  const Tensorflow__MetaGraphDef__MetaInfoDef *info = meta->meta_info_def;
  g_autoptr (GStrvBuilder) tags = g_strv_builder_new ();
  for (gsize i = 0; info != NULL && i < info->n_tags; i++)
    g_strv_builder_add (tags, info->tags[i]);
  g_strfreev (state->tags);
  state->tags = g_strv_builder_end (tags);
  if (info != NULL)
    {
      g_free (state->producer);
      state->producer = g_strdup (info->tensorflow_version);
    }
  for (gsize i = 0; i < meta->n_asset_file_def; i++)
    if (!read_asset (graph, meta->asset_file_def[i], state, error))
      return FALSE;
  if (meta->n_asset_file_def == 0 && !read_asset_collection (graph, arena, meta, state, error))
    return FALSE;
  return read_saver (graph, meta->saver_def, state, error) && read_init (graph, meta, state, error);
}

SluiceSavedState *
sluice_graph_dup_saved_state (SluiceGraph *self, GError **error)
{
  g_autoptr (SluiceSavedState) state = g_new0 (SluiceSavedState, 1);
  g_autoptr (GError) damage = NULL;
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  state->assets = g_array_new (FALSE, FALSE, sizeof (SluiceAsset));
  g_array_set_clear_func (state->assets, asset_clear);
  state->tags = g_new0 (char *, 1);
  state->producer = g_strdup ("");
  const Tensorflow__MetaGraphDef *meta = unpack_meta (self, &arena, &damage);
  if (damage != NULL)
    g_propagate_error (error, g_steal_pointer (&damage));
  else if (meta == NULL || read_state (self, &arena, meta, state, error))
    return g_steal_pointer (&state);
  return NULL;
}

/* ---- functions ---- */

static void
saved_function_free (gpointer data)
{
  SluiceSavedFunction *self = data;
  g_free (self->name);
  g_strfreev (self->traces);
  g_free (self);
}

static int
by_function_name (gconstpointer a, gconstpointer b)
{
  const SluiceSavedFunction *const *x = a, *const *y = b;
  return strcmp ((*x)->name, (*y)->name);
}

static void
add_function (GPtrArray *functions, const char *name, const Tensorflow__SavedFunction *def)
{
  if (def->n_concrete_functions == 0 || *name == '\0')
    return;
  SluiceSavedFunction *self = g_new0 (SluiceSavedFunction, 1);
  self->name = g_strdup (name);
  self->traces = g_new0 (char *, def->n_concrete_functions + 1);
  for (gsize i = 0; i < def->n_concrete_functions; i++)
    self->traces[i] = g_strdup (def->concrete_functions[i]);
  g_ptr_array_add (functions, self);
}

/* Breadth first: what is reached on several ways has its shortest name. */
static void
walk_objects (const Tensorflow__SavedObjectGraph *objects, GPtrArray *functions)
{
  gsize n = MIN (objects->n_nodes, MAX_OBJECTS);
  g_autofree char **names = g_new0 (char *, n + 1);
  g_autofree guint *queue = g_new0 (guint, n + 1);
  gsize n_queued = 0;
  if (n > 0)
    {
      names[0] = g_strdup ("");
      queue[n_queued++] = 0;
    }
  for (gsize i = 0; i < n_queued; i++)
    {
      const Tensorflow__SavedObject *object = objects->nodes[queue[i]];
      const char *name = names[queue[i]];
      if (object->kind_case == TENSORFLOW__SAVED_OBJECT__KIND_FUNCTION)
        add_function (functions, name, object->function);
      for (gsize k = 0; k < object->n_children; k++)
        {
          const Tensorflow__ObjectReference *child = object->children[k];
          if (child->node_id < 0 || (gsize) child->node_id >= n || names[child->node_id] != NULL)
            continue;
          names[child->node_id] = *name == '\0'
                                      ? g_strdup (child->local_name)
                                      : g_strdup_printf ("%.4096s.%s", name, child->local_name);
          queue[n_queued++] = (guint) child->node_id;
        }
    }
  for (gsize i = 0; i < n; i++)
    g_free (names[i]);
}

GPtrArray *
sluice_graph_dup_saved_functions (SluiceGraph *self, GError **error)
{
  g_autoptr (GPtrArray) functions = g_ptr_array_new_with_free_func (saved_function_free);
  g_autoptr (GError) damage = NULL;
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  const Tensorflow__MetaGraphDef *meta = unpack_meta (self, &arena, &damage);
  if (damage != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&damage));
      return NULL;
    }
  if (meta != NULL && meta->object_graph_def != NULL)
    walk_objects (meta->object_graph_def, functions);
  g_ptr_array_sort (functions, by_function_name);
  return g_steal_pointer (&functions);
}
