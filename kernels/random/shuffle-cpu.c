/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/move.h"
#include "kernels/random/generator.h"

/* ---- RandomShuffle ---- */

typedef struct
{
  SluiceDType dtype;
  gsize size; /* bytes of an element */
  gint64 row; /* elements of a row */
  const gint64 *order;
  const char *from;
  char *to;
} Rows;

static void
copy_rows (gpointer data, gint64 begin, gint64 end)
{
  const Rows *rows = data;
  gsize bytes = rows->row * rows->size;
  for (gint64 i = begin; i < end; i++)
    sluice_elements_copy (rows->dtype, rows->to + i * bytes, rows->from + rows->order[i] * bytes,
                          rows->row);
}

/* Swaps each place but the last with a random one of those not before it. */
static void
permute (gint64 *order, gint64 n, const SluicePhilox *philox)
{
  SluiceWords words = sluice_words (philox);
  for (gint64 i = 0; i < n; i++)
    order[i] = i;
  for (gint64 i = 0; i < n - 1; i++)
    {
      gint64 other = i + sluice_words_next (&words) % (guint32) (n - i);
      gint64 swap = order[i];
      order[i] = order[other];
      order[other] = swap;
    }
}

/* Is there nothing to order? The input is the output then. */
static gboolean
pass_trivial (SluiceKernelCall *call)
{
  const SluiceTensor *in = sluice_call_input (call, 0);
  if (in->n_elements > 1 && in->shape.dim[0] > 1)
    return FALSE;
  sluice_call_forward (call, 0, 0);
  return TRUE;
}

static gboolean
check_rows (SluiceKernelCall *call)
{
  gint64 n = sluice_call_input (call, 0)->shape.dim[0];
  return n <= G_MAXUINT32
         || sluice_call_fail (call, SLUICE_ERROR_UNIMPLEMENTED,
                              "%" G_GINT64_FORMAT " rows are more than 32 random bits can order",
                              n);
}

static gboolean
shuffle (SluiceKernelCall *call, const SluicePhilox *philox)
{
  SluiceTensor *in = sluice_call_input (call, 0);
  gint64 n = in->shape.dim[0];
  SluiceTensor *out = sluice_call_output (call, 0, &in->shape);
  g_autoptr (SluiceTensor) order = sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (n));
  if (out == NULL || order == NULL)
    return FALSE;
  permute (order->data, n, philox);
  Rows rows = { .dtype = in->dtype,
                .size = sluice_dtype_size (in->dtype),
                .row = in->n_elements / n,
                .order = order->data,
                .from = in->data,
                .to = out->data };
  gint64 grain = MAX (1, 4096 / rows.row);
  return sluice_call_parallel_for (call, n, grain, 2 + 0.3 * (double) rows.row, copy_rows, &rows);
}

static gboolean
shuffle_compute (SluiceKernelCall *call)
{
  SluicePhilox philox;
  if (pass_trivial (call))
    return TRUE;
  gint64 n = sluice_call_input (call, 0)->shape.dim[0];
  return check_rows (call) && sluice_call_reserve_random (call, (n - 1 + 3) / 4, &philox)
         && shuffle (call, &philox);
}

static gboolean
stateless_shuffle_compute (SluiceKernelCall *call)
{
  SluicePhilox philox;
  gint64 algorithm;
  if (!sluice_call_keyed_random (call, 1, &philox, &algorithm)
      || !sluice_call_want_philox (call, algorithm))
    return FALSE;
  return pass_trivial (call) || (check_rows (call) && shuffle (call, &philox));
}

/* ---- RandomCrop ---- */

static gboolean
check_crop (SluiceKernelCall *call, gint64 size[2])
{
  const SluiceTensor *image = sluice_call_input (call, 0), *sizes = sluice_call_input (call, 1);
  if (!sluice_call_want_rank (call, 0, 3) || !sluice_call_want_rank (call, 1, 1))
    return FALSE;
  if (sizes->n_elements != 2)
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT,
        "size must hold a height and a width, not %" G_GINT64_FORMAT " numbers", sizes->n_elements);
  for (int i = 0; i < 2; i++)
    {
      size[i] = sluice_tensor_get_int (sizes, i);
      if (size[i] < 0 || size[i] > image->shape.dim[i])
        return sluice_call_fail (
            call, size[i] < 0 ? SLUICE_ERROR_INVALID_ARGUMENT : SLUICE_ERROR_FAILED_PRECONDITION,
            "the %s %" G_GINT64_FORMAT " must be between 0 and the image's, %" G_GINT64_FORMAT,
            i == 0 ? "height" : "width", size[i], image->shape.dim[i]);
    }
  return TRUE;
}

static gboolean
crop_compute (SluiceKernelCall *call)
{
  gint64 size[2] = { 0 };
  if (!check_crop (call, size))
    return FALSE;
  const SluiceTensor *image = sluice_call_input (call, 0);
  const gint64 *dim = image->shape.dim;
  SluicePhilox philox;
  SluiceTensor *out =
      sluice_call_output (call, 0, &SLUICE_SHAPE (size[0], size[1], image->shape.dim[2]));
  if (out == NULL || !sluice_call_reserve_random (call, 1, &philox))
    return FALSE;
  /* The column is drawn first; a dimension that leaves no choice draws nothing. */
  SluiceWords words = sluice_words (&philox);
  gint64 x = dim[1] > size[1] ? sluice_words_next (&words) % (dim[1] - size[1] + 1) : 0;
  gint64 y = dim[0] > size[0] ? sluice_words_next (&words) % (dim[0] - size[0] + 1) : 0;
  if (out->n_elements == 0)
    return TRUE;
  SluiceMove move = { 0 };
  sluice_move_add (&move, size[0], size[1] * dim[2], dim[1] * dim[2]);
  sluice_move_add (&move, size[1] * dim[2], 1, 1);
  const char *from = image->data;
  return sluice_move_run (call, image->dtype, &move, out->data,
                          from + (y * dim[1] + x) * dim[2] * sluice_dtype_size (image->dtype));
}

#define MOVER(name, function)                                                                      \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS,                           \
    .prepare = sluice_random_prepare, .free_state = g_free, .compute = function                    \
  }

static const SluiceKernel kernels[] = {
  MOVER ("RandomShuffle", shuffle_compute),
  MOVER ("RandomCrop", crop_compute),
  { .op = "StatelessShuffle",
    .device = "CPU",
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .compute = stateless_shuffle_compute },
};

const SluiceKernelModule sluice_module_random_shuffle_cpu = { .kernels = kernels,
                                                              .n_kernels = G_N_ELEMENTS (kernels) };
