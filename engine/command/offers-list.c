/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Layers, ops and edges that go with what is in hand. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/command/line.h"
#include "engine/command/offers-private.h"
#include "engine/command/template.h"
#include "engine/graph/edge-text.h"
#include "engine/graph/shape-words.h"
#include "engine/graph/trial.h"

/* Behind all layers. */
#define OPS_FROM 100

/* ---- what both have in common ---- */

SluiceOffer *
sluice_offers_try (SluiceOfferList *list,
                   const char *key,
                   const char *title,
                   const char **lines,
                   guint n,
                   const char *name,
                   const char *made)
{
  const SluiceHand *hand = list->hand;
  g_autofree char *connect = NULL, *line = NULL;
  if (hand->node != NULL)
    {
      g_autofree char *input = sluice_offer_input_text (hand->node, hand->input);
      g_autofree char *from = sluice_line_quote (made), *to = sluice_line_quote (input);
      connect = g_strdup_printf ("connect %s %s", from, to);
      lines[n++] = connect;
    }
  lines[n] = NULL;
  g_autofree char *words = g_strdup_printf (_ ("add %s"), name);
  line = n == 1 ? g_strdup (lines[0]) : sluice_offer_join (words, lines);
  if (!sluice_box_do (list->box, line, hand->node))
    return NULL;
  if (hand->edge.node != NULL && !sluice_box_is_well (list->box, made))
    {
      sluice_box_undo (list->box);
      return NULL;
    }
  SluiceOffer *offer = sluice_offer_new (key, title, SLUICE_OFFER_FITS, g_steal_pointer (&line));
  offer->has_result = sluice_box_get_output (list->box, made, &offer->result);
  sluice_box_undo (list->box);
  g_ptr_array_add (list->offers, offer);
  return offer;
}

/* ---- layers ---- */

/* Names for people; one that is not here is called as its file. In the order of use. */
static const struct
{
  const char *name, *title;
} layer_titles[] = {
  { "dense", N_ ("Dense") },
  { "conv2d", N_ ("Convolution") },
  { "pool", N_ ("Pooling") },
  { "batch-norm", N_ ("Batch normalisation") },
  { "dropout", N_ ("Dropout") },
  { "flatten", N_ ("Flatten") },
  { "embedding", N_ ("Embedding") },
  { "layer-norm", N_ ("Layer normalisation") },
  { "input", N_ ("Input") },
  { "lstm", N_ ("LSTM") },
  { "gru", N_ ("GRU") },
  { "attention", N_ ("Attention") },
  { "residual-block", N_ ("Residual block") },
  { "transformer-block", N_ ("Transformer block") },
  { "position-embedding", N_ ("Positions") },
  { "conv2d-transpose", N_ ("Transposed convolution") },
  { "depthwise-conv2d", N_ ("Convolution by channel") },
  { "separable-conv2d", N_ ("Separable convolution") },
  { "softmax-cross-entropy", N_ ("Softmax cross-entropy") },
  { "sigmoid-cross-entropy", N_ ("Sigmoid cross-entropy") },
  { "mean-squared-error", N_ ("Mean squared error") },
  { "l2", N_ ("Penalty for large weights") },
  { "accuracy", N_ ("Accuracy") },
  { "top-k", N_ ("Top k") },
  { "mean", N_ ("Mean of all") },
  { "conv1d", N_ ("Convolution of a sequence") },
  { "global-pool", N_ ("Pooling over all places") },
  { "adam", N_ ("Adam") },
  { "sgd", N_ ("Gradient descent") },
  { "momentum", N_ ("Descent with momentum") },
  { "rmsprop", N_ ("RMSProp, by recent magnitudes") },
  { "adagrad", N_ ("Adagrad, by all magnitudes") },
  { "scalar", N_ ("Scalar") },
  { "histogram", N_ ("Histogram") },
  { "image", N_ ("Image") },
};

char *
sluice_offers_dup_layer_title (const char *name, guint *order)
{
  for (*order = 0; *order < G_N_ELEMENTS (layer_titles); ++*order)
    if (g_str_equal (layer_titles[*order].name, name))
      return g_strdup (_ (layer_titles[*order].title));
  char *title = g_strdelimit (g_strdup (name), "-", ' ');
  *title = g_ascii_toupper (*title);
  return title;
}

