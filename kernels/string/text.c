/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/string/text.h"

/* A chunk is worth about this much work. */
#define CHUNK_NS 20000.0

typedef struct
{
  SluiceEachFunc func;
  gpointer data;
  _Atomic gint64 failed; /* the lowest element that failed; G_MAXINT64: none */
} Each;

static void
run_each (gpointer data, gint64 begin, gint64 end)
{
  Each *each = data;
  for (gint64 i = begin; i < end; i++)
    if (!each->func (each->data, i, NULL))
      {
        gint64 lowest = atomic_load (&each->failed);
        while (i < lowest && !atomic_compare_exchange_weak (&each->failed, &lowest, i))
          ;
        return;
      }
}

gboolean
sluice_call_each (
    SluiceKernelCall *call, gint64 n, double unit_ns, SluiceEachFunc func, gpointer data)
{
  Each each = { func, data, G_MAXINT64 };
  gint64 grain = MAX (1, (gint64) (CHUNK_NS / unit_ns));
  if (!sluice_call_parallel_for (call, n, grain, unit_ns, run_each, &each))
    return FALSE;
  gint64 failed = atomic_load (&each.failed);
  if (failed == G_MAXINT64)
    return TRUE;
  g_autoptr (GError) error = NULL;
  func (data, failed, &error);
  g_assert (error != NULL);
  return sluice_call_fail (call, error->code, "element %" G_GINT64_FORMAT ": %s", failed,
                           error->message);
}

gboolean
sluice_call_map_text (SluiceKernelCall *call,
                      gconstpointer state,
                      double unit_ns,
                      SluiceEachFunc func)
{
  SluiceTensor *in = sluice_call_input (call, 0);
  SluiceTextMap map = { in->data, sluice_call_output (call, 0, &in->shape), state };
  return map.out != NULL && sluice_call_each (call, in->n_elements, unit_ns, func, &map);
}

gboolean
sluice_call_stopped (SluiceKernelCall *call)
{
  if (call->cancelled == NULL || !atomic_load_explicit (call->cancelled, memory_order_relaxed))
    return FALSE;
  sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "the run was cancelled");
  return TRUE;
}

void
sluice_string_take_text (SluiceString *self, GString *text)
{
  gsize length = text->len;
  sluice_string_take (self, g_string_free (text, FALSE), length);
}

char *
sluice_string_dup_text (const SluiceString *self)
{
  return g_strndup (self->data ? self->data : "", self->length);
}

char *
sluice_string_quote (const SluiceString *self)
{
  const gsize most = 60;
  g_autofree char *head =
      sluice_string_dup_text (&(SluiceString){ self->data, MIN (self->length, most) });
  g_autofree char *escaped = g_strescape (head, NULL);
  return g_strdup_printf ("\"%s\"%s", escaped, self->length > most ? "…" : "");
}

char *
sluice_node_dup_text (const SluiceNode *node, const char *name)
{
  return sluice_string_dup_text (sluice_node_get_string (node, name));
}

gint32
sluice_utf8_next (const guint8 **at, const guint8 *end)
{
  guint8 first = *(*at)++;
  if (first < 0x80)
    return first;
  if (first < 0xc2 || first > 0xf4)
    return -1;
  guint more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  gint32 c = first & (0x3f >> more);
  /* The first continuation byte is where overlong forms, surrogates and what lies over U+10FFFF
   * show. */
  guint8 low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  guint8 high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  for (; more > 0; more--, low = 0x80, high = 0xbf)
    {
      if (*at == end || **at < low || **at > high)
        return -1;
      c = c << 6 | (*(*at)++ & 0x3f);
    }
  return c;
}
