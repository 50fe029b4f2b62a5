/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/image/audio.h"

#include <math.h>
#include <string.h>

#include "kernels/image/wav.h"
#include "kernels/linalg/fourier.h"
#include "kernels/typed.h"

/* ---- files ---- */

static gboolean
decode_compute (SluiceKernelCall *call)
{
  const gint64 *desired = call->state; /* samples, channels; -1: those of the file */
  SluiceWav wav;
  g_autoptr (GError) error = NULL;
  if (!sluice_call_want_scalar (call, 0))
    return FALSE;
  const SluiceString *bytes = sluice_call_input (call, 0)->data;
  if (!sluice_wav_parse ((const guint8 *) bytes->data, bytes->length, &wav, &error))
    return sluice_call_fail (call, error->code, "contents: %s", error->message);
  gint64 n = desired[0] >= 0 ? desired[0] : wav.n_frames;
  gint64 channels = desired[1] >= 0 ? desired[1] : wav.n_channels;
  SluiceTensor *audio = sluice_call_output (call, 0, &SLUICE_SHAPE (n, channels));
  SluiceTensor *rate = sluice_call_output (call, 1, &SLUICE_SHAPE_SCALAR);
  if (audio == NULL || rate == NULL)
    return FALSE;
  *(gint32 *) rate->data = (gint32) wav.rate;
  /* Silence after the end; channels that there are not are copies of the last. */
  float *out = audio->data;
  for (gint64 i = 0; i < n; i++)
    for (gint64 k = 0; k < channels; k++)
      *out++ = i < wav.n_frames
                   ? sluice_wav_sample (&wav, i * wav.n_channels + MIN (k, wav.n_channels - 1))
                   : 0;
  return TRUE;
}

static gpointer
decode_prepare (const SluiceNode *node, GError **error)
{
  static const char *const names[] = { "desired_samples", "desired_channels" };
  g_autofree gint64 *desired = g_new (gint64, 2);
  for (int i = 0; i < 2; i++)
    {
      desired[i] = sluice_node_get_int (node, names[i]);
      if (desired[i] < -1 || desired[i] > G_MAXINT32)
        {
          sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "%s must be in [-1, 2^31), not %" G_GINT64_FORMAT, names[i],
                            desired[i]);
          return NULL;
        }
    }
  return g_steal_pointer (&desired);
}

static gboolean
encode_compute (SluiceKernelCall *call)
{
  SluiceTensor *audio = sluice_call_input (call, 0);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  if (!sluice_call_want_rank (call, 0, 2) || !sluice_call_want_scalar (call, 1))
    return FALSE;
  if (!sluice_wav_encode (audio->data, audio->shape.dim[0], audio->shape.dim[1],
                          sluice_tensor_get_int (sluice_call_input (call, 1), 0), bytes, &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out)
    sluice_string_set (out->data, (const char *) bytes->data, bytes->len);
  return out != NULL;
}

/* ---- spectra ---- */

typedef struct
{
  gint64 window, stride, length;
  gboolean squared;
  double *hann; /* of the window */
  SluiceFourier *fourier;
} Spectrum;

static void
spectrum_free (gpointer data)
{
  Spectrum *s = data;
  g_free (s->hann);
  g_clear_pointer (&s->fourier, sluice_fourier_free);
  g_free (s);
}

static gpointer
spectrogram_prepare (const SluiceNode *node, GError **error)
{
  gint64 window = sluice_node_get_int (node, "window_size");
  gint64 stride = sluice_node_get_int (node, "stride");
  gint64 length =
      window > 1 && window <= SLUICE_LARGEST_WINDOW ? sluice_spectrum_length (window) : 0;
  Spectrum *s = g_new0 (Spectrum, 1);
  s->hann = length ? g_try_new (double, window) : NULL;
  s->fourier = length ? sluice_fourier_new (length) : NULL;
  if (length == 0 || stride <= 0 || s->hann == NULL || s->fourier == NULL)
    {
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "window_size must be in [2, 2^30], stride positive, not "
                        "%" G_GINT64_FORMAT " and %" G_GINT64_FORMAT,
                        window, stride);
      spectrum_free (s);
      return NULL;
    }
  s->window = window;
  s->stride = stride;
  s->length = length;
  s->squared = sluice_node_get_bool (node, "magnitude_squared");
  for (gint64 i = 0; i < window; i++)
    s->hann[i] = 0.5 - 0.5 * cos (2 * G_PI * (double) i / (double) window);
  return s;
}