/* What a size is where nobody said: enough to see it work. */
static char *
dup_first_value (const SluiceTemplateParameter *parameter)
{
  static const struct
  {
    const char *name, *value;
  } values[] = { { "units", "128" }, { "filters", "32" }, { "rows", "1000" }, { "size", "16" } };
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    if (g_str_equal (values[i].name, parameter->name))
      return g_strdup (values[i].value);
  if (parameter->kind == SLUICE_TEMPLATE_CHOICE)
    return g_strndup (parameter->words, strcspn (parameter->words, "|"));
  return g_strdup_printf ("%.9g", MAX (parameter->least, 1));
}

static gboolean
is_open (const SluiceTemplateParameter *parameter)
{
  return (parameter->kind == SLUICE_TEMPLATE_EDGE || parameter->kind == SLUICE_TEMPLATE_EDGES)
         && parameter->value == NULL;
}

/* "units 128", "max, 2×2": what is chosen, and what most people choose. */
static void
say_parameter (GString *detail, const SluiceTemplateParameter *parameter, const char *value)
{
  gboolean is_size = g_str_equal (parameter->name, "size") && parameter->value != NULL;
  gboolean is_told = parameter->value == NULL || is_size || g_str_equal (parameter->name, "kind")
                     || g_str_equal (parameter->name, "rate");
  if (parameter->kind == SLUICE_TEMPLATE_EDGE || !is_told)
    return;
  if (detail->len > 0)
    g_string_append (detail, ", ");
  if (is_size)
    g_string_append_printf (detail, "%s×%s", value, value);
  else if (parameter->kind == SLUICE_TEMPLATE_CHOICE)
    g_string_append (detail, value);
  else
    g_string_append_printf (detail, "%s %s", parameter->name, value);
}

/* "layer KIND NAME input=EDGE units=128". first, second: (nullable): edges for parameters that are
 * open. (transfer full) (nullable): not just so many are */
static char *
write_layer (const SluiceTemplate *template,
             const char *name,
             const char *first,
             const char *second,
             GString *detail)
{
  g_autofree char *quoted = sluice_line_quote (name);
  g_autoptr (GString) line = g_string_new (NULL);
  const char *edges[] = { first, second, NULL };
  guint n_edges = 0;
  g_string_printf (line, "layer %s %s", template->name, quoted);
  for (guint i = 0; i < template->parameters->len; i++)
    {
      const SluiceTemplateParameter *parameter =
          &g_array_index (template->parameters, SluiceTemplateParameter, i);
      g_autofree char *value = parameter->value != NULL ? g_strdup (parameter->value) : NULL;
      if (is_open (parameter) && edges[n_edges] == NULL)
        return NULL;
      if (is_open (parameter))
        g_string_append_printf (line, " %s=%s", parameter->name, edges[n_edges++]);
      else if (value == NULL)
        {
          value = dup_first_value (parameter);
          g_string_append_printf (line, " %s=%s", parameter->name, value);
        }
      if (value != NULL)
        say_parameter (detail, parameter, value);
    }
  return edges[n_edges] == NULL ? g_string_free (g_steal_pointer (&line), FALSE) : NULL;
}

static gboolean
add_layer (SluiceOfferList *list,
           const SluiceTemplate *template,
           const char *edge,
           const char *second,
           gboolean flat)
{
  guint order;
  g_autofree char *name = sluice_namer_make (list->namer, template->name);
  g_autofree char *key = g_strconcat ("layer ", template->name, NULL);
  g_autofree char *title = sluice_offers_dup_layer_title (template->name, &order);
  g_autofree char *made = g_strconcat (name, "/output", NULL);
  g_autofree char *flatten = flat ? sluice_namer_make (list->namer, "flatten") : NULL;
  g_autofree char *before =
      flat ? g_strdup_printf ("layer flatten %s input=%s", flatten, edge) : NULL;
  g_autofree char *behind = flat ? g_strconcat (flatten, "/output", NULL) : NULL;
  g_autoptr (GString) detail = g_string_new (NULL);
  g_autofree char *line = write_layer (template, name, flat ? behind : edge, second, detail);
  const char *lines[4] = { flat ? before : line, line };
  SluiceOffer *offer =
      line != NULL ? sluice_offers_try (list, key, title, lines, flat ? 2 : 1, name, made) : NULL;
  if (offer == NULL)
    return FALSE;
  if (flat)
    g_string_append_printf (detail, "%s%s", detail->len > 0 ? ", " : "", _ ("flattened"));
  offer->detail = detail->len > 0 ? g_strdup (detail->str) : NULL;
  offer->is_layer = TRUE;
  /* Of losses and metrics there is one in a model; behind the most usual ops. */
  gboolean is_end =
      g_str_equal (template->family, "loss") || g_str_equal (template->family, "metric");
  offer->order = order + (is_end ? OPS_FROM + 10 : 0);
  return TRUE;
}

