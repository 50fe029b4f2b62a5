/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Sound: WAV files, spectra of stretches of it, and what speech recognition makes of these.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "kernels/image/audio.h"
#include "kernels/image/shapes.h"

/* ---- shapes ---- */

/* -1 is unknown; TRUE where the attribute is not below. */
static gboolean
read_count (SluiceShapeContext *c, const char *attr, gint64 *count, GError **error)
{
  *count = sluice_node_get_int (c->node, attr);
  return *count >= -1
         || sluice_shape_context_fail (c, error, "%s must be -1 or more, but is %" G_GINT64_FORMAT,
                                       attr, *count);
}

static gboolean
decode_shape (SluiceShapeContext *c, GError **error)
{
  gint64 samples = -1, channels = -1;
  if (!sluice_shape_context_want_rank (c, 0, 0, error)
      || !read_count (c, "desired_samples", &samples, error)
      || !read_count (c, "desired_channels", &channels, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (samples, channels));
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE_SCALAR);
  return TRUE;
}

static gboolean
encode_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 0, 2, error)
         && sluice_shape_context_want_rank (c, 1, 0, error) && sluice_shape_scalar (c, error);
}

static gboolean
spectrogram_shape (SluiceShapeContext *c, GError **error)
{
  gint64 window = sluice_node_get_int (c->node, "window_size");
  gint64 stride = sluice_node_get_int (c->node, "stride");
  if (!sluice_shape_context_want_rank (c, 0, 2, error))
    return FALSE;
  if (window <= 1 || window > SLUICE_LARGEST_WINDOW || stride <= 0)
    return sluice_shape_context_fail (c, error,
                                      "window_size must be in [2, 2^30], stride positive, not "
                                      "%" G_GINT64_FORMAT " and %" G_GINT64_FORMAT,
                                      window, stride);
  gint64 samples = sluice_input_dim (c, 0, 0);
  sluice_shape_context_set (
      c, 0,
      &SLUICE_SHAPE (sluice_input_dim (c, 0, 1),
                     samples < 0 ? -1 : sluice_spectrum_count (samples, window, stride),
                     1 + sluice_spectrum_length (window) / 2));
  return TRUE;
}

static gboolean
mfcc_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 3, error)
      || !sluice_shape_context_want_rank (c, 1, 0, error))
    return FALSE;
  gint64 count = sluice_node_get_int (c->node, "dct_coefficient_count");
  sluice_shape_context_set (
      c, 0,
      &SLUICE_SHAPE (sluice_input_dim (c, 0, 0), sluice_input_dim (c, 0, 1), MAX (count, -1)));
  return TRUE;
}

/* ---- recipes ---- */

static const SluiceRecipe binary_recipe = {
  .why_none = N_ ("its input is the bytes of a file, which a sample cannot write"),
};

static const SluiceSample encode_samples[] = {
  { "", "float[5,2] in (-1.1,1.1); int32[]=8000", 0, 0, TRUE },
  { "", "float[0,1]; int32[]=44100", 0, 0, TRUE },
};
static const SluiceRecipe encode_recipe = { .samples = encode_samples,
                                            .n_samples = G_N_ELEMENTS (encode_samples) };

static const SluiceSample spectrogram_samples[] = {
  { "window_size=9; stride=7", "float[40,2] in (-1,1)", 1e-5, 1e-5, TRUE },
  { "window_size=2; stride=5; magnitude_squared=true", "float[11,1] in (-1,1)", 1e-5, 1e-5, TRUE },
  { "window_size=8; stride=1", "float[7,1]", 0, 0, TRUE },
};
static const SluiceRecipe spectrogram_recipe = { .samples = spectrogram_samples,
                                                 .n_samples = G_N_ELEMENTS (spectrogram_samples) };

static const SluiceSample mfcc_samples[] = {
  { "dct_coefficient_count=5", "float[1,3,129] in (0,2); int32[]=16000", 1e-5, 1e-5, TRUE },
};
static const SluiceRecipe mfcc_recipe = { .samples = mfcc_samples,
                                          .n_samples = G_N_ELEMENTS (mfcc_samples) };

/* ---- definitions ---- */

static const SluiceOpDef decode_op = {
  .name = "DecodeWav",
  .signature = "contents: string -> audio: float, sample_rate: int32",
  .attrs = "desired_channels: int = -1; desired_samples: int = -1",
  .summary = N_ ("Sound from the bytes of a WAV"),
  .shape = decode_shape,
  .recipe = &binary_recipe,
};

static const SluiceOpDef encode_op = {
  .name = "EncodeWav",
  .signature = "audio: float, sample_rate: int32 -> contents: string",
  .summary = N_ ("Bytes of a WAV from sound"),
  .shape = encode_shape,
  .recipe = &encode_recipe,
};

static const SluiceOpDef spectrogram_op = {
  .name = "AudioSpectrogram",
  .signature = "input: float -> spectrogram: float",
  .attrs = "window_size: int; stride: int; magnitude_squared: bool = false",
  .summary = N_ ("How strong each pitch is in stretches of sound"),
  .shape = spectrogram_shape,
  .recipe = &spectrogram_recipe,
};

static const SluiceOpDef mfcc_op = {
  .name = "Mfcc",
  .signature = "spectrogram: float, sample_rate: int32 -> output: float",
  .attrs = "upper_frequency_limit: float = 4000; lower_frequency_limit: float = 20; "
           "filterbank_channel_count: int = 40; dct_coefficient_count: int = 13",
  .summary = N_ ("Mel-frequency cepstral coefficients of spectra"),
  .shape = mfcc_shape,
  .recipe = &mfcc_recipe,
};

static const SluiceOpDef *const ops[] = { &decode_op, &encode_op, &spectrogram_op, &mfcc_op };

const SluiceKernelModule sluice_module_image_audio = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
