/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * One test for every op of the registry, made from its recipe: each sample in each dtype gives the
 * same with the fast and the reference kernel, the same bits in place and on 1, 2, 3 and 7 threads,
 * reads nothing beyond its inputs, hands none of them on without saying so, treats NaN and infinity
 * as the reference does, and its gradient agrees with differences. An op without a recipe fails.
 */
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/grad/grad.h"
#include "engine/graph/role.h"
#include "engine/runtime/session/session.h"
#include "kernels/registry.h"
#include "kernels/samples.h"

/* Fails the test and goes on to the next sample. */
#define complain(use, ...) complain_ ((use), g_strdup_printf (__VA_ARGS__))

static void
complain_ (const Use *use, char *take_what)
{
  g_autofree char *what = take_what, *text = sluice_use_to_string (use);
  g_test_fail_printf ("%s: %s", text, what);
}

/* ---- tensors that end where memory ends: a read beyond them crashes ---- */

typedef struct
{
  void *pages;
  gsize bytes;
} Fenced;

static void
fenced_free (gpointer data)
{
  Fenced *fenced = data;
  munmap (fenced->pages, fenced->bytes);
  g_free (fenced);
}

static SluiceTensor *
fence (SluiceTensor *tensor)
{
  if (sluice_dtype_is_managed (tensor->dtype))
    return sluice_tensor_ref (tensor);
  gsize page = sysconf (_SC_PAGESIZE), bytes = sluice_tensor_bytes (tensor);
  gsize room = (bytes + page - 1) / page * page;
  Fenced *fenced = g_new (Fenced, 1);
  fenced->bytes = room + page;
  fenced->pages =
      mmap (NULL, fenced->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert_true (fenced->pages != MAP_FAILED);
  char *data = (char *) fenced->pages + room - bytes;
  if (bytes)
    memcpy (data, tensor->data, bytes);
  g_assert_cmpint (mprotect ((char *) fenced->pages + room, page, PROT_NONE), ==, 0);
  return sluice_tensor_new_foreign (tensor->dtype, &tensor->shape, data, fenced_free, fenced);
}

/* ---- a graph with the op twice: on constants, and on values that die there ---- */

typedef struct
{
  Use use;
  SluiceGraph *graph;
  SluiceSession *session;
  guint n_outputs;
  char **fetches;        /* n_outputs of the op, then n_outputs of its twin */
  char **inputs;         /* names of the constants */
  SluiceTensor **fenced; /* what they are fed with */
  SluiceTensor **first;  /* outputs of the first run (nullable) */
} Trial;

static void
tensors_free (SluiceTensor **tensors, guint n)
{
  for (guint i = 0; tensors && i < n; i++)
    g_clear_pointer (&tensors[i], sluice_tensor_unref);
  g_free (tensors);
}

static void
trial_free (Trial *self)
{
  tensors_free (self->first, 2 * self->n_outputs);
  tensors_free (self->fenced, self->use.n_inputs);
  g_strfreev (self->fetches);
  g_strfreev (self->inputs);
  g_clear_object (&self->session);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  sluice_use_clear (&self->use);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Trial, trial_free)

/* A value of its own with the same elements. */
static SluiceEdge
make_mortal (SluiceBuilder *b, SluiceEdge edge)
{
  SluiceDType dtype = sluice_edge_dtype (edge);
  if (!sluice_dtype_in (dtype, SLUICE_SET_NUMBER))
    return edge;
  return sluice_op (b, "Mul", edge, sluice_builder_const_number (b, dtype, 1));
}

static gboolean
build (Trial *self, GError **error)
{
  const Use *use = &self->use;
  SluiceBuilder b;
  sluice_builder_init (&b, self->graph, NULL);
  g_autofree SluiceEdge *edges = g_new0 (SluiceEdge, use->n_inputs + 1);
  g_autofree SluiceEdge *mortal = g_new0 (SluiceEdge, use->n_inputs + 1);
  self->inputs = g_new0 (char *, use->n_inputs + 1);
  for (guint i = 0; i < use->n_inputs && b.error == NULL; i++)
    {
      edges[i] = sluice_builder_const (&b, sluice_tensor_ref (use->inputs[i]));
      mortal[i] = use->repeats[i] ? make_mortal (&b, edges[i]) : edges[i];
      self->inputs[i] = g_strdup (edges[i].node->name);
    }
  SluiceEdge op =
      sluice_builder_add (&b, use->op->name, "op", edges, use->n_inputs, use->attrs, use->n_attrs);
  SluiceEdge twin = sluice_builder_add (&b, use->op->name, "twin", mortal, use->n_inputs,
                                        use->attrs, use->n_attrs);
  if (!sluice_builder_finish (&b, error))
    return FALSE;
  self->n_outputs = op.node->n_outputs;
  self->fetches = g_new0 (char *, 2 * self->n_outputs + 1);
  for (guint i = 0; i < self->n_outputs; i++)
    {
      self->fetches[i] = g_strdup_printf ("%s:%u", op.node->name, i);
      self->fetches[self->n_outputs + i] = g_strdup_printf ("%s:%u", twin.node->name, i);
    }
  return TRUE;
}

static SluiceSession *
new_session (SluiceGraph *graph, gboolean reference)
{
  SluiceSessionOptions options = { .seed = 1, .no_optimize = TRUE, .reference_kernels = reference };
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceSession) session = sluice_session_new (&options, &error);
  g_assert_no_error (error);
  sluice_session_extend (session, graph, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&session);
}

