/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/io/parse-feature.h"

#include <string.h>

#include "engine/base/protobuf.h"
#include "kernels/string/hash.h"
#include "kernels/string/text.h"

gboolean
sluice_want_set_shape (SluiceWant *self,
                       const SluiceShape *shape,
                       gboolean may_vary,
                       GError **error)
{
  char text[SLUICE_SHAPE_STR];
  SluiceShape row = *shape;
  self->shape = *shape;
  self->is_variable = may_vary && shape->rank > 0 && shape->dim[0] == SLUICE_UNKNOWN_DIM;
  if (self->is_variable)
    row.dim[0] = 1;
  if (!sluice_shape_is_known (&row) || shape->rank >= SLUICE_MAX_RANK
      || sluice_shape_n_elements (&row) == G_MAXINT64)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a dense value has shape %s; %s be known, and there may be %d dimensions",
                        sluice_shape_str (shape, text),
                        may_vary ? "all but the first dimension must" : "all dimensions must",
                        SLUICE_MAX_RANK - 1);
  self->n = sluice_shape_n_elements (&row);
  return TRUE;
}

static gboolean
fail (const SluiceWant *self, GError **error, const char *what)
{
  g_autofree char *key = sluice_string_quote (&self->key);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "feature %s: %s", key, what);
}

gboolean
sluice_want_set_fallback (SluiceWant *self, const SluiceTensor *fallback, GError **error)
{
  char got[SLUICE_SHAPE_STR], want[SLUICE_SHAPE_STR];
  self->fallback = fallback->n_elements > 0 ? fallback : NULL;
  if ((SluiceDType) fallback->dtype != self->dtype)
    return fail (self, error, "its default has another dtype");
  if (self->is_variable && fallback->n_elements != 1)
    return fail (self, error, "its number of rows is open, so its default must be one element");
  if (self->is_variable || self->fallback == NULL
      || sluice_shape_equal (&fallback->shape, &self->shape))
    return TRUE;
  g_autofree char *text =
      g_strdup_printf ("its default has shape %s, not %s", sluice_shape_str (&fallback->shape, got),
                       sluice_shape_str (&self->shape, want));
  return fail (self, error, text);
}

/* ---- wants by key ---- */

static guint
key_hash (gconstpointer key)
{
  const SluiceString *text = key;
  return (guint) sluice_fingerprint64 (text->data, text->length);
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const SluiceString *x = a, *y = b;
  return x->length == y->length && (x->length == 0 || memcmp (x->data, y->data, x->length) == 0);
}

void
sluice_wants_init (SluiceWants *self, const SluiceWant *wants, guint n)
{
  *self = (SluiceWants){ wants, n, g_hash_table_new (key_hash, key_equal), g_new0 (guint, n + 1) };
  for (guint i = 0; i < n; i++)
    {
      gpointer key = (gpointer) &wants[i].key;
      self->earlier[i] = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_key, key));
      g_hash_table_replace (self->by_key, key, GUINT_TO_POINTER (i + 1));
    }
}

void
sluice_wants_clear (SluiceWants *self)
{
  g_clear_pointer (&self->by_key, g_hash_table_unref);
  g_clear_pointer (&self->earlier, g_free);
}

guint
sluice_wants_lookup (const SluiceWants *self, const ProtobufCBinaryData *key)
{
  SluiceString text = { (char *) key->data, key->len };
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->by_key, &text));
}

/* ---- features ---- */

static SluiceDType
dtype_of (const SluiceFeature *feature)
{
  switch (feature->kind_case)
    {
    case SLUICE__EXAMPLE__FEATURE__KIND_BYTES_LIST:
      return SLUICE_STRING;
    case SLUICE__EXAMPLE__FEATURE__KIND_FLOAT_LIST:
      return SLUICE_FLOAT;
    case SLUICE__EXAMPLE__FEATURE__KIND_INT64_LIST:
      return SLUICE_INT64;
    default:
      return SLUICE_INVALID;
    }
}

