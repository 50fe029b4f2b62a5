/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/graph-editor.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/build/edit-lines.h"
#include "engine/base/error.h"
#include "engine/command/judge.h"
#include "engine/command/paste.h"
#include "engine/graph/scope.h"
#include "engine/graph/shape-words.h"
#include "ui/canvas/canvas-edit.h"

struct _SluiceGraphEditor
{
  SluiceDocument *document;
  SluiceCanvas *canvas;
  SluicePalette *palette;
  SluiceGraphEditorDone done;
  gpointer user_data;
  SluiceJudge *judge; /* (nullable): of the graph as it is now */
  gboolean has_place, holds_wire;
  SluicePoint at; /* where what the palette offers will stand, in the scene */
  SluicePoint pasted_at;
};

static SluiceNode *
find (SluiceGraphEditor *self, const char *name)
{
  SluiceGraph *graph = sluice_document_get_graph (self->document);
  return graph != NULL && name != NULL ? sluice_graph_find (graph, name) : NULL;
}

/* ---- questions ---- */

/* "?×784", as on the edges. */
static char *
dup_shape (const SluiceOutput *output)
{
  return sluice_shape_dup_words (&output->shape);
}

/* INVALID: the op takes several */
static SluiceDType
get_wanted_dtype (const SluiceNode *node, guint input)
{
  SluiceInputWant want;
  sluice_input_want_find (node, input, SLUICE_INVALID, &want);
  return want.dtype;
}

static void
describe_ports (const char *name, SluiceCanvasPorts *ports, gpointer data)
{
  SluiceGraphEditor *self = data;
  const SluiceNode *node = find (self, name);
  if (node == NULL)
    return;
  guint n_uses;
  const SluiceUse *uses = sluice_graph_get_uses (node->graph, node, &n_uses);
  for (guint i = 0; i < node->n_outputs; i++)
    {
      gboolean is_read = FALSE;
      for (guint k = 0; k < n_uses && !is_read; k++)
        is_read = uses[k].input >= 0 && uses[k].port == (int) i;
      g_autofree char *argument = sluice_node_dup_output_name (node, i);
      g_autofree char *shape = dup_shape (&node->outputs[i]);
      sluice_canvas_ports_add (ports, TRUE, argument,
                               sluice_dtype_get_word (node->outputs[i].dtype), shape, !is_read);
    }
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = node->inputs[i];
      const SluiceOutput *read = edge.node != NULL ? &edge.node->outputs[edge.port] : NULL;
      g_autofree char *argument = sluice_node_dup_input_name (node, i);
      g_autofree char *shape = read != NULL ? dup_shape (read) : NULL;
      SluiceDType dtype = read != NULL ? read->dtype : get_wanted_dtype (node, i);
      sluice_canvas_ports_add (ports, FALSE, argument,
                               dtype != SLUICE_INVALID ? sluice_dtype_get_word (dtype) : NULL,
                               shape, read == NULL);
    }
}

static gboolean
judge (const SluiceCanvasLink *link, char **words, gpointer data)
{
  SluiceGraphEditor *self = data;
  SluiceNode *from = find (self, link->from.node), *to = find (self, link->to.node);
  if (from == NULL || to == NULL || link->from.index >= from->n_outputs)
    {
      *words = g_strdup (_ ("is not there any more"));
      return FALSE;
    }
  if (self->judge == NULL)
    self->judge = sluice_judge_new (from->graph);
  g_auto (SluiceVerdict) verdict = { 0 };
  sluice_judge_ask (self->judge, (SluiceEdge){ from, (int) link->from.index }, to, link->to.index,
                    &verdict);
  *words = !verdict.fits                            ? g_strdup (verdict.reason)
           : verdict.result.dtype != SLUICE_INVALID ? dup_shape (&verdict.result)
                                                    : NULL;
  return verdict.fits;
}

/* ---- requests ---- */

/* line: (transfer full) (nullable): with an error there is none */
static void
do_take (SluiceGraphEditor *self, char *line, GError *take)
{
  g_autofree char *text = line;
  g_autoptr (GError) error = take;
  if (text != NULL)
    sluice_document_do (self->document, text, &error);
  self->done (error, self->user_data);
}

void
sluice_graph_editor_do (SluiceGraphEditor *self, const char *line)
{
  do_take (self, g_strdup (line), NULL);
}

static void
connect (const SluiceCanvasLink *link, const SluiceCanvasEnd *off, gpointer data)
{
  SluiceGraphEditor *self = data;
  do_take (self, sluice_edit_line_connect (link, off), NULL);
}

