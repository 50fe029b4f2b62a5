/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Diagonals of matrices: MatrixDiag puts them in, MatrixDiagPart takes them out, MatrixSetDiag puts
 * them into a matrix, of a batch and, from version 2 on, several beside each other (band k, with
 * shorter ones padded). Diag and DiagPart see a tensor of rank 2 n as one matrix. MatrixBandPart
 * keeps what is near the diagonal. The gradient of taking out is putting in, and the other way.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
#include "kernels/math/gradients.h"

/* ---- shapes ---- */

static gboolean
diag_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape = c->inputs[0];
  if (!sluice_shape_context_want_rank_at_least (c, 0, 1, error))
    return FALSE;
  if (shape.rank < 0)
    return TRUE;
  if (2 * shape.rank > SLUICE_MAX_RANK)
    return sluice_shape_context_fail (c, error, "the result would have more than %d dimensions",
                                      SLUICE_MAX_RANK);
  for (int i = 0; i < c->inputs[0].rank; i++)
    shape.dim[shape.rank++] = shape.dim[i];
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
diag_part_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *input = &c->inputs[0];
  if (input->rank < 0)
    return TRUE;
  SluiceShape front = *input, back = *input;
  char text[SLUICE_SHAPE_STR];
  front.rank = back.rank = input->rank / 2;
  for (int i = 0; i < back.rank; i++)
    back.dim[i] = input->dim[back.rank + i];
  if (input->rank % 2 != 0 || input->rank == 0 || !sluice_shape_merge (&front, &back, &front))
    return sluice_shape_context_fail (c, error, "an input of shape %s is no dimensions twice over",
                                      sluice_shape_str (input, text));
  sluice_shape_context_set (c, 0, &front);
  return TRUE;
}

/* A band of diagonals, as far as it is known. */
typedef struct
{
  gboolean known;
  gint64 lower, upper;
} Band;

/* Input `input` holds the band; without it (0), it is the main diagonal. */
static gboolean
read_band (SluiceShapeContext *c, guint input, Band *band, GError **error)
{
  *band = (Band){ .known = TRUE };
  if (input == 0)
    return TRUE;
  const SluiceTensor *k = sluice_shape_context_constant (c, input);
  band->known = k != NULL;
  if (k == NULL)
    return TRUE;
  if (k->shape.rank > 1 || k->n_elements < 1 || k->n_elements > 2)
    return sluice_shape_context_fail (c, error, "k must have one or two elements");
  band->lower = sluice_tensor_get_int (k, 0);
  band->upper = sluice_tensor_get_int (k, k->n_elements - 1);
  return band->lower <= band->upper
         || sluice_shape_context_fail (
             c, error, "k must not fall, from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
             band->lower, band->upper);
}

/* The longest diagonal of a band, where the sizes of the matrix are known. */
static gint64
longest_diagonal (const SluiceShape *matrix, const Band *band)
{
  gint64 rows = matrix->dim[matrix->rank - 2], columns = matrix->dim[matrix->rank - 1];
  if (!band->known || rows < 0 || columns < 0)
    return SLUICE_UNKNOWN_DIM;
  return MAX (0, MIN (rows + MIN (band->upper, 0), columns - MAX (band->lower, 0)));
}

/* The shape of a band's diagonals; unknown where the band is. */
static SluiceShape
band_shape (const SluiceShape *matrix, const Band *band)
{
  SluiceShape shape = *matrix;
  if (matrix->rank < 0 || !band->known)
    return SLUICE_SHAPE_UNKNOWN;
  shape.rank = matrix->rank - 2;
  if (band->lower < band->upper)
    shape.dim[shape.rank++] = band->upper - band->lower + 1;
  shape.dim[shape.rank++] = longest_diagonal (matrix, band);
  return shape;
}

