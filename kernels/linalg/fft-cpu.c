/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "engine/device/kernel.h"
#include "kernels/linalg/fourier.h"

/* Lines go through double precision, so that one transform serves both precisions. */

#define MAX_AXES 3

typedef enum
{
  COMPLEX, /* to complex */
  REAL,    /* real to the half of its spectrum that is not a mirror image */
  HALF     /* … and back */
} Kind;

typedef struct
{
  Kind kind;
  int n_axes; /* the last ones of the shape */
  gboolean inverse;
} Transform;

/* One call: volumes of size[0] × size[1] × size[2], the unused leading ones of size 1. */
typedef struct
{
  const Transform *transform;
  gint64 size[MAX_AXES];
  gint64 in_size[MAX_AXES], out_size[MAX_AXES];
  SluiceFourier *plans[MAX_AXES];
  const SluiceTensor *in;
  SluiceTensor *out;
  gint64 scratch; /* elements for the longest line */
  _Atomic gboolean no_memory;
} Volumes;

static gint64
volume (const gint64 size[MAX_AXES])
{
  return size[0] * size[1] * size[2];
}

/* ---- elements ---- */

static double complex
read_element (const SluiceTensor *tensor, gint64 i)
{
  switch ((SluiceDType) tensor->dtype)
    {
    case SLUICE_FLOAT:
      return ((const float *) tensor->data)[i];
    case SLUICE_DOUBLE:
      return ((const double *) tensor->data)[i];
    case SLUICE_COMPLEX64:
      return ((const float complex *) tensor->data)[i];
    default:
      return ((const double complex *) tensor->data)[i];
    }
}

static void
write_element (SluiceTensor *tensor, gint64 i, double complex value)
{
  switch ((SluiceDType) tensor->dtype)
    {
    case SLUICE_FLOAT:
      ((float *) tensor->data)[i] = (float) creal (value);
      break;
    case SLUICE_DOUBLE:
      ((double *) tensor->data)[i] = creal (value);
      break;
    case SLUICE_COMPLEX64:
      ((float complex *) tensor->data)[i] =
          __builtin_complex ((float) creal (value), (float) cimag (value));
      break;
    default:
      ((double complex *) tensor->data)[i] = value;
    }
}

/* The part of a volume that input or output has, which starts at element `at` there. */
static void
load (const Volumes *v, double complex *x, gint64 at)
{
  memset (x, 0, volume (v->size) * sizeof *x);
  gint64 columns = MIN (v->size[2], v->in_size[2]);
  for (gint64 i = 0; i < v->size[0]; i++)
    for (gint64 j = 0; j < v->size[1]; j++)
      for (gint64 k = 0; k < columns; k++)
        x[(i * v->size[1] + j) * v->size[2] + k] =
            read_element (v->in, at + (i * v->in_size[1] + j) * v->in_size[2] + k);
}

static void
store (const Volumes *v, const double complex *x, gint64 at)
{
  double scale = v->transform->inverse ? 1.0 / (double) volume (v->size) : 1;
  for (gint64 i = 0; i < v->size[0]; i++)
    for (gint64 j = 0; j < v->size[1]; j++)
      for (gint64 k = 0; k < v->out_size[2]; k++)
        write_element (v->out, at + (i * v->out_size[1] + j) * v->out_size[2] + k,
                       x[(i * v->size[1] + j) * v->size[2] + k] * scale);
}

/* ---- one volume ---- */

/* Columns that are worth a transform along the other axes. */
static gint64
half_columns (const Volumes *v)
{
  return v->transform->kind == COMPLEX ? v->size[2] : v->size[2] / 2 + 1;
}

/* Every line along an axis but the last. */
static void
run_axis (const Volumes *v, int axis, double complex *x, double complex *line)
{
  if (v->size[axis] == 1)
    return;
  gint64 n = v->size[axis], columns = half_columns (v);
  gint64 stride = axis == 0 ? v->size[1] * v->size[2] : v->size[2];
  gint64 others = axis == 0 ? v->size[1] : v->size[0];
  gint64 other_stride = axis == 0 ? v->size[2] : v->size[1] * v->size[2];
  for (gint64 other = 0; other < others; other++)
    for (gint64 k = 0; k < columns; k++)
      {
        double complex *first = x + other * other_stride + k;
        for (gint64 i = 0; i < n; i++)
          line[i] = first[i * stride];
        sluice_fourier_run (v->plans[axis], line, v->transform->inverse, line + n);
        for (gint64 i = 0; i < n; i++)
          first[i * stride] = line[i];
      }
}

