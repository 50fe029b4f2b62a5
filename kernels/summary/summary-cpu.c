/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/image/codecs.h"
#include "kernels/summary/value.h"
#include "kernels/typed.h"

/* Numbers of fields: of Summary, Summary.Value, Summary.Image and HistogramProto. */
enum
{
  SUMMARY_VALUE = 1,
  VALUE_TAG = 1,
  VALUE_SIMPLE = 2,
  VALUE_IMAGE = 4,
  VALUE_HISTOGRAM = 5,
  IMAGE_HEIGHT = 1,
  IMAGE_WIDTH = 2,
  IMAGE_COLORSPACE = 3,
  IMAGE_BYTES = 4,
  HISTOGRAM_MIN = 1,
  HISTOGRAM_MAX = 2,
  HISTOGRAM_NUM = 3,
  HISTOGRAM_SUM = 4,
  HISTOGRAM_SUM_SQUARES = 5,
  HISTOGRAM_LIMITS = 6,
  HISTOGRAM_BUCKETS = 7,
};

static double
read_double (const SluiceTensor *t, gint64 i)
{
  float wide;
  switch ((SluiceDType) t->dtype)
    {
    case SLUICE_FLOAT:
      return ((const float *) t->data)[i];
    case SLUICE_DOUBLE:
      return ((const double *) t->data)[i];
    case SLUICE_INT8:
      return ((const gint8 *) t->data)[i];
    case SLUICE_INT16:
      return ((const gint16 *) t->data)[i];
    case SLUICE_INT32:
      return ((const gint32 *) t->data)[i];
    case SLUICE_INT64:
      return (double) ((const gint64 *) t->data)[i];
    case SLUICE_UINT8:
      return ((const guint8 *) t->data)[i];
    case SLUICE_UINT16:
      return ((const guint16 *) t->data)[i];
    case SLUICE_UINT32:
      return ((const guint32 *) t->data)[i];
    case SLUICE_UINT64:
      return (double) ((const guint64 *) t->data)[i];
    default:
      sluice_widen (t->dtype, (const guint16 *) t->data + i, &wide, 1);
      return wide;
    }
}

/* ---- scalars ---- */

/* A scalar, or a vector of one: graphs written before 1.0 do not tell them apart. */
static gboolean
is_legacy_scalar (const SluiceTensor *t)
{
  return t->shape.rank == 0 || (t->shape.rank == 1 && t->n_elements == 1);
}

static gboolean
scalar_compute (SluiceKernelCall *call)
{
  SluiceTensor *tags = sluice_call_input (call, 0), *values = sluice_call_input (call, 1);
  if (!sluice_shape_equal (&tags->shape, &values->shape)
      && !(is_legacy_scalar (tags) && is_legacy_scalar (values)))
    {
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      return sluice_call_fail (
          call, SLUICE_ERROR_INVALID_ARGUMENT, "tags have shape %s, values %s; make them equal",
          sluice_shape_str (&tags->shape, a), sluice_shape_str (&values->shape, b));
    }
  AUTO_BYTES summary = g_byte_array_new ();
  for (gint64 i = 0; i < values->n_elements; i++)
    {
      const SluiceString *tag = (const SluiceString *) tags->data + i;
      AUTO_BYTES content = g_byte_array_new ();
      sluice_wire_put_float (content, VALUE_SIMPLE, (float) read_double (values, i));
      sluice_summary_put_value (summary, tag->data, tag->length, content);
    }
  return sluice_call_output_bytes (call, summary);
}

/* ---- histograms ---- */

/* TensorFlow's default buckets: 0, and both ways from 1e-12 to 1e20 by tenths; open at the ends. */
#define HALF_BUCKETS 775
#define N_BUCKETS    (2 * HALF_BUCKETS + 1)

/* The limits above 0, and where to start looking: for each sixteenth of an octave (the first bits
 * of a double) the first bucket that such a number may fall into. A bucket is wider than that. */
#define FIRST_BITS ((1023 - 40) << 4) /* 2^-40 < 1e-12 */
#define N_STARTS   (108 << 4)         /* up to 2^68 > 1e20 */

static double positive_limits[HALF_BUCKETS];
static guint16 starts[N_STARTS];

