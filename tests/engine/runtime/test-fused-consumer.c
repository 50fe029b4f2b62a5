/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A gradient that its update takes in parts: the bits, the errors and the order are those of two
 * nodes. */
#include "tests/engine/runtime/fixture.h"

#include <math.h>
#include <string.h>

#include "engine/base/pool.h"

typedef struct
{
  gint64 m, k, n;
  gboolean ta, tb, is_double;
} Product;

static const Product products[] = {
  { 1000, 70, 90, TRUE, FALSE, FALSE }, /* strips of rows */
  { 1000, 70, 90, TRUE, FALSE, TRUE },   { 700, 60, 130, FALSE, TRUE, FALSE },
  { 30, 20, 8, TRUE, FALSE, FALSE },     /* one tile */
  { 40, 300, 1500, FALSE, FALSE, TRUE }, /* cut by columns */
  { 60, 500, 1300, FALSE, TRUE, FALSE }, /* as the product transposed */
  { 5, 0, 7, TRUE, FALSE, FALSE },       /* a sum of nothing */
};

static SluiceEdge
shaped (Fixture *f, const char *name, SluiceDType dtype, const SluiceShape *shape)
{
  return sluice_builder_add (
      &f->b, "Placeholder", name, NULL, 0,
      SLUICE_ATTRS (sluice_attr_type ("dtype", dtype), sluice_attr_shape ("shape", shape)));
}

/* Of which nothing is known but its type. */
static SluiceEdge
matrix (Fixture *f, const char *name, SluiceDType dtype)
{
  return shaped (f, name, dtype, &SLUICE_SHAPE_UNKNOWN);
}

static SluiceEdge
variable (Fixture *f, const char *name, SluiceDType dtype, SluiceEdge initial)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", dtype),
                         sluice_attr_shape ("shape", &SLUICE_SHAPE_UNKNOWN),
                         sluice_attr_string ("shared_name", name) };
  SluiceEdge handle = { fixture_node (f, "VarHandleOp", name, NULL, NULL, 0, NULL, 0, attrs, 3),
                        0 };
  g_autofree char *init = g_strconcat (name, "_init", NULL);
  g_autofree char *read = g_strconcat (name, "_read", NULL);
  fixture_node (f, "AssignVariableOp", init, NULL, (SluiceEdge[]){ handle, initial }, 2, NULL, 0,
                attrs, 1);
  fixture_node (f, "ReadVariableOp", read, NULL, &handle, 1, NULL, 0, attrs, 1);
  return handle;
}

/* A training step as optimizers write it: the gradient is gated before the update reads it. */
static void
make_step (Fixture *f, const Product *p, const SluiceSessionOptions *options)
{
  SluiceDType dtype = p->is_double ? SLUICE_DOUBLE : SLUICE_FLOAT;
  fixture_init (f, options);
  SluiceEdge start = matrix (f, "start", dtype);
  SluiceEdge zero = sluice_builder_add (&f->b, "ZerosLike", NULL, &start, 1, NULL, 0);
  SluiceEdge w = variable (f, "w", dtype, start), m = variable (f, "m", dtype, zero);
  SluiceEdge inputs[] = { matrix (f, "a", dtype), matrix (f, "b", dtype) };
  SluiceEdge gradient = sluice_builder_add (&f->b, "MatMul", "gradient", inputs, 2,
                                            SLUICE_ATTRS (sluice_attr_bool ("transpose_a", p->ta),
                                                          sluice_attr_bool ("transpose_b", p->tb)));
  SluiceNode *group = fixture_node (f, "NoOp", "group", NULL, NULL, 0, &gradient.node, 1, NULL, 0);
  SluiceEdge gated = {
    fixture_node (f, "Identity", "gated", NULL, &gradient, 1, &group, 1, NULL, 0), 0
  };
  SluiceEdge rate = sluice_builder_const_number (&f->b, dtype, 0.25);
  fixture_node (
      f, "ResourceApplyMomentum", "update", NULL,
      (SluiceEdge[]){ w, m, rate, gated, sluice_builder_const_number (&f->b, dtype, 0.5) }, 5, NULL,
      0, NULL, 0);
  fixture_extend (f);
}