static void
disconnect (const SluiceCanvasEnd *inputs, guint n, gpointer data)
{
  do_take (data, sluice_edit_line_disconnect (inputs, n), NULL);
}

static void
remove_names (const char *const *names, gpointer data)
{
  do_take (data, sluice_edit_line_remove (names), NULL);
}

static void
detach (const char *const *names, gpointer data)
{
  SluiceGraphEditor *self = data;
  GError *error = NULL;
  char *line =
      sluice_edit_line_detach (sluice_document_get_graph (self->document), names, FALSE, &error);
  do_take (self, line, error);
}

static void
mute (const char *const *names, gpointer data)
{
  SluiceGraphEditor *self = data;
  do_take (self, sluice_edit_line_mute (sluice_document_get_graph (self->document), names), NULL);
}

static void
bypass (const char *const *names, gpointer data)
{
  SluiceGraphEditor *self = data;
  GError *error = NULL;
  char *line =
      sluice_edit_line_detach (sluice_document_get_graph (self->document), names, TRUE, &error);
  do_take (self, line, error);
}

static void
splice (const SluiceCanvasLink *wire,
        const SluiceCanvasEnd *input,
        const SluiceCanvasEnd *output,
        const GPtrArray *lines,
        gpointer data)
{
  do_take (data, sluice_edit_line_splice (wire, input, output, lines), NULL);
}

static char *
rename_to (const char *name, const char *new_name, gpointer data)
{
  SluiceGraphEditor *self = data;
  const char *const from[] = { name, NULL }, *const to[] = { new_name, NULL };
  g_autoptr (GPtrArray) lines = sluice_canvas_list_renamed (self->canvas, from, to);
  g_autofree char *line =
      sluice_edit_line_rename (sluice_document_get_graph (self->document), name, new_name, lines);
  g_autoptr (GError) error = NULL;
  if (!sluice_document_do (self->document, line, &error))
    return g_strdup (error->message);
  self->done (NULL, self->user_data);
  return NULL;
}

static void
group (const char *const *names, gpointer data)
{
  SluiceGraphEditor *self = data;
  g_autofree char *scope =
      sluice_edit_dup_group (sluice_document_get_graph (self->document), names);
  g_auto (GStrv) to = sluice_edit_list_in_group (scope, names);
  g_autoptr (GPtrArray) lines =
      sluice_canvas_list_renamed (self->canvas, names, (const char *const *) to);
  do_take (self, sluice_edit_line_group (scope, names, lines), NULL);
}

static void
ungroup (const char *scope, gpointer data)
{
  SluiceGraphEditor *self = data;
  g_auto (GStrv) from = sluice_edit_list_below (sluice_document_get_graph (self->document), scope);
  g_auto (GStrv) to = sluice_edit_list_above (scope, (const char *const *) from);
  g_autoptr (GPtrArray) lines = sluice_canvas_list_renamed (
      self->canvas, (const char *const *) from, (const char *const *) to);
  do_take (self, sluice_edit_line_ungroup (scope, lines), NULL);
}

static void
duplicate (const char *const *names, gpointer data)
{
  SluiceGraphEditor *self = data;
  sluice_canvas_select_next (self->canvas);
  do_take (self, sluice_edit_line_duplicate (sluice_document_get_graph (self->document), names),
           NULL);
}

static char *
copy (const char *const *names, gpointer data)
{
  SluiceGraphEditor *self = data;
  return sluice_copy_dup_text (sluice_document_get_graph (self->document), names);
}

/* The picture may have been drawn anew meanwhile. */
static void
pasting_cb (SluiceGraphEditor *self)
{
  double progress;
  guint n_nodes;
  if (sluice_document_get_paste (self->document, &progress, &n_nodes))
    sluice_canvas_place_next (self->canvas, self->pasted_at.x, self->pasted_at.y);
}

static void
pasted_cb (const GError *error, gpointer data)
{
  SluiceGraphEditor *self = data;
  gboolean is_cancelled = g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
  self->done (is_cancelled ? NULL : error, self->user_data);
}

static void
paste (const char *text, SluicePoint at, gboolean wired, gpointer data)
{
  SluiceGraphEditor *self = data;
  sluice_document_finish_paste (self->document);
  self->pasted_at = at;
  sluice_canvas_place_next (self->canvas, at.x, at.y);
  sluice_document_paste (self->document, text, wired, pasted_cb, self);
}

static void
arrange (const GPtrArray *lines, const char *words, gpointer data)
{
  do_take (data, sluice_edit_line_layout (lines, words), NULL);
}