/* Runs with the given inputs. (transfer full) (nullable) */
static SluiceTensor **
try_run (Trial *self, SluiceSession *session, SluiceTensor *const *inputs, GError **error)
{
  guint n = 2 * self->n_outputs;
  g_autofree SluiceFeed *feeds = g_new0 (SluiceFeed, self->use.n_inputs + 1);
  for (guint i = 0; i < self->use.n_inputs; i++)
    feeds[i] = (SluiceFeed){ self->inputs[i], inputs[i] };
  SluiceTensor **outputs = g_new0 (SluiceTensor *, n + 1);
  if (sluice_session_run (session,
                          &(SluiceStepNames){ .feeds = feeds,
                                              .fetches = (const char *const *) self->fetches,
                                              .n_feeds = self->use.n_inputs,
                                              .n_fetches = n },
                          outputs, NULL, error))
    return outputs;
  g_free (outputs);
  return NULL;
}

/* The same; a failure is complained about. */
static SluiceTensor **
run (Trial *self, SluiceSession *session, SluiceTensor *const *inputs)
{
  g_autoptr (GError) error = NULL;
  SluiceTensor **outputs = try_run (self, session, inputs, &error);
  if (outputs == NULL)
    complain (&self->use, "the run failed: %s", error->message);
  return outputs;
}

static Trial *
trial_new (const SluiceOp *op, const SluiceSample *sample, SluiceDType dtype)
{
  g_autoptr (Trial) self = g_new0 (Trial, 1);
  sluice_use_init (&self->use, op, sample, dtype, 7);
  self->graph = sluice_graph_new ();
  self->fenced = g_new0 (SluiceTensor *, self->use.n_inputs + 1);
  for (guint i = 0; i < self->use.n_inputs; i++)
    self->fenced[i] = fence (self->use.inputs[i]);
  g_autoptr (GError) error = NULL;
  if (!build (self, &error))
    {
      complain (&self->use, "the node was refused: %s", error->message);
      return NULL;
    }
  self->session = new_session (self->graph, FALSE);
  return g_steal_pointer (&self);
}

/* ---- comparing ---- */

/* Tolerances are of float; other types have theirs in proportion. */
static void
tolerance (const Use *use, SluiceDType dtype, double *rtol, double *atol)
{
  double factor = 1;
  if (dtype == SLUICE_DOUBLE || dtype == SLUICE_COMPLEX128)
    factor = 1e-6;
  else if (dtype == SLUICE_COMPLEX64)
    factor = 10;
  *rtol = use->sample->rtol * factor;
  *atol = use->sample->atol * factor;
  if ((*rtol > 0 || *atol > 0) && dtype == SLUICE_BFLOAT16)
    *rtol = *atol = 4e-2;
  if ((*rtol > 0 || *atol > 0) && dtype == SLUICE_HALF)
    *rtol = *atol = 1e-2;
}

static gboolean
numbers_close (double got, double want, double bound, gboolean is_sum)
{
  if (is_sum && !isfinite (want))
    return !isfinite (got);
  if (isnan (got) || isnan (want))
    return isnan (got) && isnan (want);
  return got == want || (isfinite (want) && fabs (got - want) <= bound);
}

