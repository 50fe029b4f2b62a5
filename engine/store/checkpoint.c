/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/checkpoint.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/store/file.h"

/* A header longer than this is none: the format's own limit. */
#define MAX_HEADER 100000000

static const struct
{
  SluiceDType dtype;
  const char *name;
} dtype_names[] = {
  { SLUICE_BOOL, "BOOL" },     { SLUICE_UINT8, "U8" },      { SLUICE_INT8, "I8" },
  { SLUICE_UINT16, "U16" },    { SLUICE_INT16, "I16" },     { SLUICE_HALF, "F16" },
  { SLUICE_BFLOAT16, "BF16" }, { SLUICE_UINT32, "U32" },    { SLUICE_INT32, "I32" },
  { SLUICE_FLOAT, "F32" },     { SLUICE_DOUBLE, "F64" },    { SLUICE_UINT64, "U64" },
  { SLUICE_INT64, "I64" },     { SLUICE_COMPLEX64, "C64" },
};

static const char *
dtype_to_name (SluiceDType dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (dtype_names); i++)
    if (dtype_names[i].dtype == dtype)
      return dtype_names[i].name;
  return NULL;
}

gboolean
sluice_safetensors_has_dtype (SluiceDType dtype)
{
  return dtype_to_name (dtype) != NULL;
}

static SluiceDType
dtype_from_name (const char *name)
{
  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (dtype_names); i++)
    if (strcmp (dtype_names[i].name, name) == 0)
      return dtype_names[i].dtype;
  return SLUICE_INVALID;
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (((const SluiceNamedTensor *) a)->name, ((const SluiceNamedTensor *) b)->name);
}

static void
named_tensor_clear (gpointer data)
{
  SluiceNamedTensor *named = data;
  g_free (named->name);
  g_clear_pointer (&named->tensor, sluice_tensor_unref);
}

/* ---- writing ---- */

static void
add_entry (JsonBuilder *b, const SluiceNamedTensor *named, gint64 *offset)
{
  const SluiceTensor *tensor = named->tensor;
  json_builder_set_member_name (b, named->name);
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "dtype");
  json_builder_add_string_value (b, dtype_to_name (tensor->dtype));
  json_builder_set_member_name (b, "shape");
  json_builder_begin_array (b);
  for (int i = 0; i < tensor->shape.rank; i++)
    json_builder_add_int_value (b, tensor->shape.dim[i]);
  json_builder_end_array (b);
  json_builder_set_member_name (b, "data_offsets");
  json_builder_begin_array (b);
  json_builder_add_int_value (b, *offset);
  *offset += sluice_tensor_bytes (tensor);
  json_builder_add_int_value (b, *offset);
  json_builder_end_array (b);
  json_builder_end_object (b);
}

/* The header, padded with spaces so that the data behind it begins at a multiple of 8. */
static char *
make_header (GArray *tensors, const char *state, gsize *length)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  if (state != NULL)
    {
      json_builder_set_member_name (b, "__metadata__");
      json_builder_begin_object (b);
      json_builder_set_member_name (b, "sluice.state");
      json_builder_add_string_value (b, state);
      json_builder_end_object (b);
    }
  gint64 offset = 0;
  for (guint i = 0; i < tensors->len; i++)
    add_entry (b, &g_array_index (tensors, SluiceNamedTensor, i), &offset);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  g_autofree char *text = json_to_string (root, FALSE);
  gsize n = strlen (text);
  *length = (n + 7) / 8 * 8;
  char *header = g_strnfill (*length, ' ');
  memcpy (header, text, n);
  return header;
}

