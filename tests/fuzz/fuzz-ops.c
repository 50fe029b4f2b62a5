/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Fuzzes every op: bytes choose an op, attributes, dtypes, shapes and values of its inputs, and
 * whether they are known while the graph is built. Whatever comes, nothing crashes, takes long or
 * takes much memory; a run either fails with a message or gives the dtypes and shapes that
 * inference promised, and the reference kernel agrees on which.
 */
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "engine/grad/grad.h"
#include "engine/runtime/session/session.h"
#include "kernels/registry.h"
#include "kernels/samples.h"
#include "tests/fuzz/fuzz-account.h"
#include "tests/fuzz/fuzz-driver.h"
#include "tests/fuzz/fuzz-folder.h"

/* Bytes of the device: as many elements of one byte take the plain kernels, which go through them
 * one by one, a part of the second that a call may take under a sanitizer. */
#define MEMORY_LIMIT (16 * 1024 * 1024)
#define MAX_INPUTS   20

static GPtrArray *ops;        /* const SluiceOp: all but what partitioning makes */
static FuzzAccount *accounts; /* of each of them */

/* Where ops run that write files, and where the fuzzer has its own. */
static char *folder;
static int home;

typedef struct
{
  const guint8 *at, *end;
} Bytes;

static guint8
next (Bytes *bytes)
{
  return bytes->at < bytes->end ? *bytes->at++ : 0;
}

/* One of n, small numbers first. */
static guint
choose (Bytes *bytes, guint n)
{
  return next (bytes) % n;
}

/* ---- values ---- */

static double
choose_number (Bytes *bytes)
{
  static const double numbers[] = { 0,    1,   2,     3,        -1,        4,    0.5,   5,
                                    -2,   -3,  7,     -0.0,     100,       1e10, -1e10, 3e38,
                                    -2.5, NAN, 1e-40, INFINITY, -INFINITY, 255,  65536, 1e300 };
  return numbers[choose (bytes, G_N_ELEMENTS (numbers))];
}

static SluiceDType
choose_dtype (Bytes *bytes, SluiceDTypeSet allowed)
{
  SluiceDType dtype = (SluiceDType) (1 + choose (bytes, SLUICE_N_DTYPES - 1));
  if (allowed == 0 || sluice_dtype_in (dtype, allowed))
    return dtype;
  for (int d = 1; d < SLUICE_N_DTYPES; d++)
    if (sluice_dtype_in (d, allowed))
      return d;
  return SLUICE_FLOAT;
}

static SluiceShape
choose_shape (Bytes *bytes, gboolean partial)
{
  static const gint64 sizes[] = { 2, 1, 3, 0, 4, 5, 17, 1 };
  SluiceShape shape = SLUICE_SHAPE_SCALAR;
  shape.rank = (gint8) choose (bytes, 6);
  for (int d = 0; d < shape.rank; d++)
    {
      guint8 byte = next (bytes);
      shape.dim[d] = partial && byte >= 200 ? SLUICE_UNKNOWN_DIM : sizes[byte % 8];
    }
  return shape;
}

/* Out of range for integers converts as the CPU does it, but the compiler must not know. */
static double
fitting (SluiceDType dtype, double value)
{
  if (sluice_dtype_is_floating (dtype) || sluice_dtype_is_complex (dtype))
    return value;
  if (!(fabs (value) < 2e9))
    value = signbit (value) ? -2147483648.0 : 2147483647.0;
  gsize size = sluice_dtype_size (dtype);
  if (size == 1)
    value = CLAMP (value, -128, 127);
  else if (size == 2)
    value = CLAMP (value, -32768, 32767);
  return sluice_dtype_in (dtype, SLUICE_SET_SIGNED) || dtype == SLUICE_QINT8
                 || dtype == SLUICE_QINT16 || dtype == SLUICE_QINT32
             ? value
             : fabs (value);
}

static SluiceTensor *
choose_tensor (Bytes *bytes, SluiceDType dtype)
{
  SluiceShape shape = choose_shape (bytes, FALSE);
  if (dtype == SLUICE_RESOURCE || dtype == SLUICE_VARIANT)
    dtype = SLUICE_FLOAT;
  SluiceTensor *tensor = sluice_tensor_new_zeros (dtype, &shape);
  g_autoptr (GRand) random = g_rand_new_with_seed (next (bytes));
  gboolean plain = next (bytes) % 2;
  if (plain || dtype == SLUICE_STRING)
    sluice_element_fill_random (tensor, random, -2, 3);
  else
    for (gint64 i = 0; i < MIN (tensor->n_elements, 16); i++)
      sluice_element_set (tensor, i, fitting (dtype, choose_number (bytes)));
  return tensor;
}