static guint
first_bits (double value)
{
  guint64 bits;
  memcpy (&bits, &value, sizeof bits);
  return (guint) (bits >> 48);
}

static void
make_bucket_limits (void)
{
  double limit = 1.0e-12;
  guint n = 0;
  for (; limit < 1.0e20; limit *= 1.1)
    positive_limits[n++] = limit;
  g_assert (n + 1 == HALF_BUCKETS);
  positive_limits[n] = DBL_MAX;
  for (guint i = 0, bucket = 0; i < N_STARTS; i++)
    {
      while (bucket < n && first_bits (positive_limits[bucket]) < FIRST_BITS + i)
        bucket++;
      starts[i] = (guint16) bucket;
    }
}

static double
bucket_limit (guint bucket)
{
  if (bucket == HALF_BUCKETS)
    return 0;
  return bucket > HALF_BUCKETS ? positive_limits[bucket - HALF_BUCKETS - 1]
                               : -positive_limits[HALF_BUCKETS - 1 - bucket];
}

/* The first bucket whose limit is above the value. */
static guint
find_bucket (double value)
{
  double magnitude = fabs (value);
  guint bits = first_bits (magnitude);
  guint n = bits < FIRST_BITS ? 0 : starts[MIN (bits - FIRST_BITS, N_STARTS - 1)];
  if (value < 0)
    {
      while (n < HALF_BUCKETS && positive_limits[n] < magnitude)
        n++;
      return HALF_BUCKETS - n;
    }
  while (n < HALF_BUCKETS - 1 && positive_limits[n] <= magnitude)
    n++;
  return HALF_BUCKETS + 1 + n;
}

typedef struct
{
  double least, most, count, sum, squares;
  double bucket[N_BUCKETS];
} Histogram;

/* Runs of empty buckets become one. */
static void
put_histogram (GByteArray *content, const Histogram *h)
{
  g_autofree double *limits = g_new (double, N_BUCKETS), *buckets = g_new (double, N_BUCKETS);
  AUTO_BYTES message = g_byte_array_new ();
  guint n = 0;
  for (guint i = 0; i < N_BUCKETS; i++)
    {
      gboolean joins = n > 0 && h->bucket[i] == 0 && buckets[n - 1] == 0;
      n += !joins;
      limits[n - 1] = bucket_limit (i);
      buckets[n - 1] = h->bucket[i];
    }
  sluice_wire_put_double (message, HISTOGRAM_MIN, h->least);
  sluice_wire_put_double (message, HISTOGRAM_MAX, h->most);
  sluice_wire_put_double (message, HISTOGRAM_NUM, h->count);
  sluice_wire_put_double (message, HISTOGRAM_SUM, h->sum);
  sluice_wire_put_double (message, HISTOGRAM_SUM_SQUARES, h->squares);
  sluice_wire_put_doubles (message, HISTOGRAM_LIMITS, limits, n);
  sluice_wire_put_doubles (message, HISTOGRAM_BUCKETS, buckets, n);
  sluice_wire_put_bytes (content, VALUE_HISTOGRAM, message->data, message->len);
}

static gboolean
count_values (SluiceKernelCall *call, const SluiceTensor *values, Histogram *h)
{
  for (gint64 i = 0; i < values->n_elements; i++)
    {
      double value = read_double (values, i);
      if (!isfinite (value))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "element %" G_GINT64_FORMAT " of the values is %s; a histogram "
                                 "takes finite numbers",
                                 i, isnan (value) ? "not a number" : "infinite");
      h->bucket[find_bucket (value)]++;
      if (value < h->least)
        h->least = value;
      if (value > h->most)
        h->most = value;
      h->count++;
      h->sum += value;
      h->squares += value * value;
    }
  return TRUE;
}

static gboolean
histogram_compute (SluiceKernelCall *call)
{
  static gsize made;
  if (g_once_init_enter (&made))
    {
      make_bucket_limits ();
      g_once_init_leave (&made, 1);
    }
  if (!sluice_call_want_scalar (call, 0))
    return FALSE;
  const SluiceString *tag = sluice_call_input (call, 0)->data;
  g_autofree Histogram *h = g_new0 (Histogram, 1);
  h->least = DBL_MAX;
  h->most = -DBL_MAX;
  if (!count_values (call, sluice_call_input (call, 1), h))
    return FALSE;
  AUTO_BYTES summary = g_byte_array_new ();
  AUTO_BYTES content = g_byte_array_new ();
  put_histogram (content, h);
  sluice_summary_put_value (summary, tag->data, tag->length, content);
  return sluice_call_output_bytes (call, summary);
}