typedef struct
{
  const Spectrum *spectrum;
  const float *in;
  float *out;
  gint64 channels, count; /* windows of each channel */
} Spectra;

static void
spectrum_range (gpointer data, gint64 begin, gint64 end)
{
  const Spectra *w = data;
  const Spectrum *s = w->spectrum;
  gint64 width = 1 + s->length / 2;
  g_autofree double complex *z =
      g_new (double complex, s->length + sluice_fourier_scratch (s->fourier));
  for (gint64 n = begin; n < end; n++)
    {
      const float *in = w->in + (n % w->count) * s->stride * w->channels + n / w->count;
      float *out = w->out + n * width;
      for (gint64 i = 0; i < s->length; i++)
        z[i] = i < s->window ? in[i * w->channels] * s->hann[i] : 0;
      sluice_fourier_run (s->fourier, z, FALSE, z + s->length);
      for (gint64 i = 0; i < width; i++)
        {
          double re = creal (z[i]), im = cimag (z[i]);
          float power = (float) (re * re + im * im);
          out[i] = s->squared ? power : sqrtf (power);
        }
    }
}

static gboolean
spectrogram_compute (SluiceKernelCall *call)
{
  const Spectrum *s = call->state;
  SluiceTensor *in = sluice_call_input (call, 0);
  if (!sluice_call_want_rank (call, 0, 2))
    return FALSE;
  Spectra w = { .spectrum = s, .in = in->data, .channels = in->shape.dim[1] };
  w.count = sluice_spectrum_count (in->shape.dim[0], s->window, s->stride);
  SluiceTensor *out =
      sluice_call_output (call, 0, &SLUICE_SHAPE (w.channels, w.count, 1 + s->length / 2));
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  w.out = out->data;
  double ns = 3 * (double) s->length * log2 ((double) s->length);
  return sluice_call_parallel_for (call, w.channels * w.count, MAX (1, (gint64) (20000 / ns)), ns,
                                   spectrum_range, &w);
}

/* ---- cepstra ---- */

/* What is silent counts as this. */
#define FLOOR 1e-12

typedef struct
{
  double upper, lower;
  gint64 n_bands, n_coefficients;
} Mfcc;

static gpointer
mfcc_prepare (const SluiceNode *node, GError **error)
{
  g_autofree Mfcc *m = g_new (Mfcc, 1);
  m->upper = sluice_node_get_float (node, "upper_frequency_limit");
  m->lower = sluice_node_get_float (node, "lower_frequency_limit");
  m->n_bands = sluice_node_get_int (node, "filterbank_channel_count");
  m->n_coefficients = sluice_node_get_int (node, "dct_coefficient_count");
  return g_steal_pointer (&m);
}

/* Each place of a spectrum gives to two bands that overlap: a part to `band`, the rest to the one
 * above. */
typedef struct
{
  gint64 begin, end;
  gint32 *band; /* -1: below the first */
  double *weight;
  double *cosines; /* [coefficients, bands] */
} Filter;

static void
filter_clear (Filter *self)
{
  g_free (self->band);
  g_free (self->weight);
  g_free (self->cosines);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Filter, filter_clear)

/* Pitch as it is heard. */
static double
to_mel (double hertz)
{
  return 1127.0 * log1p (hertz / 700.0);
}

/* Triangles over the spectrum's n places, evenly spaced in mel. */
static gboolean
filter_init (Filter *f, const Mfcc *m, gint64 n, double rate)
{
  double low = to_mel (m->lower), step = (to_mel (m->upper) - low) / (double) (m->n_bands + 1);
  double hertz = 0.5 * rate / (double) (n - 1);
  f->band = g_try_new (gint32, n);
  f->weight = g_try_new (double, n);
  f->cosines = g_try_new (double, m->n_coefficients * m->n_bands);
  if (f->band == NULL || f->weight == NULL || f->cosines == NULL)
    return FALSE;
  f->begin = (gint64) MIN (1.5 + m->lower / hertz, (double) n);
  f->end = (gint64) MIN (m->upper / hertz, 2.0 * (double) n) + 1;
  gint64 band = 0; /* whose centre lies at or above the place */
  for (gint64 i = f->begin; i < MIN (f->end, n); i++)
    {
      double mel = to_mel ((double) i * hertz);
      while (band < m->n_bands && low + step * (double) (band + 1) < mel)
        band++;
      f->band[i] = (gint32) (band - 1);
      f->weight[i] = (low + step * (double) (band + 1) - mel) / step;
    }
  double norm = sqrt (2.0 / (double) m->n_bands), angle = G_PI / (double) m->n_bands;
  for (gint64 i = 0; i < m->n_coefficients; i++)
    for (gint64 j = 0; j < m->n_bands; j++)
      f->cosines[i * m->n_bands + j] = norm * cos ((double) i * angle * ((double) j + 0.5));
  return TRUE;
}

