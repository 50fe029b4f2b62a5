/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is offered for what is in hand: each offer does what it says, and the first one is the one
 * that is meant. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/command/judge.h"
#include "engine/command/offers.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/shape-words.h"
#include "tests/engine/command/fixture.h"

/* Pictures, a convolution, and a dense layer's nodes with nothing before them. */
static const char model[] = "add Placeholder x dtype=DT_FLOAT shape=[?,28,28,1]\n"
                            "add Placeholder labels dtype=DT_INT64 shape=[?]\n"
                            "layer conv2d conv input=x filters=64\n"
                            "layer pool pool2 input=conv/output size=4 stride=4\n"
                            "add Const fc1/weights value=1 dtype=DT_FLOAT\n"
                            "add Placeholder rows dtype=DT_FLOAT shape=[?,3136]\n"
                            "add Placeholder matrix dtype=DT_FLOAT shape=[3136,128]\n"
                            "add MatMul fc1/MatMul \"\" matrix\n"
                            "add BiasAdd bias rows \"\"\n";

static SluiceEdge
edge (Fixture *f, const char *text)
{
  SluiceEdge edge = SLUICE_NO_EDGE;
  g_autoptr (GError) error = NULL;
  sluice_graph_parse_edge (f->graph, text, &edge, &error);
  g_assert_no_error (error);
  return edge;
}

/* "Reshape | to ?×3136 | ?×128" */
static char *
describe (const SluiceOffer *offer)
{
  g_autofree char *shape = offer->has_result ? sluice_shape_dup_words (&offer->result.shape) : NULL;
  return g_strdup_printf ("%s | %s | %s", offer->title, offer->detail != NULL ? offer->detail : "",
                          shape != NULL ? shape : "");
}

static const SluiceOffer *
get_offer (GPtrArray *offers, guint i)
{
  g_assert_cmpuint (i, <, offers->len);
  return offers->pdata[i];
}

static void
assert_offer (const SluiceOffer *offer, const char *wanted)
{
  g_autofree char *text = describe (offer);
  g_assert_cmpstr (text, ==, wanted);
}

/* wanted: (nullable): it fits */
static void
assert_why (SluiceOffers *offers, const char *op, const char *wanted)
{
  g_autoptr (GPtrArray) list = sluice_offers_match (offers, op, NULL, NULL, TRUE);
  const SluiceOffer *offer = get_offer (list, 0);
  for (guint i = 0; i < list->len && !g_str_equal (offer->title, op); i++)
    offer = get_offer (list, i);
  g_assert_cmpstr (offer->title, ==, op);
  g_assert_cmpstr (sluice_offers_get_why (offers, offer), ==, wanted);
}

