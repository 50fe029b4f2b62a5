/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Each pass on small graphs, by what is left afterwards. */
#include <string.h>

#include "engine/graph/builder.h"
#include "engine/graph/shape-context.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/conflict.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"

typedef struct
{
  SluiceGraph *graph;
  SluiceBuilder b;
  GPtrArray *devices;
  SluicePlacements *placements;
} Fixture;

static void
setup (Fixture *f, gconstpointer data)
{
  f->graph = sluice_graph_new ();
  sluice_builder_init (&f->b, f->graph, NULL);
  f->devices = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_device_free);
  for (guint i = 0; i < 3; i++)
    g_ptr_array_add (f->devices, sluice_device_new_cpu (NULL, i, 0, NULL));
  f->placements = sluice_placements_new ();
}

static void
teardown (Fixture *f, gconstpointer data)
{
  sluice_placements_free (f->placements);
  g_ptr_array_unref (f->devices);
  sluice_graph_unref (f->graph);
}

static SluiceNode *
add (Fixture *f,
     const char *op,
     const char *name,
     const char *device,
     const SluiceEdge *inputs,
     guint n,
     SluiceNode *before)
{
  g_autoptr (GError) error = NULL;
  SluiceNodeSpec spec = { .name = name,
                          .op = op,
                          .device = device,
                          .inputs = inputs,
                          .n_inputs = n,
                          .control_inputs = &before,
                          .n_control_inputs = before != NULL };
  SluiceNode *node = sluice_graph_add (f->graph, &spec, &error);
  g_assert_no_error (error);
  return node;
}

static SluiceEdge
op (Fixture *f, const char *type, const char *name, SluiceEdge a, SluiceEdge b)
{
  SluiceEdge inputs[] = { a, b };
  return (SluiceEdge){ add (f, type, name, NULL, inputs, b.node ? 2 : 1, NULL), 0 };
}

static SluiceEdge
number (Fixture *f, float value)
{
  return sluice_builder_const (&f->b, sluice_tensor_new_float (value));
}

static SluiceEdge
placeholder (Fixture *f, const char *name)
{
  SluiceAttr attr = sluice_attr_type ("dtype", SLUICE_FLOAT);
  return sluice_builder_add (&f->b, "Placeholder", name, NULL, 0, &attr, 1);
}

static SluiceEdge
variable (Fixture *f, const char *name, const char *device)
{
  g_autoptr (GError) error = NULL;
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", &SLUICE_SHAPE_SCALAR) };
  SluiceNodeSpec spec = {
    .name = name, .op = "VariableV2", .device = device, .attrs = attrs, .n_attrs = 2
  };
  SluiceNode *node = sluice_graph_add (f->graph, &spec, &error);
  g_assert_no_error (error);
  return (SluiceEdge){ node, 0 };
}

static void
place (Fixture *f, gboolean soft)
{
  sluice_place (f->graph, (SluiceDevice *const *) f->devices->pdata, f->devices->len, 0, soft, NULL,
                f->placements);
}

static const SluicePlacement *
placement (Fixture *f, const SluiceNode *node)
{
  return sluice_placements_get (f->placements, node);
}

/* Runs a pass by name. */
static void
run (SluiceWork *work, const char *name, const SluicePassOptions *options)
{
  g_autoptr (GError) error = NULL;
  sluice_pass_run (sluice_passes_find (name), work, options, &error);
  g_assert_no_error (error);
}

static SluiceWork *
prune_for (Fixture *f, const SluiceSignature *signature)
{
  SluicePassOptions options = { .signature = signature, .placements = f->placements };
  SluiceWork *work = sluice_work_new ((SluiceDevice *const *) f->devices->pdata, G_MAXINT);
  run (work, "prune", &options);
  return work;
}

static SluiceWork *
prune (Fixture *f, SluiceEdge fetch, const SluiceEdge *feeds, guint n_feeds)
{
  SluiceSignature signature = { feeds, n_feeds, &fetch, 1, NULL, 0 };
  return prune_for (f, &signature);
}

static SluiceWorkNode *
find (SluiceWork *work, const char *name)
{
  for (guint i = 0; i < work->nodes->len; i++)
    if (strcmp (((SluiceWorkNode *) work->nodes->pdata[i])->origin->name, name) == 0)
      return work->nodes->pdata[i];
  return NULL;
}

/* Whatever a run wants, the passes before one bring about what it requires, and all of them
 * together what the plan compiler reads. Names are told apart, and each pass says what it does. */