/* NULL, or how they differ. (transfer full) */
static char *
difference (const Use *use, const SluiceTensor *got, const SluiceTensor *want)
{
  if (sluice_tensor_identical (got, want))
    return NULL;
  if (got->dtype == want->dtype && sluice_shape_equal (&got->shape, &want->shape)
      && !sluice_dtype_is_managed (got->dtype))
    {
      double rtol, atol;
      tolerance (use, got->dtype, &rtol, &atol);
      /* Infinities of both signs and padding may meet in another order: NaN for infinity. */
      gboolean is_sum = use->sample->rtol > 0 && got->n_elements != use->inputs[0]->n_elements;
      gint64 i;
      for (i = 0; i < got->n_elements; i++)
        {
          double a[2], b[2];
          sluice_element_get (got, i, a);
          sluice_element_get (want, i, b);
          double bound = atol + rtol * hypot (b[0], b[1]);
          if (!numbers_close (a[0], b[0], bound, is_sum)
              || !numbers_close (a[1], b[1], bound, is_sum))
            return g_strdup_printf ("element %" G_GINT64_FORMAT " is %.9g%+.9gi, not %.9g%+.9gi", i,
                                    a[0], a[1], b[0], b[1]);
        }
      return NULL;
    }
  g_autofree char *a = sluice_tensor_to_string (got, 8), *b = sluice_tensor_to_string (want, 8);
  return g_strdup_printf ("%s, not %s", a, b);
}

static void
compare_all (Trial *self, SluiceTensor **got, SluiceTensor **want, gboolean bits, const char *what)
{
  for (guint i = 0; got && want && i < 2 * self->n_outputs; i++)
    {
      gboolean same = bits && sluice_tensor_identical (got[i], want[i]);
      g_autofree char *how = same ? NULL : difference (&self->use, got[i], want[i]);
      if (bits && !same && how == NULL)
        how = g_strdup ("bits differ");
      if (how)
        {
          complain (&self->use, "%s: output %s: %s", what, self->fetches[i], how);
          return;
        }
    }
}

/* ---- the checks ---- */

static void
check_threads (GPtrArray *trials)
{
  static const guint counts[] = { 1, 2, 3, 7 };
  for (guint t = 0; t < G_N_ELEMENTS (counts); t++)
    {
      sluice_pool_set_threads (counts[t]);
      g_autofree char *what = g_strdup_printf ("%u threads against 1", counts[t]);
      for (guint i = 0; i < trials->len; i++)
        {
          Trial *trial = trials->pdata[i];
          if (t > 0 && trial->use.op->def->flags & SLUICE_OP_STATEFUL)
            {
              g_object_unref (trial->session);
              trial->session = new_session (trial->graph, FALSE);
            }
          SluiceTensor **outputs = run (trial, trial->session, trial->fenced);
          if (t == 0)
            {
              trial->first = outputs;
              continue;
            }
          compare_all (trial, outputs, trial->first, TRUE, what);
          tensors_free (outputs, 2 * trial->n_outputs);
        }
    }
  sluice_pool_set_threads (2);
}

/* The twin's inputs died with it, so it may have worked in place. */
static void
check_in_place (Trial *self)
{
  for (guint i = 0; self->first && i < self->n_outputs; i++)
    if (!sluice_tensor_identical (self->first[i], self->first[self->n_outputs + i]))
      {
        complain (&self->use, "in place: output %u has other bits", i);
        return;
      }
}

static gboolean
has_role_of_views (const SluiceOp *op)
{
  return sluice_role_traits[op->def->role].moves_value;
}

/* What hands an input on says so, or who reads it on another device would not see what a variable
 * there has become. */
static void
check_sharing (Trial *self)
{
  if (has_role_of_views (self->use.op) || self->use.op->def->flags & SLUICE_OP_MAY_SHARE)
    return;
  for (guint i = 0; self->first && i < self->n_outputs; i++)
    for (guint k = 0; k < self->use.n_inputs; k++)
      if (self->first[i]->buffer != NULL && self->first[i]->buffer == self->fenced[k]->buffer
          && !sluice_dtype_is_managed (self->first[i]->dtype))
        complain (&self->use, "output %u is the memory of input %u: SLUICE_OP_MAY_SHARE", i, k);
}

