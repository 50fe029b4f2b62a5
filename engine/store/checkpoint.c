/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/checkpoint.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/store/crc32c.h"
#include "engine/store/file.h"

/* A header longer than this is none: the format's own limit. */
#define MAX_HEADER     100000000
#define MAX_JSON_DEPTH 4

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

/*
 * The checksums stand in the metadata, which other programs leave alone. The header's own comes
 * first, so that its eight digits lie where no parser is needed to find them: they are of the file
 * up to the end of the header, length field included, with zeros in their place. So no bit of a
 * file can change unnoticed.
 */
#define HEADER_SUM   "sluice.header_crc32c"
#define TENSOR_SUMS  "sluice.crc32c"
#define STATE        "sluice.state"
#define SUM_DIGITS   8
#define HEADER_BEGIN "{\"__metadata__\":{\"" HEADER_SUM "\":\""
#define SUM_OFFSET   (sizeof (guint64) + strlen (HEADER_BEGIN)) /* from the beginning of the file */

/* Lower case, and compared as text: no other digits mean the same. */
static void
format_sum (guint32 crc, char digits[SUM_DIGITS + 1])
{
  g_snprintf (digits, SUM_DIGITS + 1, "%08" G_GINT32_MODIFIER "x", crc);
}

/* Of the file's first bytes, up to the end of the header. */
static guint32
sum_header (const char *bytes, gsize length)
{
  guint32 crc = sluice_crc32c (0, bytes, SUM_OFFSET);
  crc = sluice_crc32c (crc, "00000000", SUM_DIGITS);
  gsize behind = SUM_OFFSET + SUM_DIGITS;
  return sluice_crc32c (crc, bytes + behind, length - behind);
}

/* {"a": "01234567", …}: one string, as metadata are. */
static char *
dup_sums (GArray *tensors, const guint32 *crcs)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  for (guint i = 0; i < tensors->len; i++)
    {
      char digits[SUM_DIGITS + 1];
      format_sum (crcs[i], digits);
      json_builder_set_member_name (b, g_array_index (tensors, SluiceNamedTensor, i).name);
      json_builder_add_string_value (b, digits);
    }
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  return json_to_string (root, FALSE);
}

static void
add_metadata (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_string_value (b, value);
}

/* Length field and header, padded with spaces so that the data behind it begins at a multiple of
 * 8. The length does not depend on the checksums. */
static char *
make_header (GArray *tensors, const guint32 *crcs, const char *state, gsize *length)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  g_autofree char *sums = dup_sums (tensors, crcs);
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "__metadata__");
  json_builder_begin_object (b);
  add_metadata (b, HEADER_SUM, "00000000");
  add_metadata (b, TENSOR_SUMS, sums);
  if (state != NULL)
    add_metadata (b, STATE, state);
  json_builder_end_object (b);
  gint64 offset = 0;
  for (guint i = 0; i < tensors->len; i++)
    add_entry (b, &g_array_index (tensors, SluiceNamedTensor, i), &offset);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  g_autofree char *text = json_to_string (root, FALSE);
  g_assert (g_str_has_prefix (text, HEADER_BEGIN));
  gsize n = strlen (text), padded = (n + 7) / 8 * 8;
  guint64 le = GUINT64_TO_LE ((guint64) padded);
  *length = sizeof le + padded;
  char *header = g_strnfill (*length, ' ');
  memcpy (header, &le, sizeof le);
  memcpy (header + sizeof le, text, n);
  char digits[SUM_DIGITS + 1];
  format_sum (sum_header (header, *length), digits);
  memcpy (header + SUM_OFFSET, digits, SUM_DIGITS);
  return header;
}