static char *
dup_text (SluiceGraph *graph)
{
  g_autoptr (GBytes) bytes = sluice_graph_export (graph, SLUICE_EXPORT_TEXT, NULL);
  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

/* ---- what makes it fit ---- */

/* A value, the input that refuses it, and what is offered first. */
static const struct
{
  const char *value, *node, *offer; /* node: its input 0 is open */
} fits[] = {
  { "Placeholder v dtype=DT_FLOAT shape=[?,7,7,64]", "MatMul n \"\" matrix",
    "Reshape | to ?×3136 | ?×128" },
  { "Placeholder v dtype=DT_FLOAT shape=[?,7,7,3136]", "MatMul n \"\" matrix",
    "Mean | over 1, 2 to ?×3136 | ?×128" },
  { "Placeholder v dtype=DT_FLOAT shape=[?,3136,1]", "MatMul n \"\" matrix",
    "Squeeze | to ?×3136 | ?×128" },
  { "Placeholder v dtype=DT_DOUBLE shape=[?,3136]", "MatMul n \"\" matrix",
    "Cast | to float32 | ?×128" },
  { "Placeholder v dtype=DT_UINT8 shape=[?,56,56]", "MatMul n \"\" matrix",
    "Reshape | to ?×3136 | ?×128" },
  { "Placeholder v dtype=DT_FLOAT shape=[3136,?]", "MatMul n \"\" matrix",
    "Transpose | to ?×3136 | ?×128" },
  { "Placeholder v dtype=DT_FLOAT shape=[?,10]", "MatMul n \"\" matrix",
    "Dense | units 3136 | ?×128" },
  { "Placeholder v dtype=DT_FLOAT shape=[3136]", "MatMul n \"\" matrix",
    "ExpandDims | to 1×3136 | 1×128" },
  { "Placeholder v dtype=DT_FLOAT shape=[?,784]",
    "MaxPool n \"\" T=DT_FLOAT ksize=[1,2,2,1] strides=[1,2,2,1] padding=SAME",
    "Reshape | to ?×28×28×1 | ?×14×14×1" },
  { "Placeholder v dtype=DT_FLOAT shape=[?,10]", "Bincount n \"\" \"\" \"\" T=DT_FLOAT",
    "ArgMax | to [?] | [?]" },
};

static void
test_fits (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (fits); i++)
    {
      Fixture f = { 0 };
      fixture_set_up (&f, model);
      g_autofree char *script = g_strdup_printf ("add %s\nadd %s\n", fits[i].value, fits[i].node);
      fixture_run (&f, script);
      SluiceHand hand = { .edge = edge (&f, "v"), .refused = sluice_graph_find (f.graph, "n") };
      g_autoptr (GPtrArray) offers = sluice_offers_list_fitting (f.graph, &hand);
      assert_offer (get_offer (offers, 0), fits[i].offer);
      /* It does so, and the node that refused it has nothing wrong with it any more. */
      fixture_run (&f, get_offer (offers, 0)->line);
      const GError *error = sluice_graph_find (f.graph, "n")->error;
      g_assert_true (error == NULL || strstr (error->message, "is open") != NULL);
      g_assert_cmpuint (sluice_command_stack_get_n_undo (f.stack), ==, 12);
      fixture_tear_down (&f, NULL);
    }
}

/* Nobody loses a layer's new nodes when it is made again: they do not stand in it. */
static void
test_names (Fixture *f, gconstpointer data)
{
  fixture_run (f, "layer flatten flat input=x\nlayer dense head input=flat/output units=3\n"
                  "disconnect head/MatMul:0\n");
  SluiceHand hand = { .edge = edge (f, "x"),
                      .refused = sluice_graph_find (f->graph, "head/MatMul") };
  g_autoptr (SluiceOffers) offers = sluice_offers_new (f->graph, &hand);
  g_autoptr (GPtrArray) list = sluice_offers_match (offers, NULL, NULL, NULL, FALSE);
  g_assert_cmpstr (sluice_offers_get_refused_name (offers), ==, "head");
  g_assert_cmpstr (sluice_offers_get_hand_name (offers), ==, "x");
  g_assert_cmpstr (get_offer (list, 0)->line, ==,
                   "together \"insert Reshape\" \"add Const Reshape/shape value=[-1,784]\" "
                   "\"add Reshape Reshape x Reshape/shape\" \"connect Reshape head/MatMul:0\"");
}

/* A layer that reads another size, or more axes, can be made for them. */
static void
test_anew (Fixture *f, gconstpointer data)
{
  fixture_run (f, "add Placeholder short dtype=DT_FLOAT shape=[?,50]\n"
                  "layer flatten flat input=x\nlayer dense head input=flat/output units=3\n"
                  "add Identity reader head/output\n");
  SluiceHand hand = { .edge = edge (f, "short"),
                      .refused = sluice_graph_find (f->graph, "head/MatMul") };
  g_autoptr (GPtrArray) offers = sluice_offers_list_fitting (f->graph, &hand);
  assert_offer (get_offer (offers, 0), "Make head anew | for ?×50 | ?×3");
  fixture_run (f, get_offer (offers, 0)->line);
  g_assert_null (sluice_graph_find (f->graph, "reader")->error);
  g_assert_cmpint (edge (f, "head/MatMul/ReadVariableOp").node->outputs[0].shape.dim[0], ==, 50);
}

