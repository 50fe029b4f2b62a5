/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Matrix products and convolutions against the bare libraries: the time of the library's call over
 * the time of the kernel's, on one thread and on all. For a product the faster of oneDNN and
 * OpenBLAS counts; for a convolution oneDNN's primitive on NHWC with a filter packed beforehand.
 *
 * bench-kernels [WORD]: only those whose name contains it.
 */
#include <dlfcn.h>
#include <stdio.h>

#include "kernels/nn/dnnl-convolution.h"
#include "tests/bench/race.h"

#define GOAL 0.9

static void (*set_omp_threads) (int);

/* ---- matrix products ---- */

typedef struct
{
  int m, k, n;
  const float *a, *b;
  float *c;
} Product;

static void
product_dnnl (gpointer data)
{
  Product *p = data;
  set_omp_threads ((int) race_n_threads);
  dnnl_sgemm ('N', 'N', p->m, p->n, p->k, 1, p->a, p->k, p->b, p->n, 0, p->c, p->n);
}

static void
product_openblas (gpointer data)
{
  Product *p = data;
  sluice_openblas_get_sgemm () (101, 111, 111, p->m, p->n, p->k, 1, p->a, p->k, p->b, p->n, 0, p->c,
                                p->n);
}

static void
bench_product (int m, int k, int n)
{
  NodeBench ours;
  SluiceTensor *inputs[] = { race_filled (&SLUICE_SHAPE (m, k)),
                             race_filled (&SLUICE_SHAPE (k, n)) };
  node_bench_init (&ours, "MatMul", inputs, 2, 0, NULL, 0);
  g_autoptr (SluiceTensor) c = race_filled (&SLUICE_SHAPE (m, n));
  Product product = { m, k, n, inputs[0]->data, inputs[1]->data, c->data };
  Contender contenders[] = { { node_bench_call, &ours },
                             { product_dnnl, &product },
                             { product_openblas, &product } };
  g_autofree char *name = g_strdup_printf ("sgemm/%dx%dx%d", m, k, n);
  /* OpenBLAS is loaded for one thread; a second figure of it would need another process. */
  gboolean openblas = race_n_threads == 1 && sluice_openblas_get_sgemm () != NULL;
  race (name, 2.0 * m * k * n, "gflops", GOAL, contenders, openblas ? 3 : 2);
  node_bench_clear (&ours);
}

/* ---- convolutions ---- */

static SluiceTensor *
sizes_of (const SluiceTensor *tensor)
{
  SluiceTensor *sizes = sluice_tensor_new_zeros (SLUICE_INT32, &SLUICE_SHAPE (tensor->shape.rank));
  for (int i = 0; i < tensor->shape.rank; i++)
    ((gint32 *) sizes->data)[i] = (gint32) tensor->shape.dim[i];
  return sizes;
}

typedef struct
{
  const char *name;
  int batch, size, channels, filter, out_channels; /* SAME, stride 1 */
  gboolean pooled; /* of four elements of the gradient, about three are zero */
} Layer;

static const Layer layers[] = {
  { "lenet1", 128, 28, 1, 5, 32 },
  { "lenet2", 128, 14, 32, 5, 64 },
  { "inception35", 16, 35, 96, 3, 96 },
  { "inception17", 16, 17, 192, 3, 192 },
  { "inception147", 16, 147, 32, 3, 64 },
  { "lenet2-pooled", 128, 14, 32, 5, 64, TRUE },
  { "wide-pooled", 128, 8, 128, 3, 128, TRUE },
};

static const char *const conv_ops[] = { "Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter" };

typedef struct
{
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t args[4];
  dnnl_stream_t stream;
  void *memory[2]; /* of filter and scratch */
} Bare;

static void
must (gboolean ok)
{
  if (!ok)
    {
      fprintf (stderr, "bench-kernels: oneDNN refuses a call\n");
      exit (1);
    }
}