/* Loudness of each band, its logarithm, and the cosine transform of these. */
static void
compute_frame (
    const Filter *f, const Mfcc *m, const float *spectrum, gint64 n, double *bands, float *out)
{
  memset (bands, 0, m->n_bands * sizeof *bands);
  /* A spectrum that does not reach up to the highest band gives silence, as in TensorFlow. */
  for (gint64 i = f->begin; i < f->end && f->end <= n; i++)
    {
      double value = sqrt ((double) spectrum[i]), part = value * f->weight[i];
      if (f->band[i] >= 0)
        bands[f->band[i]] += part;
      if (f->band[i] + 1 < m->n_bands)
        bands[f->band[i] + 1] += value - part;
    }
  for (gint64 j = 0; j < m->n_bands; j++)
    bands[j] = log (bands[j] < FLOOR ? FLOOR : bands[j]);
  for (gint64 i = 0; i < m->n_coefficients; i++)
    {
      double sum = 0;
      for (gint64 j = 0; j < m->n_bands && f->end <= n; j++)
        sum += f->cosines[i * m->n_bands + j] * bands[j];
      out[i] = (float) sum;
    }
}

static gboolean
mfcc_compute (SluiceKernelCall *call)
{
  const Mfcc *m = call->state;
  SluiceTensor *in = sluice_call_input (call, 0);
  if (!sluice_call_want_rank (call, 0, 3) || !sluice_call_want_scalar (call, 1))
    return FALSE;
  gint64 rate = sluice_tensor_get_int (sluice_call_input (call, 1), 0);
  gint64 n = in->shape.dim[2];
  if (m->n_bands < 1 || m->n_coefficients < 1 || m->n_coefficients > m->n_bands
      || m->n_bands > G_MAXINT32 / m->n_coefficients || rate <= 0 || n < 2 || !(m->lower >= 0)
      || !(m->upper > m->lower))
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT,
        "%" G_GINT64_FORMAT " coefficients of %" G_GINT64_FORMAT
        " bands from %g to %g Hz cannot be had from spectra of %" G_GINT64_FORMAT
        " places at a sample rate of %" G_GINT64_FORMAT,
        m->n_coefficients, m->n_bands, m->lower, m->upper, n, rate);
  SluiceShape shape = in->shape;
  shape.dim[2] = m->n_coefficients;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  g_auto (Filter) filter = { 0 };
  g_autofree double *bands = g_try_new (double, m->n_bands);
  if (bands == NULL || !filter_init (&filter, m, n, (double) rate))
    return sluice_call_fail (call, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no memory for the bands");
  for (gint64 i = 0; i < shape.dim[0] * shape.dim[1]; i++)
    {
      if (call->cancelled && *call->cancelled)
        return sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "cancelled");
      compute_frame (&filter, m, (const float *) in->data + i * n, n, bands,
                     (float *) out->data + i * m->n_coefficients);
    }
  return TRUE;
}

static const SluiceKernel kernels[] = {
  { .op = "DecodeWav",
    .device = "CPU",
    .host_inputs = 1,
    .prepare = decode_prepare,
    .free_state = g_free,
    .compute = decode_compute },
  { .op = "EncodeWav",
    .device = "CPU",
    .host_inputs = 3,
    .host_outputs = 1,
    .compute = encode_compute },
  { .op = "AudioSpectrogram",
    .device = "CPU",
    .prepare = spectrogram_prepare,
    .free_state = spectrum_free,
    .compute = spectrogram_compute },
  { .op = "Mfcc",
    .device = "CPU",
    .host_inputs = 2,
    .prepare = mfcc_prepare,
    .free_state = g_free,
    .compute = mfcc_compute },
};

const SluiceKernelModule sluice_module_image_audio_cpu = { .kernels = kernels,
                                                           .n_kernels = G_N_ELEMENTS (kernels) };
