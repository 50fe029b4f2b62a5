/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <type_traits>

#include "kernels/cuda/launch.h"

/* X (dtype, type in memory) for each target of a source. */
#define NUMBERS(X, ...)                                                                            \
  X (FLOAT, float, __VA_ARGS__)                                                                    \
  X (DOUBLE, double, __VA_ARGS__)                                                                  \
  X (INT32, gint32, __VA_ARGS__)                                                                   \
  X (UINT8, guint8, __VA_ARGS__)                                                                   \
  X (INT16, gint16, __VA_ARGS__)                                                                   \
  X (INT8, gint8, __VA_ARGS__)                                                                     \
  X (INT64, gint64, __VA_ARGS__)                                                                   \
  X (UINT16, guint16, __VA_ARGS__)                                                                 \
  X (UINT32, guint32, __VA_ARGS__)                                                                 \
  X (UINT64, guint64, __VA_ARGS__)                                                                 \
  X (HALF, SluiceHalf, __VA_ARGS__)                                                                \
  X (BFLOAT16, SluiceBfloat, __VA_ARGS__)                                                          \
  X (BOOL, SluiceTruth, __VA_ARGS__)

struct SluiceTruth
{
  guint8 value;
};

/* The integer that a float becomes before it wraps, as x86 converts it: the next wider one, and
 * its lowest value for what does not fit or is not a number. */
template <typename WIDE, typename W>
SLUICE_DEVICE WIDE
convert_as_x86 (W x)
{
  const W limit = (W) ((guint64) 1 << (8 * sizeof (WIDE) - 1));
  const WIDE lowest = (WIDE) ((guint64) 1 << (8 * sizeof (WIDE) - 1));
  return x >= -limit && x < limit ? (WIDE) x : lowest;
}

/* gcc's way to uint64: what is above 2^63 is moved down first. */
template <typename W>
SLUICE_DEVICE guint64
convert_to_u64 (W x)
{
  const W limit = (W) ((guint64) 1 << 63);
  if (x >= limit)
    return (guint64) convert_as_x86<gint64> (x - limit) ^ (guint64) 1 << 63;
  return (guint64) convert_as_x86<gint64> (x);
}

template <typename TO, typename W>
SLUICE_DEVICE TO
convert (W x)
{
  if constexpr (!std::is_floating_point<W>::value || std::is_floating_point<TO>::value)
    return (TO) x;
  else if constexpr (std::is_same<TO, guint64>::value)
    return convert_to_u64 (x);
  else if constexpr (sizeof (TO) == 8 || std::is_same<TO, guint32>::value)
    return (TO) convert_as_x86<gint64> (x);
  else
    return (TO) convert_as_x86<gint32> (x);
}

SLUICE_DEVICE guint8
sluice_wide (SluiceTruth x)
{
  return x.value;
}

template <typename TO, typename W>
SLUICE_DEVICE void
put_cast (TO *to, W x)
{
  *to = convert<TO> (x);
}
template <typename W>
SLUICE_DEVICE void
put_cast (SluiceTruth *to, W x)
{
  to->value = x != 0;
}
template <typename W>
SLUICE_DEVICE void
put_cast (SluiceHalf *to, W x)
{
  sluice_put (to, (float) x);
}
template <typename W>
SLUICE_DEVICE void
put_cast (SluiceBfloat *to, W x)
{
  sluice_put (to, (float) x);
}

template <typename FROM, typename TO>
static void
launch_cast (gint64 n, const void *from_, void *to_)
{
  const FROM *from = (const FROM *) from_;
  TO *to = (TO *) to_;
  sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) { put_cast (&to[i], sluice_wide (from[i])); });
}

typedef struct
{
  SluiceDType from, to;
  void (*launch) (gint64 n, const void *from, void *to);
} Cast;

#define CAST(to_name, TO, from_name, FROM)                                                         \
  { SLUICE_##from_name, SLUICE_##to_name, launch_cast<FROM, TO> },
static const Cast casts[] = {
  /* clang-format off */
  NUMBERS (CAST, FLOAT, float)
  NUMBERS (CAST, DOUBLE, double)
  NUMBERS (CAST, INT32, gint32)
  NUMBERS (CAST, UINT8, guint8)
  NUMBERS (CAST, INT16, gint16)
  NUMBERS (CAST, INT8, gint8)
  NUMBERS (CAST, INT64, gint64)
  NUMBERS (CAST, UINT16, guint16)
  NUMBERS (CAST, UINT32, guint32)
  NUMBERS (CAST, UINT64, guint64)
  NUMBERS (CAST, HALF, SluiceHalf)
  NUMBERS (CAST, BFLOAT16, SluiceBfloat)
  NUMBERS (CAST, BOOL, SluiceTruth)
  /* clang-format on */
};

static const Cast *
find_cast (SluiceDType from, SluiceDType to)
{
  for (guint i = 0; i < G_N_ELEMENTS (casts); i++)
    if (casts[i].from == from && casts[i].to == to)
      return &casts[i];
  return NULL;
}

static gboolean
cast_compute (SluiceKernelCall *call)
{
  const SluiceTensor *x = sluice_call_input (call, 0);
  const Cast *cast = (const Cast *) call->state;
  if (cast == NULL)
    {
      sluice_call_forward (call, 0, 0);
      return TRUE;
    }
  SluiceTensor *y = sluice_call_output (call, 0, &x->shape);
  if (y == NULL || y->n_elements == 0)
    return y != NULL;
  if (!sluice_cuda_begin (call))
    return FALSE;
  const void *from = sluice_cuda_tensor (x, SLUICE_CUDA_READ);
  void *to = sluice_cuda_tensor (y, SLUICE_CUDA_WRITE);
  if (from != NULL && to != NULL)
    cast->launch (y->n_elements, from, to);
  return sluice_cuda_end (call);
}

/* NULL: nothing changes. */
static gpointer
cast_prepare (const SluiceNode *node, GError **error)
{
  SluiceDType from = sluice_node_get_type (node, "SrcT"), to = sluice_node_get_type (node, "DstT");
  return from == to ? NULL : (gpointer) find_cast (from, to);
}

/* Complex numbers, and mantissas that are cut (Truncate), are the CPU's. */
static gboolean
cast_accepts (const SluiceNode *node)
{
  SluiceDType from = sluice_node_get_type (node, "SrcT"), to = sluice_node_get_type (node, "DstT");
  return from == to || (!sluice_node_get_bool (node, "Truncate") && find_cast (from, to) != NULL);
}

static const SluiceKernel kernels[] = {
  { .op = "Cast",
    .device = "CUDA",
    .prepare = cast_prepare,
    .accepts = cast_accepts,
    .compute = cast_compute },
};

extern "C" const SluiceKernelModule sluice_module_array_cast_cuda = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