static SluiceTensor *
make_noise (const Product *p, gint64 rows, gint64 columns)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) (rows * 1000 + columns));
  SluiceTensor *t = sluice_tensor_new_zeros (p->is_double ? SLUICE_DOUBLE : SLUICE_FLOAT,
                                             &SLUICE_SHAPE (rows, columns));
  for (gint64 i = 0; i < t->n_elements; i++)
    if (p->is_double)
      ((double *) t->data)[i] = g_rand_double_range (rand, -1, 1);
    else
      ((float *) t->data)[i] = (float) g_rand_double_range (rand, -1, 1);
  return t;
}

/* Some steps from w on; returns w, and how many nodes ran. fetch: besides, or NULL. */
static SluiceTensor *
train (const Product *p,
       gboolean no_fusion,
       const char *fetch,
       gint64 extra_row,
       char **message,
       guint64 *n_nodes)
{
  g_auto (Fixture) f = { 0 };
  g_autoptr (GError) error = NULL;
  make_step (&f, p, &(SluiceSessionOptions){ .seed = 1, .no_fusion = no_fusion });
  g_autoptr (SluiceTensor) start = make_noise (p, p->m + extra_row, p->n);
  g_autoptr (SluiceTensor) a = p->ta ? make_noise (p, p->k, p->m) : make_noise (p, p->m, p->k);
  g_autoptr (SluiceTensor) b = p->tb ? make_noise (p, p->n, p->k) : make_noise (p, p->k, p->n);
  const SluiceFeed feeds[] = { { "start:0", start }, { "a:0", a }, { "b:0", b } };
  g_assert_true (sluice_session_run (
      f.session,
      &(SluiceStepNames){ .feeds = feeds,
                          .targets = (const char *const[]){ "w_init", "m_init" },
                          .n_feeds = 1,
                          .n_targets = 2 },
      NULL, NULL, &error));
  SluiceSessionStats before, after;
  sluice_session_get_stats (f.session, &before);
  for (guint i = 0; i < 3 && error == NULL; i++)
    {
      SluiceTensor *fetched = NULL;
      sluice_session_run (f.session,
                          &(SluiceStepNames){ .feeds = feeds + 1,
                                              .fetches = &fetch,
                                              .targets = (const char *const[]){ "update" },
                                              .n_feeds = 2,
                                              .n_fetches = fetch != NULL,
                                              .n_targets = 1 },
                          &fetched, NULL, &error);
      g_clear_pointer (&fetched, sluice_tensor_unref);
    }
  sluice_session_get_stats (f.session, &after);
  *n_nodes = after.n_nodes_run - before.n_nodes_run;
  *message = error ? g_strdup (error->message) : NULL;
  g_clear_error (&error);
  SluiceTensor *w = NULL;
  const char *read = "w_read:0";
  g_assert_true (sluice_session_run (
      f.session, &(SluiceStepNames){ .fetches = &read, .n_fetches = 1 }, &w, NULL, &error));
  return w;
}

static void
check_same (const SluiceTensor *a, const SluiceTensor *b)
{
  g_assert_true (sluice_shape_equal (&a->shape, &b->shape));
  g_assert_cmpmem (a->data, sluice_tensor_bytes (a), b->data, sluice_tensor_bytes (b));
}

static void
test_bits (void)
{
  guint saved = sluice_pool_get_threads ();
  for (guint i = 0; i < G_N_ELEMENTS (products); i++)
    for (guint threads = 1; threads <= 3; threads++)
      {
        g_autofree char *apart_error = NULL, *fused_error = NULL;
        guint64 n_apart, n_fused;
        sluice_pool_set_threads (threads);
        g_autoptr (SluiceTensor) apart =
            train (&products[i], TRUE, NULL, 0, &apart_error, &n_apart);
        g_autoptr (SluiceTensor) fused =
            train (&products[i], FALSE, NULL, 0, &fused_error, &n_fused);
        g_assert_null (apart_error);
        g_assert_null (fused_error);
        check_same (fused, apart);
        g_assert_cmpuint (n_fused + 3 * 2, ==, n_apart); /* the gradient and its control identity */
      }
  sluice_pool_set_threads (saved);
}