static void
check_reference (Trial *self, SluiceSession *reference)
{
  SluiceTensor **want = run (self, reference, self->fenced);
  compare_all (self, self->first, want, FALSE, "fast against reference kernel");
  tensors_free (want, 2 * self->n_outputs);
}

/* Some elements of floating inputs become NaN, infinite or a zero of either sign. */
static void
check_not_finite (Trial *self, SluiceSession *reference)
{
  static const double special[] = { NAN, INFINITY, -INFINITY, -0.0, 0 };
  guint n = self->use.n_inputs, n_changed = 0;
  SluiceTensor **inputs = g_new0 (SluiceTensor *, n + 1);
  for (guint i = 0; i < n; i++)
    {
      inputs[i] = sluice_tensor_dup (self->use.inputs[i], NULL, SLUICE_OWNER_NONE);
      if (self->use.repeats[i] && sluice_dtype_is_floating (inputs[i]->dtype))
        for (gint64 k = i; k < inputs[i]->n_elements; k += 3)
          sluice_element_set (inputs[i], k, special[n_changed++ % G_N_ELEMENTS (special)]);
    }
  if (n_changed > 0)
    {
      g_autoptr (GError) error = NULL, reference_error = NULL;
      SluiceTensor **got = try_run (self, self->session, inputs, &error);
      SluiceTensor **want = try_run (self, reference, inputs, &reference_error);
      if ((error ? error->code : 0) != (reference_error ? reference_error->code : 0))
        complain (&self->use, "with NaN and infinity, fast: %s; reference: %s",
                  error ? error->message : "no error",
                  reference_error ? reference_error->message : "no error");
      compare_all (self, got, want, FALSE, "with NaN and infinity, fast against reference kernel");
      tensors_free (got, 2 * self->n_outputs);
      tensors_free (want, 2 * self->n_outputs);
    }
  tensors_free (inputs, n);
}

/* ---- gradients ---- */

typedef struct
{
  Trial *trial;
  guint n_ys;
  SluiceEdge *ys, *dys;
  char **y_names;
  SluiceTensor **dy_values;
} Slope;

static void
slope_clear (Slope *self)
{
  g_free (self->ys);
  g_free (self->dys);
  g_strfreev (self->y_names);
  tensors_free (self->dy_values, self->n_ys);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Slope, slope_clear)

/* Outputs that have a gradient: TensorFlow leaves that of the second output to the labels out. */
static guint
count_ys (const Trial *trial)
{
  return strcmp (trial->use.op->name, "SoftmaxCrossEntropyWithLogits") == 0 ? 1 : trial->n_outputs;
}

/* Random weights for the floating outputs. FALSE: there are none. */
static gboolean
slope_init (Slope *self, Trial *trial, SluiceTensor **outputs)
{
  *self = (Slope){ .trial = trial,
                   .ys = g_new0 (SluiceEdge, trial->n_outputs),
                   .dys = g_new0 (SluiceEdge, trial->n_outputs),
                   .y_names = g_new0 (char *, trial->n_outputs + 1),
                   .dy_values = g_new0 (SluiceTensor *, trial->n_outputs) };
  SluiceNode *node = sluice_graph_find (trial->graph, "op");
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  SluiceBuilder b;
  sluice_builder_init (&b, trial->graph, "dy");
  for (guint i = 0; i < count_ys (trial); i++)
    {
      if (!sluice_dtype_is_floating (outputs[i]->dtype))
        continue;
      SluiceTensor *dy = sluice_tensor_new_zeros (outputs[i]->dtype, &outputs[i]->shape);
      sluice_element_fill_random (dy, random, -1, 1);
      self->ys[self->n_ys] = (SluiceEdge){ node, i };
      self->dys[self->n_ys] = sluice_builder_const (&b, sluice_tensor_ref (dy));
      self->y_names[self->n_ys] = g_strdup (trial->fetches[i]);
      self->dy_values[self->n_ys++] = dy;
    }
  g_assert_true (sluice_builder_finish (&b, NULL));
  return self->n_ys > 0;
}