gint64
sluice_feature_count (const SluiceFeature *feature)
{
  switch (feature ? dtype_of (feature) : SLUICE_INVALID)
    {
    case SLUICE_STRING:
      return (gint64) feature->bytes_list->n_value;
    case SLUICE_FLOAT:
      return (gint64) feature->float_list->n_value;
    case SLUICE_INT64:
      return (gint64) feature->int64_list->n_value;
    default:
      return 0;
    }
}

void
sluice_feature_copy (const SluiceFeature *feature, SluiceTensor *to, gint64 at)
{
  gsize n = (gsize) sluice_feature_count (feature);
  if (n == 0)
    return;
  switch (dtype_of (feature))
    {
    case SLUICE_STRING:
      for (gsize i = 0; i < n; i++)
        {
          const ProtobufCBinaryData *bytes = &feature->bytes_list->value[i];
          sluice_string_set (sluice_tensor_get_string (to, at + (gint64) i),
                             (const char *) bytes->data, bytes->len);
        }
      break;
    case SLUICE_FLOAT:
      memcpy ((float *) to->data + at, feature->float_list->value, n * sizeof (float));
      break;
    default:
      memcpy ((gint64 *) to->data + at, feature->int64_list->value, n * sizeof (gint64));
    }
}

gboolean
sluice_want_check_dtype (const SluiceWant *self, const SluiceFeature *feature, GError **error)
{
  SluiceDType dtype = dtype_of (feature);
  if (dtype == self->dtype)
    return TRUE;
  g_autofree char *text =
      g_strdup_printf ("its values are %s, wanted are %s",
                       dtype == SLUICE_INVALID ? "missing" : sluice_dtype_name (dtype),
                       sluice_dtype_name (self->dtype));
  return fail (self, error, text);
}

gboolean
sluice_want_check_count (const SluiceWant *self, const SluiceFeature *feature, GError **error)
{
  gint64 n = sluice_feature_count (feature);
  char shape[SLUICE_SHAPE_STR];
  if (self->is_variable ? n == 0 || (self->n > 0 && n % self->n == 0) : n == self->n)
    return TRUE;
  g_autofree char *text =
      g_strdup_printf ("it has %" G_GINT64_FORMAT " values, which do not fill shape %s", n,
                       sluice_shape_str (&self->shape, shape));
  return fail (self, error, text);
}

static gboolean
check_all (const SluiceWants *self, const SluiceFeature *const *found, GError **error)
{
  for (guint i = 0; i < self->n; i++)
    {
      const SluiceWant *want = &self->wants[i];
      if (found[i] == NULL)
        {
          if (want->is_dense && want->fallback == NULL)
            return fail (want, error, "it is missing, and there is no default");
          continue;
        }
      if (!sluice_want_check_dtype (want, found[i], error)
          || (want->is_dense && !sluice_want_check_count (want, found[i], error)))
        return FALSE;
    }
  return TRUE;
}

gboolean
sluice_wants_find (const SluiceWants *self,
                   const Sluice__Example__Features *features,
                   const SluiceFeature **found,
                   GError **error)
{
  memset (found, 0, self->n * sizeof *found);
  for (gsize i = 0; features != NULL && i < features->n_feature; i++)
    {
      const Sluice__Example__FeatureEntry *entry = features->feature[i];
      if (entry->value == NULL)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "a feature has no value");
      for (guint at = sluice_wants_lookup (self, &entry->key); at > 0; at = self->earlier[at - 1])
        found[at - 1] = dtype_of (entry->value) != SLUICE_INVALID ? entry->value : NULL;
    }
  return check_all (self, found, error);
}

void *
sluice_example_unpack (const ProtobufCMessageDescriptor *descriptor,
                       const SluiceString *bytes,
                       GError **error)
{
  g_autoptr (GError) local = NULL;
  void *message = sluice_protobuf_unpack (descriptor, bytes->data, bytes->length, &local);
  if (g_error_matches (local, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED))
    g_propagate_error (error, g_steal_pointer (&local));
  else if (message == NULL)
    {
      g_autofree char *quoted = sluice_string_quote (bytes);
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "%s of %" G_GSIZE_FORMAT " bytes is no serialized %s", quoted, bytes->length,
                   descriptor->short_name);
    }
  return message;
}