/* A value that somebody looks at stays one. */
static void
test_fetched (void)
{
  static const char *const fetches[] = { "gradient:0", "gated:0" };
  for (guint i = 0; i < G_N_ELEMENTS (fetches); i++)
    {
      g_autofree char *apart_error = NULL, *fused_error = NULL;
      guint64 n_apart, n_fused;
      g_autoptr (SluiceTensor) apart =
          train (&products[0], TRUE, fetches[i], 0, &apart_error, &n_apart);
      g_autoptr (SluiceTensor) fused =
          train (&products[0], FALSE, fetches[i], 0, &fused_error, &n_fused);
      check_same (fused, apart);
      g_assert_cmpuint (n_fused + (i == 0 ? 3 : 0), ==,
                        n_apart); /* but not the control identity before it */
    }
}

/* A gradient that does not fit changes nothing, and the message is the update's own. */
static void
test_misfit (void)
{
  for (guint i = 0; i < 4; i++)
    {
      const Product *p = &products[i];
      g_autofree char *apart_error = NULL, *fused_error = NULL;
      guint64 n_apart, n_fused;
      g_autoptr (SluiceTensor) apart = train (p, TRUE, NULL, 1, &apart_error, &n_apart);
      g_autoptr (SluiceTensor) fused = train (p, FALSE, NULL, 1, &fused_error, &n_fused);
      g_autoptr (SluiceTensor) start = make_noise (p, p->m + 1, p->n);
      g_assert_cmpstr (fused_error, ==, apart_error);
      g_assert_nonnull (strstr (fused_error, "update"));
      check_same (fused, start);
    }
}

/* The producer's own error names the producer. */
static void
test_producer_fails (void)
{
  char *messages[2] = { NULL, NULL };
  for (guint i = 0; i < 2; i++)
    {
      g_auto (Fixture) f = { 0 };
      g_autoptr (GError) error = NULL;
      make_step (&f, &products[0], &(SluiceSessionOptions){ .seed = 1, .no_fusion = i == 0 });
      g_autoptr (SluiceTensor) start = make_noise (&products[0], 4, 5);
      g_autoptr (SluiceTensor) a = make_noise (&products[0], 3, 4);
      g_autoptr (SluiceTensor) b = make_noise (&products[0], 2, 5);
      const SluiceFeed feeds[] = { { "start:0", start }, { "a:0", a }, { "b:0", b } };
      g_assert_true (sluice_session_run (
          f.session,
          &(SluiceStepNames){ .feeds = feeds,
                              .targets = (const char *const[]){ "w_init", "m_init" },
                              .n_feeds = 1,
                              .n_targets = 2 },
          NULL, NULL, &error));
      g_assert_false (
          sluice_session_run (f.session,
                              &(SluiceStepNames){ .feeds = feeds + 1,
                                                  .targets = (const char *const[]){ "update" },
                                                  .n_feeds = 2,
                                                  .n_targets = 1 },
                              NULL, NULL, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, "gradient"));
      messages[i] = g_strdup (error->message);
    }
  g_assert_cmpstr (messages[0], ==, messages[1]);
  g_free (messages[0]);
  g_free (messages[1]);
}