/* ---- attributes ---- */

static void
choose_value (Bytes *bytes, const SluiceAttrDef *def, SluiceAttrKind kind, SluiceAttrValue *value)
{
  static const char *const words[] = {
    "", "SAME", "VALID", "NHWC", "NCHW", "x", "EXPLICIT", "a/b"
  };
  value->kind = kind;
  switch (kind)
    {
    case SLUICE_ATTR_STRING:
      value->s.data = g_strdup (words[choose (bytes, G_N_ELEMENTS (words))]);
      value->s.length = strlen (value->s.data);
      break;
    case SLUICE_ATTR_INT:
      value->i = (gint64) fitting (SLUICE_INT32, choose_number (bytes));
      break;
    case SLUICE_ATTR_FLOAT:
      value->f = (float) choose_number (bytes);
      break;
    case SLUICE_ATTR_BOOL:
      value->b = next (bytes) % 2;
      break;
    case SLUICE_ATTR_TYPE:
      value->type = choose_dtype (bytes, next (bytes) % 8 ? def->allowed_types : 0);
      break;
    case SLUICE_ATTR_SHAPE:
      value->shape = choose_shape (bytes, TRUE);
      break;
    case SLUICE_ATTR_TENSOR:
      value->tensor = choose_tensor (bytes, choose_dtype (bytes, 0));
      break;
    case SLUICE_ATTR_LIST:
      value->list_kind = def->list_kind;
      value->list.n = choose (bytes, 7);
      value->list.items = g_new0 (SluiceAttrValue, value->list.n + 1);
      for (guint i = 0; i < value->list.n; i++)
        choose_value (bytes, def, def->list_kind, &value->list.items[i]);
      break;
    default:
      value->kind = SLUICE_ATTR_NONE;
    }
}

/* Over what the sample gives: each attribute may come anew. */
static void
change_attrs (Bytes *bytes, const SluiceOp *op, GArray *attrs)
{
  for (guint i = 0; i < op->n_attrs; i++)
    {
      const SluiceAttrDef *def = &op->attrs[i];
      if (next (bytes) < 176)
        continue;
      SluiceAttr attr = { .name = def->name };
      choose_value (bytes, def, def->kind, &attr.value);
      if (attr.value.kind != SLUICE_ATTR_NONE)
        g_array_append_val (attrs, attr);
    }
}

/* ---- a case ---- */

typedef struct
{
  const SluiceOp *op;
  FuzzAccount *account;
  SluiceGraph *graph;
  SluiceBuilder b;
  GArray *attrs;           /* SluiceAttr */
  GPtrArray *inputs;       /* SluiceTensor */
  GPtrArray *initializers; /* names of nodes to run first */
  SluiceFeed feeds[MAX_INPUTS];
  guint n_feeds;
  SluiceNode *node;
} Case;

static void
clear_attr (gpointer attr)
{
  sluice_attr_value_clear (&((SluiceAttr *) attr)->value);
}

static void
case_init (Case *self, guint which)
{
  *self =
      (Case){ .op = ops->pdata[which], .account = &accounts[which], .graph = sluice_graph_new () };
  sluice_builder_init (&self->b, self->graph, NULL);
  self->attrs = g_array_new (FALSE, TRUE, sizeof (SluiceAttr));
  g_array_set_clear_func (self->attrs, clear_attr);
  self->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref);
  self->initializers = g_ptr_array_new ();
}