static gboolean
matrix_diag_part_shape (SluiceShapeContext *c, GError **error)
{
  Band band;
  if (!sluice_shape_context_want_rank_at_least (c, 0, 2, error)
      || !read_band (c, c->n_inputs > 1 ? 1 : 0, &band, error))
    return FALSE;
  SluiceShape shape = band_shape (&c->inputs[0], &band);
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
matrix_set_diag_shape (SluiceShapeContext *c, GError **error)
{
  Band band;
  if (!sluice_shape_context_want_rank_at_least (c, 0, 2, error)
      || !sluice_shape_context_want_rank_at_least (c, 1, 1, error)
      || !read_band (c, c->n_inputs > 2 ? 2 : 0, &band, error))
    return FALSE;
  SluiceShape shape = c->inputs[0], diagonals = band_shape (&shape, &band);
  if (!sluice_shape_compatible (&diagonals, &c->inputs[1]))
    {
      char text[3][SLUICE_SHAPE_STR];
      return sluice_shape_context_fail (c, error, "the diagonals of %s are of shape %s, not %s",
                                        sluice_shape_str (&shape, text[0]),
                                        sluice_shape_str (&diagonals, text[1]),
                                        sluice_shape_str (&c->inputs[1], text[2]));
    }
  if (shape.rank < 0 && c->inputs[1].rank > 0 && band.known)
    {
      /* The batch is the diagonals' too. */
      int n_batch = c->inputs[1].rank - (band.lower < band.upper ? 2 : 1);
      if (n_batch < 0 || n_batch + 2 > SLUICE_MAX_RANK)
        return sluice_shape_context_fail (c, error, "the diagonals do not fit any matrix");
      shape = sluice_shape_of_rank (n_batch + 2);
      for (int i = 0; i < n_batch; i++)
        shape.dim[i] = c->inputs[1].dim[i];
    }
  for (int i = 0; diagonals.rank >= 0 && c->inputs[1].rank > i && i < shape.rank - 2; i++)
    shape.dim[i] = MAX (shape.dim[i], c->inputs[1].dim[i]);
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

/* The constant size at an input; -1 where it is not known or left open. */
static gint64
constant_size (SluiceShapeContext *c, guint input, gboolean *known)
{
  const SluiceTensor *value = sluice_shape_context_constant (c, input);
  *known = value != NULL && value->n_elements == 1;
  return *known ? sluice_tensor_get_int (value, 0) : SLUICE_UNKNOWN_DIM;
}

/* Rows and columns that hold diagonals of a length: what is left open is as small as can be, and
 * square where both are. */
static void
infer_matrix (const Band *band, gint64 longest, gint64 *rows, gint64 *columns)
{
  gint64 least_rows = longest - MIN (band->upper, 0);
  gint64 least_columns = longest + MAX (band->lower, 0);
  if (*rows < 0 && *columns < 0)
    *rows = *columns = MAX (least_rows, least_columns);
  else if (*rows < 0)
    *rows = least_rows;
  else if (*columns < 0)
    *columns = least_columns;
}

static gboolean
matrix_diag_shape (SluiceShapeContext *c, GError **error)
{
  Band band;
  gboolean sizes_known = TRUE, columns_known = TRUE;
  gint64 rows = -1, columns = -1;
  SluiceShape shape = c->inputs[0];
  if (!sluice_shape_context_want_rank_at_least (c, 0, 1, error)
      || !read_band (c, c->n_inputs > 1 ? 1 : 0, &band, error))
    return FALSE;
  if (c->n_inputs > 1)
    {
      rows = constant_size (c, 2, &sizes_known);
      columns = constant_size (c, 3, &columns_known);
    }
  if (shape.rank < 0 || !band.known)
    return TRUE;
  gint64 longest = shape.dim[shape.rank - 1];
  shape.rank -= band.lower < band.upper ? 2 : 1;
  if (shape.rank < 0 || shape.rank + 2 > SLUICE_MAX_RANK)
    return sluice_shape_context_fail (c, error, "diagonals of %d dimensions do not make a matrix",
                                      c->inputs[0].rank);
  if (longest >= 0 && sizes_known && columns_known)
    infer_matrix (&band, longest, &rows, &columns);
  shape.dim[shape.rank++] = rows;
  shape.dim[shape.rank++] = columns;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
band_part_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank_at_least (c, 0, 2, error)
         && sluice_shape_context_want_rank (c, 1, 0, error)
         && sluice_shape_context_want_rank (c, 2, 0, error) && sluice_shape_unchanged (c, error);
}

/* ---- gradients ---- */

static gboolean
diag_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0, MAKE ("DiagPart", sluice_grad_dy (g, 0)));
  return TRUE;
}

static gboolean
diag_part_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0, MAKE ("Diag", sluice_grad_dy (g, 0)));
  return TRUE;
}

