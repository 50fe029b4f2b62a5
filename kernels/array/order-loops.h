/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Selection and search in a row, a template of order-cpu.c. It is given T, the type in memory, and
 * NAME (x); where that is no number, N, the type of one, and VALUE (x), which makes it.
 */
#ifdef __clang__ /* x != x of whole numbers, too */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wtautological-compare"
#endif
#ifndef N
#define N        T
#define VALUE(x) (x)
#endif

static inline gboolean
NAME (before) (const T *row, gint64 a, gint64 b, gboolean smallest)
{
  const N x = VALUE (row[a]), y = VALUE (row[b]);
  if (x == y || (x != x && y != y))
    return a < b;
  return y != y || (x == x && (smallest ? x < y : x > y));
}

/* Lets the place at the root of a heap sink to where it belongs. */
static inline void
NAME (sink) (const T *row, gint64 *heap, gint64 k, gint64 root, gboolean smallest)
{
  gint64 place = heap[root];
  for (gint64 child; (child = 2 * root + 1) < k; root = child)
    {
      if (child + 1 < k && NAME (before) (row, heap[child], heap[child + 1], smallest))
        child++;
      if (!NAME (before) (row, place, heap[child], smallest))
        break;
      heap[root] = heap[child];
    }
  heap[root] = place;
}

static void
NAME (select) (
    const void *data, gint64 n, gint64 k, gboolean smallest, gboolean sorted, gint64 *heap)
{
  const T *row = data;
  for (gint64 i = 0; i < k; i++)
    heap[i] = i;
  for (gint64 i = k / 2 - 1; i >= 0; i--)
    NAME (sink) (row, heap, k, i, smallest);
  for (gint64 i = k; i < n; i++)
    if (NAME (before) (row, i, heap[0], smallest))
      {
        heap[0] = i;
        NAME (sink) (row, heap, k, 0, smallest);
      }
  for (gint64 i = k - 1; sorted && i > 0; i--)
    {
      gint64 last = heap[0];
      heap[0] = heap[i];
      heap[i] = last;
      NAME (sink) (row, heap, i, 0, smallest);
    }
}

static gint64
NAME (bound) (const void *data, gint64 n, const void *values, gint64 i, gboolean upper)
{
  const T *row = data;
  const N value = VALUE (((const T *) values)[i]);
  gint64 low = 0, high = n;
  while (low < high)
    {
      gint64 middle = low + (high - low) / 2;
      const N x = VALUE (row[middle]);
      if (upper ? !(value < x) : x < value)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

#undef T
#undef N
#undef VALUE
#undef NAME
#ifdef __clang__
#pragma clang diagnostic pop
#endif