/* What is fed, for parameters beside the input, which are labels, whole numbers mostly: these
 * first. At most a few. (transfer full) */
static GPtrArray *
list_placeholders (SluiceGraph *graph)
{
  GPtrArray *found = g_ptr_array_new ();
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph) && found->len < 8; i++)
    {
      SluiceNode *node = sluice_graph_get_node (graph, i);
      if (sluice_node_get_role (node) == SLUICE_ROLE_PLACEHOLDER && node->n_outputs > 0)
        g_ptr_array_insert (
            found, sluice_dtype_is_integer (node->outputs[0].dtype) ? 0 : (int) found->len, node);
    }
  return found;
}

static void
add_template (SluiceOfferList *list, const SluiceTemplate *template, const GPtrArray *fed)
{
  SluiceEdge edge = list->hand->edge;
  g_autofree char *text = sluice_edge_to_text (edge);
  gboolean fits = add_layer (list, template, text, NULL, FALSE);
  if (text != NULL && !fits && sluice_edge_shape (edge)->rank > 2)
    fits = add_layer (list, template, text, NULL, TRUE);
  for (guint k = 0; text != NULL && !fits && k < fed->len; k++)
    if (fed->pdata[k] != edge.node)
      fits = add_layer (list, template, text, ((SluiceNode *) fed->pdata[k])->name, FALSE);
}

void
sluice_offers_add_layers (SluiceOfferList *list)
{
  g_autoptr (GPtrArray) fed = list_placeholders (list->graph);
  for (guint k = 0; k < fed->len; k++)
    sluice_box_add (list->box, fed->pdata[k]);
  for (guint f = 0; f < sluice_template_n_families; f++)
    {
      const SluiceTemplateFamily *family = &sluice_template_families[f];
      g_autoptr (GPtrArray) templates =
          family->is_layer ? sluice_template_list (family->name) : g_ptr_array_new ();
      for (guint i = 0; i < templates->len; i++)
        add_template (list, templates->pdata[i], fed);
    }
}

/* ---- ops ---- */

static gboolean
takes (const SluiceOp *op, const SluiceArg *arg, SluiceDType dtype)
{
  if (arg->is_ref && !sluice_dtype_is_ref (dtype))
    return FALSE;
  if (arg->type != SLUICE_INVALID)
    return arg->type == sluice_dtype_base (dtype);
  const SluiceAttrDef *def =
      arg->type_attr != NULL ? sluice_op_find_attr (op, arg->type_attr) : NULL;
  return def == NULL || def->allowed_types == 0 || sluice_dtype_in (dtype, def->allowed_types);
}

/* The value that the op's first sample has for an attribute, as commands write it. (transfer full)
 * (nullable) */
static char *
dup_sample_value (const SluiceOp *op, const char *name)
{
  const SluiceRecipe *recipe = op->def->recipe;
  const char *text = recipe != NULL && recipe->n_samples > 0 ? recipe->samples[0].attrs : NULL;
  g_auto (GStrv) parts = g_strsplit (text != NULL ? text : "", ";", -1);
  gsize n = strlen (name);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      char *part = g_strstrip (parts[i]);
      if (strncmp (part, name, n) == 0 && part[n] == '=')
        return g_strdelimit (g_strdup (part + n + 1), "'", '"');
    }
  return NULL;
}

static SluiceDType
choose_type (const SluiceAttrDef *def, SluiceDType wanted)
{
  SluiceDTypeSet allowed = def->allowed_types;
  if (wanted != SLUICE_INVALID && (allowed == 0 || sluice_dtype_in (wanted, allowed)))
    return wanted;
  if (allowed == 0 || (allowed & SLUICE_SET (SLUICE_FLOAT)))
    return SLUICE_FLOAT;
  return (SluiceDType) g_bit_nth_lsf (allowed, -1);
}

/* Is the attribute told by an input that is connected? */
static gboolean
is_told (const SluiceOp *op, const char *attr, int connected)
{
  for (guint i = 0; i < op->n_inputs; i++)
    {
      const SluiceArg *arg = &op->inputs[i];
      if (arg->number_attr == attr)
        return TRUE;
      if ((int) i == connected && (arg->type_attr == attr || arg->list_attr == attr))
        return TRUE;
    }
  return FALSE;
}

