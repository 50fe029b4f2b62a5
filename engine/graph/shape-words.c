/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/shape-words.h"

#include <glib/gi18n-lib.h>

char *
sluice_shape_dup_words (const SluiceShape *shape)
{
  if (shape->rank < 0)
    return NULL;
  if (shape->rank == 0)
    return g_strdup (_ ("scalar"));
  GString *text = g_string_new (NULL);
  /* A vector's size alone would read as a number, or as a question. */
  if (shape->rank == 1)
    g_string_append_c (text, '[');
  for (int i = 0; i < shape->rank; i++)
    {
      if (i > 0)
        g_string_append (text, "×");
      if (shape->dim[i] < 0)
        g_string_append_c (text, '?');
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, shape->dim[i]);
    }
  if (shape->rank == 1)
    g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

const char *
sluice_dtype_get_word (SluiceDType dtype)
{
  switch (sluice_dtype_base (dtype))
    {
    case SLUICE_FLOAT:
      return "float32";
    case SLUICE_DOUBLE:
      return "float64";
    case SLUICE_HALF:
      return "float16";
    default:
      return sluice_dtype_name (sluice_dtype_base (dtype));
    }
}
