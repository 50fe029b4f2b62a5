/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What makes a value fit an input that refused it: a node or two between them. What may help is
 * made up by the shapes; whether it does, the box says.
 */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/command/line.h"
#include "engine/command/offers-private.h"
#include "engine/graph/edge-text.h"
#include "engine/graph/shape-words.h"
#include "engine/graph/variable-kind.h"

/* Orders of the axes are tried up to here: 24 of them. */
#define MAX_TRANSPOSED 4

typedef struct
{
  SluiceOfferList *list;
  SluiceInputWant want;
  SluiceShape shape; /* of what is in hand */
  SluiceDType dtype;
  char *input; /* "NODE:K" */
  char *edge;  /* what is in hand, by name */
  char *cast;  /* (nullable): the command that casts it first; then it is edge */
} Fitting;

/* ---- one way ---- */

typedef struct
{
  const char *way;   /* as ops.words has it */
  const char *value; /* of its constant; of its attribute, where is_attr */
  gboolean is_attr;
  const char *attrs; /* (nullable): others */
  char *detail;      /* (transfer full) */
} Way;

/* The commands that go it. (transfer full): ends with NULL */
static GPtrArray *
write_way (Fitting *self, const Way *way, const char *op, const char *key, const char *node)
{
  g_autofree char *name = sluice_line_quote (node), *to = sluice_line_quote (self->input);
  g_autofree char *from = sluice_line_quote (self->edge);
  const char *attrs = way->attrs != NULL ? way->attrs : "";
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  if (self->cast != NULL)
    g_ptr_array_add (lines, g_strdup (self->cast));
  if (way->is_attr)
    g_ptr_array_add (lines,
                     g_strdup_printf ("add %s %s %s %s=%s", op, name, from, key, way->value));
  else
    {
      g_ptr_array_add (lines, g_strdup_printf ("add Const %s/%s value=%s", name, key, way->value));
      g_ptr_array_add (lines, g_strdup_printf ("add %s %s %s %s/%s%s%s", op, name, from, name, key,
                                               *attrs != '\0' ? " " : "", attrs));
    }
  g_ptr_array_add (lines, g_strdup_printf ("connect %s %s", name, to));
  g_ptr_array_add (lines, NULL);
  return lines;
}

/* Offers it where it fits. */
static gboolean
offer (Fitting *self, const char *key, const char *title, char *take_detail, const char *line)
{
  SluiceOfferList *list = self->list;
  g_autofree char *detail = take_detail;
  if (!sluice_box_do (list->box, line, list->hand->refused))
    return FALSE;
  SluiceOffer *made = sluice_offer_new (key, title, SLUICE_OFFER_MAKES_FIT, g_strdup (line));
  made->op = sluice_registry_find (key);
  made->is_layer = made->op == NULL;
  made->has_result = sluice_box_get_output (list->box, list->hand->refused->name, &made->result);
  made->detail = g_steal_pointer (&detail);
  made->order = list->offers->len;
  sluice_box_undo (list->box);
  g_ptr_array_add (list->offers, made);
  return TRUE;
}

static gboolean
take_way (Fitting *self, const Way *way)
{
  const char *key, *op = sluice_op_words_get_fit (way->way, &key);
  g_autofree char *name = sluice_namer_make (self->list->namer, op);
  g_autoptr (GPtrArray) lines = write_way (self, way, op, key, name);
  g_autofree char *words = g_strdup_printf (_ ("insert %s"), name);
  g_autofree char *line = sluice_offer_join (words, (const char *const *) lines->pdata);
  return offer (self, op, op, way->detail, line);
}

/* "to ?×3136". (transfer full) */
static char *
say_to (const SluiceShape *shape)
{
  g_autofree char *words = sluice_shape_dup_words (shape);
  return g_strdup_printf (_ ("to %s"), words);
}