/* ---- each offer ---- */

/* All that is offered can be done, alone, and changes nothing before. */
static void
assert_all_work (Fixture *f, const SluiceHand *hand, guint least)
{
  g_autofree char *before = dup_text (f->graph);
  g_autoptr (SluiceOffers) offers = sluice_offers_new (f->graph, hand);
  g_autofree char *after = dup_text (f->graph);
  g_assert_cmpstr (before, ==, after);
  g_autoptr (GPtrArray) list = sluice_offers_match (offers, NULL, NULL, NULL, TRUE);
  g_assert_cmpuint (list->len, ==, sluice_offers_get_n (offers));
  g_assert_cmpuint (list->len, >=, least);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < list->len; i++)
    g_ptr_array_add (lines, g_strdup (get_offer (list, i)->line));
  for (guint i = 0; i < lines->len; i++)
    {
      g_autoptr (GError) error = NULL;
      if (!sluice_command_stack_do (f->stack, lines->pdata[i], NULL, &error))
        g_error ("%s: %s", (char *) lines->pdata[i], error->message);
      g_assert_true (sluice_command_stack_undo (f->stack, 1, NULL));
    }
  g_autofree char *undone = dup_text (f->graph);
  g_assert_cmpstr (before, ==, undone);
}

static void
test_all (Fixture *f, gconstpointer data)
{
  SluiceNode *matmul = sluice_graph_find (f->graph, "fc1/MatMul");
  assert_all_work (f, &(SluiceHand){ .scope = NULL }, 400);
  assert_all_work (f, &(SluiceHand){ .edge = edge (f, "pool2/output"), .refused = matmul }, 400);
  assert_all_work (f, &(SluiceHand){ .node = matmul }, 400);
  assert_all_work (
      f, &(SluiceHand){ .edge = edge (f, "rows"), .node = sluice_graph_find (f->graph, "bias") },
      400);
}

static void
test_edges (Fixture *f, gconstpointer data)
{
  SluiceHand hand = { .node = sluice_graph_find (f->graph, "fc1/MatMul") };
  g_autoptr (SluiceOffers) offers = sluice_offers_new (f->graph, &hand);
  g_autoptr (GPtrArray) list = sluice_offers_match (offers, NULL, NULL, NULL, FALSE);
  assert_offer (get_offer (list, 0), "rows | is there already | ?×3136");
  assert_offer (get_offer (list, 1), "Placeholder | A value that is fed to each run | ?×3136");
}

/* ---- what is typed ---- */

static const struct
{
  const char *text, *first;
} typed[] = {
  { "relu", "Relu" },       { "RELU", "Relu" },       { "conv", "Convolution" },
  { "flatten", "Flatten" }, { "stack", "Pack" },      { "linear", "Dense" },
  { "softm", "Softmax" },   { "avgpool", "AvgPool" }, { "rshp", "Reshape" },
  { "logarithm", "Log" },
};

static void
test_typed (Fixture *f, gconstpointer data)
{
  SluiceHand hand = { .edge = edge (f, "pool2/output") };
  g_autoptr (SluiceOffers) offers = sluice_offers_new (f->graph, &hand);
  for (guint i = 0; i < G_N_ELEMENTS (typed); i++)
    {
      g_autoptr (GPtrArray) list = sluice_offers_match (offers, typed[i].text, NULL, NULL, FALSE);
      g_assert_cmpstr (get_offer (list, 0)->title, ==, typed[i].first);
    }
  g_autoptr (GPtrArray) none = sluice_offers_match (offers, "qqqq", NULL, NULL, TRUE);
  g_assert_cmpuint (none->len, ==, 0);
}