/* The product reads a variable's own memory, and what overwrites that waits for the product. */
static void
test_overwritten (void)
{
  const Product p = { 40, 30, 50, FALSE, FALSE, FALSE };
  g_autoptr (SluiceTensor) a = make_noise (&p, p.m, p.k);
  g_autoptr (SluiceTensor) b = make_noise (&p, p.k, p.n);
  g_autoptr (SluiceTensor) x = make_noise (&p, p.m, p.n);
  const SluiceFeed feeds[] = { { "a:0", a }, { "x:0", x }, { "b:0", b } };
  for (guint64 order_seed = 0; order_seed < 8; order_seed++)
    {
      g_auto (Fixture) f = { 0 };
      g_autoptr (GError) error = NULL;
      SluiceTensor *kept = NULL, *overwritten = NULL;
      const char *fetch = "out:0";
      fixture_init (&f, &(SluiceSessionOptions){ .seed = 1, .order_seed = order_seed });
      SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                             sluice_attr_shape ("shape", &SLUICE_SHAPE (p.k, p.n)) };
      SluiceEdge w = { fixture_node (&f, "VariableV2", "w", NULL, NULL, 0, NULL, 0, attrs, 2), 0 };
      SluiceEdge start = matrix (&f, "b", SLUICE_FLOAT);
      SluiceEdge factors[] = { matrix (&f, "a", SLUICE_FLOAT), sluice_op (&f.b, "Identity", w) };
      SluiceEdge product = sluice_builder_add (&f.b, "MatMul", "product", factors, 2, NULL, 0);
      SluiceEdge gradient[] = { product, matrix (&f, "x", SLUICE_FLOAT) };
      sluice_builder_add (&f.b, "ReluGrad", "out", gradient, 2, NULL, 0);
      SluiceEdge zeros[] = { w, sluice_op (&f.b, "ZerosLike", start) };
      fixture_node (&f, "Assign", "fill", NULL, (SluiceEdge[]){ w, start }, 2, NULL, 0, NULL, 0);
      fixture_node (&f, "Assign", "overwrite", NULL, zeros, 2, &product.node, 1, NULL, 0);
      fixture_extend (&f);
      g_assert_true (
          sluice_session_run (f.session,
                              &(SluiceStepNames){ .feeds = feeds + 2,
                                                  .targets = (const char *const[]){ "fill" },
                                                  .n_feeds = 1,
                                                  .n_targets = 1 },
                              NULL, NULL, &error));
      g_assert_true (sluice_session_run (
          f.session,
          &(SluiceStepNames){ .feeds = feeds, .fetches = &fetch, .n_feeds = 2, .n_fetches = 1 },
          &kept, NULL, &error));
      g_assert_true (
          sluice_session_run (f.session,
                              &(SluiceStepNames){ .feeds = feeds,
                                                  .fetches = &fetch,
                                                  .targets = (const char *const[]){ "overwrite" },
                                                  .n_feeds = 3,
                                                  .n_fetches = 1,
                                                  .n_targets = 1 },
                              &overwritten, NULL, &error));
      check_same (overwritten, kept);
      sluice_tensor_unref (kept);
      sluice_tensor_unref (overwritten);
    }
}

/* ---- element-wise gradients of pools ---- */

static SluiceAttrValue
int_list (SluiceAttrValue values[4], gint64 image)
{
  for (int i = 0; i < 4; i++)
    values[i] = (SluiceAttrValue){ .kind = SLUICE_ATTR_INT, .i = i == 1 || i == 2 ? image : 1 };
  return (SluiceAttrValue){ .kind = SLUICE_ATTR_LIST,
                            .list_kind = SLUICE_ATTR_INT,
                            .list = { values, 4 } };
}

typedef struct
{
  SluiceDType dtype;
  gint64 images, side, channels, window;
  const char *op; /* that takes the gradient */
} PoolCase;

/* Few values, so that many are equal; some are NaN. */
static SluiceTensor *
make_values (SluiceDType dtype, gint64 images, gint64 side, gint64 channels)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) (images * 100 + side));
  SluiceTensor *t = sluice_tensor_new_zeros (dtype, &SLUICE_SHAPE (images, side, side, channels));
  for (gint64 i = 0; i < t->n_elements; i++)
    {
      float value = (float) g_rand_int_range (rand, -3, 4);
      if (dtype == SLUICE_FLOAT)
        ((float *) t->data)[i] = g_rand_int_range (rand, 0, 50) ? value : NAN;
      else if (dtype == SLUICE_HALF)
        ((guint16 *) t->data)[i] = sluice_float_to_half (value);
      else
        ((gint32 *) t->data)[i] = (gint32) value;
    }
  return t;
}

static SluiceTensor *
pool_gradient (const PoolCase *c, gboolean no_fusion, guint64 *n_nodes)
{
  g_auto (Fixture) f = { 0 };
  g_autoptr (GError) error = NULL;
  SluiceTensor *out = NULL;
  SluiceAttrValue sizes[4], steps[4];
  SluiceAttrValue window = int_list (sizes, c->window), stride = int_list (steps, 2);
  fixture_init (&f, &(SluiceSessionOptions){ .seed = 1, .no_fusion = no_fusion });
  SluiceEdge inputs[] = { matrix (&f, "x", c->dtype), matrix (&f, "y", c->dtype),
                          matrix (&f, "dy", c->dtype) };
  SluiceEdge pool = sluice_builder_add (&f.b, "MaxPoolGrad", "pool", inputs, 3,
                                        SLUICE_ATTRS (sluice_attr_value ("ksize", &window),
                                                      sluice_attr_value ("strides", &stride),
                                                      sluice_attr_string ("padding", "SAME")));
  sluice_builder_add (&f.b, c->op, "out", (SluiceEdge[]){ pool, inputs[0] }, 2, NULL, 0);
  fixture_extend (&f);
  gint64 half = (c->side + 1) / 2;
  g_autoptr (SluiceTensor) x = make_values (c->dtype, c->images, c->side, c->channels);
  g_autoptr (SluiceTensor) dy = make_values (c->dtype, c->images, half, c->channels);
  const SluiceFeed feeds[] = { { "x:0", x }, { "y:0", dy }, { "dy:0", dy } };
  const char *fetch = "out:0";
  SluiceSessionStats stats;
  sluice_session_run (
      f.session,
      &(SluiceStepNames){ .feeds = feeds, .fetches = &fetch, .n_feeds = 3, .n_fetches = 1 }, &out,
      NULL, &error);
  g_assert_no_error (error);
  sluice_session_get_stats (f.session, &stats);
  *n_nodes = stats.n_nodes_run;
  return out;
}

