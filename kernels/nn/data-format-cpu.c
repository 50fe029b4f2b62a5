/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "engine/device/kernel.h"

#define MAX_LETTERS 5

/* Where each letter of the source format stands in the target's. */
typedef struct
{
  int n;
  int place[MAX_LETTERS];
} Order;

typedef struct
{
  Order all, spatial; /* spatial: of the letters D, H and W alone */
} State;

static gboolean
order_make (Order *self, const char *from, gsize n_from, const char *to, gsize n_to)
{
  gboolean taken[MAX_LETTERS] = { FALSE };
  self->n = (int) n_from;
  for (gsize i = 0; i < n_from; i++)
    {
      const char *found = memchr (to, from[i], n_to);
      if (found == NULL || taken[found - to])
        return FALSE;
      self->place[i] = (int) (found - to);
      taken[found - to] = TRUE;
    }
  return n_from == n_to;
}

static gsize
spatial_letters (const SluiceString *format, char letters[MAX_LETTERS])
{
  gsize n = 0;
  for (gsize i = 0; i < format->length; i++)
    if (memchr ("DHW", format->data[i], 3))
      letters[n++] = format->data[i];
  return n;
}

static gpointer
format_prepare (const SluiceNode *node, GError **error)
{
  const SluiceString *from = sluice_node_get_string (node, "src_format");
  const SluiceString *to = sluice_node_get_string (node, "dst_format");
  State *state = g_new0 (State, 1);
  if (from->length == to->length && (to->length == 4 || to->length == MAX_LETTERS)
      && order_make (&state->all, from->data, from->length, to->data, to->length))
    {
      char from_letters[MAX_LETTERS], to_letters[MAX_LETTERS];
      gsize n_from = spatial_letters (from, from_letters), n_to = spatial_letters (to, to_letters);
      order_make (&state->spatial, from_letters, n_from, to_letters, n_to);
      return state;
    }
  g_free (state);
  sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                    "src_format and dst_format must be the same 4 or 5 letters in two orders");
  return NULL;
}

static void
set_int (SluiceTensor *tensor, gint64 i, gint64 value)
{
  if (tensor->dtype == SLUICE_INT64)
    ((gint64 *) tensor->data)[i] = value;
  else
    ((gint32 *) tensor->data)[i] = (gint32) value;
}

/* Numbers out of range are counted round, as in TensorFlow. */
static gboolean
dim_map_compute (SluiceKernelCall *call)
{
  const Order *order = &((const State *) call->state)->all;
  const SluiceTensor *x = sluice_call_input (call, 0);
  SluiceTensor *y = sluice_call_output (call, 0, &x->shape);
  if (y == NULL)
    return FALSE;
  for (gint64 i = 0; i < x->n_elements; i++)
    {
      gint64 rest = sluice_tensor_get_int (x, i) % order->n;
      set_int (y, i, order->place[rest < 0 ? rest + order->n : rest]);
    }
  return TRUE;
}

static gboolean
vec_permute_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  const SluiceTensor *x = sluice_call_input (call, 0);
  int n = state->all.n, rank = x->shape.rank;
  gint64 rows = rank > 0 ? x->shape.dim[0] : 0, columns = rank == 2 ? x->shape.dim[1] : 1;
  char text[SLUICE_SHAPE_STR];
  if (rank < 1 || rank > 2 || (rows != n && rows != n - 2) || (rank == 2 && columns != 2))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "x must have shape [%d], [%d], [%d,2] or [%d,2], not %s", n - 2, n,
                             n - 2, n, sluice_shape_str (&x->shape, text));
  const Order *order = rows == n ? &state->all : &state->spatial;
  if (order->n != rows)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "a format without H and W has no spatial sizes");
  SluiceTensor *y = sluice_call_output (call, 0, &x->shape);
  if (y == NULL)
    return FALSE;
  for (gint64 i = 0; i < rows; i++)
    for (gint64 c = 0; c < columns; c++)
      set_int (y, order->place[i] * columns + c, sluice_tensor_get_int (x, i * columns + c));
  return TRUE;
}

#define KERNEL(name, function)                                                                     \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SLUICE_SET_INDEX } },                           \
    .flags = SLUICE_KERNEL_CHEAP, .prepare = format_prepare, .free_state = g_free,                 \
    .compute = function                                                                            \
  }
static const SluiceKernel kernels[] = {
  KERNEL ("DataFormatDimMap", dim_map_compute),
  KERNEL ("DataFormatVecPermute", vec_permute_compute),
};

const SluiceKernelModule sluice_module_nn_data_format_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