/* Σ y·dy with element k of input i moved by `by`. NAN: complained about. */
static double
slope_value (Slope *self, guint i, gint64 k, double by)
{
  const Use *use = &self->trial->use;
  g_autoptr (SluiceTensor) moved = sluice_tensor_dup (use->inputs[i], NULL, SLUICE_OWNER_NONE);
  ((double *) moved->data)[k] += by;
  SluiceFeed feed = { self->trial->inputs[i], moved };
  g_autofree SluiceTensor **outputs = g_new0 (SluiceTensor *, self->n_ys);
  g_autoptr (GError) error = NULL;
  if (!sluice_session_run (self->trial->session,
                           &(SluiceStepNames){ .feeds = &feed,
                                               .fetches = (const char *const *) self->y_names,
                                               .n_feeds = 1,
                                               .n_fetches = self->n_ys },
                           outputs, NULL, &error))
    {
      complain (use, "a moved input: %s", error->message);
      return NAN;
    }
  double sum = 0;
  for (guint y = 0; y < self->n_ys; y++)
    {
      for (gint64 e = 0; e < outputs[y]->n_elements; e++)
        sum += ((double *) outputs[y]->data)[e] * ((double *) self->dy_values[y]->data)[e];
      sluice_tensor_unref (outputs[y]);
    }
  return sum;
}

/* Compares the gradient with differences, at elements spread over the input. */
static void
compare_slope (Slope *self, guint i, const SluiceTensor *gradient)
{
  const Use *use = &self->trial->use;
  const SluiceTensor *x = use->inputs[i];
  if (!sluice_shape_equal (&gradient->shape, &x->shape))
    {
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      complain (use, "the gradient of input %u has shape %s, not %s", i,
                sluice_shape_str (&gradient->shape, a), sluice_shape_str (&x->shape, b));
      return;
    }
  const double h = 1e-5;
  for (gint64 k = 0; k < x->n_elements; k += MAX (1, x->n_elements / 12))
    {
      double want = (slope_value (self, i, k, h) - slope_value (self, i, k, -h)) / (2 * h);
      double got = ((double *) gradient->data)[k];
      if (!(fabs (got - want) <= 1e-6 + 1e-5 * fabs (want)))
        {
          complain (use,
                    "gradient of input %u, element %" G_GINT64_FORMAT ": %.9g, by differences %.9g",
                    i, k, got, want);
          return;
        }
    }
}

static void
check_gradient_of (Trial *trial, SluiceTensor **outputs)
{
  g_auto (Slope) slope = { 0 };
  if (!slope_init (&slope, trial, outputs))
    return;
  SluiceBuilder b;
  sluice_builder_init (&b, trial->graph, "dense");
  for (guint i = 0; i < trial->use.n_inputs; i++)
    {
      if (trial->use.inputs[i]->dtype != SLUICE_DOUBLE)
        continue;
      SluiceEdge x = { sluice_graph_find (trial->graph, trial->inputs[i]), 0 };
      SluiceGrad dx = SLUICE_NO_GRAD;
      g_autoptr (GError) error = NULL;
      if (!sluice_gradients (trial->graph, "gradients", slope.ys, slope.n_ys, slope.dys, &x, 1, &dx,
                             &error))
        {
          complain (&trial->use, "no gradient: %s", error->message);
          return;
        }
      if (dx.values.node == NULL) /* as TensorFlow: the op has none for this input */
        continue;
      g_autoptr (SluiceTensor) gradient = NULL;
      SluiceEdge dense = sluice_grad_to_dense (&b, &dx);
      g_autofree char *fetch = g_strdup_printf ("%s:%d", dense.node->name, dense.port);
      sluice_session_extend (trial->session, trial->graph, &error);
      g_assert_no_error (error);
      if (!sluice_session_run (
              trial->session,
              &(SluiceStepNames){ .fetches = (const char *const[]){ fetch }, .n_fetches = 1 },
              &gradient, NULL, &error))
        {
          complain (&trial->use, "the gradient failed: %s", error->message);
          return;
        }
      compare_slope (&slope, i, gradient);
    }
}