/* ---- images ---- */

typedef struct
{
  gint64 max_images;
  guint8 bad_color[4];
} ImageState;

static gpointer
image_prepare (const SluiceNode *node, GError **error)
{
  const SluiceTensor *bad = sluice_node_get_attr (node, "bad_color")->tensor;
  ImageState *state = g_new0 (ImageState, 1);
  state->max_images = sluice_node_get_int (node, "max_images");
  if (bad->dtype == SLUICE_UINT8 && bad->n_elements <= 4)
    memcpy (state->bad_color, bad->data, bad->n_elements);
  return state;
}

typedef struct
{
  gint64 height, width, depth;
} Size;

static gboolean
is_finite_pixel (const float *pixel, gint64 depth)
{
  for (gint64 c = 0; c < depth; c++)
    if (!isfinite (pixel[c]))
      return FALSE;
  return TRUE;
}

/* Scales to 0..255: by the largest where nothing is negative, else about 128 by the largest
 * magnitude. */
static void
normalise (const float *values, const Size *size, const guint8 *bad_color, guint8 *bytes)
{
  gint64 n = size->height * size->width, depth = size->depth;
  float least = INFINITY, most = -INFINITY;
  for (gint64 i = 0; i < n; i++)
    if (is_finite_pixel (values + i * depth, depth))
      for (gint64 c = 0; c < depth; c++)
        {
          least = MIN (least, values[i * depth + c]);
          most = MAX (most, values[i * depth + c]);
        }
  const float tiny = 1e-6f;
  float largest = least < 0 ? MAX (fabsf (least), fabsf (most)) : most;
  float scale = largest < tiny ? 0 : (least < 0 ? 127.0f : 255.0f) / largest;
  float offset = least < 0 ? 128.0f : 0.0f;
  for (gint64 i = 0; i < n; i++)
    if (is_finite_pixel (values + i * depth, depth))
      for (gint64 c = 0; c < depth; c++)
        bytes[i * depth + c] = (guint8) (values[i * depth + c] * scale + offset);
    else
      memcpy (bytes + i * depth, bad_color, depth);
}

/* Image i of the batch as bytes. (transfer full) */
static guint8 *
dup_pixels (const SluiceTensor *images, gint64 i, const Size *size, const ImageState *state)
{
  gint64 n = size->height * size->width * size->depth;
  guint8 *bytes = g_malloc (MAX (n, 1));
  if (images->dtype == SLUICE_UINT8)
    {
      memcpy (bytes, (const guint8 *) images->data + i * n, n);
      return bytes;
    }
  g_autofree float *values = g_new (float, MAX (n, 1));
  for (gint64 k = 0; k < n; k++)
    values[k] = (float) read_double (images, i * n + k);
  normalise (values, size, state->bad_color, bytes);
  return bytes;
}