static void
test_table (void)
{
  guint n;
  const SluicePass *const *passes = sluice_passes_list (&n);
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < n; i++)
    {
      g_assert_true (g_hash_table_add (names, (gpointer) passes[i]->name));
      g_assert_true (sluice_passes_find (passes[i]->name) == passes[i]);
      g_assert_cmpuint (strlen (passes[i]->summary), >, 10);
    }
  for (guint wishes = 0; wishes < 2 * SLUICE_PASS_SHUFFLE; wishes++)
    {
      const SluicePassOptions options = { .wishes = wishes };
      guint facts = 0;
      for (guint i = 0; i < n; i++)
        if (sluice_pass_is_enabled (passes[i], &options))
          {
            g_assert_cmphex (passes[i]->requires & ~facts, ==, 0);
            g_assert_cmphex (passes[i]->excludes & facts, ==, 0);
            facts |= passes[i]->provides;
          }
      g_assert_true (facts & SLUICE_FACT_SCHEDULED && facts & SLUICE_FACT_FRAMED);
    }
}

static void
test_prune (Fixture *f, gconstpointer data)
{
  SluiceEdge x = placeholder (f, "x");
  SluiceEdge a = op (f, "Neg", "a", x, SLUICE_NO_EDGE);
  SluiceEdge b = op (f, "Neg", "b", a, SLUICE_NO_EDGE);
  op (f, "Neg", "unused", a, SLUICE_NO_EDGE);
  place (f, FALSE);
  g_autoptr (SluiceWork) all = prune (f, b, &x, 1);
  g_assert_cmpuint (all->nodes->len, ==, 2);
  g_assert_false (all->feeds_inner);
  g_autoptr (SluiceWork) half = prune (f, b, &a, 1);
  g_assert_cmpuint (half->nodes->len, ==, 1);
  g_assert_true (half->feeds_inner);
  g_assert_null (find (half, "b")->inputs[0].node);
  g_autoptr (SluiceWork) nothing = prune (f, a, &a, 1);
  g_assert_cmpuint (nothing->nodes->len, ==, 0);
}

static void
test_place (Fixture *f, gconstpointer data)
{
  SluiceEdge w = variable (f, "w", "/job:localhost/device:CPU:2");
  SluiceEdge assign = op (f, "Assign", "assign", w, number (f, 1));
  SluiceEdge x = placeholder (f, "x");
  SluiceEdge a = { add (f, "Neg", "a", "/cpu:1", &x, 1, NULL), 0 };
  SluiceEdge s = op (f, "Shape", "s", a, SLUICE_NO_EDGE);
  place (f, FALSE);
  g_assert_cmpint (placement (f, w.node)->device, ==, 2);
  g_assert_cmpint (placement (f, assign.node)->device, ==, 2);
  g_assert_cmpstr (placement (f, assign.node)->reason, ==, "stands with 'w': explicit");
  g_assert_cmpint (placement (f, a.node)->device, ==, 1);
  g_assert_cmpint (placement (f, s.node)->device, ==, 1);
  g_assert_cmpint (placement (f, x.node)->device, ==, 1);
  g_assert_cmpstr (placement (f, x.node)->reason, ==, "follows its readers");
  /* What stands, stays, and draws what is tied to it. */
  SluiceEdge more = op (f, "AssignAdd", "more", w, number (f, 1));
  place (f, FALSE);
  g_assert_cmpint (placement (f, more.node)->device, ==, 2);
  g_assert_cmpint (placement (f, a.node)->device, ==, 1);
}

/* NoOps: name, device, what `_class` ties it to. */
static void
add_tied (Fixture *f, const char *name, const char *device, const char *tied_to)
{
  g_autofree char *text =
      g_strdup_printf ("node { name: '%s' op: 'NoOp' device: '%s' %s%s%s }", name, device,
                       tied_to ? "attr { key: '_class' value { list { s: 'loc:@" : "",
                       tied_to ? tied_to : "", tied_to ? "' } } }" : "");
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  sluice_graph_import (f->graph, bytes, &error);
  g_assert_no_error (error);
}