/* Typed with values, and the node that there is then, or why not. */
static const struct
{
  const char *text, *node, *problem;
} said[] = {
  { "dense units=3 name=three", "three/MatMul", NULL },
  { "dense units=3 name=\"three units\"", NULL, "three units" },
  { "dense unit=3", NULL, "did you mean units?" },
  { "reshape shape=[ -1,  3136 ] name=even", "even/shape", NULL }, /* several commands */
  { "reshape name=scope/even shape=[-1,3136]", "scope/even", NULL },
  { "reshape shape=[2, 15", NULL, "not closed" },
  { "mean units=3", NULL, "units" },
};

static void
do_said (Fixture *f, SluiceOffers *offers, const char *text, GError **error)
{
  g_auto (GStrv) values = NULL;
  g_autofree char *rest = sluice_offer_split_text (text, &values);
  g_autoptr (GPtrArray) list = sluice_offers_match (offers, rest, NULL, NULL, FALSE);
  g_autofree char *line =
      sluice_offer_dup_line_with (get_offer (list, 0), (const char *const *) values, error);
  if (line != NULL)
    sluice_command_stack_do (f->stack, line, NULL, error);
}

static void
test_said (Fixture *f, gconstpointer data)
{
  SluiceHand hand = { .edge = edge (f, "pool2/output"),
                      .refused = sluice_graph_find (f->graph, "fc1/MatMul") };
  for (guint i = 0; i < G_N_ELEMENTS (said); i++)
    {
      g_autoptr (SluiceOffers) offers = sluice_offers_new (f->graph, &hand);
      g_autoptr (GError) error = NULL;
      do_said (f, offers, said[i].text, &error);
      if (said[i].problem != NULL && (error == NULL || !strstr (error->message, said[i].problem)))
        g_error ("%s: %s", said[i].text, error != NULL ? error->message : "done");
      if (said[i].problem != NULL)
        continue;
      g_assert_no_error (error);
      g_assert_nonnull (sluice_graph_find (f->graph, said[i].node));
      g_assert_true (sluice_command_stack_undo (f->stack, 1, NULL));
    }
}

/* An edge that is there already has no values to be set. */
static void
test_said_of_nothing (Fixture *f, gconstpointer data)
{
  SluiceHand hand = { .node = sluice_graph_find (f->graph, "fc1/MatMul") };
  g_autoptr (SluiceOffers) offers = sluice_offers_new (f->graph, &hand);
  g_autoptr (GError) error = NULL;
  do_said (f, offers, "rows units=3", &error);
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
}

/* What stays open does not hide that the rest is wrong: its logits have 4 axes. */
static void
test_does_not_fit (Fixture *f, gconstpointer data)
{
  SluiceHand hand = { .edge = edge (f, "pool2/output") };
  g_autoptr (SluiceOffers) offers = sluice_offers_new (f->graph, &hand);
  g_autoptr (GPtrArray) list =
      sluice_offers_match (offers, "SparseSoftmaxCross", NULL, NULL, FALSE);
  g_assert_cmpint (get_offer (list, 0)->reason, ==, SLUICE_OFFER_OTHER);
  assert_why (offers, "SparseSoftmaxCrossEntropyWithLogits", "reads 2 axes, this has 4");
}

/* An op that does not fit says why: of the input that takes the type, as the op itself does where
 * one input alone is well, and of the input that is to read it. */
static void
test_why (Fixture *f, gconstpointer data)
{
  SluiceHand hand = { .edge = edge (f, "rows") };
  g_autoptr (SluiceOffers) rows = sluice_offers_new (f->graph, &hand);
  assert_why (rows, "Conv2D", "reads 4 axes, this has 2");
  assert_why (rows, "LogicalNot", "reads bool, this is float32");
  assert_why (rows, "NoOp", "reads nothing");
  assert_why (rows, "Tanh", NULL);
  hand = (SluiceHand){ .node = sluice_graph_find (f->graph, "fc1/MatMul") };
  g_autoptr (SluiceOffers) open = sluice_offers_new (f->graph, &hand);
  assert_why (open, "NoOp", "gives nothing");
  assert_why (open, "ArgMax", "fc1/MatMul reads float32, this is int64");
  hand = (SluiceHand){ .scope = NULL };
  g_autoptr (SluiceOffers) nothing = sluice_offers_new (f->graph, &hand);
  assert_why (nothing, "Conv2D", NULL);
}