/* The data are summed as they are written, behind room for the header, which is written last. */
static void
put_all (SluiceFileWriter *file, GArray *tensors, const char *state)
{
  gsize length, again;
  g_autofree guint32 *crcs = g_new0 (guint32, tensors->len + 1);
  g_autofree char *room = make_header (tensors, crcs, state, &length);
  sluice_file_writer_put (file, room, length);
  for (guint i = 0; i < tensors->len; i++)
    {
      const SluiceTensor *tensor = g_array_index (tensors, SluiceNamedTensor, i).tensor;
      crcs[i] = sluice_file_writer_put_summed (file, tensor->data, sluice_tensor_bytes (tensor));
    }
  g_autofree char *header = make_header (tensors, crcs, state, &again);
  g_assert (again == length);
  sluice_file_writer_rewrite (file, 0, header, length);
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
  put_all (file, tensors, state);
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

/* What the file says beside its tensors. */
typedef struct
{
  JsonNode *sums; /* (nullable): of the tensors, by name */
  gboolean has_header_sum;
  char *state; /* (nullable) */
} Metadata;

static void
metadata_clear (Metadata *self)
{
  g_clear_pointer (&self->sums, json_node_unref);
  g_clear_pointer (&self->state, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Metadata, metadata_clear)

static gboolean
read_metadata (JsonObject *entry, Metadata *metadata, GError **error)
{
  const char *sums = json_object_get_string_member_with_default (entry, TENSOR_SUMS, NULL);
  metadata->has_header_sum = json_object_has_member (entry, HEADER_SUM);
  metadata->state = g_strdup (json_object_get_string_member_with_default (entry, STATE, NULL));
  if (sums != NULL)
    metadata->sums = sluice_checkpoint_parse_json (sums, strlen (sums), error);
  return sums == NULL || metadata->sums != NULL;
}

/* Files of other programs have no checksums; one that has some of them has lost the others. */
static gboolean
check_header (const char *bytes, gsize header, const Metadata *metadata, GError **error)
{
  gboolean begins = header >= strlen (HEADER_BEGIN) + SUM_DIGITS
                    && memcmp (bytes + sizeof (guint64), HEADER_BEGIN, strlen (HEADER_BEGIN)) == 0;
  if (!begins && !metadata->has_header_sum && metadata->sums == NULL)
    return TRUE;
  char digits[SUM_DIGITS + 1] = "";
  if (begins)
    format_sum (sum_header (bytes, sizeof (guint64) + header), digits);
  if (begins && metadata->sums != NULL && memcmp (bytes + SUM_OFFSET, digits, SUM_DIGITS) == 0)
    return TRUE;
  return damaged (error, "the header is not what its checksum was made of: the file is damaged");
}

static gboolean
check_sum (const Metadata *metadata, const SluiceNamedTensor *named, GError **error)
{
  if (metadata->sums == NULL)
    return TRUE;
  char digits[SUM_DIGITS + 1];
  format_sum (sluice_crc32c (0, named->tensor->data, sluice_tensor_bytes (named->tensor)), digits);
  const char *stored = json_object_get_string_member_with_default (
      json_node_get_object (metadata->sums), named->name, NULL);
  return g_strcmp0 (stored, digits) == 0
         || sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                         "is not what its checksum was made of (%s, CRC-32C now %s): the file is "
                         "damaged",
                         stored != NULL ? stored : "none", digits);
}

static gboolean
read_entries (GArray *tensors,
              JsonObject *root,
              const char *data,
              gsize length,
              const Metadata *metadata,
              GError **error)
{
  g_autoptr (GList) names = json_object_get_members (root);
  g_autoptr (GArray) extents = g_array_new (FALSE, FALSE, sizeof (Extent));
  for (GList *l = names; l != NULL; l = l->next)
    {
      JsonNode *node = json_object_get_member (root, l->data);
      if (!JSON_NODE_HOLDS_OBJECT (node))
        return damaged (error, "the header is malformed");
      if (strcmp (l->data, "__metadata__") == 0)
        continue;
      Extent extent;
      SluiceNamedTensor named = { g_strdup (l->data), read_entry (json_node_get_object (node), data,
                                                                  length, &extent, error) };
      if (named.tensor == NULL || !check_sum (metadata, &named, error))
        {
          g_prefix_error (error, "tensor '%s' ", named.name);
          named_tensor_clear (&named);
          return FALSE;
        }
      g_array_append_val (tensors, named);
      g_array_append_val (extents, extent);
    }
  return check_extents (extents, length, error);
}

JsonNode *
sluice_checkpoint_parse_json (const char *text, gsize length, GError **error)
{
  if (!sluice_text_is_shallow_json (text, length, MAX_JSON_DEPTH))
    {
      damaged (error, "the JSON is nested too deep");
      return NULL;
    }
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) local = NULL;
  if (!json_parser_load_from_data (parser, text, length, &local))
    {
      sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "the JSON in it is damaged: %s", local->message);
      return NULL;
    }
  g_autoptr (JsonNode) root = json_parser_steal_root (parser);
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    return g_steal_pointer (&root);
  damaged (error, "no JSON object where there should be one");
  return NULL;
}

static gboolean
read_bytes (
    GArray *tensors, const char *bytes, gsize length, gboolean sums, char **state, GError **error)
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
  if (root == NULL)
    return FALSE;
  g_auto (Metadata) metadata = { 0 };
  JsonNode *node = json_object_get_member (json_node_get_object (root), "__metadata__");
  if (node != NULL && !JSON_NODE_HOLDS_OBJECT (node))
    return damaged (error, "the header is malformed");
  if (sums
      && ((node != NULL && !read_metadata (json_node_get_object (node), &metadata, error))
          || !check_header (bytes, header, &metadata, error)))
    return FALSE;
  if (!read_entries (tensors, json_node_get_object (root), text + header,
                     length - sizeof header - header, &metadata, error))
    return FALSE;
  *state = g_steal_pointer (&metadata.state);
  return TRUE;
}

static GArray *
parse (const char *bytes, gsize length, gboolean sums, char **state, GError **error)
{
  g_autoptr (GArray) tensors = g_array_new (FALSE, TRUE, sizeof (SluiceNamedTensor));
  g_array_set_clear_func (tensors, named_tensor_clear);
  g_autofree char *text = NULL;
  if (!read_bytes (tensors, bytes, length, sums, &text, error))
    return NULL;
  if (state != NULL)
    *state = g_steal_pointer (&text);
  return g_steal_pointer (&tensors);
}

GArray *
sluice_safetensors_parse (const char *bytes, gsize length, char **state, GError **error)
{
  return parse (bytes, length, TRUE, state, error);
}

static GArray *
read_file (const char *path, gboolean sums, char **state, GError **error)
{
  g_autoptr (GMappedFile) file = sluice_file_map ("checkpoint", path, error);
  if (file == NULL)
    return NULL;
  GArray *tensors = parse (g_mapped_file_get_contents (file), g_mapped_file_get_length (file), sums,
                           state, error);
  if (tensors == NULL)
    g_prefix_error (error, "checkpoint '%s': ", path);
  return tensors;
}

GArray *
sluice_safetensors_read_unsummed (const char *path, GError **error)
{
  return read_file (path, FALSE, NULL, error);
}

GArray *
sluice_safetensors_read (const char *path, char **state, GError **error)
{
  return read_file (path, TRUE, state, error);
}