/* What goes to a cell of a pool of 2 by 2 without a rest, and through the Relu. */
static float
expected (
    const PoolCase *c, const float *x, const float *dy, gint64 n, gint64 h, gint64 w, gint64 k)
{
  gint64 top = h / 2 * 2, left = w / 2 * 2, first = 0;
  float largest = 0, own = x[((n * c->side + h) * c->side + w) * c->channels + k];
  for (gint64 cell = 0; cell < 4; cell++)
    {
      float v = x[((n * c->side + top + cell / 2) * c->side + left + cell % 2) * c->channels + k];
      first = cell == 0 || v > largest ? cell : first;
      largest = cell == 0 || v > largest ? v : largest;
    }
  gboolean is_largest = first == (h - top) * 2 + (w - left);
  float g =
      is_largest ? dy[((n * c->side / 2 + h / 2) * (c->side / 2) + w / 2) * c->channels + k] : 0;
  return g * (float) (own > 0);
}

static void
check_squares (const PoolCase *c, const SluiceTensor *got)
{
  g_autoptr (SluiceTensor) x = make_values (c->dtype, c->images, c->side, c->channels);
  g_autoptr (SluiceTensor) dy = make_values (c->dtype, c->images, c->side / 2, c->channels);
  const float *value = got->data;
  for (gint64 n = 0; n < c->images; n++)
    for (gint64 h = 0; h < c->side; h++)
      for (gint64 w = 0; w < c->side; w++)
        for (gint64 k = 0; k < c->channels; k++, value++)
          {
            float want = expected (c, x->data, dy->data, n, h, w, k);
            g_assert_true (*value == want || (isnan (*value) && isnan (want)));
          }
}

static void
test_pools (void)
{
  static const PoolCase cases[] = {
    { SLUICE_FLOAT, 9, 12, 40, 2, "ReluGrad" }, /* squares, 32 channels and the rest */
    { SLUICE_FLOAT, 3, 11, 5, 2, "ReluGrad" },  /* windows that reach out */
    { SLUICE_FLOAT, 4, 12, 33, 3, "EluGrad" },  /* windows that overlap */
    { SLUICE_HALF, 5, 12, 7, 2, "ReluGrad" },   { SLUICE_INT32, 5, 10, 64, 2, "Relu6Grad" },
    { SLUICE_FLOAT, 0, 4, 3, 2, "ReluGrad" },
  };
  guint saved = sluice_pool_get_threads ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint threads = 1; threads <= 3; threads++)
      {
        guint64 n_apart, n_fused;
        sluice_pool_set_threads (threads);
        g_autoptr (SluiceTensor) apart = pool_gradient (&cases[i], TRUE, &n_apart);
        g_autoptr (SluiceTensor) fused = pool_gradient (&cases[i], FALSE, &n_fused);
        check_same (fused, apart);
        g_assert_cmpuint (n_fused + 1, ==, n_apart);
        if (i == 0)
          check_squares (&cases[i], fused);
      }
  sluice_pool_set_threads (saved);
}

/* ---- regions of element-wise nodes ---- */

typedef struct
{
  SluiceShape a, b;       /* of the product, or the image and the filter */
  SluiceShape bias, more; /* more: another operand, the product's shape or one that is repeated */
} RegionCase;

static SluiceTensor *
noise_of (const SluiceShape *shape)
{
  g_autoptr (SluiceTensor) flat = make_noise (&products[0], 1, sluice_shape_n_elements (shape));
  return sluice_tensor_new_view (flat, shape, 0);
}