static gboolean
history (gboolean redo, gpointer data)
{
  SluiceGraphEditor *self = data;
  SluiceCommandStack *stack = sluice_document_get_stack (self->document);
  sluice_document_finish_paste (self->document);
  guint n = sluice_command_stack_get_n_undo (stack);
  if ((redo ? sluice_command_stack_get_n_redo (stack) : n) == 0)
    return FALSE;
  g_autoptr (GError) error = NULL;
  sluice_document_go_to (self->document, redo ? n + 1 : n - 1, &error);
  self->done (error, self->user_data);
  return TRUE;
}

/* ---- the palette ---- */

/* Does something outside of the scope read its first output? */
static gboolean
leaves (SluiceGraph *graph, const SluiceNode *node, const char *scope)
{
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (graph, node, &n);
  for (guint i = 0; i < n; i++)
    if (uses[i].input >= 0 && uses[i].port == 0
        && !sluice_name_is_below (uses[i].node->name, scope))
      return TRUE;
  return FALSE;
}

static gboolean
is_of_examples (const SluiceNode *node)
{
  const SluiceShape *shape = &node->outputs[0].shape;
  return shape->rank > 0 && shape->dim[0] < 0;
}

/* Of a scope that is no layer: what others read of it, the last one that there is for each example
 * rather than a weight or a norm. (nullable) */
static SluiceNode *
find_given (SluiceGraph *graph, const char *scope)
{
  SluiceNode *best = NULL;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (graph, i);
      SluiceRole role = sluice_node_get_role (node);
      if (sluice_name_is_below (node->name, scope) && node->n_outputs > 0
          && sluice_dtype_is_floating (node->outputs[0].dtype) && role != SLUICE_ROLE_VARIABLE
          && role != SLUICE_ROLE_CONST && leaves (graph, node, scope)
          && (best == NULL || is_of_examples (node) || !is_of_examples (best)))
        best = node;
    }
  return best;
}

/* The outcome of what is selected: of a layer it is its node "output". */
static SluiceNode *
find_outcome (SluiceGraphEditor *self, const char *name)
{
  g_autofree char *output = name != NULL ? g_strconcat (name, "/output", NULL) : NULL;
  SluiceNode *node = find (self, output);
  if (node == NULL)
    node = find (self, name);
  return node != NULL || name == NULL
             ? node
             : find_given (sluice_document_get_graph (self->document), name);
}

static void
fill_hand (SluiceGraphEditor *self, const SluiceCanvasPaletteRequest *request, SluiceHand *hand)
{
  SluiceNode *port = find (self, request->port.node);
  SluiceNode *selected = find_outcome (self, request->selected);
  if (request->wire.from.node != NULL)
    {
      hand->edge =
          (SluiceEdge){ find (self, request->wire.from.node), (int) request->wire.from.index };
      hand->node = find (self, request->wire.to.node);
      hand->input = request->wire.to.index;
    }
  else if (port != NULL && request->is_output)
    {
      hand->edge = (SluiceEdge){ port, (int) request->port.index };
      hand->refused = find (self, request->near.node);
      hand->refused_input = request->near.index;
    }
  else if (port != NULL)
    {
      hand->node = port;
      hand->input = request->port.index;
    }
  else if (selected != NULL && selected->n_outputs > 0)
    hand->edge = (SluiceEdge){ selected, 0 };
}

static void
open_palette (const SluiceCanvasPaletteRequest *request, gpointer data)
{
  SluiceGraphEditor *self = data;
  SluiceHand hand = { 0 };
  fill_hand (self, request, &hand);
  self->at = request->at;
  self->holds_wire = request->port.node != NULL;
  self->has_place = self->holds_wire || request->selected == NULL;
  sluice_palette_open (self->palette, sluice_document_get_graph (self->document), &hand, request->x,
                       request->y, request->text);
}

/* What is wired is laid out well by itself; where the pointer let go is where it is wanted. */
static gboolean
is_placed (SluiceGraphEditor *self)
{
  const SluiceOffer *offer = sluice_palette_get_selected (self->palette);
  return self->has_place && (self->holds_wire || offer == NULL || !offer->is_layer);
}

static void
chosen_cb (SluiceGraphEditor *self, const char *line)
{
  if (is_placed (self))
    sluice_canvas_place_next (self->canvas, self->at.x, self->at.y);
  else
    sluice_canvas_select_next (self->canvas);
  sluice_graph_editor_do (self, line);
}

/* title: (nullable): nothing would come */
static void
preview_cb (SluiceGraphEditor *self, const char *line, const char *title)
{
  sluice_canvas_show_ghost (self->canvas, title,
                            is_placed (self) ? self->at : (SluicePoint){ NAN, NAN });
}