/* The second half of a line that comes from real numbers, out of its first. */
static void
mirror (double complex *x, gint64 n)
{
  x[0] = creal (x[0]);
  for (gint64 k = 1; k < n - k; k++)
    x[n - k] = conj (x[k]);
  if (n % 2 == 0)
    x[n / 2] = creal (x[n / 2]);
}

static void
run_last_axis (const Volumes *v, double complex *x, double complex *scratch)
{
  gint64 n = v->size[2];
  for (gint64 i = 0; i < v->size[0] * v->size[1]; i++)
    {
      if (v->transform->kind == HALF)
        mirror (x + i * n, n);
      sluice_fourier_run (v->plans[2], x + i * n, v->transform->inverse, scratch);
    }
}

static void
run_range (gpointer data, gint64 begin, gint64 end)
{
  Volumes *v = data;
  g_autofree double complex *x = g_try_new (double complex, volume (v->size));
  g_autofree double complex *line = g_try_new (double complex, v->scratch);
  if (x == NULL || line == NULL)
    {
      atomic_store (&v->no_memory, TRUE);
      return;
    }
  for (gint64 i = begin; i < end; i++)
    {
      load (v, x, i * volume (v->in_size));
      if (v->transform->kind != HALF)
        run_last_axis (v, x, line);
      run_axis (v, 0, x, line);
      run_axis (v, 1, x, line);
      if (v->transform->kind == HALF)
        run_last_axis (v, x, line);
      store (v, x, i * volume (v->out_size));
    }
}

/* ---- the call ---- */

/* The lengths wanted, at input 1. */
static gboolean
read_lengths (SluiceKernelCall *call, Volumes *v)
{
  int n_axes = v->transform->n_axes;
  const SluiceTensor *lengths = sluice_call_input (call, 1);
  if (!sluice_call_want_rank (call, 1, 1))
    return FALSE;
  if (lengths->n_elements != n_axes)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "fft_length must hold %d numbers, not %" G_GINT64_FORMAT, n_axes,
                             lengths->n_elements);
  for (int i = 0; i < n_axes; i++)
    {
      int axis = MAX_AXES - n_axes + i;
      gint64 length = sluice_tensor_get_int (lengths, i), wanted = length;
      if (axis == MAX_AXES - 1 && v->transform->kind == HALF && length > 0)
        wanted = length / 2 + 1;
      if (length < 0 || (v->in_size[axis] != 0 && v->in_size[axis] < wanted))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "fft_length[%d] is %" G_GINT64_FORMAT
                                 ": it must not be negative, and the input needs %" G_GINT64_FORMAT
                                 " elements there, but has %" G_GINT64_FORMAT,
                                 i, length, wanted, v->in_size[axis]);
      v->size[axis] = v->out_size[axis] = length;
    }
  if (v->transform->kind == REAL && v->size[2] > 0)
    v->out_size[2] = v->size[2] / 2 + 1;
  return TRUE;
}

static gboolean
check_types (SluiceKernelCall *call)
{
  SluiceDType real = sluice_node_get_type (call->node, "Treal");
  SluiceDType complex_type = sluice_node_get_type (call->node, "Tcomplex");
  if ((real == SLUICE_DOUBLE) == (complex_type == SLUICE_COMPLEX128))
    return TRUE;
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "Treal %s and Tcomplex %s must have one precision",
                           sluice_dtype_name (real), sluice_dtype_name (complex_type));
}