/* Relu (BiasAdd (a * b, bias)) * more, and the Relu for somebody else besides. */
static void
run_region (const RegionCase *c, gboolean no_fusion, SluiceTensor *outputs[2], guint64 *n_nodes)
{
  static const char *const fetches[] = { "relu:0", "out:0" };
  g_auto (Fixture) f = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean is_image = c->a.rank == 4;
  SluiceShape a = c->a, more_shape = c->more;
  SluiceAttrValue steps[4];
  SluiceAttrValue strides = int_list (steps, 1);
  a.dim[0] = more_shape.dim[0] = -1;
  fixture_init (&f, &(SluiceSessionOptions){ .seed = 1, .no_fusion = no_fusion });
  SluiceEdge inputs[] = { shaped (&f, "a", SLUICE_FLOAT, &a),
                          shaped (&f, "b", SLUICE_FLOAT, &c->b) };
  SluiceEdge bias = shaped (&f, "bias", SLUICE_FLOAT, &c->bias),
             more = shaped (&f, "more", SLUICE_FLOAT, &more_shape);
  SluiceEdge product =
      is_image ? sluice_builder_add (&f.b, "Conv2D", "y", inputs, 2,
                                     SLUICE_ATTRS (sluice_attr_value ("strides", &strides),
                                                   sluice_attr_string ("padding", "SAME")))
               : sluice_builder_add (&f.b, "MatMul", "y", inputs, 2, NULL, 0);
  SluiceEdge sum =
      sluice_builder_add (&f.b, "BiasAdd", NULL, (SluiceEdge[]){ product, bias }, 2, NULL, 0);
  SluiceEdge relu = sluice_builder_add (&f.b, "Relu", "relu", &sum, 1, NULL, 0);
  sluice_builder_add (&f.b, "Mul", "out", (SluiceEdge[]){ relu, more }, 2, NULL, 0);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) fa = noise_of (&c->a);
  g_autoptr (SluiceTensor) fb = noise_of (&c->b);
  g_autoptr (SluiceTensor) fbias = noise_of (&c->bias);
  g_autoptr (SluiceTensor) fmore = noise_of (&c->more);
  const SluiceFeed feeds[] = {
    { "a:0", fa }, { "b:0", fb }, { "bias:0", fbias }, { "more:0", fmore }
  };
  SluiceSessionStats stats;
  sluice_session_run (
      f.session,
      &(SluiceStepNames){ .feeds = feeds, .fetches = fetches, .n_feeds = 4, .n_fetches = 2 },
      outputs, NULL, &error);
  g_assert_no_error (error);
  sluice_session_get_stats (f.session, &stats);
  *n_nodes = stats.n_nodes_run;
}

static void
test_regions (void)
{
  const RegionCase cases[] = {
    { SLUICE_SHAPE (1000, 70), SLUICE_SHAPE (70, 90), SLUICE_SHAPE (90), SLUICE_SHAPE (1000, 90) },
    /* rows longer than a strip */
    { SLUICE_SHAPE (130, 40), SLUICE_SHAPE (40, 2500), SLUICE_SHAPE (2500),
      SLUICE_SHAPE (130, 2500) },
    { SLUICE_SHAPE (1, 40), SLUICE_SHAPE (40, 3000), SLUICE_SHAPE (3000), SLUICE_SHAPE (1, 3000) },
    { SLUICE_SHAPE (37, 15, 13, 8), SLUICE_SHAPE (5, 3, 8, 24), SLUICE_SHAPE (24),
      SLUICE_SHAPE (37, 15, 13, 24) },
    { SLUICE_SHAPE (9, 15, 13, 8), SLUICE_SHAPE (5, 3, 8, 300), SLUICE_SHAPE (300),
      SLUICE_SHAPE (9, 15, 13, 300) },
    { SLUICE_SHAPE (0, 15, 13, 8), SLUICE_SHAPE (5, 3, 8, 24), SLUICE_SHAPE (24),
      SLUICE_SHAPE (0, 15, 13, 24) },
    /* What was hoped for is not so: the region runs node by node. */
    { SLUICE_SHAPE (100, 70), SLUICE_SHAPE (70, 90), SLUICE_SHAPE (90), SLUICE_SHAPE (1, 90) },
    { SLUICE_SHAPE (1, 70), SLUICE_SHAPE (70, 90), SLUICE_SHAPE (90), SLUICE_SHAPE (100, 90) },
  };
  guint saved = sluice_pool_get_threads ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint threads = 1; threads <= 3; threads++)
      {
        SluiceTensor *apart[2], *fused[2];
        guint64 n_apart, n_fused;
        sluice_pool_set_threads (threads);
        run_region (&cases[i], TRUE, apart, &n_apart);
        run_region (&cases[i], FALSE, fused, &n_fused);
        g_assert_cmpuint (n_apart, ==, 4);
        g_assert_cmpuint (n_fused, ==, 1);
        for (guint k = 0; k < 2; k++)
          {
            check_same (fused[k], apart[k]);
            sluice_tensor_unref (fused[k]);
            sluice_tensor_unref (apart[k]);
          }
      }
  sluice_pool_set_threads (saved);
}

