/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/array/move.h"
#include "kernels/array/rows.h"

static const guint8 zero[16];

/* ---- Diag, DiagPart ---- */

static gboolean
move_diagonal (SluiceKernelCall *call, SluiceTensor *out, gint64 n, gint64 to, gint64 from)
{
  SluiceMove move = { 0 };
  sluice_move_add (&move, n, to, from);
  return sluice_move_run (call, out->dtype, &move, out->data, sluice_call_input (call, 0)->data);
}

static gboolean
diag_compute (SluiceKernelCall *call)
{
  const SluiceTensor *input = sluice_call_input (call, 0);
  gint64 dims[2 * SLUICE_MAX_RANK];
  int rank = input->shape.rank;
  SluiceShape shape;
  if (rank < 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the diagonal must have a dimension, but it is a scalar");
  for (int i = 0; i < rank; i++)
    dims[i] = dims[rank + i] = input->shape.dim[i];
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (&shape, dims, 2 * rank, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  return out != NULL && sluice_move_fill (call, out->dtype, out->data, zero, out->n_elements)
         && move_diagonal (call, out, input->n_elements, input->n_elements + 1, 1);
}

static gboolean
diag_part_compute (SluiceKernelCall *call)
{
  SluiceShape shape = sluice_call_input (call, 0)->shape;
  int half = shape.rank / 2;
  gboolean is_square = shape.rank > 0 && shape.rank % 2 == 0;
  for (int i = 0; is_square && i < half; i++)
    is_square = shape.dim[i] == shape.dim[half + i];
  if (!is_square)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "an input of shape %s is no dimensions twice over",
                             sluice_shape_str (&shape, (char[SLUICE_SHAPE_STR]){ 0 }));
  shape.rank = half;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  return out != NULL && move_diagonal (call, out, out->n_elements, 1, out->n_elements + 1);
}

/* ---- bands of diagonals ---- */

typedef struct
{
  gint64 lower, upper;
  gint64 rows, columns; /* of a matrix */
  gint64 longest;       /* elements in a row of the diagonals */
} Band;

/* State: which diagonals stand at the left of their rows, not at the right. */
enum
{
  LEFT_ABOVE = 1 << 0,
  LEFT_BELOW = 1 << 1,
};

static gpointer
align_prepare (const SluiceNode *node, GError **error)
{
  if (sluice_op_find_attr (node->op, "align") == NULL)
    return GINT_TO_POINTER (LEFT_ABOVE | LEFT_BELOW);
  const SluiceString *align = sluice_node_get_string (node, "align");
  gboolean above = g_str_has_prefix (align->data, "LEFT_");
  gboolean below = sluice_node_string_is (node, "align", "LEFT_LEFT")
                   || sluice_node_string_is (node, "align", "RIGHT_LEFT");
  return GINT_TO_POINTER ((above ? LEFT_ABOVE : 0) | (below ? LEFT_BELOW : 0));
}

/* Input `input` holds the band; without it (0), it is the main diagonal. */
static gboolean
read_band (SluiceKernelCall *call, guint input, Band *band)
{
  *band = (Band){ 0 };
  if (input == 0)
    return TRUE;
  const SluiceTensor *k = sluice_call_input (call, input);
  if (k->shape.rank > 1 || k->n_elements < 1 || k->n_elements > 2)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "k must have one or two elements, but is of shape %s",
                             sluice_shape_str (&k->shape, (char[SLUICE_SHAPE_STR]){ 0 }));
  band->lower = sluice_tensor_get_int (k, 0);
  band->upper = sluice_tensor_get_int (k, k->n_elements - 1);
  if (band->lower > band->upper)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "k must not fall, from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                             band->lower, band->upper);
  return TRUE;
}