/* What the op cannot do without, and no default gives. */
static void
write_attrs (const SluiceOp *op, int connected, SluiceDType wanted, GString *line)
{
  for (guint i = 0; i < op->n_attrs; i++)
    {
      const SluiceAttrDef *def = &op->attrs[i];
      gboolean gives =
          op->n_outputs > 0 && op->outputs[0].type_attr == def->name && wanted != SLUICE_INVALID;
      if (is_told (op, def->name, connected) || (def->has_default && !gives))
        continue;
      g_autofree char *sample = gives ? NULL : dup_sample_value (op, def->name);
      if (sample == NULL && def->kind == SLUICE_ATTR_TYPE)
        sample = g_strdup (sluice_dtype_enum_name (choose_type (def, wanted)));
      if (sample != NULL)
        g_string_append_printf (line, " %s=%s", def->name, sample);
    }
}

/* What is fed, or begins with nothing, has the shape that is wanted of it. */
static void
write_shape (const SluiceOp *op, const SluiceShape *shape, GString *line)
{
  char buffer[SLUICE_SHAPE_STR];
  const SluiceAttrDef *def = sluice_op_find_attr (op, "shape");
  if (op->n_inputs == 0 && def != NULL && def->kind == SLUICE_ATTR_SHAPE && shape->rank >= 0
      && (op->def->role == SLUICE_ROLE_PLACEHOLDER || sluice_shape_is_known (shape)))
    g_string_append_printf (line, " shape=%s", sluice_shape_str (shape, buffer));
}

/* Open but for one; as many of an argument of any number as it must have. */
static void
write_inputs (const SluiceOp *op, int connected, const char *edge, GString *line)
{
  for (guint i = 0; i < op->n_inputs; i++)
    {
      const char *number = op->inputs[i].number_attr;
      const SluiceAttrDef *def = number != NULL ? sluice_op_find_attr (op, number) : NULL;
      gint64 n = def != NULL && def->has_minimum ? CLAMP (def->minimum, 1, 8) : 1;
      for (gint64 k = 0; k < n; k++)
        g_string_append_printf (line, " %s", (int) i == connected && k == 0 ? edge : "\"\"");
    }
}

/* connected: which argument reads the edge; -1: none. want: what it is to give. */
static SluiceOffer *
add_op (SluiceOfferList *list, const SluiceOp *op, int connected, const SluiceInputWant *want)
{
  guint usual = sluice_op_words_get_order (op->name);
  g_autofree char *name = sluice_namer_make (list->namer, op->name);
  g_autofree char *quoted = sluice_line_quote (name);
  g_autofree char *text = connected >= 0 ? sluice_edge_to_text (list->hand->edge) : NULL;
  g_autofree char *edge = text != NULL ? sluice_line_quote (text) : NULL;
  g_autoptr (GString) line = g_string_new (NULL);
  g_string_printf (line, "add %s %s", op->name, quoted);
  write_inputs (op, connected, edge, line);
  write_attrs (op, connected, want->dtype, line);
  write_shape (op, &want->shape, line);
  const char *lines[3] = { line->str };
  SluiceOffer *offer = sluice_offers_try (list, op->name, op->name, lines, 1, name, name);
  if (offer == NULL)
    return NULL;
  offer->detail = g_strdup (_ (op->def->summary));
  offer->op = op;
  offer->order =
      (op->n_inputs == 0 && list->hand->edge.node == NULL ? 0 : OPS_FROM) + MIN (usual, 900);
  return offer;
}

char *
sluice_offers_write_alone (const SluiceOp *op, const char *name, SluiceDType wanted)
{
  g_autofree char *quoted = sluice_line_quote (name);
  g_autoptr (GString) line = g_string_new (NULL);
  g_string_printf (line, "add %s %s", op->name, quoted);
  write_inputs (op, -1, NULL, line);
  write_attrs (op, -1, wanted, line);
  return g_string_free (g_steal_pointer (&line), FALSE);
}

/* It stands there, and nothing is connected. */
static void
add_alone (SluiceOfferList *list, const SluiceOp *op)
{
  SluiceHand nothing = { .scope = NULL };
  const SluiceInputWant anything = { .shape = SLUICE_SHAPE_UNKNOWN };
  SluiceOfferList alone = *list;
  alone.hand = &nothing;
  SluiceOffer *offer = add_op (&alone, op, -1, &anything);
  gboolean is_usual = list->hand->edge.node == NULL && list->hand->node == NULL
                      && sluice_op_words_get_order (op->name) != G_MAXUINT16;
  if (offer != NULL && !is_usual)
    offer->reason = SLUICE_OFFER_OTHER;
}