static void
describe (int kind, const Layer *l, dnnl_primitive_attr_t attr, dnnl_primitive_desc_t *desc)
{
  const gint64 xd[] = { l->batch, l->channels, l->size, l->size };
  const gint64 yd[] = { l->batch, l->out_channels, l->size, l->size };
  const gint64 wd[] = { l->out_channels, l->channels, l->filter, l->filter };
  SluiceDnnlDesc x = { 0 }, y = { 0 }, w = { 0 };
  must (sluice_dnnl_desc_init (&x, xd, 4, dnnl_nhwc) && sluice_dnnl_desc_init (&y, yd, 4, dnnl_nhwc)
        && sluice_dnnl_desc_init (&w, wd, 4, dnnl_format_tag_any));
  SluiceDnnlConv conv = { .x = sluice_dnnl_desc_view (&x),
                          .filter = sluice_dnnl_desc_view (&w),
                          .y = sluice_dnnl_desc_view (&y),
                          .strides = { 1, 1 },
                          .before = { l->filter / 2, l->filter / 2 },
                          .after = { l->filter / 2, l->filter / 2 } };
  must (sluice_dnnl_conv_describe ((SluiceConvKind) kind, &conv, attr, desc));
  sluice_dnnl_desc_clear (&x);
  sluice_dnnl_desc_clear (&y);
  sluice_dnnl_desc_clear (&w);
}

/* Zeroed memory of a description's size. (transfer full) */
static void *
memory_for (dnnl_memory_t *memory, SluiceDnnlDescView desc)
{
  void *data = g_aligned_alloc0 (MAX (dnnl_memory_desc_get_size (desc), 64), 1, 64);
  must (dnnl_memory_create (memory, desc, sluice_dnnl_get_engine (), data) == dnnl_success);
  return data;
}

static void
bare_init (Bare *self, int kind, const Layer *l, void *x, void *y)
{
  static const int names[][3] = { { DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_WEIGHTS },
                                  { DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS },
                                  { DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS } };
  static const dnnl_query_t queries[][3] = {
    { dnnl_query_src_md, dnnl_query_dst_md, dnnl_query_weights_md },
    { dnnl_query_diff_src_md, dnnl_query_diff_dst_md, dnnl_query_weights_md },
    { dnnl_query_src_md, dnnl_query_diff_dst_md, dnnl_query_diff_weights_md },
  };
  dnnl_primitive_attr_t attr;
  dnnl_primitive_desc_t desc;
  dnnl_engine_t engine = sluice_dnnl_get_engine ();
  self->stream = sluice_dnnl_enter ();
  set_omp_threads ((int) race_n_threads); /* primitives keep what was set at their creation */
  must (dnnl_primitive_attr_create (&attr) == dnnl_success);
  must (dnnl_primitive_attr_set_scratchpad_mode (attr, dnnl_scratchpad_mode_user) == dnnl_success);
  describe (kind, l, attr, &desc);
  must (dnnl_primitive_create (&self->primitive, desc) == dnnl_success);
  for (int i = 0; i < 3; i++)
    self->args[i].arg = names[kind][i];
  must (dnnl_memory_create (&self->args[0].memory,
                            dnnl_primitive_desc_query_md (desc, queries[kind][0], 0), engine, x)
        == dnnl_success);
  must (dnnl_memory_create (&self->args[1].memory,
                            dnnl_primitive_desc_query_md (desc, queries[kind][1], 0), engine, y)
        == dnnl_success);
  self->memory[0] =
      memory_for (&self->args[2].memory, dnnl_primitive_desc_query_md (desc, queries[kind][2], 0));
  self->args[3].arg = DNNL_ARG_SCRATCHPAD;
  self->memory[1] = memory_for (&self->args[3].memory,
                                dnnl_primitive_desc_query_md (desc, dnnl_query_scratchpad_md, 0));
  dnnl_primitive_desc_destroy (desc);
  dnnl_primitive_attr_destroy (attr);
}

