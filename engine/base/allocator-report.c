/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Who holds how much of an allocator's memory, in numbers and in words. */
#include "engine/base/allocator.h"
#include "engine/base/dtype.h"
#include "engine/base/residency.h"

static const char *const class_names[SLUICE_N_MEMORY_CLASSES] = {
  "other",    "parameter", "gradient", "activation", "optimizer", "temporary",
  "transfer", "workspace", "stack",    "array",      "queue",
};

const char *
sluice_memory_class_name (SluiceMemoryClass memory_class)
{
  g_return_val_if_fail (memory_class < SLUICE_N_MEMORY_CLASSES, "?");
  return class_names[memory_class];
}

/* ---- holders ---- */

static gint
compare_owners (gconstpointer a, gconstpointer b)
{
  const SluiceMemoryHolder *x = a, *y = b;
  if (x->owner.node != y->owner.node)
    return x->owner.node < y->owner.node ? -1 : 1;
  return (x->owner.memory_class > y->owner.memory_class)
         - (x->owner.memory_class < y->owner.memory_class);
}

static gint
compare_sizes (gconstpointer a, gconstpointer b)
{
  const SluiceMemoryHolder *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return compare_owners (a, b);
}

void
sluice_memory_holders_merge (GArray *holders)
{
  g_array_sort (holders, compare_owners);
  guint n = 0;
  for (guint i = 0; i < holders->len; i++)
    {
      SluiceMemoryHolder *from = &g_array_index (holders, SluiceMemoryHolder, i);
      SluiceMemoryHolder *last = n ? &g_array_index (holders, SluiceMemoryHolder, n - 1) : NULL;
      if (!last || compare_owners (last, from) != 0)
        {
          g_array_index (holders, SluiceMemoryHolder, n++) = *from;
          continue;
        }
      last->bytes += from->bytes;
      last->n_blocks += from->n_blocks;
      if (from->largest_bytes > last->largest_bytes)
        {
          last->largest_bytes = from->largest_bytes;
          last->largest = from->largest;
        }
    }
  g_array_set_size (holders, n);
  g_array_sort (holders, compare_sizes);
}

char *
sluice_block_label_to_string (const SluiceBlockLabel *label)
{
  if (label->dtype == SLUICE_INVALID)
    return NULL;
  guint n = MIN (label->rank, (int) G_N_ELEMENTS (label->dims));
  GString *text = g_string_new (sluice_dtype_name (label->dtype));
  g_string_append (text, label->rank > (int) n ? " […," : " [");
  for (guint i = 0; i < n; i++)
    {
      const char *comma = i > 0 ? "," : "";
      if (label->dims[i] == G_MAXUINT32)
        g_string_append_printf (text, "%s…", comma);
      else
        g_string_append_printf (text, "%s%u", comma, label->dims[i]);
    }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

/* ---- what a message says where memory lacks ---- */

#define N_NAMED 10 /* holders */

static void
append_holder (GString *message, SluiceAllocator *allocator, const SluiceMemoryHolder *holder)
{
  g_autofree char *size = g_format_size_full (holder->bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *name = sluice_allocator_dup_node_name (allocator, holder->owner.node);
  g_autofree char *label = sluice_block_label_to_string (&holder->largest);
  g_string_append_printf (message, "%s (%s) %s", name != NULL ? name : "no node",
                          sluice_memory_class_name (holder->owner.memory_class), size);
  if (holder->n_blocks > 1)
    g_string_append_printf (message, " in %u blocks", holder->n_blocks);
  if (label != NULL)
    g_string_append_printf (message, "%s %s", holder->n_blocks > 1 ? " up to" : " of", label);
}

/* What to change, by what most of the memory is used for. */
static const char *
advise (SluiceMemoryClass most)
{
  switch (most)
    {
    case SLUICE_MEMORY_PARAMETER:
    case SLUICE_MEMORY_OPTIMIZER:
      return "a smaller model, or an optimizer that keeps less beside each parameter";
    case SLUICE_MEMORY_STACK:
      return "a smaller batch, fewer iterations, or swap_memory=true in the loop, which lets what "
             "its gradient needs leave the memory";
    case SLUICE_MEMORY_QUEUE:
      return "a smaller capacity of the queue";
    default:
      return "a smaller batch";
    }
}

static SluiceMemoryClass
find_largest_class (const GArray *holders)
{
  gsize bytes[SLUICE_N_MEMORY_CLASSES] = { 0 };
  SluiceMemoryClass most = SLUICE_MEMORY_OTHER;
  for (guint i = 0; i < holders->len; i++)
    {
      const SluiceMemoryHolder *holder = &g_array_index (holders, SluiceMemoryHolder, i);
      bytes[holder->owner.memory_class] += holder->bytes;
    }
  for (guint i = 0; i < SLUICE_N_MEMORY_CLASSES; i++)
    if (bytes[i] > bytes[most])
      most = i;
  return most;
}

void
sluice_allocator_explain_shortage (SluiceAllocator *self,
                                   GString *message,
                                   gsize bytes,
                                   SluiceMemoryClass memory_class)
{
  gsize limit = sluice_allocator_get_limit (self);
  g_autoptr (GArray) holders = sluice_allocator_dup_holders (self);
  gsize live = 0;
  for (guint i = 0; i < holders->len; i++)
    live += g_array_index (holders, SluiceMemoryHolder, i).bytes;
  g_autofree char *limit_text = g_format_size_full (limit, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *live_text = g_format_size_full (live, G_FORMAT_SIZE_IEC_UNITS);
  SluiceResidency *residency = sluice_allocator_get_residency (self);
  gsize needed =
      residency != NULL ? MAX (sluice_residency_get_needed (residency), bytes) : live + bytes;
  g_autofree char *enough = g_format_size_full (needed, G_FORMAT_SIZE_IEC_UNITS);
  g_string_append_printf (message, ": %s may use %s, and %s are in use",
                          sluice_allocator_get_name (self), limit_text, live_text);
  for (guint i = 0; i < MIN (holders->len, N_NAMED); i++)
    {
      g_string_append (message, i == 0 ? "; the largest holders are " : ", ");
      append_holder (message, self, &g_array_index (holders, SluiceMemoryHolder, i));
    }
  g_autofree char *elsewhere = sluice_allocator_describe_reclaim (self);
  if (elsewhere != NULL)
    g_string_append_printf (message, "; %s", elsewhere);
  if (bytes > limit)
    g_string_append_printf (message, "; this alone is more than the limit");
  /* No limit makes a device larger than it is. */
  gboolean is_all = sluice_allocator_get_source_bytes (self) == limit;
  g_string_append_printf (message, "; it would fit %s %s; else change the graph: %s",
                          is_all ? "in a device of" : "with a limit of", enough,
                          advise (bytes > live ? memory_class : find_largest_class (holders)));
}

void
sluice_ledger_free (SluiceLedger *self)
{
  g_array_unref (self->holders);
  g_free (self);
}
