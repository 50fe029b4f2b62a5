/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * SaveV2 and RestoreV2 on bundles, MergeV2Checkpoints on the parts that the devices of a cluster
 * wrote, and the older Save, SaveSlices, Restore and RestoreSlice. The format is the store's.
 */
#include <glib/gi18n-lib.h>
#include <string.h>
#include <unistd.h>

#include "engine/graph/shape-context.h"
#include "engine/store/bundle.h"
#include "kernels/io/io.h"
#include "kernels/string/text.h"

/* ---- shapes ---- */

/* A file name and n vectors of strings beside it. */
static gboolean
want_name_and_vectors (SluiceShapeContext *c, guint n, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 0, error))
    return FALSE;
  for (guint i = 1; i <= n; i++)
    if (!sluice_shape_context_want_rank (c, i, 1, error))
      return FALSE;
  return n < 2 || sluice_shape_context_merge (c, 1, 2, NULL, error);
}

static gboolean
save_v2_shape (SluiceShapeContext *c, GError **error)
{
  return want_name_and_vectors (c, 2, error);
}

static gboolean
save_shape (SluiceShapeContext *c, GError **error)
{
  return want_name_and_vectors (c, 1, error);
}

/* What a constant slice tells of output i. */
static gboolean
set_from_spec (SluiceShapeContext *c, guint i, const SluiceString *spec, GError **error)
{
  SluiceShape full;
  SluiceSlice slice;
  if (!sluice_slice_parse_spec (spec->data, spec->length, &full, &slice, error))
    return FALSE;
  if (full.rank < 0)
    return TRUE;
  SluiceShape shape = sluice_slice_shape (&slice, &full);
  sluice_shape_context_set (c, i, &shape);
  return TRUE;
}

