/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/array/move.h"
#include "kernels/array/repeat.h"
#include "kernels/array/rows.h"
#include "kernels/state/change.h"

/* State: how far the mirror stands inside the edge: 1 where the edge itself is not repeated. */
static gpointer
mode_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (sluice_node_string_is (node, "mode", "REFLECT") ? 1 : 0);
}

/* A mirror image is no longer than what it is of. */
static gboolean
check_edges (SluiceKernelCall *call, int dim, gint64 size, gint64 before, gint64 after)
{
  gint64 most = size - GPOINTER_TO_INT (call->state);
  return (before <= most && after <= most)
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "dimension %d has %" G_GINT64_FORMAT
                              " elements, too few to be mirrored by %" G_GINT64_FORMAT
                              " and %" G_GINT64_FORMAT,
                              dim, size, before, after);
}

/* ---- MirrorPad ---- */

/* Every dimension falls into three pieces: before, the input, after. One nest for each combination
 * of pieces that are not empty. */
static gboolean
move_pieces (SluiceKernelCall *call, const gint64 *before, SluiceTensor *out)
{
  const SluiceTensor *input = sluice_call_input (call, 0);
  int rank = out->shape.rank, inside = GPOINTER_TO_INT (call->state);
  gint64 to_strides[SLUICE_MAX_RANK], from_strides[SLUICE_MAX_RANK];
  guint n_pieces = 1;
  gsize element = sluice_dtype_size (out->dtype);
  sluice_move_strides (&out->shape, to_strides);
  sluice_move_strides (&input->shape, from_strides);
  for (int i = 0; i < rank; i++)
    n_pieces *= 3;
  for (guint number = 0; number < n_pieces; number++)
    {
      SluiceMove move = { 0 };
      gint64 to = 0, from = 0;
      gboolean empty = FALSE;
      guint left = number;
      for (int i = 0; i < rank && !empty; i++)
        {
          gint64 n = input->shape.dim[i];
          const struct
          {
            gint64 size, to, from, step;
          } pieces[] = {
            { before[i], 0, before[i] - 1 + inside, -1 },
            { n, before[i], 0, 1 },
            { out->shape.dim[i] - n - before[i], before[i] + n, n - 1 - inside, -1 },
          },
            *piece = &pieces[left % 3];
          left /= 3;
          empty = piece->size == 0;
          to += piece->to * to_strides[i];
          from += piece->from * from_strides[i];
          sluice_move_add (&move, piece->size, to_strides[i], piece->step * from_strides[i]);
        }
      if (!empty
          && !sluice_move_run (call, out->dtype, &move, (char *) out->data + to * element,
                               (const char *) input->data + from * element))
        return FALSE;
    }
  return TRUE;
}

static gboolean
mirror_pad_compute (SluiceKernelCall *call)
{
  const SluiceShape *input = &sluice_call_input (call, 0)->shape;
  gint64 before[SLUICE_MAX_RANK];
  SluiceShape shape;
  if (!sluice_call_paddings (call, before, &shape))
    return FALSE;
  for (int i = 0; i < shape.rank; i++)
    if (!check_edges (call, i, input->dim[i], before[i], shape.dim[i] - input->dim[i] - before[i]))
      return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  return out != NULL && (out->n_elements == 0 || move_pieces (call, before, out));
}

/* ---- MirrorPadGrad ---- */

typedef struct
{
  SluiceChangeFunc add;
  gint64 size, inner; /* of the dimension that is folded; elements behind it */
  gint64 before, after;
  int inside;
  gsize element;
  char *data;
} Fold;

static void
fold_edges (gpointer data, gint64 begin, gint64 end)
{
  const Fold *f = data;
  gsize row = f->inner * f->element;
  gint64 last = f->size - f->after - 1; /* of the input */
  for (gint64 outer = begin; outer < end; outer++)
    {
      char *rows = f->data + outer * f->size * row;
      for (gint64 k = 0; k < f->before; k++)
        f->add (rows + (2 * f->before - 1 + f->inside - k) * row, rows + k * row, f->inner);
      for (gint64 k = 0; k < f->after; k++)
        f->add (rows + (last - f->inside - k) * row, rows + (last + 1 + k) * row, f->inner);
    }
}

/* Folds one dimension after the other, in place. */
static gboolean
fold_all (SluiceKernelCall *call, SluiceTensor *sum, const gint64 *before, const SluiceShape *kept)
{
  for (int i = 0; i < sum->shape.rank; i++)
    {
      SluiceAxisSplit split = sluice_axis_split (&sum->shape, i);
      Fold fold = {
        .add = sluice_change_func (sum->dtype, SLUICE_CHANGE_ADD),
        .size = split.size,
        .inner = split.inner,
        .before = before[i],
        .after = split.size - kept->dim[i] - before[i],
        .inside = GPOINTER_TO_INT (call->state),
        .element = sluice_dtype_size (sum->dtype),
        .data = sum->data,
      };
      gint64 n_rows = fold.before + fold.after;
      gsize bytes = n_rows * fold.inner * fold.element;
      if (n_rows > 0
          && !sluice_call_parallel_for (call, split.outer, sluice_row_grain (bytes),
                                        2 * n_rows + sluice_row_ns (bytes), fold_edges, &fold))
        return FALSE;
    }
  return TRUE;
}

static gboolean
mirror_pad_grad_compute (SluiceKernelCall *call)
{
  SluiceTensor *input = sluice_call_input (call, 0);
  gint64 before[SLUICE_MAX_RANK], strides[SLUICE_MAX_RANK], dense[SLUICE_MAX_RANK], offset = 0;
  SluiceShape padded, kept = input->shape;
  if (!sluice_call_paddings (call, before, &padded))
    return FALSE;
  for (int i = 0; i < kept.rank; i++)
    {
      gint64 after = padded.dim[i] - input->shape.dim[i] - before[i];
      if (before[i] >= kept.dim[i] || after >= kept.dim[i] - before[i])
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "dimension %d, of %" G_GINT64_FORMAT
                                 ", is not padded by %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT,
                                 i, kept.dim[i], before[i], after);
      kept.dim[i] -= before[i] + after;
      if (!check_edges (call, i, kept.dim[i], before[i], after))
        return FALSE;
    }
  if (sluice_shape_equal (&kept, &input->shape))
    {
      sluice_call_forward (call, 0, 0);
      return TRUE;
    }
  SluiceTensor *out = sluice_call_output (call, 0, &kept);
  g_autoptr (SluiceTensor) sum = sluice_call_scratch (call, input->dtype, &input->shape);
  if (out == NULL || sum == NULL
      || !sluice_move_block (call, sum->dtype, sum->data, input->data, sum->n_elements)
      || !fold_all (call, sum, before, &kept))
    return FALSE;
  SluiceMove move = { 0 };
  sluice_move_strides (&input->shape, strides);
  sluice_move_strides (&kept, dense);
  for (int i = 0; i < kept.rank; i++)
    {
      sluice_move_add (&move, kept.dim[i], dense[i], strides[i]);
      offset += before[i] * strides[i];
    }
  return sluice_move_run (call, out->dtype, &move, out->data,
                          (const char *) sum->data + offset * sluice_dtype_size (out->dtype));
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("MirrorPad", .prepare = mode_prepare, .compute = mirror_pad_compute),
  { .op = "MirrorPadGrad",
    .device = "CPU",
    .where = { { "T", SLUICE_SET_NUMBER } },
    .prepare = mode_prepare,
    .compute = mirror_pad_grad_compute },
};

const SluiceKernelModule sluice_module_array_mirror_pad_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