/* A pool's gradient makes its parts elsewhere: for a region that then runs node by node they are
 * gathered. */
static void
test_gathered (void)
{
  const SluiceShape shapes[] = { SLUICE_SHAPE (5, 8, 8, 40), SLUICE_SHAPE (5, 4, 4, 40),
                                 SLUICE_SHAPE (1, 8, 8, 40), SLUICE_SHAPE (5, 8, 8, 40) };
  SluiceTensor *outputs[2][2];
  for (guint i = 0; i < 4; i++) /* the operand repeated, and not; apart, and fused */
    {
      g_auto (Fixture) f = { 0 };
      g_autoptr (GError) error = NULL;
      SluiceAttrValue sizes[4];
      SluiceAttrValue square = int_list (sizes, 2);
      SluiceShape more = shapes[0];
      more.dim[0] = -1;
      fixture_init (&f, &(SluiceSessionOptions){ .seed = 1, .no_fusion = i % 2 == 0 });
      SluiceEdge x = shaped (&f, "x", SLUICE_FLOAT, &shapes[0]);
      SluiceEdge dy = shaped (&f, "dy", SLUICE_FLOAT, &shapes[1]);
      SluiceEdge pool =
          sluice_builder_add (&f.b, "MaxPoolGrad", "pool", (SluiceEdge[]){ x, dy, dy }, 3,
                              SLUICE_ATTRS (sluice_attr_value ("ksize", &square),
                                            sluice_attr_value ("strides", &square),
                                            sluice_attr_string ("padding", "SAME")));
      SluiceEdge product[] = { pool, shaped (&f, "more", SLUICE_FLOAT, &more) };
      SluiceEdge scaled = sluice_builder_add (&f.b, "Mul", NULL, product, 2, NULL, 0);
      sluice_builder_add (&f.b, "Neg", "out", &scaled, 1, NULL, 0);
      fixture_extend (&f);
      g_autoptr (SluiceTensor) fx = noise_of (&shapes[0]);
      g_autoptr (SluiceTensor) fdy = noise_of (&shapes[1]);
      g_autoptr (SluiceTensor) fmore = noise_of (&shapes[2 + i / 2]);
      const SluiceFeed feeds[] = { { "x:0", fx }, { "dy:0", fdy }, { "more:0", fmore } };
      const char *fetch = "out:0";
      SluiceSessionStats stats;
      sluice_session_run (
          f.session,
          &(SluiceStepNames){ .feeds = feeds, .fetches = &fetch, .n_feeds = 3, .n_fetches = 1 },
          &outputs[i / 2][i % 2], NULL, &error);
      g_assert_no_error (error);
      sluice_session_get_stats (f.session, &stats);
      g_assert_cmpuint (stats.n_nodes_run, ==, i % 2 == 0 ? 3 : 1);
    }
  for (guint i = 0; i < 2; i++)
    {
      check_same (outputs[i][1], outputs[i][0]);
      sluice_tensor_unref (outputs[i][0]);
      sluice_tensor_unref (outputs[i][1]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/fused-consumer/bits", test_bits);
  g_test_add_func ("/runtime/fused-consumer/fetched", test_fetched);
  g_test_add_func ("/runtime/fused-consumer/misfit", test_misfit);
  g_test_add_func ("/runtime/fused-consumer/producer-fails", test_producer_fails);
  g_test_add_func ("/runtime/fused-consumer/overwritten", test_overwritten);
  g_test_add_func ("/runtime/fused-consumer/pools", test_pools);
  g_test_add_func ("/runtime/fused-consumer/regions", test_regions);
  g_test_add_func ("/runtime/fused-consumer/gathered", test_gathered);
  return g_test_run ();
}
