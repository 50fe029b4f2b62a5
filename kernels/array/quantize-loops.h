/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Rounding to steps, a template of quantize-cpu.c. It is given T, its LARGEST number, MATH (f), the
 * function f of libm for it, and NAME (x).
 *
 * Steps are lowest to highest; a number x becomes round (x · scale) · inverse.
 */
typedef struct
{
  T min, max, scale, inverse;
} NAME (Range);

/* A NaN makes the whole range one. */
static void
NAME (measure) (const T *x, const SluiceAxisSplit *split, gint64 slice, NAME (Range) * r)
{
  gboolean first = TRUE;
  *r = (NAME (Range)){ 0 };
  for (gint64 o = 0; o < split->outer; o++)
    for (gint64 i = 0; i < split->inner; i++)
      {
        const T value = x[(o * split->size + slice) * split->inner + i];
        if (first || value < r->min || value != value)
          r->min = value;
        if (first || value > r->max || value != value)
          r->max = value;
        first = FALSE;
        if (value != value)
          return;
      }
}

/* The side that needs the coarser steps decides; the other is moved to the last step. */
static void
NAME (set_scale) (NAME (Range) * r, T lowest, T highest)
{
  const T from_min = lowest * r->min > 0 ? lowest / r->min : LARGEST;
  const T from_max = highest * r->max > 0 ? highest / r->max : LARGEST;
  if (from_min < from_max)
    {
      r->scale = from_min;
      r->inverse = r->min / lowest;
      r->max = highest * r->inverse;
    }
  else
    {
      r->scale = from_max;
      r->inverse = r->max / highest;
      r->min = lowest * r->inverse;
    }
}

typedef struct
{
  const Quantizer *q;
  SluiceAxisSplit split;
  const NAME (Range) * ranges; /* one a slice */
  const T *x;
  T *out;
} NAME (Job);

static void
NAME (quantize) (gpointer data, gint64 begin, gint64 end)
{
  const NAME (Job) *job = data;
  const Quantizer *q = job->q;
  for (gint64 i = begin; i < end;)
    {
      const gint64 run = i / job->split.inner;
      const gint64 stop = MIN (end, (run + 1) * job->split.inner);
      const NAME (Range) r = job->ranges[run % job->split.size];
      for (; i < stop; i++)
        {
          T x = job->x[i];
          if (q->range_given)
            {
              x = x > r.max ? r.max : x;
              x = x < r.min ? r.min : x;
            }
          x *= r.scale;
          job->out[i] = (q->half_up ? MATH (floor) (x + (T) 0.5) : MATH (rint) (x)) * r.inverse;
        }
    }
}

/* given: min and max of each slice, or NULL */
static gboolean
NAME (run) (SluiceKernelCall *call,
            const Quantizer *q,
            SluiceAxisSplit split,
            const T *min,
            const T *max,
            const T *x,
            T *out)
{
  g_autofree NAME (Range) *ranges = g_new (NAME (Range), split.size);
  const gint64 span = (gint64) 1 << (q->is_signed ? q->bits - 1 : q->bits);
  const T lowest = q->is_signed ? -span + q->is_narrow : 0, highest = span - 1;
  for (gint64 k = 0; k < split.size; k++)
    {
      if (!q->range_given)
        NAME (measure) (x, &split, k, &ranges[k]);
      else if (!(min[k] <= max[k]))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "the range from %g to %g is empty", (double) min[k],
                                 (double) max[k]);
      else
        ranges[k] = (NAME (Range)){ .min = min[k], .max = max[k] };
      NAME (set_scale) (&ranges[k], lowest, highest);
    }
  NAME (Job) job = { q, split, ranges, x, out };
  return sluice_call_parallel_for (call, split.outer * split.size * split.inner, 16384, 1.0,
                                   NAME (quantize), &job);
}

#undef T
#undef LARGEST
#undef MATH
#undef NAME