static void
case_clear (Case *self)
{
  g_clear_error (&self->b.error);
  g_array_unref (self->attrs);
  g_ptr_array_unref (self->inputs);
  g_ptr_array_unref (self->initializers);
  sluice_graph_unref (self->graph);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

/* One that the recipe names, or now and then another one that the definition allows: kernels refuse
 * what they have no code for. */
static SluiceDType
choose_sample_dtype (Bytes *bytes, const SluiceRecipe *recipe, const SluiceAttrDef *repeated)
{
  SluiceDTypeSet allowed = repeated->allowed_types
                           & (SLUICE_SET_NUMBER | SLUICE_SET_QUANTIZED | SLUICE_SET (SLUICE_BOOL));
  return choose_dtype (bytes, next (bytes) < 208 || allowed == 0 ? recipe->dtypes : allowed);
}

/* A sample of the op as a start, or nothing but chance. */
static void
choose_start (Case *self, Bytes *bytes)
{
  const SluiceRecipe *recipe = self->op->def->recipe;
  if (recipe && recipe->n_samples > 0 && next (bytes) < 192)
    {
      const SluiceSample *sample = &recipe->samples[choose (bytes, recipe->n_samples)];
      const SluiceAttrDef *repeated = sluice_op_repeated_attr (self->op);
      SluiceDType dtype = recipe->dtypes && repeated ? choose_sample_dtype (bytes, recipe, repeated)
                                                     : SLUICE_INVALID;
      g_auto (Use) use = { 0 };
      sluice_use_init (&use, self->op, sample, dtype, next (bytes));
      for (guint i = 0; i < MIN (use.n_inputs, MAX_INPUTS); i++)
        g_ptr_array_add (self->inputs, sluice_tensor_ref (use.inputs[i]));
      g_array_append_vals (self->attrs, use.attrs, use.n_attrs);
      use.n_attrs = 0; /* the array has them now */
    }
  else
    for (guint i = 0; i < MIN (self->op->n_inputs, MAX_INPUTS); i++)
      {
        const SluiceArg *arg = &self->op->inputs[i];
        SluiceDType dtype = choose_dtype (bytes, 0);
        if (arg->type && arg->type != SLUICE_RESOURCE)
          dtype = arg->type;
        else if (i > 0 && next (bytes) < 192)
          dtype = (SluiceDType) ((SluiceTensor *) self->inputs->pdata[0])->dtype;
        g_ptr_array_add (self->inputs, choose_tensor (bytes, sluice_dtype_base (dtype)));
      }
  for (guint i = 0; i < self->inputs->len; i++)
    if (next (bytes) >= 192)
      {
        SluiceTensor **input = (SluiceTensor **) &self->inputs->pdata[i];
        SluiceDType dtype = (SluiceDType) (*input)->dtype;
        if (next (bytes) >= 192)
          dtype = choose_dtype (bytes, 0);
        sluice_tensor_unref (*input);
        *input = choose_tensor (bytes, dtype);
      }
  change_attrs (bytes, self->op, self->attrs);
}

/* A variable, by reference or by handle, that is set before the run. */
static SluiceEdge
make_variable (Case *self, SluiceTensor *value, gboolean by_reference)
{
  SluiceBuilder *b = &self->b;
  SluiceEdge initial = sluice_builder_const (b, sluice_tensor_ref (value));
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", value->dtype),
                         sluice_attr_shape ("shape", &value->shape) };
  SluiceEdge variable =
      sluice_builder_add (b, by_reference ? "VariableV2" : "VarHandleOp", NULL, NULL, 0, attrs, 2);
  SluiceEdge both[] = { variable, initial };
  SluiceEdge assign =
      sluice_builder_add (b, by_reference ? "Assign" : "AssignVariableOp", NULL, both, 2, NULL, 0);
  if (assign.node)
    g_ptr_array_add (self->initializers, (gpointer) assign.node->name);
  return variable;
}

/* An input: a constant that inference sees, or a placeholder that tells nothing. */
static SluiceEdge
make_input (Case *self, Bytes *bytes, guint i)
{
  SluiceTensor *value = self->inputs->pdata[i];
  const SluiceArg *arg = i < self->op->n_inputs ? &self->op->inputs[i] : NULL;
  if (arg && (arg->is_ref || arg->type == SLUICE_RESOURCE))
    return make_variable (self, value, arg->is_ref);
  if (next (bytes) % 2 == 0)
    return sluice_builder_const (&self->b, sluice_tensor_ref (value));
  SluiceShape unknown = SLUICE_SHAPE_UNKNOWN;
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", value->dtype),
                         sluice_attr_shape ("shape", &unknown) };
  SluiceEdge edge = sluice_builder_add (&self->b, "Placeholder", NULL, NULL, 0, attrs, 2);
  if (edge.node)
    self->feeds[self->n_feeds++] = (SluiceFeed){ edge.node->name, value };
  return edge;
}