static void
test_habits (Fixture *f, gconstpointer data)
{
  static const char *const recent[] = { "Tanh", "Print", NULL }, *const pinned[] = { "Elu", NULL };
  SluiceHand hand = { .edge = edge (f, "pool2/output"),
                      .refused = sluice_graph_find (f->graph, "fc1/MatMul") };
  g_autoptr (SluiceOffers) offers = sluice_offers_new (f->graph, &hand);
  g_autoptr (GPtrArray) list = sluice_offers_match (offers, NULL, recent, pinned, FALSE);
  static const char *const wanted[] = { "Reshape", "Elu", "Tanh", "Print", "Dense" };
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    g_assert_cmpstr (get_offer (list, i)->title, ==, wanted[i]);
}

/* ---- the judge ---- */

static const struct
{
  const char *from, *node;
  guint input;
  const char *verdict; /* a shape, or why not */
} verdicts[] = {
  { "rows", "fc1/MatMul", 0, "?×128" },
  { "pool2/output", "fc1/MatMul", 0, "reads 2 axes, this has 4" },
  { "labels", "fc1/MatMul", 0, "reads float32, this is int64" },
  { "matrix", "fc1/MatMul", 0, "reads 3136 in axis 1, this has 128" },
  { "fc1/MatMul", "fc1/MatMul", 0, "would read what it makes itself" },
  { "bias", "bias", 0, "would read what it makes itself" },
  { "x", "bias", 1, "reads 1 axis, this has 4" },
  { "bias", "fc1/MatMul", 0, "?×128" },
};