/* "[-1,3136]". (transfer full) */
static char *
list_numbers (const gint64 *numbers, int n)
{
  GString *text = g_string_new ("[");
  for (int i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", numbers[i]);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

/* ---- the layer that refused it ---- */

/* The layer's parameter that the input stands for, as the layer remembers it ("input=./MatMul:0"),
 * and its kind. (transfer full) (nullable): the input is none of its edges */
static char *
dup_parameter (const Fitting *self, const char *layer, char **kind)
{
  const SluiceHand *hand = self->list->hand;
  g_autofree char *name = g_strconcat (layer, "/output", NULL);
  const SluiceNode *output = sluice_graph_find (self->list->graph, name);
  const SluiceAttrValue *value = sluice_node_get_attr (output, "_layer");
  g_autofree char *text = value->kind == SLUICE_ATTR_STRING
                              ? g_strndup (value->s.data, value->s.length)
                              : g_strdup ("");
  g_autofree char *inside =
      g_strdup_printf ("./%s:%u", hand->refused->name + strlen (layer) + 1, hand->refused_input);
  g_autoptr (SluiceLine) line = sluice_line_parse (text, NULL);
  for (guint i = 1; line != NULL && i < line->n; i++)
    if (line->words[i].key != NULL && g_str_equal (line->words[i].text, inside))
      {
        *kind = g_strdup (line->words[0].text);
        return g_strdup (line->words[i].key);
      }
  return NULL;
}

/* Its variables get other sizes: what it learned would be lost, so only before it is trained. */
static void
make_anew (Fitting *self)
{
  SluiceOfferList *list = self->list;
  const char *refused = list->hand->refused->name;
  gsize span = sluice_offers_layer_span (list->graph, refused);
  if (span == 0 || self->cast != NULL || sluice_graph_has_optimizer (list->graph))
    return;
  g_autofree char *layer = g_strndup (refused, span), *kind = NULL;
  g_autofree char *parameter = dup_parameter (self, layer, &kind);
  if (parameter == NULL)
    return;
  g_autofree char *name = sluice_line_quote (layer), *from = sluice_line_quote (self->edge);
  g_autofree char *line = g_strdup_printf ("layer %s %s %s=%s", kind, name, parameter, from);
  g_autofree char *title = g_strdup_printf (_ ("Make %s anew"), layer);
  g_autofree char *shape = sluice_shape_dup_words (&self->shape);
  offer (self, "anew", title, shape != NULL ? g_strdup_printf (_ ("for %s"), shape) : NULL, line);
}

/* ---- other numbers of axes ---- */

/* Elements of an example, all axes but the first; -1: not known. */
static gint64
size_of_example (const SluiceShape *shape)
{
  SluiceShape rest = *shape;
  if (shape->rank < 1)
    return shape->rank == 0 ? 1 : -1;
  rest.dim[0] = 1;
  return sluice_shape_n_elements (&rest);
}

/* The examples stay what they are; at most one size is left to be told by the rest. */
static gboolean
reshape_to (Fitting *self, const SluiceShape *shape)
{
  gint64 size = size_of_example (&self->shape);
  guint n_unknown = 0;
  if (size < 0 || shape->rank < 1 || self->shape.rank < 1 || size != size_of_example (shape)
      || sluice_shape_equal (shape, &self->shape))
    return FALSE;
  for (int i = 0; i < shape->rank; i++)
    n_unknown += shape->dim[i] < 0;
  g_autofree char *value = list_numbers (shape->dim, shape->rank);
  return n_unknown <= 1 && take_way (self, &(Way){ "reshape", value, .detail = say_to (shape) });
}

/* All that lies behind the axes that are kept goes into the last one. */
static void
flatten_to (Fitting *self, int rank)
{
  const SluiceShape *from = &self->shape;
  SluiceShape shape = sluice_shape_of_rank (rank);
  gint64 size = 1;
  for (int i = rank - 1; i < from->rank; i++)
    size = from->dim[i] < 0 || size < 0 ? -1 : size * from->dim[i];
  for (int i = 0; i + 1 < rank; i++)
    shape.dim[i] = from->dim[i];
  shape.dim[rank - 1] = size;
  if (rank >= 2)
    reshape_to (self, &shape);
}

static gboolean
squeeze_to (Fitting *self, int rank)
{
  const SluiceShape *from = &self->shape;
  gint64 axes[SLUICE_MAX_RANK];
  SluiceShape shape = sluice_shape_of_rank (0);
  int n = 0;
  for (int i = 0; i < from->rank; i++)
    if (from->dim[i] == 1)
      axes[n++] = i;
    else
      shape.dim[(int) shape.rank++] = from->dim[i];
  g_autofree char *list = list_numbers (axes, n);
  return shape.rank == rank
         && take_way (self, &(Way){ "squeeze", list, TRUE, .detail = say_to (&shape) });
}

/* Over `n` axes from `first` on. */
static gboolean
reduce (Fitting *self, const char *way, int first, int n)
{
  const SluiceShape *from = &self->shape;
  SluiceShape shape = sluice_shape_of_rank (0);
  gint64 axes[SLUICE_MAX_RANK];
  g_autoptr (GString) said = g_string_new (NULL);
  for (int i = 0; i < from->rank; i++)
    if (i < first || i >= first + n)
      shape.dim[(int) shape.rank++] = from->dim[i];
  for (int i = 0; i < n; i++)
    {
      axes[i] = first + i;
      g_string_append_printf (said, "%s%d", i > 0 ? ", " : "", first + i);
    }
  g_autofree char *value = list_numbers (axes, n), *words = sluice_shape_dup_words (&shape);
  return take_way (
      self,
      &(Way){ way, value, .detail = g_strdup_printf (_ ("over %s to %s"), said->str, words) });
}

static void
lose_axes (Fitting *self, int rank)
{
  int n = self->shape.rank - rank;
  squeeze_to (self, rank);
  flatten_to (self, rank);
  make_anew (self);
  if (!sluice_dtype_is_floating (self->dtype))
    return;
  if (rank < 1 || !reduce (self, "mean", 1, n))
    reduce (self, "mean", rank, n);
  if (rank >= 1)
    reduce (self, "largest", 1, n);
}

static gboolean
expand_at (Fitting *self, int axis)
{
  SluiceShape shape = sluice_shape_of_rank (self->shape.rank + 1);
  char value[16];
  for (int i = 0, k = 0; i < shape.rank; i++)
    shape.dim[i] = i == axis ? 1 : self->shape.dim[k++];
  g_snprintf (value, sizeof value, "%d", axis);
  return take_way (self, &(Way){ "expand", value, .detail = say_to (&shape) });
}

/* Rows of numbers that are square pictures. */
static void
make_pictures (Fitting *self)
{
  gint64 n = self->shape.dim[1], channels = self->want.shape.dim[3];
  channels = channels > 0 ? channels : 1;
  gint64 side = n > 0 && n % channels == 0 ? (gint64) sqrt ((double) (n / channels)) : 0;
  if (side > 1 && side * side * channels == n)
    reshape_to (self, &SLUICE_SHAPE (self->shape.dim[0], side, side, channels));
}

static void
gain_axes (Fitting *self, int rank)
{
  if (rank == 4 && self->shape.rank == 2 && self->want.shape.rank == 4)
    make_pictures (self);
  if (rank == self->shape.rank + 1)
    {
      expand_at (self, self->shape.rank);
      if (self->shape.rank > 0)
        expand_at (self, 0);
    }
  if (self->want.shape.rank == rank)
    {
      SluiceShape shape = self->want.shape;
      if (self->shape.rank > 0 && shape.dim[0] < 0)
        shape.dim[0] = self->shape.dim[0];
      reshape_to (self, &shape);
    }
  make_anew (self);
}

/* ---- other sizes ---- */

static gboolean
transpose_by (Fitting *self, const gint64 *order)
{
  const int rank = self->shape.rank;
  SluiceShape shape = sluice_shape_of_rank (rank);
  for (int i = 0; i < rank; i++)
    shape.dim[i] = self->shape.dim[order[i]];
  g_autofree char *value = list_numbers (order, rank);
  return !sluice_shape_equal (&shape, &self->shape)
         && take_way (self, &(Way){ "transpose", value, .detail = say_to (&shape) });
}

/* The first order that fits, by how many of the first axes stay where they are. */
static gboolean
transpose_from (Fitting *self, gint64 *order, int at)
{
  if (at >= self->shape.rank - 1)
    return transpose_by (self, order);
  for (int i = at; i < self->shape.rank; i++)
    {
      gint64 kept = order[at];
      order[at] = order[i];
      order[i] = kept;
      if (transpose_from (self, order, at + 1))
        return TRUE;
      order[i] = order[at];
      order[at] = kept;
    }
  return FALSE;
}

/* What was learned stays outside: a matrix that brings rows of one length to another. */
static gboolean
add_dense (Fitting *self)
{
  SluiceOfferList *list = self->list;
  gint64 units = self->want.shape.rank == 2 ? self->want.shape.dim[1] : -1;
  if (self->shape.rank != 2 || units < 1 || self->cast != NULL
      || !sluice_dtype_is_floating (self->dtype))
    return FALSE;
  g_autofree char *name = sluice_namer_make (list->namer, "dense");
  g_autofree char *quoted = sluice_line_quote (name), *from = sluice_line_quote (self->edge);
  g_autofree char *to = sluice_line_quote (self->input);
  g_autofree char *add =
      g_strdup_printf ("layer dense %s input=%s units=%" G_GINT64_FORMAT, quoted, from, units);
  g_autofree char *connect = g_strdup_printf ("connect %s/output %s", quoted, to);
  g_autofree char *words = g_strdup_printf (_ ("insert %s"), name);
  g_autofree char *line = sluice_offer_join (words, (const char *const[]){ add, connect, NULL });
  return offer (self, "layer dense", _ ("Dense"),
                g_strdup_printf ("units %" G_GINT64_FORMAT, units), line);
}

static void
change_sizes (Fitting *self)
{
  gint64 order[MAX_TRANSPOSED] = { 0, 1, 2, 3 };
  gboolean is_short = self->shape.rank <= MAX_TRANSPOSED;
  if (self->want.shape.rank == self->shape.rank)
    {
      SluiceShape shape = self->want.shape;
      for (int i = 0; i < shape.rank; i++)
        if (shape.dim[i] < 0)
          shape.dim[i] = self->shape.dim[i];
      reshape_to (self, &shape);
    }
  make_anew (self);
  /* The first axis is that of the examples, and moved last of all. */
  if (!(is_short && transpose_from (self, order, 1)) && !add_dense (self) && is_short)
    transpose_from (self, order, 0);
}

/* ---- all ways ---- */

/* The number of axes that is wanted, the nearest one; -1: any will do, or none is known. */
static int
nearest_rank (const Fitting *self)
{
  int rank = self->shape.rank;
  if (rank < 0 || (self->want.ranks & (1u << rank)))
    return -1;
  for (int d = 1; d <= SLUICE_MAX_RANK; d++)
    {
      if (rank - d >= 0 && (self->want.ranks & (1u << (rank - d))))
        return rank - d;
      if (rank + d <= SLUICE_MAX_RANK && (self->want.ranks & (1u << (rank + d))))
        return rank + d;
    }
  return -1;
}

static void
change_shape (Fitting *self)
{
  int rank = nearest_rank (self);
  if (rank >= 0 && rank < self->shape.rank)
    lose_axes (self, rank);
  else if (rank >= 0)
    gain_axes (self, rank);
  else if (self->shape.rank > 0)
    change_sizes (self);
}

/* A row of scores where the number of the best is wanted. */
static void
take_best (Fitting *self)
{
  int axis = self->shape.rank - 1;
  SluiceDType want = self->want.dtype;
  char value[16];
  if (axis < 0 || !(self->want.ranks & (1u << axis))
      || (want != SLUICE_INT32 && want != SLUICE_INT64) || !sluice_dtype_is_floating (self->dtype))
    return;
  SluiceShape shape = self->shape;
  shape.rank--;
  g_snprintf (value, sizeof value, "%d", axis);
  g_autofree char *attrs = g_strconcat ("output_type=", sluice_dtype_enum_name (want), NULL);
  take_way (self, &(Way){ "best", value, .attrs = attrs, .detail = say_to (&shape) });
}

static void
cast (Fitting *self)
{
  SluiceDType want = self->want.dtype;
  const char *type = sluice_dtype_enum_name (want), *key;
  if (take_way (self,
                &(Way){ "cast", type, TRUE,
                        .detail = g_strdup_printf (_ ("to %s"), sluice_dtype_get_word (want)) }))
    return;
  const char *op = sluice_op_words_get_fit ("cast", &key);
  g_autofree char *name = sluice_namer_make (self->list->namer, op);
  g_autofree char *quoted = sluice_line_quote (name), *from = sluice_line_quote (self->edge);
  self->cast = g_strdup_printf ("add %s %s %s %s=%s", op, quoted, from, key, type);
  g_free (self->edge);
  self->edge = g_steal_pointer (&name);
  change_shape (self);
}

void
sluice_offers_add_fitting (SluiceOfferList *list)
{
  const SluiceHand *hand = list->hand;
  SluiceDType dtype = sluice_dtype_base (sluice_edge_dtype (hand->edge));
  Fitting self = { .list = list, .shape = *sluice_edge_shape (hand->edge), .dtype = dtype };
  sluice_input_want_find (hand->refused, hand->refused_input, dtype, &self.want);
  gboolean is_ref = sluice_dtype_is_ref (self.want.dtype) || self.want.dtype == SLUICE_RESOURCE;
  if (is_ref || dtype == SLUICE_RESOURCE || dtype == SLUICE_VARIANT)
    return;
  self.edge = sluice_edge_to_text (hand->edge);
  self.input = sluice_offer_input_text (hand->refused, hand->refused_input);
  if (self.want.dtype != SLUICE_INVALID && self.want.dtype != dtype)
    {
      take_best (&self);
      cast (&self);
    }
  else
    change_shape (&self);
  g_free (self.edge);
  g_free (self.input);
  g_free (self.cast);
}
