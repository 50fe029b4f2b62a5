/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/shape.h"

#include "engine/base/error.h"

SluiceShape
sluice_shape_of_rank (int rank)
{
  g_assert (rank >= SLUICE_UNKNOWN_RANK && rank <= SLUICE_MAX_RANK);
  SluiceShape shape = { .rank = rank };
  for (int i = 0; i < rank; i++)
    shape.dim[i] = SLUICE_UNKNOWN_DIM;
  return shape;
}

gboolean
sluice_shape_make (SluiceShape *shape, const gint64 *dims, gsize rank, GError **error)
{
  if (rank > SLUICE_MAX_RANK)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a shape of %" G_GSIZE_FORMAT " dimensions is over the limit of %d", rank,
                        SLUICE_MAX_RANK);

  SluiceShape result = { .rank = rank };
  gint64 product = 1;
  gboolean overflow = FALSE, empty = FALSE;
  for (gsize i = 0; i < rank; i++)
    {
      if (dims[i] < SLUICE_UNKNOWN_DIM)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "dimension %" G_GSIZE_FORMAT " is %" G_GINT64_FORMAT
                            "; it must be a size, or -1 for unknown",
                            i, dims[i]);
      result.dim[i] = dims[i];
      empty |= dims[i] == 0;
      if (dims[i] > 0)
        overflow |= __builtin_mul_overflow (product, dims[i], &product);
    }
  if (overflow && !empty)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a shape of %s has more elements than can be counted",
                        sluice_shape_str (&result, (char[SLUICE_SHAPE_STR]){ 0 }));
  *shape = result;
  return TRUE;
}

gboolean
sluice_shape_is_known (const SluiceShape *shape)
{
  if (shape->rank < 0)
    return FALSE;
  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] < 0)
      return FALSE;
  return TRUE;
}

gboolean
sluice_shape_equal (const SluiceShape *a, const SluiceShape *b)
{
  if (a->rank != b->rank)
    return FALSE;
  for (int i = 0; i < a->rank; i++)
    if (a->dim[i] != b->dim[i])
      return FALSE;
  return TRUE;
}

gboolean
sluice_shape_compatible (const SluiceShape *a, const SluiceShape *b)
{
  SluiceShape merged;
  return sluice_shape_merge (a, b, &merged);
}

gboolean
sluice_shape_merge (const SluiceShape *a, const SluiceShape *b, SluiceShape *out)
{
  if (a->rank < 0 || b->rank < 0)
    {
      *out = a->rank < 0 ? *b : *a;
      return TRUE;
    }
  if (a->rank != b->rank)
    return FALSE;

  SluiceShape merged = { .rank = a->rank };
  for (int i = 0; i < a->rank; i++)
    {
      if (a->dim[i] >= 0 && b->dim[i] >= 0 && a->dim[i] != b->dim[i])
        return FALSE;
      merged.dim[i] = MAX (a->dim[i], b->dim[i]);
    }
  *out = merged;
  return TRUE;
}

void
sluice_shape_widen (SluiceShape *shape, const SluiceShape *other)
{
  if (shape->rank != other->rank)
    *shape = SLUICE_SHAPE_UNKNOWN;
  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] != other->dim[i])
      shape->dim[i] = SLUICE_UNKNOWN_DIM;
}

gint64
sluice_shape_n_elements (const SluiceShape *shape)
{
  if (shape->rank < 0)
    return -1;
  gint64 n = 1;
  gboolean unknown = FALSE, overflow = FALSE;
  for (int i = 0; i < shape->rank; i++)
    {
      if (shape->dim[i] == 0)
        return 0;
      if (shape->dim[i] < 0)
        unknown = TRUE;
      else
        overflow |= __builtin_mul_overflow (n, shape->dim[i], &n);
    }
  if (unknown)
    return -1;
  return overflow ? G_MAXINT64 : n;
}

/* Sizes of one dimension, -1 unknown. An unknown size beside one over 1 must be that one, or 1. */
static gboolean
broadcast_dim (gint64 a, gint64 b, gint64 *out)
{
  if (a == b || b == 1)
    *out = a;
  else if (a == 1)
    *out = b;
  else if (a < 0 || b < 0)
    *out = MAX (a, b);
  else
    return FALSE;
  return TRUE;
}

gboolean
sluice_shape_broadcast (const SluiceShape *a, const SluiceShape *b, SluiceShape *out)
{
  if (a->rank < 0 || b->rank < 0)
    {
      *out = SLUICE_SHAPE_UNKNOWN;
      return TRUE;
    }

  SluiceShape result = { .rank = MAX (a->rank, b->rank) };
  for (int i = 0; i < result.rank; i++)
    {
      int ia = i - (result.rank - a->rank), ib = i - (result.rank - b->rank);
      if (!broadcast_dim (ia < 0 ? 1 : a->dim[ia], ib < 0 ? 1 : b->dim[ib], &result.dim[i]))
        return FALSE;
    }
  *out = result;
  return TRUE;
}

const char *
sluice_shape_str (const SluiceShape *shape, char buffer[SLUICE_SHAPE_STR])
{
  if (shape->rank < 0)
    {
      g_strlcpy (buffer, "<unknown>", SLUICE_SHAPE_STR);
      return buffer;
    }
  char *end = buffer;
  *end++ = '[';
  for (int i = 0; i < shape->rank; i++)
    {
      if (i > 0)
        *end++ = ',';
      if (shape->dim[i] < 0)
        *end++ = '?';
      else /* at most 19 digits: 8 dimensions fit */
        end += g_snprintf (end, 21, "%" G_GINT64_FORMAT, shape->dim[i]);
    }
  *end++ = ']';
  *end = '\0';
  return buffer;
}

char *
sluice_shape_to_string (const SluiceShape *shape)
{
  char buffer[SLUICE_SHAPE_STR];
  return g_strdup (sluice_shape_str (shape, buffer));
}