/* Takes the sizes of a matrix, which the band must fit. */
static gboolean
set_matrix (SluiceKernelCall *call, const SluiceShape *shape, Band *band)
{
  band->rows = shape->dim[shape->rank - 2];
  band->columns = shape->dim[shape->rank - 1];
  for (int i = 0; i < 2; i++)
    {
      gint64 k = i ? band->upper : band->lower;
      if (k != 0 && (k <= -band->rows || k >= band->columns))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "diagonal %" G_GINT64_FORMAT
                                 " is outside a matrix of %" G_GINT64_FORMAT
                                 " rows and %" G_GINT64_FORMAT " columns",
                                 k, band->rows, band->columns);
    }
  band->longest = MIN (band->rows + MIN (band->upper, 0), band->columns - MAX (band->lower, 0));
  return TRUE;
}

/* The dimensions of the diagonals of matrices. */
static SluiceShape
band_shape (const SluiceShape *matrix, const Band *band)
{
  SluiceShape shape = *matrix;
  shape.rank = matrix->rank - 2;
  if (band->lower < band->upper)
    shape.dim[shape.rank++] = band->upper - band->lower + 1;
  shape.dim[shape.rank++] = band->longest;
  return shape;
}

/* Moves every diagonal between the matrices and its row. */
static gboolean
move_bands (SluiceKernelCall *call,
            const Band *b,
            gboolean to_matrix,
            SluiceTensor *out,
            const SluiceTensor *input)
{
  int left = GPOINTER_TO_INT (call->state);
  gsize element = sluice_dtype_size (out->dtype);
  gint64 area = b->rows * b->columns, row = b->longest * (b->upper - b->lower + 1);
  if (area == 0 || row == 0)
    return TRUE;
  gint64 n = (to_matrix ? out : input)->n_elements / area;
  for (gint64 d = b->upper; d >= b->lower; d--)
    {
      gint64 length = MIN (b->rows + MIN (d, 0), b->columns - MAX (d, 0));
      gboolean at_left = (d >= 0 && (left & LEFT_ABOVE)) || (d <= 0 && (left & LEFT_BELOW));
      gint64 in_row = (b->upper - d) * b->longest + (at_left ? 0 : b->longest - length);
      gint64 in_matrix = MAX (-d, 0) * b->columns + MAX (d, 0);
      gint64 to = to_matrix ? in_matrix : in_row, from = to_matrix ? in_row : in_matrix;
      SluiceMove move = { 0 };
      sluice_move_add (&move, n, to_matrix ? area : row, to_matrix ? row : area);
      sluice_move_add (&move, length, to_matrix ? b->columns + 1 : 1,
                       to_matrix ? 1 : b->columns + 1);
      if (!sluice_move_run (call, out->dtype, &move, (char *) out->data + to * element,
                            (const char *) input->data + from * element))
        return FALSE;
    }
  return TRUE;
}

static gboolean
want_rank_at_least (SluiceKernelCall *call, guint i, int rank)
{
  const SluiceShape *shape = &sluice_call_input (call, i)->shape;
  return shape->rank >= rank
         || sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                              "input %u must have at least %d dimensions, but is of shape %s", i,
                              rank, sluice_shape_str (shape, (char[SLUICE_SHAPE_STR]){ 0 }));
}

/* The element that input i pads with; without it (0), a zero. */
static gboolean
read_padding (SluiceKernelCall *call, guint i, const void **padding)
{
  *padding = i ? sluice_call_input (call, i)->data : zero;
  return i == 0 || sluice_call_want_scalar (call, i);
}

