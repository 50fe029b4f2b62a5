/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include "kernels/image/codecs.h"

/* More scans than any encoder writes: a small file may else ask for hours of work. */
#define MOST_SCANS 500
/* A block of 64 pixels takes a bit at least where it is coded by Huffman's codes. With arithmetic
 * codes, or of a picture that may end early, so many times fewer bytes are still believed. */
#define PIXELS_PER_BYTE (64 * 8)
#define BENEFIT         16
/* Numbers in a decoded picture, as TensorFlow limits them. */
#define LARGEST (1 << 29)

/* The library leaves an error by longjmp to `leave`; all that it leaves behind is in the Codec,
 * which lives outside of the function that it returns to. */
typedef struct
{
  struct jpeg_error_mgr errors;
  struct jpeg_progress_mgr progress;
  jmp_buf leave;
  char message[JMSG_LENGTH_MAX];
  const _Atomic int *cancelled;
} Codec;

static void G_GNUC_NORETURN
leave (j_common_ptr j)
{
  Codec *codec = j->client_data;
  j->err->format_message (j, codec->message);
  longjmp (codec->leave, 1);
}

static void G_GNUC_NORETURN
give_up (j_common_ptr j, const char *message)
{
  Codec *codec = j->client_data;
  g_strlcpy (codec->message, message, sizeof codec->message);
  longjmp (codec->leave, 1);
}

static void
say_nothing (j_common_ptr j)
{
}

static void
watch (j_common_ptr j)
{
  Codec *codec = j->client_data;
  if (codec->cancelled && *codec->cancelled)
    give_up (j, "cancelled");
  if (j->is_decompressor && ((j_decompress_ptr) j)->input_scan_number > MOST_SCANS)
    give_up (j, "it has too many scans");
}

static struct jpeg_error_mgr *
init_errors (Codec *codec)
{
  jpeg_std_error (&codec->errors);
  codec->errors.error_exit = leave;
  codec->errors.output_message = say_nothing;
  codec->progress.progress_monitor = watch;
  return &codec->errors;
}

/* ---- bytes in ---- */

typedef struct
{
  struct jpeg_source_mgr manager;
  const guint8 *data;
  gboolean recover, ended;
} Source;

static void
source_init (j_decompress_ptr j)
{
}

/* The bytes end early. One end of image is made up where the picture shall be recovered; else,
 * where the decoder still holds some bytes, it stops there, and what was read until then may be
 * enough. */
static boolean
source_fill (j_decompress_ptr j)
{
  static const JOCTET end_of_image[] = { 0xff, JPEG_EOI };
  Source *s = (Source *) j->src;
  if (s->manager.bytes_in_buffer == 0 && s->manager.next_input_byte == s->data)
    ERREXIT (j, JERR_INPUT_EMPTY);
  if (s->manager.bytes_in_buffer > 0 && !s->recover)
    return FALSE;
  if (!s->recover || s->ended)
    ERREXIT (j, JERR_FILE_READ);
  s->ended = TRUE;
  s->manager.next_input_byte = end_of_image;
  s->manager.bytes_in_buffer = sizeof end_of_image;
  return TRUE;
}

static void
source_skip (j_decompress_ptr j, long n)
{
  Source *s = (Source *) j->src;
  gsize skipped = MIN ((gsize) MAX (n, 0), s->manager.bytes_in_buffer);
  s->manager.next_input_byte += skipped;
  s->manager.bytes_in_buffer -= skipped;
}

static void
source_end (j_decompress_ptr j)
{
}

static void
source_set (Source *s, j_decompress_ptr j, const guint8 *data, gsize length, gboolean recover)
{
  s->data = data;
  s->recover = recover;
  s->manager = (struct jpeg_source_mgr){
    .next_input_byte = data,
    .bytes_in_buffer = length,
    .init_source = source_init,
    .fill_input_buffer = source_fill,
    .skip_input_data = source_skip,
    .resync_to_restart = jpeg_resync_to_restart,
    .term_source = source_end,
  };
  j->src = &s->manager;
}

/* ---- reading ---- */

typedef struct
{
  Codec codec;
  Source source;
  struct jpeg_decompress_struct j;
  const SluicePictureOptions *options;
  SluicePictureSize size;
  gsize length;
  SluicePictureAllocate allocate;
  gpointer user_data;
  guint8 *pixels;
  guint8 *line; /* of the width that the decoder wants, where it is not the picture's */
  gint64 n_read;
  gboolean no_memory;
} Reader;

static void
set_colors (Reader *r)
{
  j_decompress_ptr j = &r->j;
  r->size.channels = r->options->channels ? r->options->channels : MIN (j->num_components, 3);
  if (r->size.channels != 1 && r->size.channels != 3)
    give_up ((j_common_ptr) j, "a JPEG has 1 or 3 channels");
  if (r->size.channels == 1)
    j->out_color_space = JCS_GRAYSCALE;
  else if (j->jpeg_color_space == JCS_CMYK || j->jpeg_color_space == JCS_YCCK)
    j->out_color_space = JCS_CMYK;
  else
    j->out_color_space = JCS_RGB;
}