static void
check_gradient (const SluiceOp *op, const SluiceSample *sample)
{
  const SluiceAttrDef *repeated = sluice_op_repeated_attr (op);
  if (op->def->gradient == NULL || sample->no_gradient || repeated == NULL
      || (repeated->allowed_types && !sluice_dtype_in (SLUICE_DOUBLE, repeated->allowed_types)))
    return;
  if (op->def->recipe->dtypes && !sluice_dtype_in (SLUICE_DOUBLE, op->def->recipe->dtypes))
    return;
  g_autoptr (Trial) trial = trial_new (op, sample, SLUICE_DOUBLE);
  if (trial == NULL)
    return;
  SluiceTensor **outputs = run (trial, trial->session, trial->use.inputs);
  if (outputs)
    check_gradient_of (trial, outputs);
  tensors_free (outputs, 2 * trial->n_outputs);
}

/* ---- one op ---- */

static void
add_trial (GPtrArray *trials, const SluiceOp *op, const SluiceSample *sample, SluiceDType dtype)
{
  Trial *trial = trial_new (op, sample, dtype);
  if (trial)
    g_ptr_array_add (trials, trial);
}

/* Whether tests/conformance runs a file of this op, or a test of its family names it. */
static gboolean
has_cases (const char *op)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests/conformance/supported.txt", NULL);
  g_autofree char *text = NULL;
  g_autofree char *line = g_strdup_printf ("/%s\n", op);
  if (g_file_get_contents (path, &text, NULL, NULL) && strstr (text, line) != NULL)
    return TRUE;
  static const char *const others[] = {
    "test-rendezvous.c", "test-apply.c",        "test-data.c",       "test-dataset-functions.c",
    "test-files.c",      "test-flow.c",         "test-lookup.c",     "test-monitor.c",
    "test-optional.c",   "test-queue.c",        "test-random.c",     "test-scatter.c",
    "test-sparse.c",     "test-tensor-array.c", "test-tensor-list.c"
  };
  g_autofree char *quoted = g_strdup_printf ("\"%s\"", op);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *other =
          g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests/kernels", others[i], NULL);
      g_autofree char *source = NULL;
      if (g_file_get_contents (other, &source, NULL, NULL) && strstr (source, quoted) != NULL)
        return TRUE;
    }
  return FALSE;
}

static void
test_op (gconstpointer data)
{
  const SluiceOp *op = data;
  const SluiceRecipe *recipe = op->def->recipe;
  guint n_kernels;
  sluice_kernel_list (op->name, &n_kernels);
  if (recipe == NULL || (recipe->n_samples == 0 && recipe->why_none == NULL))
    {
      g_test_fail_printf ("op '%s' has no recipe: give it samples, or the reason why it has none",
                          op->name);
      return;
    }
  if (recipe->n_samples == 0)
    {
      g_test_message ("%s", recipe->why_none);
      /* What cannot be run alone must be run by TensorFlow's cases; partitioning makes what begins
       * with '_'. */
      if (n_kernels > 0 && op->name[0] != '_' && !has_cases (op->name))
        g_test_fail_printf ("op '%s' has kernels, but neither samples nor conformance cases",
                            op->name);
      return;
    }
  const SluiceAttrDef *repeated = sluice_op_repeated_attr (op);
  SluiceDTypeSet allowed =
      repeated && repeated->allowed_types ? repeated->allowed_types : G_MAXUINT32;
  g_autoptr (GPtrArray) trials = g_ptr_array_new_with_free_func ((GDestroyNotify) trial_free);
  for (guint i = 0; i < recipe->n_samples; i++)
    {
      if (recipe->dtypes == 0)
        add_trial (trials, op, &recipe->samples[i], SLUICE_INVALID);
      for (SluiceDType d = sluice_recipe_next_dtype (recipe, SLUICE_INVALID); d != SLUICE_INVALID;
           d = sluice_recipe_next_dtype (recipe, d))
        if (sluice_dtype_in (d, allowed))
          add_trial (trials, op, &recipe->samples[i], d);
      check_gradient (op, &recipe->samples[i]);
    }
  check_threads (trials);
  for (guint i = 0; i < trials->len; i++)
    {
      Trial *trial = trials->pdata[i];
      g_autoptr (SluiceSession) reference = new_session (trial->graph, TRUE);
      check_in_place (trial);
      check_sharing (trial);
      check_reference (trial, reference);
      check_not_finite (trial, reference);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  guint n;
  const SluiceOp *const *ops = sluice_registry_list (&n);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("/kernels/op/%s", ops[i]->name);
      g_test_add_data_func (path, ops[i], test_op);
    }
  return g_test_run ();
}
