/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Batch normalisation on a CUDA device: what is worked out once a channel is in batch-norm-cpu.c,
 * which is compiled once more for it. */
#define SLUICE_ON_DEVICE 1
#include "kernels/cuda/launch.h"

extern "C" {
#include "kernels/nn/batch-norm.h"
}

/* Three sums at most; of floats in float, as on the CPU. */
template <typename T>
struct Sums
{
  T sum[3];
};
template <typename T>
struct AddSums
{
  static SLUICE_MEMBER Sums<T> neutral () { return { { 0, 0, 0 } }; }
  static SLUICE_MEMBER Sums<T> combine (Sums<T> a, Sums<T> b)
  {
    return { { a.sum[0] + b.sum[0], a.sum[1] + b.sum[1], a.sum[2] + b.sum[2] } };
  }
};

/* In the CPU's order within its chunks of rows: batch-norm-cpu.c says why. */
template <typename T>
static void
launch_sums (const SluiceNorm *norm, SluiceNormSums kind)
{
  SluiceNorm p = *norm;
  const T *x = (const T *) p.x, *dy = (const T *) p.dy;
  double *partial = p.partial;
  gint64 n_elements = p.outer * p.repeat * p.inner, chunk = p.sum_rows * p.inner; /* a channel's */
  int n_sums = sluice_norm_n_sums (kind);
  sluice_fold<Sums<T>, AddSums<T>> (
      sluice_norm_n_chunks (norm) * p.channels, MIN (chunk, n_elements),
      [=] SLUICE_LAMBDA (gint64 o, gint64 number) -> Sums<T> {
        gint64 c = o % p.channels, n = o / p.channels * chunk + number;
        if (n >= n_elements)
          return AddSums<T>::neutral ();
        gint64 i = (n / p.inner * p.channels + c) * p.inner + n % p.inner;
        if (kind == SLUICE_NORM_SUM)
          return { { x[i], 0, 0 } };
        T off = x[i] - (T) p.mean[c];
        if (kind == SLUICE_NORM_SQUARES)
          return { { off * off, 0, 0 } };
        return { { dy[i], dy[i] * off, dy[i] * (off * (T) p.inverse[c]) } };
      },
      [=] SLUICE_LAMBDA (gint64 o, Sums<T> total) {
        gint64 c = o % p.channels;
        double *sums = partial + (o - c) * n_sums + c;
        for (int j = 0; j < n_sums; j++)
          sums[j * p.channels] = (double) total.sum[j];
      });
}

/* Elements and rows of doubles where the device finds them. FALSE: end will fail */
static gboolean
map_norm (SluiceNorm *p)
{
  gsize size = sluice_dtype_size (p->dtype);
  gsize bytes = p->outer * p->lanes * p->inner * size;
  p->x = sluice_cuda_map (p->x, bytes, SLUICE_CUDA_READ);
  if (p->dy != NULL && (p->dy = sluice_cuda_map (p->dy, bytes, SLUICE_CUDA_READ)) == NULL)
    return FALSE;
  return p->x != NULL;
}

extern "C" void
sluice_cuda_norm_sums (const SluiceNorm *norm, SluiceNormSums kind)
{
  SluiceNorm p = *norm;
  gsize row = p.lanes * sizeof (double);
  gsize sums = sluice_norm_n_chunks (norm) * sluice_norm_n_sums (kind) * p.channels;
  gboolean ok = map_norm (&p);
  p.mean = (const double *) sluice_cuda_map (p.mean, row, SLUICE_CUDA_READ);
  p.inverse = (const double *) sluice_cuda_map (p.inverse, row, SLUICE_CUDA_READ);
  p.partial = (double *) sluice_cuda_map (p.partial, sums * sizeof (double), SLUICE_CUDA_WRITE);
  if (!ok || p.mean == NULL || p.inverse == NULL || p.partial == NULL)
    return;
  if (p.dtype == SLUICE_FLOAT)
    launch_sums<float> (&p, kind);
  else
    launch_sums<double> (&p, kind);
}

template <typename T>
static void
launch_scale (const SluiceNorm *norm, gboolean backward)
{
  SluiceNorm p = *norm;
  const T *x = (const T *) p.x, *dy = (const T *) p.dy;
  const T *center = (const T *) p.center, *k = (const T *) p.k, *shift = (const T *) p.shift;
  const T *along = (const T *) p.along;
  T *y = (T *) p.out;
  sluice_each (p.outer * p.lanes * p.inner, [=] SLUICE_LAMBDA (gint64 i) {
    gint64 c = i / p.inner % p.lanes;
    if (backward)
      y[i] = (dy[i] - shift[c] - (x[i] - center[c]) * along[c]) * k[c];
    else
      y[i] = (x[i] - center[c]) * k[c] + shift[c];
  });
}

extern "C" void
sluice_cuda_norm_scale (const SluiceNorm *norm, gboolean backward)
{
  SluiceNorm p = *norm;
  gsize row = p.lanes * sluice_dtype_size (p.dtype);
  gboolean ok = map_norm (&p);
  const void **vectors[] = { &p.center, &p.k, &p.shift, &p.along };
  for (guint i = 0; i < G_N_ELEMENTS (vectors); i++)
    ok = (*vectors[i] = sluice_cuda_map (*vectors[i], row, SLUICE_CUDA_READ)) != NULL && ok;
  p.out = sluice_cuda_map (p.out, p.outer * row * p.inner, SLUICE_CUDA_WRITE);
  if (!ok || p.out == NULL)
    return;
  if (p.dtype == SLUICE_FLOAT)
    launch_scale<float> (&p, backward);
  else
    launch_scale<double> (&p, backward);
}