/* A small file may ask for the memory of a large picture, of which the library wants more than
 * comes out where there are several scans. */
static void
check_worth (Reader *r)
{
  j_decompress_ptr j = &r->j;
  gboolean strict = !r->options->recover && r->options->acceptable >= 1 && !j->arith_code;
  gint64 pixels = (gint64) j->image_height * j->image_width;
  gint64 most = PIXELS_PER_BYTE * (strict ? 1 : BENEFIT);
  if (pixels / most > (gint64) r->length)
    give_up ((j_common_ptr) j, "it has too few bytes for its size");
  if (pixels * j->num_components >= LARGEST && jpeg_has_multiple_scans (j))
    give_up ((j_common_ptr) j, "it is too large; 2^29 numbers in several scans are the limit");
}

static void
read_header (Reader *r)
{
  j_decompress_ptr j = &r->j;
  const SluicePictureOptions *o = r->options;
  const gint64 *crop = o->crop;
  if (jpeg_read_header (j, TRUE) != JPEG_HEADER_OK)
    give_up ((j_common_ptr) j, "its header ends early");
  set_colors (r);
  j->do_fancy_upsampling = !o->plain_chroma;
  j->scale_num = 1;
  j->scale_denom = MAX (1, o->ratio);
  j->dct_method = o->accurate ? JDCT_ISLOW : JDCT_IFAST;
  jpeg_calc_output_dimensions (j);
  gint64 pixels = (gint64) j->output_height * j->output_width;
  if (pixels * j->num_components >= LARGEST)
    give_up ((j_common_ptr) j, "it is too large; 2^29 numbers are the limit");
  check_worth (r);
  r->size.frames = 1;
  r->size.height = crop ? crop[2] : j->output_height;
  r->size.width = crop ? crop[3] : j->output_width;
  if (crop
      && (crop[0] < 0 || crop[1] < 0 || crop[2] <= 0 || crop[3] <= 0
          || crop[2] > j->output_height - crop[0] || crop[3] > j->output_width - crop[1]))
    give_up ((j_common_ptr) j, "the crop window does not lie inside of the picture");
}

/* Lets the decoder skip what is outside of the part that is wanted. Returns how many pixels it
 * still gives to the left of it: its steps are those of the blocks. */
static gint64
skip_to_crop (Reader *r)
{
  j_decompress_ptr j = &r->j;
  const gint64 *crop = r->options->crop;
  if (crop == NULL)
    return 0;
  JDIMENSION x = (JDIMENSION) crop[1], width = (JDIMENSION) crop[3];
  jpeg_crop_scanline (j, &x, &width);
  if (jpeg_skip_scanlines (j, (JDIMENSION) crop[0]) != crop[0])
    give_up ((j_common_ptr) j, "it ends before the crop window");
  return crop[1] - x;
}

/* What printers mix: how much of each ink is left, times black. */
static void
convert_cmyk (const guint8 *from, gint64 n, gboolean inverted, guint8 *to)
{
  for (gint64 i = 0; i < n; i++, from += 4, to += 3)
    for (int c = 0; c < 3; c++)
      to[c] =
          (guint8) (inverted ? from[3] * from[c] / 255 : (255 - from[3]) * (255 - from[c]) / 255);
}

/* Lines until all are read or nothing comes any more. `left`: pixels before the first that is
 * wanted. */
static void
read_lines (Reader *r, gint64 left)
{
  j_decompress_ptr j = &r->j;
  gsize row = r->size.width * r->size.channels;
  gboolean cmyk = j->out_color_space == JCS_CMYK;
  gboolean direct = !cmyk && j->output_width == r->size.width;
  if (!direct)
    r->line = g_malloc ((gsize) j->output_width * j->output_components);
  for (; r->n_read < r->size.height; r->n_read++)
    {
      guint8 *to = r->pixels + r->n_read * row, *line = direct ? to : r->line;
      if (jpeg_read_scanlines (j, &line, 1) != 1)
        return;
      if (cmyk)
        convert_cmyk (line + left * 4, r->size.width, j->saw_Adobe_marker, to);
      else if (!direct)
        memcpy (to, line + left * r->size.channels, row);
    }
}

/* FALSE: an error of the library, which is in the codec's message; or no memory. */
static gboolean
read_picture (Reader *r)
{
  if (setjmp (r->codec.leave))
    return FALSE;
  jpeg_create_decompress (&r->j);
  r->j.progress = &r->codec.progress;
  source_set (&r->source, &r->j, r->source.data, r->length, r->options->recover);
  read_header (r);
  /* Before the library takes memory of its own, which may be more. */
  r->pixels = r->allocate (&r->size, r->user_data);
  r->no_memory = r->pixels == NULL;
  if (r->no_memory)
    return FALSE;
  jpeg_start_decompress (&r->j);
  read_lines (r, skip_to_crop (r));
  return TRUE;
}