static void
closed_cb (SluiceGraphEditor *self)
{
  sluice_canvas_drop_wire (self->canvas);
}

/* The line of the offer that has this key. (transfer full) (nullable) */
static char *
dup_offered (SluiceGraph *graph, const SluiceHand *hand, const char *key)
{
  g_autoptr (SluiceOffers) offers = sluice_offers_new (graph, hand);
  g_autoptr (GPtrArray) all = sluice_offers_match (offers, NULL, NULL, NULL, TRUE);
  for (guint i = 0; i < all->len; i++)
    {
      const SluiceOffer *offer = all->pdata[i];
      if (strcmp (offer->key, key) == 0)
        return g_strdup (offer->line);
    }
  return NULL;
}

void
sluice_graph_editor_add (SluiceGraphEditor *self, const char *family, const char *name)
{
  SluiceGraph *graph = sluice_document_get_graph (self->document);
  SluiceNode *selected = find_outcome (self, sluice_canvas_get_selection (self->canvas));
  gboolean has_edge = selected != NULL && selected->n_outputs > 0;
  SluiceHand hand = { .edge = has_edge ? (SluiceEdge){ selected, 0 } : SLUICE_NO_EDGE };
  gboolean is_block = g_str_equal (family, "block");
  g_autofree char *key = g_strdup_printf ("%s %s", is_block ? family : "layer", name);
  GError *error = NULL;
  char *line = NULL;
  if (strcmp (family, "summary") == 0 && has_edge)
    line = sluice_edit_line_summary (name, selected->name);
  else if (strcmp (family, "summary") != 0)
    line = dup_offered (graph, &hand, key);
  if (line == NULL && has_edge)
    sluice_fail (&error, SLUICE_ERROR_FAILED_PRECONDITION,
                 "%s does not fit '%s'; select what it is to read", name, selected->name);
  else if (line == NULL)
    sluice_fail (&error, SLUICE_ERROR_FAILED_PRECONDITION,
                 "%s reads something: select what that is", name);
  sluice_canvas_select_next (self->canvas);
  do_take (self, line, error);
}

static const SluiceCanvasEditor editor = {
  .describe_ports = describe_ports,
  .judge = judge,
  .connect = connect,
  .disconnect = disconnect,
  .remove = remove_names,
  .detach = detach,
  .splice = splice,
  .rename = rename_to,
  .group = group,
  .ungroup = ungroup,
  .duplicate = duplicate,
  .mute = mute,
  .bypass = bypass,
  .copy = copy,
  .paste = paste,
  .palette = open_palette,
  .arrange = arrange,
  .history = history,
};

/* ---- life ---- */

static void
arranged_cb (SluiceGraphEditor *self, GPtrArray *lines)
{
  sluice_canvas_arrange (self->canvas, lines);
}

static void
forget (SluiceGraphEditor *self)
{
  g_clear_pointer (&self->judge, sluice_judge_free);
}

void
sluice_graph_editor_update (SluiceGraphEditor *self)
{
  forget (self);
  gboolean can = sluice_document_get_graph (self->document) != NULL;
  sluice_canvas_set_editor (self->canvas, can ? &editor : NULL, self);
}

SluiceGraphEditor *
sluice_graph_editor_new (SluiceDocument *document,
                         SluiceCanvas *canvas,
                         SluicePalette *palette,
                         SluiceGraphEditorDone done,
                         gpointer user_data)
{
  SluiceGraphEditor *self = g_new0 (SluiceGraphEditor, 1);
  *self = (SluiceGraphEditor){
    .document = document, .canvas = canvas, .palette = palette, .done = done, .user_data = user_data
  };
  g_signal_connect_swapped (document, "changed", G_CALLBACK (forget), self);
  g_signal_connect_swapped (document, "arranged", G_CALLBACK (arranged_cb), self);
  g_signal_connect_swapped (document, "pasting", G_CALLBACK (pasting_cb), self);
  g_signal_connect_swapped (palette, "chosen", G_CALLBACK (chosen_cb), self);
  g_signal_connect_swapped (palette, "preview", G_CALLBACK (preview_cb), self);
  g_signal_connect_swapped (palette, "closed", G_CALLBACK (closed_cb), self);
  sluice_graph_editor_update (self);
  return self;
}

void
sluice_graph_editor_free (SluiceGraphEditor *self)
{
  sluice_document_finish_paste (self->document);
  g_signal_handlers_disconnect_by_data (self->document, self);
  g_signal_handlers_disconnect_by_data (self->palette, self);
  sluice_canvas_set_editor (self->canvas, NULL, NULL);
  forget (self);
  g_free (self);
}
