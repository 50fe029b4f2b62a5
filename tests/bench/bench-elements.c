/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Kernels that move or touch each element once, on one thread, against plain C loops that the
 * compiler vectorises for this CPU and against memcpy; nanoseconds an element of transcendental
 * functions; and how much faster all threads are than one.
 *
 * bench-elements [WORD]: only those whose name contains it.
 */
#include <stdio.h>
#include <string.h>

#include "kernels/typed.h"
#include "tests/bench/race.h"

#define SMALL (16 * 1024)        /* floats: three arrays stay in the second-level cache */
#define LARGE (16 * 1024 * 1024) /* floats: each array is larger than any cache */

/* ---- rivals ---- */

typedef struct
{
  gint64 n;
  float *a, *b, *c, *d;
} Plain;

SLUICE_HOT static void
add_loop (gint64 n, const float *restrict a, const float *restrict b, float *restrict c)
{
  for (gint64 i = 0; i < n; i++)
    c[i] = a[i] + b[i];
}

SLUICE_HOT static void
relu_loop (gint64 n, const float *restrict a, float *restrict c)
{
  for (gint64 i = 0; i < n; i++)
    c[i] = a[i] > 0 ? a[i] : 0;
}

/* Whole vectors into four sums: nothing but reading takes time. */
SLUICE_HOT static void
read_loop (gint64 n, const float *restrict a, float *restrict c)
{
  float sums[64] = { 0 };
  for (gint64 i = 0; i + 64 <= n; i += 64)
    for (int k = 0; k < 64; k++)
      sums[k] += a[i + k];
  for (int k = 0; k < 64; k++)
    c[k] = sums[k];
}

/* Adam's traffic, four arrays read and three written, with hardly any arithmetic. */
SLUICE_HOT static void
update_loop (
    gint64 n, float *restrict a, float *restrict b, float *restrict c, const float *restrict d)
{
  for (gint64 i = 0; i < n; i++)
    {
      b[i] += 0.1f * d[i];
      c[i] += 0.1f * d[i];
      a[i] -= b[i] + c[i];
    }
}

static void
plain_add (gpointer data)
{
  Plain *p = data;
  add_loop (p->n, p->a, p->b, p->c);
}

static void
plain_relu (gpointer data)
{
  Plain *p = data;
  relu_loop (p->n, p->a, p->c);
}

static void
plain_read (gpointer data)
{
  Plain *p = data;
  read_loop (p->n, p->a, p->c);
}

static void
plain_update (gpointer data)
{
  Plain *p = data;
  update_loop (p->n, p->a, p->b, p->c, p->d);
}

static void
plain_copy (gpointer data)
{
  Plain *p = data;
  memcpy (p->c, p->a, (gsize) p->n * sizeof (float));
}

/* ---- races ---- */

static SluiceTensor *
ints (const gint32 *values, gint64 n)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_INT32, &SLUICE_SHAPE (n));
  if (values)
    memcpy (tensor->data, values, (gsize) n * sizeof *values);
  return tensor;
}

/* @inputs: taken. The rival gets arrays of its own, of @n floats. */
static void
against (const char *name,
         const char *op,
         SluiceTensor *const *inputs,
         guint n_inputs,
         void (*rival) (gpointer),
         gint64 n,
         double goal)
{
  NodeBench ours;
  g_autoptr (SluiceTensor) a = race_filled (&SLUICE_SHAPE (n));
  g_autoptr (SluiceTensor) b = race_filled (&SLUICE_SHAPE (n));
  g_autoptr (SluiceTensor) c = race_filled (&SLUICE_SHAPE (n));
  Plain plain = { n, a->data, b->data, c->data, NULL };
  node_bench_init (&ours, op, inputs, n_inputs, 0, NULL, 0);
  Contender contenders[] = { { node_bench_call, &ours }, { rival, &plain } };
  race (name, (double) n, "elements/ns", goal, contenders, 2);
  node_bench_clear (&ours);
}

static void
bench_elementwise (void)
{
  static const struct
  {
    const char *where;
    gint64 n;
  } sizes[] = { { "in-cache", SMALL }, { "in-memory", LARGE } };
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      gint64 n = sizes[i].n;
      g_autofree char *add = g_strdup_printf ("Add/%s", sizes[i].where);
      g_autofree char *relu = g_strdup_printf ("Relu/%s", sizes[i].where);
      SluiceTensor *two[] = { race_filled (&SLUICE_SHAPE (n)), race_filled (&SLUICE_SHAPE (n)) };
      SluiceTensor *one[] = { race_filled (&SLUICE_SHAPE (n)) };
      against (add, "Add", two, 2, plain_add, n, 0.85);
      against (relu, "Relu", one, 1, plain_relu, n, 0.85);
    }
}

static void
bench_reductions (void)
{
  static const gint32 axes[] = { 0, 1 };
  static const char *const names[] = { "Sum/axis-0", "Sum/axis-1", "Sum/all" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      SluiceTensor *inputs[] = { race_filled (&SLUICE_SHAPE (4096, LARGE / 4096)),
                                 i < 2 ? ints (&axes[i], 1) : ints (axes, 2) };
      against (names[i], "Sum", inputs, 2, plain_read, LARGE, 0.8);
    }
}

