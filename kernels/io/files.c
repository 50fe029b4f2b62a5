/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Whole files and their names: ReadFile, WriteFile, MatchingFiles, ShardedFilename and -spec. */
#include <glib/gi18n-lib.h>
#include <glob.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "engine/store/bundle.h"
#include "engine/store/file.h"
#include "kernels/io/io.h"
#include "kernels/string/text.h"

/* ---- shapes ---- */

static gboolean
scalars_shape (SluiceShapeContext *c, GError **error)
{
  for (guint i = 0; i < c->n_inputs; i++)
    if (!sluice_shape_context_want_rank (c, i, 0, error))
      return FALSE;
  return sluice_shape_scalar (c, error);
}

static gboolean
matching_shape (SluiceShapeContext *c, GError **error)
{
  if (c->inputs[0].rank > 1)
    return sluice_shape_context_fail (c, error, "the pattern must be a scalar or a vector");
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  return TRUE;
}

/* ---- files ---- */

static gboolean
read_compute (SluiceKernelCall *call)
{
  g_autofree char *path = sluice_call_dup_path (call, 0, SLUICE_FILE_READ);
  if (path == NULL)
    return FALSE;
  GError *error = NULL;
  g_autoptr (GMappedFile) file = sluice_file_map ("file", path, &error);
  if (file == NULL)
    return sluice_call_take_error (call, error);
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out == NULL)
    return FALSE;
  gsize length = g_mapped_file_get_length (file);
  if (length > 0)
    sluice_string_set (out->data, g_mapped_file_get_contents (file), length);
  return TRUE;
}

static gboolean
write_compute (SluiceKernelCall *call)
{
  g_autofree char *path = sluice_call_dup_path (call, 0, SLUICE_FILE_WRITE);
  if (path == NULL || !sluice_call_want_scalar (call, 1))
    return FALSE;
  GError *error = NULL;
  const SluiceString *contents = sluice_call_input (call, 1)->data;
  return (sluice_file_make_folder (path, &error)
          && sluice_file_put ("file", path, contents->data, contents->length, &error))
         || sluice_call_take_error (call, error);
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Where what a pattern matches must lie: the folder before its first special character. (transfer
 * full) */
static char *
dup_pattern_folder (const char *pattern)
{
  gsize plain = strcspn (pattern, "*?[\\");
  if (pattern[plain] == '\0')
    return g_strdup (pattern);
  while (plain > 0 && pattern[plain - 1] != '/')
    plain--;
  return plain > 0 ? g_strndup (pattern, plain) : g_strdup (".");
}

/* A link among the matches may lead elsewhere, and so may what stands behind it in the pattern. */
static gboolean
add_match (SluiceKernelCall *call, const char *path, GPtrArray *found, GError **error)
{
  g_autofree char *base = g_path_get_basename (path);
  if (strcmp (base, ".") == 0 || strcmp (base, "..") == 0)
    return TRUE;
  if (!sluice_call_check_path (call, path, SLUICE_FILE_READ, error))
    return FALSE;
  g_ptr_array_add (found, g_strdup (path));
  return TRUE;
}

/* Files and folders, sorted; what is hidden too, as TensorFlow has it. */
static gboolean
add_matches (SluiceKernelCall *call, const char *pattern, GPtrArray *found)
{
  glob_t matches = { 0 };
  GError *error = NULL;
  g_autofree char *folder = dup_pattern_folder (pattern);
  if (!sluice_call_check_path (call, folder, SLUICE_FILE_READ, &error))
    return sluice_call_take_error (call, error);
  int result = glob (pattern, GLOB_PERIOD, NULL, &matches);
  for (gsize i = 0; result == 0 && error == NULL && i < matches.gl_pathc; i++)
    add_match (call, matches.gl_pathv[i], found, &error);
  globfree (&matches);
  if (error != NULL)
    return sluice_call_take_error (call, error);
  if (result == 0 || result == GLOB_NOMATCH)
    return TRUE;
  return sluice_call_fail (
      call, result == GLOB_NOSPACE ? SLUICE_ERROR_RESOURCE_EXHAUSTED : SLUICE_ERROR_UNAVAILABLE,
      "the folders of pattern '%s' could not be read", pattern);
}

static gboolean
matching_compute (SluiceKernelCall *call)
{
  const SluiceTensor *patterns = sluice_call_input (call, 0);
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  if (patterns->shape.rank > 1)
    return sluice_call_want_rank (call, 0, 1);
  for (gint64 i = 0; i < patterns->n_elements; i++)
    {
      g_autofree char *pattern =
          sluice_call_dup_name (call, sluice_tensor_get_string (patterns, i), "pattern");
      if (pattern == NULL || !add_matches (call, pattern, found))
        return FALSE;
    }
  g_ptr_array_sort (found, by_name);
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (found->len));
  for (guint i = 0; out != NULL && i < found->len; i++)
    {
      char *name = g_steal_pointer (&found->pdata[i]);
      sluice_string_take (sluice_tensor_get_string (out, i), name, strlen (name));
    }
  return out != NULL;
}