gboolean
sluice_safetensors_write (const char *path, GArray *tensors, const char *state, GError **error)
{
  g_array_sort (tensors, by_name);
  for (guint i = 0; i < tensors->len; i++)
    {
      SluiceNamedTensor *named = &g_array_index (tensors, SluiceNamedTensor, i);
      if (!sluice_safetensors_has_dtype (named->tensor->dtype))
        return sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                            "'%s' is %s, which a safetensors file cannot hold", named->name,
                            sluice_dtype_name (named->tensor->dtype));
    }
  SluiceFileWriter *file = sluice_file_writer_new ("checkpoint", path, error);
  if (file == NULL)
    return FALSE;
  gsize length;
  g_autofree char *header = make_header (tensors, state, &length);
  guint64 le = GUINT64_TO_LE ((guint64) length);
  sluice_file_writer_put (file, &le, sizeof le);
  sluice_file_writer_put (file, header, length);
  for (guint i = 0; i < tensors->len; i++)
    {
      const SluiceTensor *tensor = g_array_index (tensors, SluiceNamedTensor, i).tensor;
      sluice_file_writer_put (file, tensor->data, sluice_tensor_bytes (tensor));
    }
  return sluice_file_writer_finish (file, error);
}

/* ---- reading ---- */

static gboolean
damaged (GError **error, const char *what)
{
  return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "%s", what);
}

/* The non-negative integers of an array member. FALSE where it is anything else, or longer than
   max. */
static gboolean
read_sizes (JsonObject *entry, const char *name, gint64 *sizes, guint max, guint *n)
{
  JsonNode *node = json_object_get_member (entry, name);
  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return FALSE;
  JsonArray *array = json_node_get_array (node);
  *n = json_array_get_length (array);
  for (guint i = 0; i < MIN (*n, max); i++)
    {
      JsonNode *size = json_array_get_element (array, i);
      if (!JSON_NODE_HOLDS_VALUE (size) || json_node_get_value_type (size) != G_TYPE_INT64)
        return FALSE;
      sizes[i] = json_node_get_int (size);
      if (sizes[i] < 0)
        return FALSE;
    }
  return *n <= max;
}

/* Where a tensor's bytes lie, from the beginning of the data. */
typedef struct
{
  gint64 begin, end;
} Extent;

static SluiceTensor *
read_entry (JsonObject *entry, const char *data, gsize length, Extent *extent, GError **error)
{
  const char *dtype_name = json_object_get_string_member_with_default (entry, "dtype", NULL);
  SluiceDType dtype = dtype_from_name (dtype_name);
  gint64 dims[SLUICE_MAX_RANK], offsets[2];
  guint rank, n_offsets;
  SluiceShape shape;
  if (dtype == SLUICE_INVALID)
    {
      sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "has dtype '%s', which is not read",
                   dtype_name != NULL ? dtype_name : "(none)");
      return NULL;
    }
  if (!read_sizes (entry, "shape", dims, SLUICE_MAX_RANK, &rank)
      || !read_sizes (entry, "data_offsets", offsets, 2, &n_offsets) || n_offsets != 2)
    {
      damaged (error, "has no shape of up to 8 sizes, or no two offsets");
      return NULL;
    }
  if (!sluice_shape_make (&shape, dims, rank, error))
    return NULL;
  gint64 begin = offsets[0], end = offsets[1];
  *extent = (Extent){ begin, end };
  gint64 n = sluice_shape_n_elements (&shape);
  if (end < begin || (guint64) end > length
      || (guint64) n != (guint64) (end - begin) / sluice_dtype_size (dtype)
      || (end - begin) % sluice_dtype_size (dtype) != 0)
    {
      damaged (error, "lies outside the file or has another size than its shape; the file is cut "
                      "off or damaged");
      return NULL;
    }
  SluiceTensor *tensor = sluice_tensor_new_checked (NULL, dtype, &shape, SLUICE_OWNER_NONE, error);
  if (tensor != NULL)
    memcpy (tensor->data, data + begin, end - begin);
  return tensor;
}

static gint
by_begin (gconstpointer a, gconstpointer b)
{
  const Extent *x = a, *y = b;
  return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1)
                              : (x->end > y->end) - (x->end < y->end);
}

/* The format allows neither holes nor overlaps nor bytes behind the last tensor. */
static gboolean
check_extents (GArray *extents, gsize length, GError **error)
{
  gint64 at = 0;
  g_array_sort (extents, by_begin);
  for (guint i = 0; i < extents->len; i++)
    {
      Extent *extent = &g_array_index (extents, Extent, i);
      if (extent->begin != at)
        return damaged (error, "tensors overlap, or there is a hole between them");
      at = extent->end;
    }
  return (gsize) at == length || damaged (error, "the file is longer than its tensors");
}