static void
expect_conflict (Fixture *f, const char *name, const char *const *words, const char *unsaid)
{
  const SluicePlacement *placed = placement (f, sluice_graph_find (f->graph, name));
  g_assert_error (placed->error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  for (; *words; words++)
    if (!strstr (placed->error->message, *words))
      g_error ("'%s' does not say '%s'", placed->error->message, *words);
  if (unsaid && strstr (placed->error->message, unsaid))
    g_error ("'%s' says '%s'", placed->error->message, unsaid);
}

/* Who uses a variable stands where that is, whatever it asks for: TensorFlow's gradients of a loop
 * use its stacks from elsewhere. Not so who asks to stand beside such a user. */
static void
test_place_conflict (Fixture *f, gconstpointer data)
{
  SluiceEdge w = variable (f, "w", "/cpu:1");
  SluiceEdge inputs[] = { w, number (f, 1) };
  SluiceNode *assign = add (f, "Assign", "assign", NULL, inputs, 2, NULL);
  SluiceEdge again[] = { { assign, 0 }, number (f, 1) };
  SluiceNode *last = add (f, "AssignAdd", "last", "/cpu:2", again, 2, NULL);
  place (f, FALSE);
  g_assert_no_error (placement (f, last)->error);
  g_assert_cmpint (placement (f, last)->device, ==, 1);
  g_assert_cmpstr (placement (f, last)->reason, ==,
                   "stands with 'w', whose reference or resource it uses, not on '/cpu:2'");
  SluiceNode *later = add (f, "AssignAdd", "later", "/cpu:2", again, 2, NULL);
  place (f, FALSE);
  g_assert_cmpint (placement (f, later)->device, ==, 1);
  add_tied (f, "beside", "/cpu:2", "last");
  place (f, FALSE);
  expect_conflict (f, "beside",
                   (const char *[]){ "stands on CPU:1 already", "'/cpu:2'",
                                     "'beside' is tied to 'last' by _class", NULL },
                   NULL);
}

/* a - b - c - d and b - e; a, d and e ask for different devices: a and e are nearest. */
static void
test_place_shortest (Fixture *f, gconstpointer data)
{
  add_tied (f, "a", "/cpu:0", NULL);
  add_tied (f, "b", "", "a");
  add_tied (f, "c", "", "b");
  add_tied (f, "d", "/cpu:1", "c");
  add_tied (f, "e", "/cpu:2", "b");
  place (f, FALSE);
  const char *words[] = { "'/cpu:0'",
                          "'/cpu:2'",
                          "'e' is tied to 'b' by _class",
                          "'b' is tied to 'a' by _class",
                          "there is CPU:0, CPU:1, CPU:2",
                          NULL };
  expect_conflict (f, "d", words, "'c'");
}

/* Partial names may go together and yet name nothing that there is. */
static void
test_place_partial (Fixture *f, gconstpointer data)
{
  add_tied (f, "type", "/device:CPU:*", NULL);
  add_tied (f, "number", "/device:*:1", "type");
  add_tied (f, "job", "/job:localhost", "number");
  add_tied (f, "far", "/job:worker", NULL);
  add_tied (f, "nine", "/device:*:9", NULL);
  place (f, FALSE);
  g_assert_cmpint (placement (f, sluice_graph_find (f->graph, "type"))->device, ==, 1);
  g_assert_cmpint (placement (f, sluice_graph_find (f->graph, "job"))->device, ==, 1);
  expect_conflict (f, "far", (const char *[]){ "'/job:worker' does not exist", NULL }, NULL);
  expect_conflict (f, "nine", (const char *[]){ "'/device:*:9' does not exist", NULL }, NULL);
}

/* What stands stays: who is tied to it and asks for something else later is told. */
static void
test_place_late (Fixture *f, gconstpointer data)
{
  add_tied (f, "first", "/cpu:1", NULL);
  place (f, FALSE);
  add_tied (f, "second", "/cpu:2", "first");
  add_tied (f, "third", "", "first");
  place (f, FALSE);
  expect_conflict (f, "second",
                   (const char *[]){ "'first' stands on CPU:1 already", "'/cpu:2'", NULL }, NULL);
  g_assert_cmpint (placement (f, sluice_graph_find (f->graph, "first"))->device, ==, 1);
}

static const SluiceDeviceClass other_class = { .type = "OTHER", .computes = TRUE };

static SluiceDevice *
other_device (void)
{
  SluiceDevice *self = g_new0 (SluiceDevice, 1);
  self->klass = &other_class;
  self->name = g_strdup ("/job:localhost/replica:0/task:0/device:OTHER:0");
  self->short_name = strstr (self->name, "OTHER");
  self->allocator = sluice_allocator_new (self->name, 0);
  return self;
}

/* Where devices of several types compute, a node stands where its op has kernels. */
static void
test_place_kernels (Fixture *f, gconstpointer data)
{
  g_ptr_array_insert (f->devices, 0, other_device ());
  SluiceEdge x = placeholder (f, "x");
  SluiceNode *free = add (f, "Neg", "free", NULL, &x, 1, NULL);
  add (f, "Neg", "bound", "/device:OTHER:0", &x, 1, NULL);
  place (f, FALSE);
  g_assert_cmpint (placement (f, free)->device, ==, 1);
  g_assert_cmpstr (placement (f, free)->reason, ==, "default: the first device with a kernel");
  expect_conflict (f, "bound",
                   (const char *[]){ "asks for device '/device:OTHER:0'", "but", "has kernels for",
                                     "CPU only", NULL },
                   "tied");
}

/* No two of them exclude each other; the fourth is not needed for the conflict. */
static void
test_place_triple (Fixture *f, gconstpointer data)
{
  for (int i = 0; i < 4; i++)
    add_tied (f, (const char *[]){ "p", "q", "r", "s" }[i], "/cpu", NULL);
  static const guint8 sets[4][3] = { { 1, 1, 0 }, { 0, 1, 1 }, { 1, 0, 1 }, { 1, 1, 1 } };
  SluicePlaceLink links[] = { { 0, 1, "one" }, { 1, 2, "two" }, { 2, 3, "three" } };
  SluicePlaceLimit limits[4];
  for (guint32 i = 0; i < 4; i++)
    limits[i] = (SluicePlaceLimit){ i, 0, SLUICE_PLACE_STANDS, sets[i] };
  SluiceConflicts conflicts = { .graph = f->graph,
                                .devices = (SluiceDevice *const *) f->devices->pdata,
                                .n_devices = 3,
                                .links = links,
                                .n_links = G_N_ELEMENTS (links) };
  g_autoptr (GError) error = sluice_conflicts_explain (&conflicts, limits, 4);
  sluice_conflicts_clear (&conflicts);
  g_assert_nonnull (strstr (error->message, "NoOp 'p' stands on CPU:0, CPU:1"));
  g_assert_nonnull (strstr (error->message, "NoOp 'r' stands on CPU:0, CPU:2"));
  g_assert_nonnull (
      strstr (error->message, "'r' is tied to 'q' by two, 'q' is tied to 'p' by one"));
  g_assert_null (strstr (error->message, "'s'"));
}

static void
test_place_soft (Fixture *f, gconstpointer data)
{
  SluiceEdge x = placeholder (f, "x");
  SluiceNode *far = add (f, "Neg", "far", "/gpu:7", &x, 1, NULL);
  SluiceNode *junk = add (f, "Neg", "junk", "/not a device", &x, 1, NULL);
  place (f, FALSE);
  g_assert_error (placement (f, far)->error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (placement (f, far)->error->message, "CPU:0, CPU:1, CPU:2"));
  g_assert_error (placement (f, junk)->error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_array_set_size (f->placements->nodes, 0);
  place (f, TRUE);
  g_assert_cmpint (placement (f, far)->device, ==, 0);
  g_assert_nonnull (strstr (placement (f, far)->reason, "/gpu:7"));
  g_assert_nonnull (placement (f, junk)->error);
}

/* Of two requests that exclude each other the first counts. */
static void
test_place_soft_conflict (Fixture *f, gconstpointer data)
{
  add_tied (f, "a", "/cpu:2", NULL);
  add_tied (f, "b", "/cpu:1", "a");
  place (f, TRUE);
  g_assert_cmpint (placement (f, sluice_graph_find (f->graph, "a"))->device, ==, 2);
  g_assert_cmpint (placement (f, sluice_graph_find (f->graph, "b"))->device, ==, 2);
}

/* The hook in shape inference: what a Reshape is asked for may be computed. */
static void
test_folder_of_shapes (Fixture *f, gconstpointer data)
{
  sluice_passes_init ();
  SluiceEdge two = sluice_builder_const_ints (&f->b, SLUICE_INT32, (gint64[]){ 1, 2 }, 2);
  SluiceEdge shape = op (f, "Add", "shape", two, two);
  SluiceEdge reshaped = op (f, "Reshape", "reshaped", placeholder (f, "x"), shape);
  g_assert_true (sluice_shape_equal (sluice_edge_shape (reshaped), &SLUICE_SHAPE (2, 4)));
  /* Also where only the values tell how long it is. */
  SluiceEdge one = sluice_builder_const_ints (&f->b, SLUICE_INT32, (gint64[]){ 1 }, 1);
  SluiceEdge kept = op (f, "ListDiff", "kept", two, one);
  SluiceEdge vector = op (f, "Reshape", "vector", placeholder (f, "y"), kept);
  g_assert_true (sluice_shape_equal (sluice_edge_shape (vector), &SLUICE_SHAPE (2)));
}

#define TEST(path, function) g_test_add (path, Fixture, NULL, setup, function, teardown)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/passes/table", test_table);
  TEST ("/passes/prune", test_prune);
  TEST ("/passes/fold/in-shape-inference", test_folder_of_shapes);
  TEST ("/passes/place/groups", test_place);
  TEST ("/passes/place/conflict", test_place_conflict);
  TEST ("/passes/place/shortest", test_place_shortest);
  TEST ("/passes/place/partial", test_place_partial);
  TEST ("/passes/place/late", test_place_late);
  TEST ("/passes/place/kernels", test_place_kernels);
  TEST ("/passes/place/triple", test_place_triple);
  TEST ("/passes/place/soft", test_place_soft);
  TEST ("/passes/place/soft-conflict", test_place_soft_conflict);
  return g_test_run ();
}