static gboolean
build (Case *self, Bytes *bytes)
{
  SluiceEdge inputs[MAX_INPUTS];
  for (guint i = 0; i < self->inputs->len; i++)
    inputs[i] = make_input (self, bytes, i);
  sluice_builder_add (&self->b, self->op->name, "op", inputs, self->inputs->len,
                      (SluiceAttr *) self->attrs->data, self->attrs->len);
  if (self->b.error)
    {
      g_assert_cmpuint (strlen (self->b.error->message), >, 8);
      return FALSE;
    }
  self->node = sluice_graph_find (self->graph, "op");
  return TRUE;
}

/* TensorFlow infers two elements for the handle of a stack or an array, which is a scalar, a batch
 * of 1 where labels of unknown shape broadcast it to more, as many cuts as cells where there is one
 * cut more, and the image's batch and channels where the gradient of a resize has its own. */
static gboolean
promise_counts (const SluiceOp *op, SluiceDType dtype)
{
  static const char *const others[] = { "SoftmaxCrossEntropyWithLogits",
                                        "FractionalMaxPool",
                                        "FractionalAvgPool",
                                        "ResizeBilinearGrad",
                                        "ResizeBicubicGrad",
                                        NULL };
  return dtype != SLUICE_RESOURCE && !g_strv_contains (others, op->name);
}

static void
check_outputs (const Case *self, SluiceTensor **outputs)
{
  for (guint i = 0; i < self->node->n_outputs; i++)
    {
      const SluiceOutput *promised = &self->node->outputs[i];
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      if (outputs[i]->dtype != (gint8) sluice_dtype_base (promised->dtype)
          || (promise_counts (self->op, promised->dtype)
              && !sluice_shape_compatible (&promised->shape, &outputs[i]->shape)))
        g_error ("%s: output %u is %s%s, promised was %s%s", self->op->name, i,
                 sluice_dtype_name (outputs[i]->dtype), sluice_shape_str (&outputs[i]->shape, a),
                 sluice_dtype_name (promised->dtype), sluice_shape_str (&promised->shape, b));
      sluice_tensor_unref (outputs[i]);
    }
}

static SluiceSession *
open_session (const Case *self, gboolean reference)
{
  SluiceSessionOptions options = { .seed = 1,
                                   .memory_limit = MEMORY_LIMIT,
                                   .reference_kernels = reference };
  SluiceSession *session = sluice_session_new (&options, NULL);
  g_autoptr (GError) error = NULL;
  if (!sluice_session_extend (session, self->graph, &error))
    {
      g_assert_nonnull (error);
      g_clear_object (&session);
    }
  return session;
}

/* 0, or the code that the run failed with. */
static int
run_in (const Case *self, SluiceSession *session)
{
  guint n = self->node->n_outputs;
  g_autoptr (GPtrArray) fetches = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (fetches, g_strdup_printf ("op:%u", i));
  g_autofree SluiceTensor **outputs = g_new0 (SluiceTensor *, n + 1);
  g_autoptr (GError) error = NULL;
  const char *target = "op";
  if (self->initializers->len > 0
      && !sluice_session_run (
          session,
          &(SluiceStepNames){ .feeds = self->feeds,
                              .targets = (const char *const *) self->initializers->pdata,
                              .n_feeds = self->n_feeds,
                              .n_targets = self->initializers->len },
          NULL, NULL, &error))
    return error->code;
  fuzz_account_begin ();
  gboolean ok =
      sluice_session_run (session,
                          &(SluiceStepNames){ .feeds = self->feeds,
                                              .fetches = (const char *const *) fetches->pdata,
                                              .targets = &target,
                                              .n_feeds = self->n_feeds,
                                              .n_fetches = n,
                                              .n_targets = n == 0 },
                          outputs, NULL, &error);
  fuzz_account_end (self->account, "a run");
  self->account->n_reached++;
  if (!ok)
    {
      g_assert_nonnull (error);
      g_assert_cmpuint (strlen (error->message), >, 8);
      return error->code;
    }
  self->account->n_well++;
  check_outputs (self, outputs);
  return 0;
}