/* Lines that did not come: copies of the one above where they shall be recovered, else black. */
static gboolean
complete (Reader *r, GError **error)
{
  gsize row = r->size.width * r->size.channels;
  double fraction = (double) r->n_read / (double) r->size.height;
  if (!r->options->recover && fraction < MIN (1.0, r->options->acceptable))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the JPEG ends early: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                        " lines are there",
                        r->n_read, r->size.height);
  for (gint64 y = r->n_read; y < r->size.height; y++)
    if (r->options->recover && y > 0)
      memcpy (r->pixels + y * row, r->pixels + (y - 1) * row, row);
    else
      memset (r->pixels + y * row, 0, row);
  return TRUE;
}

gboolean
sluice_jpeg_decode (const guint8 *data,
                    gsize length,
                    const SluicePictureOptions *options,
                    SluicePictureAllocate allocate,
                    gpointer user_data,
                    GError **error)
{
  Reader r = { .options = options,
               .allocate = allocate,
               .user_data = user_data,
               .source.data = data,
               .length = length,
               .codec.cancelled = options->cancelled };
  r.j.err = init_errors (&r.codec);
  r.j.client_data = &r.codec;
  gboolean ok = read_picture (&r);
  if (ok)
    ok = complete (&r, error);
  else if (!r.no_memory)
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "no JPEG that can be read: %s",
                 r.codec.message);
  jpeg_destroy_decompress (&r.j);
  g_free (r.line);
  return ok;
}

static gboolean
read_size (Reader *r)
{
  if (setjmp (r->codec.leave))
    return FALSE;
  jpeg_create_decompress (&r->j);
  source_set (&r->source, &r->j, r->source.data, r->length, FALSE);
  if (jpeg_read_header (&r->j, TRUE) != JPEG_HEADER_OK)
    give_up ((j_common_ptr) &r->j, "its header ends early");
  jpeg_calc_output_dimensions (&r->j);
  r->size = (SluicePictureSize){ 1, r->j.output_height, r->j.output_width, r->j.num_components };
  return TRUE;
}

gboolean
sluice_jpeg_size (const guint8 *data, gsize length, SluicePictureSize *size, GError **error)
{
  Reader r = { .source.data = data, .length = length };
  r.j.err = init_errors (&r.codec);
  r.j.client_data = &r.codec;
  gboolean ok = read_size (&r);
  if (!ok)
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "no JPEG that can be read: %s",
                 r.codec.message);
  jpeg_destroy_decompress (&r.j);
  *size = r.size;
  return ok;
}

/* ---- writing ---- */

typedef struct
{
  Codec codec;
  struct jpeg_compress_struct j;
  unsigned char *bytes; /* the library's */
  unsigned long n_bytes;
} Writer;

static void
write_xmp (j_compress_ptr j, const SluiceJpegOptions *o)
{
  static const char name[] = "http://ns.adobe.com/xap/1.0/";
  if (o->xmp_length == 0)
    return;
  jpeg_write_m_header (j, JPEG_APP0 + 1, (unsigned int) (sizeof name + o->xmp_length));
  for (gsize i = 0; i < sizeof name; i++)
    jpeg_write_m_byte (j, (guint8) name[i]);
  for (gsize i = 0; i < o->xmp_length; i++)
    jpeg_write_m_byte (j, (guint8) o->xmp[i]);
}

static gboolean
write_picture (Writer *w,
               const guint8 *pixels,
               const SluicePictureSize *size,
               const SluiceJpegOptions *o)
{
  j_compress_ptr j = &w->j;
  if (setjmp (w->codec.leave))
    return FALSE;
  jpeg_create_compress (j);
  jpeg_mem_dest (j, &w->bytes, &w->n_bytes);
  j->image_width = (JDIMENSION) size->width;
  j->image_height = (JDIMENSION) size->height;
  j->input_components = (int) size->channels;
  j->in_color_space = size->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults (j);
  j->density_unit = o->per_centimetre ? 2 : 1;
  j->X_density = (UINT16) o->x_density;
  j->Y_density = (UINT16) o->y_density;
  j->optimize_coding = o->optimize;
  jpeg_set_quality (j, o->quality, TRUE);
  if (o->progressive)
    jpeg_simple_progression (j);
  if (o->full_chroma)
    for (int c = 0; c < j->num_components; c++)
      j->comp_info[c].h_samp_factor = j->comp_info[c].v_samp_factor = 1;
  jpeg_start_compress (j, TRUE);
  write_xmp (j, o);
  while (j->next_scanline < j->image_height)
    {
      JSAMPROW row = (JSAMPROW) pixels + (gsize) j->next_scanline * size->width * size->channels;
      jpeg_write_scanlines (j, &row, 1);
    }
  jpeg_finish_compress (j);
  return TRUE;
}

gboolean
sluice_jpeg_encode (const guint8 *pixels,
                    const SluicePictureSize *size,
                    const SluiceJpegOptions *options,
                    GByteArray *out,
                    GError **error)
{
  Writer w = { 0 };
  w.j.err = init_errors (&w.codec);
  w.j.client_data = &w.codec;
  gboolean ok = write_picture (&w, pixels, size, options);
  if (ok)
    g_byte_array_append (out, w.bytes, (guint) w.n_bytes);
  else
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "writing a JPEG failed: %s",
                 w.codec.message);
  jpeg_destroy_compress (&w.j);
  free (w.bytes);
  return ok;
}