static gboolean
put_png (SluiceKernelCall *call, GByteArray *message, const guint8 *bytes, const Size *size)
{
  SluicePictureSize picture = { 1, size->height, size->width, size->depth };
  g_autoptr (GError) error = NULL;
  AUTO_BYTES png = g_byte_array_new ();
  if (!sluice_png_encode (bytes, &picture, FALSE, -1, png, &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  sluice_wire_put_bytes (message, IMAGE_BYTES, png->data, png->len);
  return TRUE;
}

static gboolean
put_image (SluiceKernelCall *call, GByteArray *summary, gint64 i, const Size *size)
{
  const ImageState *state = call->state;
  const SluiceString *tag = sluice_call_input (call, 0)->data;
  g_autofree guint8 *bytes = dup_pixels (sluice_call_input (call, 1), i, size, state);
  AUTO_BYTES message = g_byte_array_new ();
  AUTO_BYTES content = g_byte_array_new ();
  sluice_wire_put_int (message, IMAGE_HEIGHT, size->height);
  sluice_wire_put_int (message, IMAGE_WIDTH, size->width);
  sluice_wire_put_int (message, IMAGE_COLORSPACE, size->depth);
  if (!put_png (call, message, bytes, size))
    return FALSE;
  sluice_wire_put_bytes (content, VALUE_IMAGE, message->data, message->len);
  g_autoptr (GString) name = g_string_new_len (tag->data, tag->length);
  g_string_append (name, "/image");
  if (state->max_images > 1)
    g_string_append_printf (name, "/%" G_GINT64_FORMAT, i);
  sluice_summary_put_value (summary, name->str, name->len, content);
  return TRUE;
}

static gboolean
image_compute (SluiceKernelCall *call)
{
  const ImageState *state = call->state;
  const SluiceShape *shape = &sluice_call_input (call, 1)->shape;
  if (!sluice_call_want_scalar (call, 0))
    return FALSE;
  gint64 depth = shape->rank == 4 ? shape->dim[3] : 0;
  if (depth != 1 && depth != 3 && depth != 4)
    {
      char text[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "pictures have shape [batch, height, width, 1, 3 or 4], not %s",
                               sluice_shape_str (shape, text));
    }
  Size size = { shape->dim[1], shape->dim[2], depth };
  if (size.height > G_MAXINT32 || size.width > G_MAXINT32)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "the pictures are too large");
  AUTO_BYTES summary = g_byte_array_new ();
  for (gint64 i = 0; i < MIN (shape->dim[0], state->max_images); i++)
    if (!put_image (call, summary, i, &size))
      return FALSE;
  return sluice_call_output_bytes (call, summary);
}

/* ---- joining ---- */

/* Finds the tag of a Value; FALSE where its bytes are no message. (out) (transfer full) */
static gboolean
read_tag (const guint8 *at, gsize length, char **tag)
{
  const guint8 *end = at + length;
  SluiceWireField field;
  while (at < end)
    {
      if (!sluice_wire_next (&at, end, &field))
        return FALSE;
      if (field.number != VALUE_TAG || field.wire_type != SLUICE_WIRE_BYTES)
        continue;
      g_free (*tag);
      *tag = g_strndup ((const char *) field.data, field.length);
    }
  return TRUE;
}

/* Appends the values of one summary; tags notes those that were seen. */
static gboolean
append_values (SluiceKernelCall *call,
               GByteArray *summary,
               const SluiceString *text,
               GHashTable *tags)
{
  if (text->length == 0) /* the text is NULL then */
    return TRUE;
  const guint8 *at = (const guint8 *) text->data, *end = at + text->length;
  SluiceWireField field;
  while (at < end)
    {
      g_autofree char *tag = NULL;
      if (!sluice_wire_next (&at, end, &field)
          || (field.number == SUMMARY_VALUE
              && (field.wire_type != SLUICE_WIRE_BYTES
                  || !read_tag (field.data, field.length, &tag))))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "one of the inputs is no serialised summary");
      if (field.number != SUMMARY_VALUE)
        continue;
      if (tag && *tag && !g_hash_table_add (tags, g_strdup (tag)))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "tag '%s' comes twice in the summaries", tag);
      sluice_wire_put_bytes (summary, SUMMARY_VALUE, field.data, field.length);
    }
  return TRUE;
}

static gboolean
merge_compute (SluiceKernelCall *call)
{
  AUTO_BYTES summary = g_byte_array_new ();
  g_autoptr (GHashTable) tags = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < call->n_inputs; i++)
    {
      SluiceTensor *input = sluice_call_input (call, i);
      for (gint64 k = 0; k < input->n_elements; k++)
        if (!append_values (call, summary, (const SluiceString *) input->data + k, tags))
          return FALSE;
    }
  return sluice_call_output_bytes (call, summary);
}

#define KERNEL(name, function, ...)                                                                \
  {                                                                                                \
    .op = name, .device = "CPU", .host_inputs = ~0u, .host_outputs = 1, .compute = function,       \
    __VA_ARGS__                                                                                    \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("ScalarSummary", scalar_compute),
  KERNEL ("HistogramSummary", histogram_compute),
  KERNEL ("ImageSummary", image_compute, .prepare = image_prepare, .free_state = g_free),
  KERNEL ("MergeSummary", merge_compute),
};

const SluiceKernelModule sluice_module_summary_summary_cpu = { .kernels = kernels,
                                                               .n_kernels =
                                                                   G_N_ELEMENTS (kernels) };