/* One more of a block of the graph reads what is in hand; one that could not is not offered. */
static void
test_blocks (Fixture *f, gconstpointer data)
{
  static const char *const name[] = { "name=third", NULL };
  g_autoptr (GError) error = NULL;
  fixture_run (f, "add Placeholder wide dtype=DT_FLOAT shape=[?,6]\n"
                  "layer dense body/fc input=wide units=6\n"
                  "layer dense end input=body/fc/output units=2\n"
                  "block body body\n");
  SluiceHand hand = { .edge = edge (f, "wide") };
  g_autoptr (SluiceOffers) offers = sluice_offers_new (f->graph, &hand);
  g_autoptr (GPtrArray) found = sluice_offers_match (offers, "body", NULL, NULL, FALSE);
  const SluiceOffer *offer = get_offer (found, 0);
  assert_offer (offer, "body |  | ?×6");
  g_assert_cmpint (offer->reason, ==, SLUICE_OFFER_BLOCK);
  g_assert_cmpstr (offer->key, ==, "block body");
  g_assert_cmpstr (offer->line, ==, "instance body body_1 wide");
  g_autofree char *named = sluice_offer_dup_line_with (offer, name, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (named, ==, "instance body third wide");
  fixture_run (f, offer->line);
  g_assert_nonnull (sluice_graph_find (f->graph, "body_1/out_0"));
  SluiceHand narrow = { .edge = edge (f, "end/output") };
  g_autoptr (SluiceOffers) others = sluice_offers_new (f->graph, &narrow);
  g_autoptr (GPtrArray) none = sluice_offers_match (others, "body", NULL, NULL, FALSE);
  for (guint i = 0; i < none->len; i++)
    g_assert_cmpint (get_offer (none, i)->reason, !=, SLUICE_OFFER_BLOCK);
}

static void
test_judge (Fixture *f, gconstpointer data)
{
  g_autoptr (SluiceJudge) judge = sluice_judge_new (f->graph);
  for (guint i = 0; i < G_N_ELEMENTS (verdicts); i++)
    {
      g_auto (SluiceVerdict) verdict = { 0 };
      SluiceNode *node = sluice_graph_find (f->graph, verdicts[i].node);
      sluice_judge_ask (judge, edge (f, verdicts[i].from), node, verdicts[i].input, &verdict);
      g_autofree char *shape = verdict.fits ? sluice_shape_dup_words (&verdict.result.shape) : NULL;
      g_assert_cmpstr (verdict.fits ? shape : verdict.reason, ==, verdicts[i].verdict);
    }
}

/* What the judge says is what the command does. */
static void
test_judged (Fixture *f, gconstpointer data)
{
  g_autoptr (SluiceJudge) judge = sluice_judge_new (f->graph);
  fixture_run (f, "disconnect conv/BiasAdd:0\nadd AddN sum rows rows\n");
  for (guint i = 0; i < sluice_graph_get_n_nodes (f->graph); i++)
    for (guint k = 0; k < sluice_graph_get_n_nodes (f->graph); k++)
      {
        SluiceNode *node = sluice_graph_get_node (f->graph, i);
        SluiceNode *from = sluice_graph_get_node (f->graph, k);
        for (guint input = 0; input <= node->n_inputs && from->n_outputs > 0; input++)
          {
            g_auto (SluiceVerdict) verdict = { 0 };
            g_autofree char *line =
                g_strdup_printf ("connect %s %s:%u", from->name, node->name, input);
            gboolean does_fit =
                sluice_judge_ask (judge, (SluiceEdge){ from, 0 }, node, input, &verdict);
            SluiceOutput result;
            g_assert_true (
                does_fit
                == sluice_judge_fits (judge, (SluiceEdge){ from, 0 }, node, input, &result));
            gboolean done = sluice_command_stack_do (f->stack, line, NULL, NULL);
            /* A node with an open input takes what does not fit, and says so then. */
            gboolean is_open = node->error != NULL && strstr (node->error->message, "is open");
            if (done && !is_open && (node->error == NULL) != does_fit)
              g_error ("%s: %s", line, does_fit ? node->error->message : verdict.reason);
            if (!done && does_fit)
              g_error ("%s is not done", line);
            if (done)
              sluice_command_stack_undo (f->stack, 1, NULL);
          }
      }
}

/* With nothing in hand a layer goes on from what was made last and nothing reads; an op stands
 * alone. */
static void
test_nothing_in_hand (Fixture *f, gconstpointer data)
{
  fixture_run (f, "layer flatten flat input=pool2/output");
  const SluiceHand hand = { .edge = SLUICE_NO_EDGE };
  g_autoptr (SluiceOffers) offers = sluice_offers_new (f->graph, &hand);
  g_autoptr (GPtrArray) layers = sluice_offers_match (offers, "dense", NULL, NULL, FALSE);
  g_assert_cmpstr (get_offer (layers, 0)->key, ==, "layer dense");
  g_assert_nonnull (strstr (get_offer (layers, 0)->line, "input=flat/output"));
  g_autoptr (GPtrArray) ops = sluice_offers_match (offers, "Relu", NULL, NULL, FALSE);
  g_assert_null (strstr (get_offer (ops, 0)->line, "flat"));
}

#define TEST(path, func)                                                                           \
  g_test_add ("/command/offers/" path, Fixture, model, fixture_set_up, func, fixture_tear_down)

int
main (int argc, char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/command/offers/fits", test_fits);
  TEST ("names", test_names);
  TEST ("anew", test_anew);
  TEST ("all", test_all);
  TEST ("edges", test_edges);
  TEST ("typed", test_typed);
  TEST ("said", test_said);
  TEST ("said-of-nothing", test_said_of_nothing);
  TEST ("does-not-fit", test_does_not_fit);
  TEST ("why", test_why);
  TEST ("habits", test_habits);
  TEST ("blocks", test_blocks);
  TEST ("nothing-in-hand", test_nothing_in_hand);
  TEST ("judge", test_judge);
  TEST ("judged", test_judged);
  return g_test_run ();
}