/* "MatrixDiagPart", "MatrixDiagPartV2" …: the version of the op that the gradient is of. */
static SluiceEdge
same_version (SluiceGradContext *g, const char *op, const SluiceEdge *inputs, guint n)
{
  const char *own = g->node->op->name;
  const char *version = g_str_has_suffix (own, "V3")   ? "V3"
                        : g_str_has_suffix (own, "V2") ? "V2"
                                                       : "";
  g_autofree char *name = g_strconcat (op, version, NULL);
  if (!g_str_has_suffix (own, "V3"))
    return sluice_builder_add (&g->b, name, NULL, inputs, n, NULL, 0);
  return sluice_builder_add (&g->b, name, NULL, inputs, n,
                             SLUICE_ATTRS (sluice_grad_attr (g, "align")));
}

/* dy's diagonals. k: the input that names them, 0 without */
static SluiceEdge
part_of_dy (SluiceGradContext *g, guint k)
{
  SluiceEdge dy = sluice_grad_dy (g, 0);
  const SluiceEdge inputs[] = { dy, k ? sluice_grad_input (g, k) : dy,
                                k ? gradient_number (g, dy, 0) : dy };
  return same_version (g, "MatrixDiagPart", inputs, k ? 3 : 1);
}

static SluiceEdge
with_diagonals (SluiceGradContext *g, SluiceEdge matrix, SluiceEdge diagonals, guint k)
{
  const SluiceEdge inputs[] = { matrix, diagonals, k ? sluice_grad_input (g, k) : diagonals };
  return same_version (g, "MatrixSetDiag", inputs, k ? 3 : 2);
}

static gboolean
matrix_diag_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0, part_of_dy (g, g->node->n_inputs > 1 ? 1 : 0));
  return TRUE;
}

static gboolean
matrix_diag_part_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge zeros = MAKE ("ZerosLike", sluice_grad_input (g, 0));
  sluice_grad_set (g, 0,
                   with_diagonals (g, zeros, sluice_grad_dy (g, 0), g->node->n_inputs > 1 ? 1 : 0));
  return TRUE;
}

static gboolean
matrix_set_diag_gradient (SluiceGradContext *g, GError **error)
{
  guint k = g->node->n_inputs > 2 ? 2 : 0;
  SluiceEdge zeros = MAKE ("ZerosLike", sluice_grad_input (g, 1));
  sluice_grad_set (g, 0, with_diagonals (g, sluice_grad_dy (g, 0), zeros, k));
  sluice_grad_set (g, 1, part_of_dy (g, k));
  return TRUE;
}

static gboolean
band_part_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0,
                   MAKE ("MatrixBandPart", sluice_grad_dy (g, 0), sluice_grad_input (g, 1),
                         sluice_grad_input (g, 2)));
  return TRUE;
}

/* ---- samples ---- */

#define RECIPE(name, ...)                                                                          \
  static const SluiceSample name##_samples[] = { __VA_ARGS__ };                                    \
  static const SluiceRecipe name##_recipe = { name##_samples, G_N_ELEMENTS (name##_samples) };

/* clang-format off */
RECIPE (diag, { "", "float[3]" }, { "", "int32[2,3]" }, { "", "float[0]" })
RECIPE (diag_part, { "", "float[4,4]" }, { "", "float[2,3,2,3]" })
RECIPE (matrix_diag, { "", "float[3]" }, { "", "bool[2,3]" }, { "", "float[0,2]" })
RECIPE (matrix_diag_v2,
        { "", "float[2,2]; int32[2]={0,1}; int32[]={-1}; int32[]={-1}; float[]=9" },
        { "", "float[2]; int32[]={1}; int32[]={2}; int32[]={-1}; float[]=0" })
RECIPE (matrix_diag_v3,
        { "", "float[2,2]; int32[2]={0,1}; int32[]={-1}; int32[]={-1}; float[]=9" },
        { "align='LEFT_RIGHT'", "float[2,3,3]; int32[2]={-1,1}; int32[]={3}; int32[]={3}; float[]=0" })
RECIPE (matrix_diag_part, { "", "float[4,4]" }, { "", "float[2,3,5]" }, { "", "float[0,3]" })
RECIPE (matrix_diag_part_v2, { "", "float[3,4]; int32[2]={-1,2}; float[]=9" },
        { "", "float[2,3,4]; int32[]={-1}; float[]=0" })
RECIPE (matrix_diag_part_v3, { "", "float[3,4]; int32[2]={-1,2}; float[]=9" },
        { "align='RIGHT_RIGHT'", "float[2,3,4]; int32[2]={-2,0}; float[]=0" })