/* Of an op that is to give what an input wants, with the dtype that this has. */
static gboolean
gives (const SluiceOp *op, SluiceDType dtype)
{
  return op->n_outputs > 0 && op->outputs[0].number_attr == NULL && op->outputs[0].list_attr == NULL
         && (dtype == SLUICE_INVALID || takes (op, &op->outputs[0], dtype));
}

static gboolean
add_reader (SluiceOfferList *list, const SluiceOp *op)
{
  const SluiceInputWant anything = { .shape = SLUICE_SHAPE_UNKNOWN };
  SluiceDType dtype = sluice_edge_dtype (list->hand->edge);
  for (guint i = 0; i < op->n_inputs; i++)
    if (takes (op, &op->inputs[i], dtype) && add_op (list, op, (int) i, &anything) != NULL)
      return TRUE;
  return FALSE;
}

void
sluice_offers_add_ops (SluiceOfferList *list)
{
  guint n;
  const SluiceHand *hand = list->hand;
  const SluiceOp *const *ops = sluice_registry_list (&n);
  SluiceInputWant want = { .shape = SLUICE_SHAPE_UNKNOWN };
  if (hand->node != NULL)
    sluice_input_want_find (hand->node, hand->input, SLUICE_INVALID, &want);
  for (guint i = 0; i < n; i++)
    {
      const SluiceOp *op = ops[i];
      gboolean fits = FALSE;
      if (*op->name == '_' || op->def->role == SLUICE_ROLE_SEND
          || op->def->role == SLUICE_ROLE_RECV)
        continue;
      if (hand->edge.node != NULL)
        fits = (hand->node == NULL || gives (op, want.dtype)) && add_reader (list, op);
      else if (hand->node != NULL)
        fits = gives (op, want.dtype) && add_op (list, op, -1, &want) != NULL;
      if (!fits)
        add_alone (list, op);
    }
}

/* ---- edges that an open input could read ---- */

/* So many that fit are enough to choose from, and so many are asked at most. */
#define MAX_EDGES 8
#define MAX_ASKED 4000

static void
add_edge (SluiceOfferList *list, SluiceEdge edge, gboolean has_reader, guint order)
{
  g_autofree char *text = sluice_edge_to_text (edge);
  g_autofree char *input = sluice_offer_input_text (list->hand->node, list->hand->input);
  g_autofree char *from = sluice_line_quote (text), *to = sluice_line_quote (input);
  SluiceOffer *offer = sluice_offer_new ("connect", text, SLUICE_OFFER_FITS,
                                         g_strdup_printf ("connect %s %s", from, to));
  offer->detail = g_strdup (_ ("is there already"));
  offer->result = edge.node->outputs[edge.port];
  offer->has_result = TRUE;
  offer->has_reader = has_reader;
  offer->order = order;
  g_ptr_array_add (list->offers, offer);
}

gboolean
sluice_offers_is_read (SluiceGraph *graph, SluiceEdge edge)
{
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (graph, edge.node, &n);
  for (guint i = 0; i < n; i++)
    if (uses[i].input >= 0 && uses[i].port == edge.port)
      return TRUE;
  return FALSE;
}

/* Those that nothing reads first, then by how near they were made. */
void
sluice_offers_add_edges (SluiceOfferList *list)
{
  const SluiceHand *hand = list->hand;
  g_autoptr (SluiceJudge) judge = sluice_judge_new (list->graph);
  guint n = sluice_graph_get_n_nodes (list->graph), n_found[2] = { 0 }, n_asked = 0;
  for (guint i = 0; i < n && n_asked < MAX_ASKED && n_found[0] < MAX_EDGES; i++)
    {
      SluiceNode *node = sluice_graph_get_node (list->graph, n - 1 - i);
      guint n_outputs = sluice_offers_is_inside (list->graph, node) ? 0 : MIN (node->n_outputs, 8);
      for (guint k = 0; k < n_outputs; k++)
        {
          SluiceEdge edge = { node, (int) k };
          SluiceOutput result;
          gboolean read = sluice_offers_is_read (list->graph, edge);
          if (n_found[read] >= MAX_EDGES || node->outputs[k].shape.rank < 0)
            continue;
          n_asked++;
          if (sluice_judge_fits (judge, edge, hand->node, hand->input, &result))
            add_edge (list, edge, read, (read ? MAX_EDGES : 0) + n_found[read]++);
        }
    }
}