/* Gradients of all floating outputs; building and running them may fail, but must not crash. */
static void
run_gradients (const Case *self, SluiceSession *session)
{
  for (guint i = 0; i < self->node->n_outputs; i++)
    for (guint k = 0; k < self->node->n_inputs; k++)
      {
        SluiceEdge y = { self->node, i }, x = self->node->inputs[k];
        if (!sluice_dtype_is_floating (sluice_dtype_base (sluice_edge_dtype (y)))
            || !sluice_dtype_is_floating (sluice_dtype_base (sluice_edge_dtype (x))))
          continue;
        SluiceGrad dx = SLUICE_NO_GRAD;
        if (!sluice_gradients (self->graph, "gradients", &y, 1, NULL, &x, 1, &dx, NULL)
            || dx.values.node == NULL || !sluice_session_extend (session, self->graph, NULL))
          continue;
        g_autofree char *fetch = g_strdup_printf ("%s:%d", dx.values.node->name, dx.values.port);
        SluiceTensor *gradient = NULL;
        if (sluice_session_run (session,
                                &(SluiceStepNames){ .feeds = self->feeds,
                                                    .fetches = (const char *const[]){ fetch },
                                                    .n_feeds = self->n_feeds,
                                                    .n_fetches = 1 },
                                &gradient, NULL, NULL))
          sluice_tensor_unref (gradient);
      }
}

static void
run_case (Case *self, gboolean with_gradients)
{
  g_autoptr (SluiceSession) session = open_session (self, FALSE);
  g_autoptr (SluiceSession) reference = open_session (self, TRUE);
  if (session == NULL || reference == NULL)
    return;
  int code = run_in (self, session), reference_code = run_in (self, reference);
  if (code != reference_code)
    {
      g_autoptr (GString) inputs = g_string_new (NULL);
      for (guint i = 0; i < self->inputs->len; i++)
        {
          g_autofree char *text = sluice_tensor_to_string (self->inputs->pdata[i], 20);
          g_string_append_printf (inputs, "\n  %s", text);
        }
      g_error ("%s: the fast kernel ends with %s, the reference kernel with %s%s", self->op->name,
               code ? sluice_error_code_name (code) : "success",
               reference_code ? sluice_error_code_name (reference_code) : "success", inputs->str);
    }
  if (code == 0 && with_gradients && self->op->def->gradient)
    run_gradients (self, session);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (size == 0)
    return 0;
  Bytes bytes = { data, data + size };
  guint low = next (&bytes), high = next (&bytes);
  g_auto (Case) one = { 0 };
  case_init (&one, (high << 8 | low) % ops->len);
  one.account->n_calls++;
  gboolean with_gradients = next (&bytes) % 4 == 0;
  choose_start (&one, &bytes);
  g_assert_cmpint (g_chdir (folder), ==, 0);
  fuzz_account_begin ();
  gboolean built = build (&one, &bytes);
  fuzz_account_end (one.account, "inference");
  if (built)
    run_case (&one, with_gradients);
  g_assert_cmpint (fchdir (home), ==, 0);
  return 0;
}

GPtrArray *
fuzz_seeds (void)
{
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  for (guint i = 0; i < ops->len; i++)
    {
      /* Nothing but zeros is the first sample as it is written. */
      guint8 seed[48] = { i & 0xff, i >> 8 };
      g_ptr_array_add (seeds, g_bytes_new (seed, sizeof seed));
      for (guint k = 2; k < sizeof seed; k++)
        seed[k] = (guint8) g_rand_int (random);
      g_ptr_array_add (seeds, g_bytes_new (seed, sizeof seed));
    }
  return seeds;
}

static void
finish (void)
{
  fuzz_folder_remove (folder);
  fuzz_account_report (accounts, ops->len);
}

/* Every op had its turn, and those that can run alone ran to a good end. */
void
fuzz_check_met (void)
{
  for (guint i = 0; i < ops->len; i++)
    {
      const SluiceOp *op = ops->pdata[i];
      const SluiceRecipe *recipe = op->def->recipe;
      if (accounts[i].n_calls == 0)
        g_error ("%s was never met", op->name);
      if (recipe && recipe->n_samples > 0 && accounts[i].n_well == 0)
        g_error ("%s was met %" G_GUINT64_FORMAT " times and never ended well", op->name,
                 accounts[i].n_calls);
    }
}

void
fuzz_init (void)
{
  folder = fuzz_folder_new ();
  home = open (".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  sluice_registry_init (sluice_kernel_modules ());
  ops = g_ptr_array_new ();
  guint n;
  const SluiceOp *const *all = sluice_registry_list (&n);
  for (guint i = 0; i < n; i++)
    if (all[i]->name[0] != '_')
      g_ptr_array_add (ops, (gpointer) all[i]);
  accounts = g_new0 (FuzzAccount, ops->len);
  for (guint i = 0; i < ops->len; i++)
    accounts[i].name = ((const SluiceOp *) ops->pdata[i])->name;
  atexit (finish);
}