static gboolean
restore_v2_shape (SluiceShapeContext *c, GError **error)
{
  if (!want_name_and_vectors (c, 2, error))
    return FALSE;
  const SluiceTensor *specs = sluice_shape_context_constant (c, 2);
  for (guint i = 0; specs != NULL && i < MIN (c->n_outputs, specs->n_elements); i++)
    if (!set_from_spec (c, i, sluice_tensor_get_string (specs, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
restore_shape (SluiceShapeContext *c, GError **error)
{
  for (guint i = 0; i < c->n_inputs; i++)
    if (!sluice_shape_context_want_rank (c, i, 0, error))
      return FALSE;
  const SluiceTensor *spec = c->n_inputs > 2 ? sluice_shape_context_constant (c, 2) : NULL;
  return spec == NULL || set_from_spec (c, 0, sluice_tensor_get_string (spec, 0), error);
}

static gboolean
merge_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 0, 1, error)
         && sluice_shape_context_want_rank (c, 1, 0, error);
}

/* ---- saving ---- */

/* Is input i a vector with one string for each tensor? */
static gboolean
want_one_each (SluiceKernelCall *call, guint i, guint n)
{
  const SluiceTensor *strings = sluice_call_input (call, i);
  if (strings->shape.rank == 1 && strings->n_elements == n)
    return TRUE;
  g_autofree char *name = sluice_node_dup_input_name (call->node, i);
  char text[SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "input %u (%s) must be a vector of %u strings, one a tensor, not of "
                           "shape %s",
                           i, name, n, sluice_shape_str (&strings->shape, text));
}

static gboolean
save_one (SluiceKernelCall *call,
          SluiceTensorBundleWriter *writer,
          const SluiceString *name_string,
          const SluiceString *spec,
          const SluiceTensor *tensor)
{
  g_autofree char *name = sluice_call_dup_name (call, name_string, "name of a tensor");
  GError *error = NULL;
  SluiceShape full = SLUICE_SHAPE_UNKNOWN;
  SluiceSlice slice;
  if (name == NULL)
    return FALSE;
  if ((spec == NULL || sluice_slice_parse_spec (spec->data, spec->length, &full, &slice, &error))
      && sluice_tensor_bundle_writer_add (writer, name, tensor, full.rank < 0 ? NULL : &full,
                                          full.rank < 0 ? NULL : &slice, &error))
    return TRUE;
  return sluice_call_take_error (call, error);
}

static gboolean
save_all (SluiceKernelCall *call, SluiceTensorBundleWriter *take, gboolean has_specs)
{
  g_autoptr (SluiceTensorBundleWriter) writer = take;
  guint first = has_specs ? 3 : 2;
  for (guint i = first; i < call->n_inputs; i++)
    {
      const SluiceString *spec =
          has_specs ? sluice_tensor_get_string (sluice_call_input (call, 2), i - first) : NULL;
      if (!save_one (call, writer,
                     sluice_tensor_get_string (sluice_call_input (call, 1), i - first), spec,
                     sluice_call_input (call, i)))
        return FALSE;
    }
  GError *error = NULL;
  return sluice_tensor_bundle_writer_finish (g_steal_pointer (&writer), &error)
         || sluice_call_take_error (call, error);
}

typedef SluiceTensorBundleWriter *(*WriterNew) (const char *path, GError **error);

static gboolean
save (SluiceKernelCall *call, WriterNew writer_new, gboolean has_specs)
{
  guint n = call->n_inputs - (has_specs ? 3 : 2);
  g_autofree char *path = sluice_call_dup_path (call, 0, SLUICE_FILE_WRITE);
  if (path == NULL || !want_one_each (call, 1, n) || (has_specs && !want_one_each (call, 2, n)))
    return FALSE;
  GError *error = NULL;
  SluiceTensorBundleWriter *writer = writer_new (path, &error);
  return writer != NULL ? save_all (call, writer, has_specs) : sluice_call_take_error (call, error);
}

static gboolean
save_v2_compute (SluiceKernelCall *call)
{
  return save (call, sluice_tensor_bundle_writer_new, TRUE);
}

static gboolean
save_compute (SluiceKernelCall *call)
{
  return save (call, sluice_tensor_bundle_writer_new_v1, call->kernel->data != NULL);
}

/* ---- restoring ---- */

static gboolean
fail_shape (SluiceKernelCall *call,
            const char *name,
            const SluiceShape *have,
            const SluiceShape *want)
{
  char saved[SLUICE_SHAPE_STR], wanted[SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "tensor '%s' has shape %s in the checkpoint, but is asked for as part "
                           "of shape %s",
                           name, sluice_shape_str (have, saved), sluice_shape_str (want, wanted));
}

static gboolean
restore_one (SluiceKernelCall *call,
             SluiceTensorBundle *bundle,
             guint output,
             const char *name,
             const SluiceString *spec)
{
  SluiceDType dtype, want = sluice_dtype_base (call->node->outputs[output].dtype);
  SluiceShape shape, full = SLUICE_SHAPE_UNKNOWN;
  SluiceSlice slice;
  GError *error = NULL;
  if ((spec != NULL && !sluice_slice_parse_spec (spec->data, spec->length, &full, &slice, &error))
      || !sluice_tensor_bundle_find (bundle, name, &dtype, &shape, &error))
    return sluice_call_take_error (call, error);
  if (dtype != want)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "tensor '%s' is of %s in the checkpoint, but %s is wanted", name,
                             sluice_dtype_name (dtype), sluice_dtype_name (want));
  if (full.rank >= 0 && !sluice_shape_equal (&shape, &full))
    return fail_shape (call, name, &shape, &full);
  SluiceTensor *tensor =
      sluice_tensor_bundle_read (bundle, name, full.rank < 0 ? NULL : &slice, &error);
  if (tensor == NULL)
    return sluice_call_take_error (call, error);
  sluice_call_take_output (call, output, tensor);
  return TRUE;
}

/* Names, one an output; specs may be absent. */
static gboolean
restore_all (SluiceKernelCall *call, const SluiceTensor *name_strings, const SluiceTensor *specs)
{
  g_autofree char *path = sluice_call_dup_path (call, 0, SLUICE_FILE_READ);
  guint n = call->n_outputs;
  g_auto (GStrv) names = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    {
      names[i] = sluice_call_dup_name (call, sluice_tensor_get_string (name_strings, i),
                                       "name of a tensor");
      if (names[i] == NULL)
        return FALSE;
    }
  if (path == NULL)
    return FALSE;
  GError *error = NULL;
  g_autoptr (SluiceTensorBundle) bundle = sluice_tensor_bundle_open (path, &error);
  if (bundle == NULL
      || !sluice_tensor_bundle_check_names (bundle, (const char *const *) names, n, &error))
    return sluice_call_take_error (call, error);
  for (guint i = 0; i < n; i++)
    if (!restore_one (call, bundle, i, names[i],
                      specs != NULL ? sluice_tensor_get_string (specs, i) : NULL))
      return FALSE;
  return TRUE;
}

static gboolean
restore_v2_compute (SluiceKernelCall *call)
{
  return want_one_each (call, 1, call->n_outputs) && want_one_each (call, 2, call->n_outputs)
         && restore_all (call, sluice_call_input (call, 1), sluice_call_input (call, 2));
}

static gboolean
restore_compute (SluiceKernelCall *call)
{
  gboolean has_spec = call->n_inputs > 2;
  return sluice_call_want_scalar (call, 1) && (!has_spec || sluice_call_want_scalar (call, 2))
         && restore_all (call, sluice_call_input (call, 1),
                         has_spec ? sluice_call_input (call, 2) : NULL);
}

/* ---- merging ---- */

typedef struct
{
  gboolean delete_old_dirs, allow_missing_files;
} MergeState;

static gpointer
merge_prepare (const SluiceNode *node, GError **error)
{
  MergeState *state = g_new (MergeState, 1);
  state->delete_old_dirs = sluice_node_get_bool (node, "delete_old_dirs");
  state->allow_missing_files = sluice_node_get_bool (node, "allow_missing_files");
  return state;
}

/* The folders that the parts stood in, where they are empty now. */
static void
remove_folders (char **prefixes, const char *destination)
{
  g_autofree char *kept = g_path_get_dirname (destination);
  for (guint i = 0; prefixes[i] != NULL; i++)
    {
      g_autofree char *folder = g_path_get_dirname (prefixes[i]);
      if (strcmp (folder, kept) != 0)
        rmdir (folder);
    }
}

static gboolean
merge_compute (SluiceKernelCall *call)
{
  const MergeState *state = call->state;
  const SluiceTensor *strings = sluice_call_input (call, 0);
  g_autofree char *destination = sluice_call_dup_path (call, 1, SLUICE_FILE_WRITE);
  if (destination == NULL || !sluice_call_want_rank (call, 0, 1))
    return FALSE;
  g_auto (GStrv) prefixes = g_new0 (char *, strings->n_elements + 1);
  for (gint64 i = 0; i < strings->n_elements; i++)
    {
      prefixes[i] =
          sluice_call_dup_name (call, sluice_tensor_get_string (strings, i), "checkpoint prefix");
      if (prefixes[i] == NULL)
        return FALSE;
    }
  GError *error = NULL;
  for (guint i = 0; prefixes[i] != NULL; i++) /* their files move */
    if (!sluice_call_check_path (call, prefixes[i], SLUICE_FILE_WRITE, &error))
      return sluice_call_take_error (call, error);
  if (!sluice_tensor_bundle_merge ((const char *const *) prefixes, (guint) strings->n_elements,
                                   destination, state->allow_missing_files, &error))
    return sluice_call_take_error (call, error);
  if (state->delete_old_dirs)
    remove_folders (prefixes, destination);
  return TRUE;
}

/* ---- the ops ---- */

static const SluiceRecipe recipe = {
  .why_none = N_ ("works on files: tests/kernels/test-files and the conformance cases make them")
};

#define FILE_OP(id, use, op_name, op_signature, op_attrs, op_shape, text)                          \
  SLUICE_OP_DEF (id, op_name, op_signature, op_attrs,                                              \
                 SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE | (use), op_shape, &recipe,     \
                 text)

FILE_OP (save_v2_op,
         SLUICE_OP_WRITES_FILES,
         "SaveV2",
         "prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes ->",
         "dtypes: list(type) >= 1",
         save_v2_shape,
         N_ ("Writes tensors, or slices of them, into a checkpoint"));
FILE_OP (restore_v2_op,
         SLUICE_OP_READS_FILES,
         "RestoreV2",
         "prefix: string, tensor_names: string, shape_and_slices: string -> tensors: dtypes",
         "dtypes: list(type) >= 1",
         restore_v2_shape,
         N_ ("Reads tensors, or slices of them, out of a checkpoint"));
FILE_OP (merge_op,
         SLUICE_OP_WRITES_FILES,
         "MergeV2Checkpoints",
         "checkpoint_prefixes: string, destination_prefix: string ->",
         "delete_old_dirs: bool = true; allow_missing_files: bool = false",
         merge_shape,
         N_ ("Makes one checkpoint of several"));
FILE_OP (save_op,
         SLUICE_OP_WRITES_FILES,
         "Save",
         "filename: string, tensor_names: string, data: T ->",
         "T: list(type) >= 1",
         save_shape,
         N_ ("Writes tensors into a checkpoint of the older format"));
FILE_OP (save_slices_op,
         SLUICE_OP_WRITES_FILES,
         "SaveSlices",
         "filename: string, tensor_names: string, shapes_and_slices: string, data: T ->",
         "T: list(type) >= 1",
         save_v2_shape,
         N_ ("Writes slices of tensors into a checkpoint of the older format"));
FILE_OP (restore_op,
         SLUICE_OP_READS_FILES,
         "Restore",
         "file_pattern: string, tensor_name: string -> tensor: dt",
         "dt: type; preferred_shard: int = -1",
         restore_shape,
         N_ ("Reads a tensor out of a checkpoint"));
FILE_OP (restore_slice_op,
         SLUICE_OP_READS_FILES,
         "RestoreSlice",
         "file_pattern: string, tensor_name: string, shape_and_slice: string -> tensor: dt",
         "dt: type; preferred_shard: int = -1",
         restore_shape,
         N_ ("Reads a slice of a tensor out of a checkpoint"));

static const SluiceOpDef *const ops[] = {
  &save_v2_op, &restore_v2_op, &merge_op, &save_op, &save_slices_op, &restore_op, &restore_slice_op,
};

#define KERNEL(name, ...)                                                                          \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS, __VA_ARGS__               \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("SaveV2", .compute = save_v2_compute),
  KERNEL ("RestoreV2", .compute = restore_v2_compute),
  KERNEL ("MergeV2Checkpoints",
          .prepare = merge_prepare,
          .free_state = g_free,
          .compute = merge_compute),
  KERNEL ("Save", .compute = save_compute),
  KERNEL ("SaveSlices", .compute = save_compute, .data = GINT_TO_POINTER (TRUE)),
  KERNEL ("Restore", .compute = restore_compute),
  KERNEL ("RestoreSlice", .compute = restore_compute),
};

const SluiceKernelModule sluice_module_io_checkpoint = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