/* Rows and columns: as inputs 2 and 3 say, or as few as hold the diagonals. */
static gboolean
choose_matrix (SluiceKernelCall *call, gint64 longest, Band *band)
{
  gint64 least_rows = longest - MIN (band->upper, 0);
  gint64 least_columns = longest + MAX (band->lower, 0);
  gint64 rows = -1, columns = -1;
  if (call->n_inputs > 1)
    {
      if (!sluice_call_want_scalar (call, 2) || !sluice_call_want_scalar (call, 3))
        return FALSE;
      rows = sluice_tensor_get_int (sluice_call_input (call, 2), 0);
      columns = sluice_tensor_get_int (sluice_call_input (call, 3), 0);
    }
  if (rows == -1 && columns == -1)
    rows = columns = MAX (least_rows, least_columns);
  else if (rows == -1)
    rows = least_rows;
  else if (columns == -1)
    columns = least_columns;
  if (rows < least_rows || columns < least_columns
      || (rows != least_rows && columns != least_columns))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "diagonals of %" G_GINT64_FORMAT " elements, from %" G_GINT64_FORMAT
                             " to %" G_GINT64_FORMAT ", do not fill a matrix of %" G_GINT64_FORMAT
                             " rows and %" G_GINT64_FORMAT " columns",
                             longest, band->lower, band->upper, rows, columns);
  band->rows = rows;
  band->columns = columns;
  return TRUE;
}

static gboolean
matrix_diag_compute (SluiceKernelCall *call)
{
  const SluiceTensor *diagonals = sluice_call_input (call, 0);
  const SluiceShape *given = &diagonals->shape;
  const void *padding;
  Band band;
  if (!read_band (call, call->n_inputs > 1 ? 1 : 0, &band)
      || !read_padding (call, call->n_inputs > 1 ? 4 : 0, &padding))
    return FALSE;
  int inner = band.lower < band.upper ? 2 : 1;
  if (!want_rank_at_least (call, 0, inner))
    return FALSE;
  if (inner == 2 && given->dim[given->rank - 2] != band.upper - band.lower + 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "k names %" G_GINT64_FORMAT
                             " diagonals, but there are %" G_GINT64_FORMAT,
                             band.upper - band.lower + 1, given->dim[given->rank - 2]);
  SluiceShape shape;
  gint64 dims[SLUICE_MAX_RANK + 1];
  int rank = 0;
  band.longest = given->dim[given->rank - 1];
  if (!choose_matrix (call, band.longest, &band))
    return FALSE;
  for (; rank < given->rank - inner; rank++)
    dims[rank] = given->dim[rank];
  dims[rank++] = band.rows;
  dims[rank++] = band.columns;
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (&shape, dims, rank, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  if (band.longest > 0 && !set_matrix (call, &shape, &band))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  return out != NULL && sluice_move_fill (call, out->dtype, out->data, padding, out->n_elements)
         && move_bands (call, &band, TRUE, out, diagonals);
}

static gboolean
matrix_diag_part_compute (SluiceKernelCall *call)
{
  const SluiceTensor *matrix = sluice_call_input (call, 0);
  const void *padding;
  Band band;
  if (!want_rank_at_least (call, 0, 2) || !read_band (call, call->n_inputs > 1 ? 1 : 0, &band)
      || !read_padding (call, call->n_inputs > 1 ? 2 : 0, &padding)
      || !set_matrix (call, &matrix->shape, &band))
    return FALSE;
  SluiceShape shape = band_shape (&matrix->shape, &band);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  if (band.lower < band.upper
      && !sluice_move_fill (call, out->dtype, out->data, padding, out->n_elements))
    return FALSE;
  return move_bands (call, &band, FALSE, out, matrix);
}

static gboolean
matrix_set_diag_compute (SluiceKernelCall *call)
{
  const SluiceTensor *matrix = sluice_call_input (call, 0);
  const SluiceTensor *diagonals = sluice_call_input (call, 1);
  Band band;
  if (!want_rank_at_least (call, 0, 2) || !read_band (call, call->n_inputs > 2 ? 2 : 0, &band)
      || !set_matrix (call, &matrix->shape, &band))
    return FALSE;
  SluiceShape wanted = band_shape (&matrix->shape, &band);
  if (!sluice_shape_equal (&wanted, &diagonals->shape))
    {
      char text[3][SLUICE_SHAPE_STR];
      return sluice_call_fail (
          call, SLUICE_ERROR_INVALID_ARGUMENT, "the diagonals of %s are of shape %s, not %s",
          sluice_shape_str (&matrix->shape, text[0]), sluice_shape_str (&wanted, text[1]),
          sluice_shape_str (&diagonals->shape, text[2]));
    }
  SluiceTensor *out = sluice_call_reuse (call, 0, 0, &matrix->shape);
  if (out == NULL)
    return FALSE;
  return (out->data == matrix->data
          || sluice_move_block (call, out->dtype, out->data, matrix->data, out->n_elements))
         && move_bands (call, &band, TRUE, out, diagonals);
}

/* ---- MatrixBandPart ---- */

typedef struct
{
  gint64 rows, columns;
  gint64 lower, upper; /* diagonals kept; all below or above: as many as there can be */
  gsize element;
  char *to;
  const char *from;
} BandPart;

static void
keep_bands (gpointer data, gint64 begin, gint64 end)
{
  const BandPart *b = data;
  for (gint64 r = begin; r < end; r++)
    {
      gint64 row = r % b->rows;
      gint64 first = CLAMP (row - b->lower, 0, b->columns);
      gint64 last = CLAMP (row + b->upper + 1, first, b->columns);
      char *to = b->to + r * b->columns * b->element;
      const char *from = b->from + r * b->columns * b->element;
      memset (to, 0, first * b->element);
      memcpy (to + first * b->element, from + first * b->element, (last - first) * b->element);
      memset (to + last * b->element, 0, (b->columns - last) * b->element);
    }
}

/* How many diagonals on one side are kept, of a matrix with so many rows or columns. */
static gboolean
read_kept (SluiceKernelCall *call, guint i, gint64 size, gint64 *kept)
{
  if (!sluice_call_want_scalar (call, i))
    return FALSE;
  *kept = sluice_tensor_get_int (sluice_call_input (call, i), 0);
  if (*kept > size)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u is %" G_GINT64_FORMAT ", more than the %" G_GINT64_FORMAT
                             " that the matrix has",
                             i, *kept, size);
  if (*kept < 0)
    *kept = size;
  return TRUE;
}