static gboolean
read_entries (
    GArray *tensors, JsonObject *root, const char *data, gsize length, char **state, GError **error)
{
  g_autoptr (GList) names = json_object_get_members (root);
  g_autoptr (GArray) extents = g_array_new (FALSE, FALSE, sizeof (Extent));
  for (GList *l = names; l != NULL; l = l->next)
    {
      JsonNode *node = json_object_get_member (root, l->data);
      if (!JSON_NODE_HOLDS_OBJECT (node))
        return damaged (error, "the header is malformed");
      JsonObject *entry = json_node_get_object (node);
      if (strcmp (l->data, "__metadata__") == 0)
        {
          if (state != NULL)
            *state =
                g_strdup (json_object_get_string_member_with_default (entry, "sluice.state", NULL));
          continue;
        }
      Extent extent;
      SluiceNamedTensor named = { g_strdup (l->data),
                                  read_entry (entry, data, length, &extent, error) };
      if (named.tensor == NULL)
        {
          g_prefix_error (error, "tensor '%s' ", named.name);
          g_free (named.name);
          return FALSE;
        }
      g_array_append_val (tensors, named);
      g_array_append_val (extents, extent);
    }
  return check_extents (extents, length, error);
}

/* JSON parsers recurse: brackets nested deeper than is needed are refused before parsing. */
static gboolean
is_shallow (const char *text, gsize length)
{
  guint depth = 0;
  gboolean quoted = FALSE;
  for (gsize i = 0; i < length; i++)
    {
      if (quoted)
        {
          if (text[i] == '\\')
            i++;
          else if (text[i] == '"')
            quoted = FALSE;
        }
      else if (text[i] == '"')
        quoted = TRUE;
      else if ((text[i] == '{' || text[i] == '[') && ++depth > 4)
        return FALSE;
      else if ((text[i] == '}' || text[i] == ']') && depth > 0)
        depth--;
    }
  return TRUE;
}

JsonNode *
sluice_checkpoint_parse_json (const char *text, gsize length, GError **error)
{
  if (!is_shallow (text, length))
    {
      damaged (error, "the JSON is nested too deep");
      return NULL;
    }
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) local = NULL;
  if (!json_parser_load_from_data (parser, text, length, &local))
    {
      damaged (error, local->message);
      return NULL;
    }
  g_autoptr (JsonNode) root = json_parser_steal_root (parser);
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    return g_steal_pointer (&root);
  damaged (error, "no JSON object where there should be one");
  return NULL;
}

static gboolean
read_bytes (GArray *tensors, const char *bytes, gsize length, char **state, GError **error)
{
  guint64 header;
  if (length < sizeof header)
    return damaged (error, "shorter than its first field");
  memcpy (&header, bytes, sizeof header);
  header = GUINT64_FROM_LE (header);
  if (header > MAX_HEADER || header > length - sizeof header)
    return damaged (error, "the header is longer than the file: cut off, or no safetensors file");
  const char *text = bytes + sizeof header;
  g_autoptr (JsonNode) root = sluice_checkpoint_parse_json (text, header, error);
  return root != NULL
         && read_entries (tensors, json_node_get_object (root), text + header,
                          length - sizeof header - header, state, error);
}

GArray *
sluice_safetensors_parse (const char *bytes, gsize length, char **state, GError **error)
{
  g_autoptr (GArray) tensors = g_array_new (FALSE, TRUE, sizeof (SluiceNamedTensor));
  g_array_set_clear_func (tensors, named_tensor_clear);
  g_autofree char *text = NULL;
  if (!read_bytes (tensors, bytes, length, &text, error))
    return NULL;
  if (state != NULL)
    *state = g_steal_pointer (&text);
  return g_steal_pointer (&tensors);
}

GArray *
sluice_safetensors_read (const char *path, char **state, GError **error)
{
  g_autoptr (GMappedFile) file = sluice_file_map ("checkpoint", path, error);
  if (file == NULL)
    return NULL;
  GArray *tensors = sluice_safetensors_parse (g_mapped_file_get_contents (file),
                                              g_mapped_file_get_length (file), state, error);
  if (tensors == NULL)
    g_prefix_error (error, "checkpoint '%s': ", path);
  return tensors;
}