/* ---- names ---- */

/* The base name with what stands for its shards behind it; the base may be any bytes. */
static gboolean
put_name (SluiceKernelCall *call, const char *end)
{
  const SluiceString *base = sluice_call_input (call, 0)->data;
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out == NULL)
    return FALSE;
  GString *text = g_string_new_len (base->length > 0 ? base->data : "", base->length);
  g_string_append (text, end);
  sluice_string_take_text (out->data, text);
  return TRUE;
}

static gboolean
sharded_name_compute (SluiceKernelCall *call)
{
  for (guint i = 0; i < 3; i++)
    if (!sluice_call_want_scalar (call, i))
      return FALSE;
  g_autofree char *end =
      sluice_shard_name ("", sluice_tensor_get_int (sluice_call_input (call, 1), 0),
                         sluice_tensor_get_int (sluice_call_input (call, 2), 0));
  return put_name (call, end);
}

static gboolean
sharded_spec_compute (SluiceKernelCall *call)
{
  if (!sluice_call_want_scalar (call, 0) || !sluice_call_want_scalar (call, 1))
    return FALSE;
  g_autofree char *end = g_strdup_printf ("-\?\?\?\?\?-of-%05" G_GINT64_FORMAT,
                                          sluice_tensor_get_int (sluice_call_input (call, 1), 0));
  return put_name (call, end);
}

/* ---- the ops ---- */

static const SluiceRecipe file_recipe = {
  .why_none = N_ ("works on files: tests/kernels/test-files and the conformance cases make them")
};
static const SluiceSample name_samples[] = {
  { .inputs = "string[]='model.ckpt'; int32[]=5; int32[]=10" },
  { .inputs = "string[]=''; int32[]=-3; int32[]=1234567" },
};
static const SluiceRecipe name_recipe = { name_samples, G_N_ELEMENTS (name_samples) };
static const SluiceSample spec_samples[] = {
  { .inputs = "string[]='model.ckpt'; int32[]=10" },
};
static const SluiceRecipe spec_recipe = { spec_samples, G_N_ELEMENTS (spec_samples) };

static const SluiceOpDef read_op = {
  .name = "ReadFile",
  .signature = "filename: string -> contents: string",
  .summary = N_ ("The contents of a file"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_READS_FILES,
  .shape = scalars_shape,
  .recipe = &file_recipe,
};

static const SluiceOpDef write_op = {
  .name = "WriteFile",
  .signature = "filename: string, contents: string ->",
  .summary = N_ ("Writes a file, and the folders on the way"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_WRITES_FILES,
  .shape = scalars_shape,
  .recipe = &file_recipe,
};

static const SluiceOpDef matching_op = {
  .name = "MatchingFiles",
  .signature = "pattern: string -> filenames: string",
  .summary = N_ ("The names of the files that match patterns, sorted"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_READS_FILES,
  .shape = matching_shape,
  .recipe = &file_recipe,
};

static const SluiceOpDef sharded_name_op = {
  .name = "ShardedFilename",
  .signature = "basename: string, shard: int32, num_shards: int32 -> filename: string",
  .summary = N_ ("The name of one file of several: BASENAME-00003-of-00010"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = scalars_shape,
  .recipe = &name_recipe,
};

static const SluiceOpDef sharded_spec_op = {
  .name = "ShardedFilespec",
  .signature = "basename: string, num_shards: int32 -> filename: string",
  .summary = N_ ("The pattern of the names of several files"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = scalars_shape,
  .recipe = &spec_recipe,
};

static const SluiceOpDef *const ops[] = {
  &read_op, &write_op, &matching_op, &sharded_name_op, &sharded_spec_op,
};

static const SluiceKernel kernels[] = {
  { .op = "ReadFile", .device = "CPU", .compute = read_compute },
  { .op = "WriteFile", .device = "CPU", .compute = write_compute },
  { .op = "MatchingFiles", .device = "CPU", .compute = matching_compute },
  { .op = "ShardedFilename", .device = "CPU", .compute = sharded_name_compute },
  { .op = "ShardedFilespec", .device = "CPU", .compute = sharded_spec_compute },
};

const SluiceKernelModule sluice_module_io_files = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
