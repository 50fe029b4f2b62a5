/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Gradients of convolutions whose incoming gradient is mostly zeros: the reference kernel's result
 * but for rounding, the same bits on any number of threads, and NaN where zero meets what is not
 * finite.
 */
#include <math.h>

#include "engine/base/pool.h"
#include "kernels/linalg/sparse-rows.h"
#include "tests/kernels/harness.h"

typedef struct
{
  gint64 batch, in[2], channels, filter[2], out_channels, stride[2], dilation;
  const char *padding;
  gint64 out[2];
  double density;
} Problem;

static const Problem problems[] = {
  /* The second convolution of a LeNet, behind a pool and a Relu. */
  { 5, { 14, 14 }, 32, { 5, 5 }, 64, { 1, 1 }, 1, "SAME", { 14, 14 }, 0.18 },
  /* Nothing but zeros; every element counts, and the dense product is made. */
  { 5, { 14, 14 }, 32, { 5, 5 }, 64, { 1, 1 }, 1, "SAME", { 14, 14 }, 0 },
  { 5, { 14, 14 }, 32, { 5, 5 }, 64, { 1, 1 }, 1, "SAME", { 14, 14 }, 1 },
  /* Rows that are no whole vectors, a block of channels that is not whole. */
  { 9, { 30, 28 }, 7, { 5, 7 }, 77, { 1, 1 }, 1, "VALID", { 26, 22 }, 0.03 },
  /* Steps that leave pixels of the input out, at its end too. */
  { 5, { 30, 29 }, 24, { 3, 5 }, 33, { 2, 3 }, 1, "VALID", { 14, 9 }, 0.1 },
  { 5, { 30, 29 }, 24, { 7, 5 }, 33, { 2, 3 }, 1, "SAME", { 15, 10 }, 0.1 },
  /* Rows of a filter apart, and many bands of rows. */
  { 2, { 70, 64 }, 32, { 3, 5 }, 64, { 1, 1 }, 2, "SAME", { 70, 64 }, 0.1 },
  /* Rows of more vectors than are summed at once. */
  { 4, { 12, 12 }, 130, { 3, 3 }, 40, { 1, 1 }, 1, "SAME", { 12, 12 }, 0.2 },
};

static float
noise (guint32 *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (float) (*state >> 8) / 8388608.0f - 1;
}

/* Values of which a share is not zero; one of them `odd` instead where it is not 0. */
static SluiceEdge
values (Harness *h, const SluiceShape *shape, double density, float odd)
{
  gint64 n = sluice_shape_n_elements (shape);
  g_autofree float *v = g_new (float, n);
  guint32 state = 12345;
  for (gint64 i = 0; i < n; i++)
    {
      float chance = noise (&state) / 2 + 0.5f, value = noise (&state);
      v[i] = (double) chance < density ? value : (i & 1) ? 0.0f : -0.0f;
    }
  if (odd != 0)
    v[n / 2] = odd;
  return harness_floats (h, shape, v);
}

typedef struct
{
  const Problem *p;
  gboolean of_filter;
  float odd_gradient, odd_other; /* not 0: an element that is this */
} Case;

static SluiceAttrValue
list_of (SluiceAttrValue *room, gint64 vertical, gint64 horizontal)
{
  const gint64 items[] = { 1, vertical, horizontal, 1 };
  for (int i = 0; i < 4; i++)
    room[i] = (SluiceAttrValue){ .kind = SLUICE_ATTR_INT, .i = items[i] };
  return (SluiceAttrValue){ .kind = SLUICE_ATTR_LIST,
                            .list_kind = SLUICE_ATTR_INT,
                            .list = { room, 4 } };
}

static void
build (Harness *h, const Case *c)
{
  const Problem *p = c->p;
  SluiceShape x = SLUICE_SHAPE (p->batch, p->in[0], p->in[1], p->channels);
  SluiceShape filter = SLUICE_SHAPE (p->filter[0], p->filter[1], p->channels, p->out_channels);
  SluiceShape dy = SLUICE_SHAPE (p->batch, p->out[0], p->out[1], p->out_channels);
  const SluiceShape *given = c->of_filter ? &x : &filter, *wanted = c->of_filter ? &filter : &x;
  SluiceEdge other = values (h, given, 1, c->odd_other);
  SluiceEdge sizes = sluice_builder_const_ints (&h->b, SLUICE_INT32, wanted->dim, 4);
  SluiceEdge inputs[] = { c->of_filter ? other : sizes, c->of_filter ? sizes : other,
                          values (h, &dy, p->density, c->odd_gradient) };
  SluiceAttrValue room[8];
  SluiceAttrValue strides = list_of (room, p->stride[0], p->stride[1]);
  SluiceAttrValue dilations = list_of (room + 4, p->dilation, 1);
  harness_add (h, c->of_filter ? "Conv2DBackpropFilter" : "Conv2DBackpropInput", "y", inputs, 3,
               SLUICE_ATTRS (sluice_attr_value ("strides", &strides),
                             sluice_attr_value ("dilations", &dilations),
                             sluice_attr_string ("padding", p->padding)));
}