RECIPE (matrix_set_diag, { "", "float[4,4]; float[4]" }, { "", "float[2,3,5]; float[2,3]" })
RECIPE (matrix_set_diag_v2, { "", "float[3,4]; float[2,3]; int32[2]={-1,0}" })
RECIPE (matrix_set_diag_v3, { "", "float[3,4]; float[2,3]; int32[2]={-1,0}" },
        { "align='LEFT_LEFT'", "float[2,3,4]; float[2,2]; int32[1]={-1}" })
RECIPE (band_part, { "", "float[3,4]; int64[]={1}; int64[]={0}" },
        { "", "float[2,4,3]; int32[]={-1}; int32[]={1}" }, { "", "bool[3,3]; int64[]={0}; int64[]={-1}" })
/* clang-format on */

#define PLAIN_T "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}"
#define ALIGN                                                                                      \
  "T: type; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'"
#define PUT_BAND                                                                                   \
  "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T -> output: T"
#define TAKE_BAND "input: T, k: int32, padding_value: T -> diagonal: T"
#define SET_BAND  "input: T, diagonal: T, k: int32 -> output: T"

#define OP(id, op_name, arguments, attributes, rule, slope, what)                                  \
  static const SluiceOpDef id##_op = {                                                             \
    .name = op_name,                                                                               \
    .signature = arguments,                                                                        \
    .attrs = attributes,                                                                           \
    .summary = what,                                                                               \
    .shape = rule##_shape,                                                                         \
    .gradient = slope##_gradient,                                                                  \
    .recipe = &id##_recipe,                                                                        \
  };

/* clang-format off */
OP (diag, "Diag", "diagonal: T -> output: T", PLAIN_T, diag, diag,
    N_ ("A tensor with the elements of another on its diagonal"))
OP (diag_part, "DiagPart", "input: T -> diagonal: T", PLAIN_T, diag_part, diag_part,
    N_ ("The diagonal of a tensor"))
OP (matrix_diag, "MatrixDiag", "diagonal: T -> output: T", "T: type", matrix_diag, matrix_diag,
    N_ ("Matrices with the given diagonals"))
OP (matrix_diag_v2, "MatrixDiagV2", PUT_BAND, "T: type", matrix_diag, matrix_diag,
    N_ ("Matrices with the given bands of diagonals"))
OP (matrix_diag_v3, "MatrixDiagV3", PUT_BAND, ALIGN, matrix_diag, matrix_diag,
    N_ ("Matrices with the given bands of diagonals"))
OP (matrix_diag_part, "MatrixDiagPart", "input: T -> diagonal: T", "T: type", matrix_diag_part,
    matrix_diag_part, N_ ("The diagonals of matrices"))
OP (matrix_diag_part_v2, "MatrixDiagPartV2", TAKE_BAND, "T: type", matrix_diag_part,
    matrix_diag_part, N_ ("Bands of diagonals of matrices"))
OP (matrix_diag_part_v3, "MatrixDiagPartV3", TAKE_BAND, ALIGN, matrix_diag_part, matrix_diag_part,
    N_ ("Bands of diagonals of matrices"))
OP (matrix_set_diag, "MatrixSetDiag", "input: T, diagonal: T -> output: T", "T: type",
    matrix_set_diag, matrix_set_diag, N_ ("Matrices with other diagonals"))
OP (matrix_set_diag_v2, "MatrixSetDiagV2", SET_BAND, "T: type", matrix_set_diag, matrix_set_diag,
    N_ ("Matrices with other bands of diagonals"))
OP (matrix_set_diag_v3, "MatrixSetDiagV3", SET_BAND, ALIGN, matrix_set_diag, matrix_set_diag,
    N_ ("Matrices with other bands of diagonals"))
OP (band_part, "MatrixBandPart", "input: T, num_lower: Tindex, num_upper: Tindex -> band: T",
    "T: type; Tindex: {int32, int64} = int64", band_part, band_part,
    N_ ("Matrices with all but a band round the diagonal set to zero"))
/* clang-format on */

static const SluiceOpDef *const ops[] = {
  &diag_op,
  &diag_part_op,
  &matrix_diag_op,
  &matrix_diag_v2_op,
  &matrix_diag_v3_op,
  &matrix_diag_part_op,
  &matrix_diag_part_v2_op,
  &matrix_diag_part_v3_op,
  &matrix_set_diag_op,
  &matrix_set_diag_v2_op,
  &matrix_set_diag_v3_op,
  &band_part_op,
};

const SluiceKernelModule sluice_module_array_diagonal = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