static gboolean
measure (SluiceKernelCall *call, Volumes *v, SluiceShape *shape)
{
  const SluiceShape *in = &v->in->shape;
  int n_axes = v->transform->n_axes;
  char s[SLUICE_SHAPE_STR];
  if (in->rank < n_axes)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input 0 must have at least %d dimensions, not shape %s", n_axes,
                             sluice_shape_str (in, s));
  for (int axis = 0; axis < MAX_AXES; axis++)
    {
      int from_end = MAX_AXES - axis;
      v->size[axis] = from_end > n_axes ? 1 : in->dim[in->rank - from_end];
      v->in_size[axis] = v->out_size[axis] = v->size[axis];
    }
  if (v->transform->kind != COMPLEX && (!check_types (call) || !read_lengths (call, v)))
    return FALSE;
  gint64 dims[SLUICE_MAX_RANK];
  for (int i = 0; i < in->rank; i++)
    dims[i] = i < in->rank - n_axes ? in->dim[i] : v->out_size[MAX_AXES - in->rank + i];
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (shape, dims, in->rank, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  return TRUE;
}

static gboolean
make_plans (SluiceKernelCall *call, Volumes *v)
{
  for (int axis = 0; axis < MAX_AXES; axis++)
    {
      v->plans[axis] = sluice_fourier_new (v->size[axis]);
      if (v->plans[axis] == NULL)
        return sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                                 "no memory to transform lines of %" G_GINT64_FORMAT,
                                 v->size[axis]);
      v->scratch = MAX (v->scratch, v->size[axis] + sluice_fourier_scratch (v->plans[axis]));
    }
  return TRUE;
}

static gboolean
transform_all (SluiceKernelCall *call, Volumes *v)
{
  if (!make_plans (call, v))
    return FALSE;
  gint64 n = v->out->n_elements / volume (v->out_size);
  double unit_ns = 20.0 * (double) volume (v->size);
  if (!sluice_call_parallel_for (call, n, MAX (1, (gint64) (5e4 / unit_ns)), unit_ns, run_range, v))
    return FALSE;
  if (atomic_load (&v->no_memory))
    return sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                             "no memory to transform %" G_GINT64_FORMAT " elements at once",
                             volume (v->size));
  return TRUE;
}

static gboolean
fft_compute (SluiceKernelCall *call)
{
  Volumes v = { .transform = call->kernel->data, .in = sluice_call_input (call, 0) };
  SluiceShape shape;
  if (!measure (call, &v, &shape))
    return FALSE;
  v.out = sluice_call_output (call, 0, &shape);
  if (v.out == NULL || v.out->n_elements == 0)
    return v.out != NULL;
  if (v.in->n_elements == 0)
    {
      memset (v.out->data, 0, sluice_tensor_bytes (v.out));
      return TRUE;
    }
  gboolean ok = transform_all (call, &v);
  for (int axis = 0; axis < MAX_AXES; axis++)
    sluice_fourier_free (v.plans[axis]);
  return ok;
}

#define FFT(name, its_kind, axes, is_inverse)                                                      \
  {                                                                                                \
    .op = name, .device = "CPU", .compute = fft_compute, .data = (gpointer) & (const Transform)    \
    {                                                                                              \
      its_kind, axes, is_inverse                                                                   \
    }                                                                                              \
  }

static const SluiceKernel kernels[] = {
  FFT ("FFT", COMPLEX, 1, FALSE),   FFT ("IFFT", COMPLEX, 1, TRUE),
  FFT ("FFT2D", COMPLEX, 2, FALSE), FFT ("IFFT2D", COMPLEX, 2, TRUE),
  FFT ("FFT3D", COMPLEX, 3, FALSE), FFT ("IFFT3D", COMPLEX, 3, TRUE),
  FFT ("RFFT", REAL, 1, FALSE),     FFT ("IRFFT", HALF, 1, TRUE),
  FFT ("RFFT2D", REAL, 2, FALSE),   FFT ("IRFFT2D", HALF, 2, TRUE),
  FFT ("RFFT3D", REAL, 3, FALSE),   FFT ("IRFFT3D", HALF, 3, TRUE),
};

const SluiceKernelModule sluice_module_linalg_fft_cpu = { .kernels = kernels,
                                                          .n_kernels = G_N_ELEMENTS (kernels) };