static void
bare_clear (Bare *self)
{
  for (int i = 0; i < 4; i++)
    dnnl_memory_destroy (self->args[i].memory);
  for (int i = 0; i < 2; i++)
    g_aligned_free (self->memory[i]);
  dnnl_primitive_destroy (self->primitive);
}

static void
bare_call (gpointer data)
{
  Bare *self = data;
  set_omp_threads ((int) race_n_threads);
  must (dnnl_primitive_execute (self->primitive, self->stream, 4, self->args) == dnnl_success);
}

static void
pool (SluiceTensor *gradient)
{
  guint32 state = 1;
  for (gint64 i = 0; i < gradient->n_elements; i++, state = state * 1664525u + 1013904223u)
    if (state >> 30)
      ((float *) gradient->data)[i] = 0;
}

static void
bench_layer (int kind, const Layer *l)
{
  SluiceTensor *x = race_filled (&SLUICE_SHAPE (l->batch, l->size, l->size, l->channels));
  SluiceTensor *y = race_filled (&SLUICE_SHAPE (l->batch, l->size, l->size, l->out_channels));
  SluiceTensor *w =
      race_filled (&SLUICE_SHAPE (l->filter, l->filter, l->channels, l->out_channels));
  if (l->pooled)
    pool (y);
  SluiceTensor *inputs[][3] = { { sluice_tensor_ref (x), sluice_tensor_ref (w) },
                                { sizes_of (x), sluice_tensor_ref (w), sluice_tensor_ref (y) },
                                { sluice_tensor_ref (x), sizes_of (w), sluice_tensor_ref (y) } };
  SluiceAttrValue ones[] = { { .kind = SLUICE_ATTR_INT, .i = 1 },
                             { .kind = SLUICE_ATTR_INT, .i = 1 },
                             { .kind = SLUICE_ATTR_INT, .i = 1 },
                             { .kind = SLUICE_ATTR_INT, .i = 1 } };
  SluiceAttrValue strides = { .kind = SLUICE_ATTR_LIST,
                              .list_kind = SLUICE_ATTR_INT,
                              .list = { ones, 4 } };
  SluiceAttr attrs[] = { sluice_attr_value ("strides", &strides),
                         sluice_attr_string ("padding", "SAME") };
  NodeBench ours;
  Bare bare;
  node_bench_init (&ours, conv_ops[kind], inputs[kind], kind ? 3 : 2, 0, attrs, 2);
  bare_init (&bare, kind, l, x->data, y->data);
  Contender contenders[] = { { node_bench_call, &ours }, { bare_call, &bare } };
  g_autofree char *name = g_strdup_printf ("%s/%s", conv_ops[kind], l->name);
  race (name, 2.0 * (double) y->n_elements * l->filter * l->filter * l->channels, "gflops", GOAL,
        contenders, 2);
  node_bench_clear (&ours);
  bare_clear (&bare);
  for (int i = 0; i < 3; i++)
    for (int k = 0; i != kind && k < (i ? 3 : 2); k++)
      sluice_tensor_unref (inputs[i][k]);
  sluice_tensor_unref (x);
  sluice_tensor_unref (y);
  sluice_tensor_unref (w);
}

static void
bench (void)
{
  static const int products[][3] = {
    { 64, 64, 64 },       { 128, 128, 128 },    { 256, 256, 256 }, { 512, 512, 512 },
    { 1024, 1024, 1024 }, { 2048, 2048, 2048 }, { 128, 784, 256 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (products); i++)
    bench_product (products[i][0], products[i][1], products[i][2]);
  for (guint i = 0; i < G_N_ELEMENTS (layers); i++)
    for (int kind = layers[i].pooled ? 1 : 0; kind < 3; kind++)
      bench_layer (kind, &layers[i]);
}

int
main (int argc, char **argv)
{
  sluice_dnnl_enter ();
  set_omp_threads = (void (*) (int)) dlsym (RTLD_DEFAULT, "omp_set_num_threads");
  return race_main (argc, argv, bench);
}