static SluiceTensor *
run (const Case *c, gboolean reference, guint threads)
{
  g_auto (Harness) h;
  sluice_pool_set_threads (threads);
  harness_init (&h, 1, reference);
  build (&h, c);
  return harness_fetch (&h, "y:0");
}

static void
check (const Case *c)
{
  guint saved = sluice_pool_get_threads ();
  g_autoptr (SluiceTensor) want = run (c, TRUE, 1), got = run (c, FALSE, 1);
  const float *a = got->data, *b = want->data;
  double largest = 1e-30;
  g_assert_true (sluice_shape_equal (&got->shape, &want->shape));
  for (gint64 i = 0; i < want->n_elements; i++)
    largest = isfinite (b[i]) ? MAX (largest, fabs ((double) b[i])) : largest;
  for (gint64 i = 0; i < want->n_elements; i++)
    if (isfinite (b[i]))
      g_assert_cmpfloat_with_epsilon (a[i], b[i], 1e-5 * largest);
    else
      g_assert_true (isnan (b[i]) ? isnan (a[i]) : a[i] == b[i]);
  for (guint threads = 2; threads <= 5; threads += 3)
    {
      g_autoptr (SluiceTensor) again = run (c, FALSE, threads);
      g_assert_cmpmem (a, sluice_tensor_bytes (got), again->data, sluice_tensor_bytes (again));
    }
  sluice_pool_set_threads (saved);
}

static void
test_problems (gconstpointer of_filter)
{
  for (guint i = 0; i < G_N_ELEMENTS (problems); i++)
    check (&(Case){ .p = &problems[i], .of_filter = GPOINTER_TO_INT (of_filter) });
}

/* An infinity in the gradient goes where the dense product takes it, one in what it is multiplied
 * with makes NaN of the zeros. */
static void
test_infinities (gconstpointer of_filter)
{
  for (guint i = 0; i < 4; i += 3)
    for (int which = 0; which < 2; which++)
      {
        Case c = { .p = &problems[i], .of_filter = GPOINTER_TO_INT (of_filter) };
        *(which ? &c.odd_other : &c.odd_gradient) = INFINITY;
        check (&c);
        *(which ? &c.odd_other : &c.odd_gradient) = NAN;
        check (&c);
      }
}

static void
test_density (void)
{
  g_autofree float *v = g_new0 (float, 100000);
  g_assert_cmpfloat (sluice_rows_density (v, 100000), ==, 0);
  for (guint i = 0; i < 100000; i += 4)
    v[i] = 1;
  g_assert_cmpfloat (sluice_rows_density (v, 100000), ==, 0.25);
  g_assert_cmpfloat (sluice_rows_density (v, 1000), ==, 1); /* too few to tell */
  g_assert_true (sluice_rows_finite (v, 99999));
  v[99998] = -INFINITY;
  g_assert_false (sluice_rows_finite (v, 99999));
  g_assert_true (sluice_rows_finite (v, 99998));
}

static void
test_pick (void)
{
  const float v[19] = { [0] = 5, [3] = -1, [9] = NAN, [18] = 2 };
  SluiceRowTerm terms[19];
  g_assert_cmpint (sluice_rows_pick (v, 19, 100, 10, terms), ==, 4);
  g_assert_cmpfloat (terms[0].factor, ==, 5);
  g_assert_cmpint (terms[0].row, ==, 100);
  g_assert_cmpfloat (terms[1].factor, ==, -1);
  g_assert_cmpint (terms[1].row, ==, 130);
  g_assert_true (isnan (terms[2].factor));
  g_assert_cmpint (terms[2].row, ==, 190);
  g_assert_cmpint (terms[3].row, ==, 280);
}

int
main (int argc, char **argv)
{
  gpointer of_filter = GINT_TO_POINTER (TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/conv-sparse/density", test_density);
  g_test_add_func ("/kernels/conv-sparse/pick", test_pick);
  g_test_add_data_func ("/kernels/conv-sparse/input", NULL, test_problems);
  g_test_add_data_func ("/kernels/conv-sparse/filter", of_filter, test_problems);
  g_test_add_data_func ("/kernels/conv-sparse/input-infinities", NULL, test_infinities);
  g_test_add_data_func ("/kernels/conv-sparse/filter-infinities", of_filter, test_infinities);
  return g_test_run ();
}
