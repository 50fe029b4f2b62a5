/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/* What ops on strings share. */

/* Element i of whatever data stands for. FALSE: error is set, where it is not NULL. */
typedef gboolean (*SluiceEachFunc) (gpointer data, gint64 i, GError **error);

/**
 * sluice_call_each:
 *
 * Calls func for 0 … n-1 on the pool's threads. Where some fail, the call fails with the error of
 * the lowest one, its number in front; func runs again for it to say what is wrong.
 */
gboolean sluice_call_each (
    SluiceKernelCall *call, gint64 n, double unit_ns, SluiceEachFunc func, gpointer data);

/* What an element-wise op on strings hands to sluice_call_each(). */
typedef struct
{
  const SluiceString *in;
  SluiceTensor *out;
  gconstpointer state;
} SluiceTextMap;

/* Output 0 in the shape of input 0, each element by func on a SluiceTextMap. */
gboolean sluice_call_map_text (SluiceKernelCall *call,
                               gconstpointer state,
                               double unit_ns,
                               SluiceEachFunc func);

/* For loops outside of that one. TRUE: the call has failed with CANCELLED. */
gboolean sluice_call_stopped (SluiceKernelCall *call);

/* Element i of a tensor of strings. */
static inline SluiceString *
sluice_tensor_get_string (const SluiceTensor *self, gint64 i)
{
  return (SluiceString *) self->data + i;
}

/* Element i of an int32 or int64 tensor. */
static inline void
sluice_tensor_put_int (SluiceTensor *self, gint64 i, gint64 value)
{
  if (self->dtype == SLUICE_INT64)
    ((gint64 *) self->data)[i] = value;
  else
    ((gint32 *) self->data)[i] = (gint32) value;
}

/* The bytes that were put together become the element's. (transfer full) text */
void sluice_string_take_text (SluiceString *self, GString *text);

/* Up to 60 bytes of it for a message, with what is not printable escaped. (transfer full) */
char *sluice_string_quote (const SluiceString *self);

/* As C text, up to a zero byte. (transfer full) */
char *sluice_string_dup_text (const SluiceString *self);

/* An attribute as C text. (transfer full) */
char *sluice_node_dup_text (const SluiceNode *node, const char *name);

/**
 * sluice_utf8_next:
 *
 * Reads a character at *at and moves on. What is no UTF-8 is taken in the longest pieces that begin
 * a character (Unicode 3.9, "maximal subpart"), as ICU does.
 *
 * Returns: the character; -1 for such a piece
 */
gint32 sluice_utf8_next (const guint8 **at, const guint8 *end);

/* ASCII's white space, whatever the locale. */
static inline gboolean
sluice_is_space (char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}