static gboolean
band_part_compute (SluiceKernelCall *call)
{
  const SluiceTensor *input = sluice_call_input (call, 0);
  if (!want_rank_at_least (call, 0, 2))
    return FALSE;
  BandPart b = { .rows = input->shape.dim[input->shape.rank - 2],
                 .columns = input->shape.dim[input->shape.rank - 1],
                 .element = sluice_dtype_size (input->dtype),
                 .from = input->data };
  if (!read_kept (call, 1, b.rows, &b.lower) || !read_kept (call, 2, b.columns, &b.upper))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &input->shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  b.to = out->data;
  gsize row_bytes = b.columns * b.element;
  return sluice_call_parallel_for (call, out->n_elements / b.columns, sluice_row_grain (row_bytes),
                                   sluice_row_ns (row_bytes), keep_bands, &b);
}

#define BANDS(op_name, function)                                                                   \
  SLUICE_ARRAY_KERNEL (op_name, .prepare = align_prepare, .compute = function)

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("Diag", .compute = diag_compute),
  SLUICE_ARRAY_KERNEL ("DiagPart", .compute = diag_part_compute),
  BANDS ("MatrixDiag", matrix_diag_compute),
  BANDS ("MatrixDiagV2", matrix_diag_compute),
  BANDS ("MatrixDiagV3", matrix_diag_compute),
  BANDS ("MatrixDiagPart", matrix_diag_part_compute),
  BANDS ("MatrixDiagPartV2", matrix_diag_part_compute),
  BANDS ("MatrixDiagPartV3", matrix_diag_part_compute),
  BANDS ("MatrixSetDiag", matrix_set_diag_compute),
  BANDS ("MatrixSetDiagV2", matrix_set_diag_compute),
  BANDS ("MatrixSetDiagV3", matrix_set_diag_compute),
  SLUICE_ARRAY_KERNEL (
      "MatrixBandPart", .where = { { "T", SLUICE_SET_POD } }, .compute = band_part_compute),
};

const SluiceKernelModule sluice_module_array_diagonal_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