static void
bench_moves (void)
{
  static const gint32 swap[] = { 1, 0 }, nchw[] = { 0, 3, 1, 2 };
  static const gint32 begin[] = { 0, 256 }, size[] = { 4096, 3584 }, axis = 1;
  SluiceTensor *matrix[] = { race_filled (&SLUICE_SHAPE (4096, 4096)), ints (swap, 2) };
  against ("Transpose/matrix", "Transpose", matrix, 2, plain_copy, LARGE, 0.5);
  SluiceTensor *images[] = { race_filled (&SLUICE_SHAPE (64, 64, 64, 64)), ints (nchw, 4) };
  against ("Transpose/NHWC-NCHW", "Transpose", images, 2, plain_copy, LARGE, 0.5);
  SluiceTensor *slice[] = { race_filled (&SLUICE_SHAPE (4096, 4096)), ints (begin, 2),
                            ints (size, 2) };
  against ("Slice", "Slice", slice, 3, plain_copy, 4096 * 3584, 0.7);
  SluiceTensor *concat[] = { race_filled (&SLUICE_SHAPE (4096, 1024)),
                             race_filled (&SLUICE_SHAPE (4096, 3072)), ints (&axis, 1) };
  concat[2]->shape.rank = 0;
  against ("ConcatV2", "ConcatV2", concat, 3, plain_copy, LARGE, 0.7);
  SluiceTensor *gather[] = { race_filled (&SLUICE_SHAPE (65536, 256)), ints (NULL, 65536) };
  for (gint32 i = 0; i < 65536; i++)
    ((gint32 *) gather[1]->data)[i] = (gint32) ((guint32) i * 40503u % 65536);
  against ("Gather", "Gather", gather, 2, plain_copy, LARGE, 0.7);
}

/* ApplyAdam of 4 million parameters. @self's inputs: var, m, v, then scalars, then the gradient. */
static void
adam_init (NodeBench *self)
{
  SluiceTensor *inputs[RACE_MAX_INPUTS];
  for (guint i = 0; i < RACE_MAX_INPUTS; i++)
    {
      gboolean is_scalar = i >= 3 && i < RACE_MAX_INPUTS - 1;
      inputs[i] = is_scalar ? sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE_SCALAR)
                            : race_filled (&SLUICE_SHAPE (LARGE / 4));
      if (is_scalar)
        *(float *) inputs[i]->data = 0.5f;
    }
  for (gint64 i = 0; i < LARGE / 4; i++)
    ((float *) inputs[2]->data)[i] = 0.25f; /* second moments are not negative */
  node_bench_init (self, "ApplyAdam", inputs, RACE_MAX_INPUTS, 3, NULL, 0);
}

static void
bench_adam (void)
{
  NodeBench ours;
  SluiceTensor *arrays[4];
  for (guint i = 0; i < 4; i++)
    arrays[i] = race_filled (&SLUICE_SHAPE (LARGE / 4));
  Plain plain = { LARGE / 4, arrays[0]->data, arrays[1]->data, arrays[2]->data, arrays[3]->data };
  adam_init (&ours);
  Contender contenders[] = { { node_bench_call, &ours }, { plain_update, &plain } };
  race ("ApplyAdam", LARGE / 4, "elements/ns", 0.8, contenders, 2);
  node_bench_clear (&ours);
  for (guint i = 0; i < 4; i++)
    sluice_tensor_unref (arrays[i]);
}

static void
bench_functions (void)
{
  static const char *const ops[] = { "Exp", "Log", "Tanh", "Sigmoid" };
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      NodeBench ours;
      SluiceTensor *x = race_filled (&SLUICE_SHAPE (SMALL));
      for (gint64 k = 0; k < SMALL; k++)
        ((float *) x->data)[k] += 0.75f; /* where Log is defined, too */
      node_bench_init (&ours, ops[i], &x, 1, 0, NULL, 0);
      if (race_only == NULL || strstr (ops[i], race_only))
        printf ("{\"name\": \"kernels/%s/in-cache\", \"value\": %.3f, \"unit\": \"ns/element\", "
                "\"goal\": 0.5}\n",
                ops[i], race_best_ns (&(Contender){ node_bench_call, &ours }) / SMALL);
      fflush (stdout);
      node_bench_clear (&ours);
    }
}

/* ---- all threads against one ---- */

static void
speed_up (const char *op, SluiceTensor *const *inputs, guint n)
{
  NodeBench ours;
  node_bench_init (&ours, op, inputs, n, 0, NULL, 0);
  race_threads (op, &(Contender){ node_bench_call, &ours }, 1.7);
  node_bench_clear (&ours);
}

static void
bench_threads (void)
{
  static const gint32 axis = 0, swap[] = { 1, 0 };
  SluiceTensor *square[] = { race_filled (&SLUICE_SHAPE (512, 512)),
                             race_filled (&SLUICE_SHAPE (512, 512)) };
  speed_up ("MatMul", square, 2);
  SluiceTensor *sum[] = { race_filled (&SLUICE_SHAPE (1024, 1024)), ints (&axis, 1) };
  speed_up ("Sum", sum, 2);
  SluiceTensor *transpose[] = { race_filled (&SLUICE_SHAPE (1024, 1024)), ints (swap, 2) };
  speed_up ("Transpose", transpose, 2);
  static const char *const unary[] = { "Exp", "Relu", "Softmax" };
  for (guint i = 0; i < G_N_ELEMENTS (unary); i++)
    {
      SluiceTensor *x = race_filled (&SLUICE_SHAPE (1024, 1024));
      speed_up (unary[i], &x, 1);
    }
  NodeBench adam;
  adam_init (&adam);
  race_threads ("ApplyAdam", &(Contender){ node_bench_call, &adam }, 1.7);
  node_bench_clear (&adam);
}

static void
bench (void)
{
  if (race_n_threads > 1)
    {
      bench_threads ();
      return;
    }
  bench_elementwise ();
  bench_functions ();
  bench_reductions ();
  bench_moves ();
  bench_adam ();
}

int
main (int argc, char **argv)
{
  return race_main (argc, argv, bench);
}
