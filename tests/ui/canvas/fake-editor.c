/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "tests/ui/canvas/fake-editor.h"

#include <string.h>

#include "tests/ui/canvas/fixture.h"

typedef struct
{
  char *name, *shape;
  guint op;
  char *inputs[2]; /* "x:0", NULL: open */
} FakeNode;

static const struct
{
  const char *name;
  guint n_inputs;
  const char *arguments[2];
  const char *reads[2]; /* types */
  guint axes;           /* of the first input; 0: any */
  const char *gives;
  guint n_outputs;
} ops[] = {
  { "Placeholder", 0, { NULL }, { NULL }, 0, "float32", 1 },
  { "Labels", 0, { NULL }, { NULL }, 0, "int64", 1 },
  { "Image", 0, { NULL }, { NULL }, 0, "uint8", 1 },
  { "MatMul", 2, { "a", "b" }, { "float32", "float32" }, 2, "float32", 1 },
  { "Relu", 1, { "features" }, { "float32" }, 0, "float32", 1 },
  { "Loss", 2, { "logits", "labels" }, { "float32", "int64" }, 2, "float32", 1 },
  { "Split", 1, { "value" }, { "float32" }, 0, "float32", 2 },
};

static void
free_node (gpointer data)
{
  FakeNode *node = data;
  g_free (node->name);
  g_free (node->shape);
  g_free (node->inputs[0]);
  g_free (node->inputs[1]);
  g_free (node);
}

static FakeNode *
find (FakeEditor *self, const char *name)
{
  for (guint i = 0; i < self->nodes->len; i++)
    if (g_str_equal (((FakeNode *) self->nodes->pdata[i])->name, name))
      return self->nodes->pdata[i];
  return NULL;
}

void
fake_editor_add (FakeEditor *self, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  FakeNode *node = g_new0 (FakeNode, 1);
  node->name = g_strdup (words[0]);
  node->shape = g_strdup (words[2]);
  while (!g_str_equal (ops[node->op].name, words[1]))
    g_assert_cmpuint (++node->op, <, G_N_ELEMENTS (ops));
  for (guint i = 0; i < ops[node->op].n_inputs && words[2 + i] != NULL && words[3 + i] != NULL; i++)
    node->inputs[i] = g_str_equal (words[3 + i], "-") ? NULL : g_strdup (words[3 + i]);
  g_ptr_array_add (self->nodes, node);
}

static const FakeNode *
source_of (FakeEditor *self, const char *input, guint *port)
{
  const char *colon = strrchr (input, ':');
  g_autofree char *name = g_strndup (input, (gsize) (colon - input));
  *port = (guint) g_ascii_strtoull (colon + 1, NULL, 10);
  return find (self, name);
}

static gboolean
show_cb (gpointer data)
{
  FakeEditor *self = data;
  SluiceGraphModel *model = sluice_graph_model_new ();
  for (guint i = 0; i < self->nodes->len; i++)
    {
      const FakeNode *node = self->nodes->pdata[i];
      SluiceModelNode n = { .name = node->name,
                            .op = ops[node->op].name,
                            .node_class = fixture_class_of (ops[node->op].name) };
      sluice_graph_model_add_node (model, &n);
    }
  for (guint i = 0; i < self->nodes->len; i++)
    for (guint k = 0; k < 2; k++)
      {
        const FakeNode *node = self->nodes->pdata[i];
        guint port;
        const FakeNode *from =
            node->inputs[k] != NULL ? source_of (self, node->inputs[k], &port) : NULL;
        if (from == NULL)
          continue;
        SluiceModelEdge edge = { .from = sluice_graph_model_lookup (model, from->name),
                                 .to = i,
                                 .port = port,
                                 .slot = k,
                                 .dtype = ops[from->op].gives,
                                 .shape = from->shape };
        sluice_graph_model_add_edge (model, &edge);
      }
  g_clear_pointer (&self->model, sluice_graph_model_unref);
  self->model = model;
  self->source = 0;
  sluice_canvas_set_model (self->canvas, model);
  return G_SOURCE_REMOVE;
}

void
fake_editor_show (FakeEditor *self)
{
  if (!self->is_late)
    show_cb (self);
  else if (self->source == 0)
    self->source = g_idle_add (show_cb, self);
}

static gboolean
is_read (FakeEditor *self, const char *name, guint port)
{
  g_autofree char *output = g_strdup_printf ("%s:%u", name, port);
  for (guint i = 0; i < self->nodes->len; i++)
    for (guint k = 0; k < 2; k++)
      if (g_strcmp0 (((FakeNode *) self->nodes->pdata[i])->inputs[k], output) == 0)
        return TRUE;
  return FALSE;
}

static void
do_describe (const char *name, SluiceCanvasPorts *ports, gpointer data)
{
  const FakeNode *node = find (data, name);
  if (node == NULL)
    return;
  for (guint i = 0; i < ops[node->op].n_inputs; i++)
    sluice_canvas_ports_add (ports, FALSE, ops[node->op].arguments[i], ops[node->op].reads[i], NULL,
                             node->inputs[i] == NULL);
  for (guint i = 0; i < ops[node->op].n_outputs; i++)
    sluice_canvas_ports_add (ports, TRUE, NULL, ops[node->op].gives, node->shape,
                             !is_read (data, name, i));
}

static guint
count_axes (const char *shape)
{
  guint n = 1;
  for (const char *c = strstr (shape, "×"); c != NULL; c = strstr (c + 1, "×"))
    n++;
  return n;
}

static gboolean
do_judge (const SluiceCanvasLink *link, char **words, gpointer data)
{
  const FakeNode *from = find (data, link->from.node), *to = find (data, link->to.node);
  const char *wanted = ops[to->op].reads[link->to.index];
  if (!g_str_equal (ops[from->op].gives, wanted))
    {
      *words = g_strdup_printf ("%s reads %s", ops[to->op].arguments[link->to.index], wanted);
      return FALSE;
    }
  if (link->to.index == 0 && ops[to->op].axes > 0 && count_axes (from->shape) != ops[to->op].axes)
    {
      *words = g_strdup_printf ("reads %u axes, this has %u", ops[to->op].axes,
                                count_axes (from->shape));
      return FALSE;
    }
  *words = g_strdup (to->shape);
  return TRUE;
}

/* ---- requests ---- */

static void
log_names (FakeEditor *self, const char *verb, const char *const *names)
{
  g_autofree char *all = g_strjoinv (" ", (char **) names);
  g_string_append_printf (self->log, "%s %s; ", verb, all);
}

static void
set_input (FakeEditor *self, const SluiceCanvasEnd *to, const char *source)
{
  FakeNode *node = find (self, to->node);
  g_free (node->inputs[to->index]);
  node->inputs[to->index] = g_strdup (source);
}

static void
do_connect (const SluiceCanvasLink *link, const SluiceCanvasEnd *off, gpointer data)
{
  FakeEditor *self = data;
  g_autofree char *source = g_strdup_printf ("%s:%u", link->from.node, link->from.index);
  g_string_append_printf (self->log, "connect %s %s:%u", source, link->to.node, link->to.index);
  if (off != NULL)
    {
      g_string_append_printf (self->log, " off %s:%u", off->node, off->index);
      set_input (self, off, NULL);
    }
  g_string_append (self->log, "; ");
  set_input (self, &link->to, source);
  fake_editor_show (self);
}

static void
do_disconnect (const SluiceCanvasEnd *inputs, guint n, gpointer data)
{
  FakeEditor *self = data;
  g_string_append (self->log, "disconnect");
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (self->log, " %s:%u", inputs[i].node, inputs[i].index);
      set_input (self, &inputs[i], NULL);
    }
  g_string_append (self->log, "; ");
  fake_editor_show (self);
}

/* Readers of a node read what it read. */
static void
heal (FakeEditor *self, const FakeNode *gone)
{
  g_autofree char *output = g_strdup_printf ("%s:0", gone->name);
  for (guint i = 0; i < self->nodes->len; i++)
    for (guint k = 0; k < 2; k++)
      {
        FakeNode *node = self->nodes->pdata[i];
        if (g_strcmp0 (node->inputs[k], output) != 0)
          continue;
        g_free (node->inputs[k]);
        node->inputs[k] = g_strdup (gone->inputs[0]);
      }
}

static void
remove_nodes (const char *const *names, gpointer data)
{
  FakeEditor *self = data;
  log_names (self, "remove", names);
  for (guint i = 0; names[i] != NULL; i++)
    {
      FakeNode *node = find (self, names[i]);
      if (node == NULL)
        continue;
      heal (self, node);
      g_ptr_array_remove (self->nodes, node);
    }
  fake_editor_show (self);
}

static void
do_detach (const char *const *names, gpointer data)
{
  FakeEditor *self = data;
  FakeNode *node = find (self, names[0]);
  log_names (self, "detach", names);
  heal (self, node);
  g_clear_pointer (&node->inputs[0], g_free);
  g_clear_pointer (&node->inputs[1], g_free);
  fake_editor_show (self);
}

static void
do_splice (const SluiceCanvasLink *wire,
           const SluiceCanvasEnd *input,
           const SluiceCanvasEnd *output,
           const GPtrArray *lines,
           gpointer data)
{
  FakeEditor *self = data;
  g_autofree char *reads = g_strdup_printf ("%s:%u", wire->from.node, wire->from.index),
                  *gives = g_strdup_printf ("%s:%u", output->node, output->index);
  g_string_append_printf (self->log, "splice %s:%u %s %s:%u; ", input->node, input->index, reads,
                          wire->to.node, wire->to.index);
  set_input (self, input, reads);
  set_input (self, &wire->to, gives);
  fake_editor_show (self);
}

static char *
rename_node (const char *name, const char *new_name, gpointer data)
{
  FakeEditor *self = data;
  FakeNode *node = find (self, name);
  if (find (self, new_name) != NULL)
    return g_strdup_printf ("There is a “%s” already", new_name);
  g_string_append_printf (self->log, "rename %s %s; ", name, new_name);
  g_free (node->name);
  node->name = g_strdup (new_name);
  fake_editor_show (self);
  return NULL;
}

static void
do_group (const char *const *names, gpointer data)
{
  log_names (data, "group", names);
}

static void
do_ungroup (const char *scope, gpointer data)
{
  g_string_append_printf (((FakeEditor *) data)->log, "ungroup %s; ", scope);
}

static void
do_duplicate (const char *const *names, gpointer data)
{
  log_names (data, "duplicate", names);
}

static void
do_mute (const char *const *names, gpointer data)
{
  log_names (data, "mute", names);
}

static void
do_bypass (const char *const *names, gpointer data)
{
  log_names (data, "bypass", names);
}

static char *
do_copy (const char *const *names, gpointer data)
{
  log_names (data, "copy", names);
  return g_strjoinv ("+", (char **) names);
}

static void
do_paste (const char *text, SluicePoint at, gboolean wired, gpointer data)
{
  g_string_append_printf (((FakeEditor *) data)->log, "paste %s%s; ", text, wired ? " wired" : "");
}

static void
do_palette (const SluiceCanvasPaletteRequest *request, gpointer data)
{
  FakeEditor *self = data;
  g_string_append (self->log, "palette");
  if (request->port.node != NULL)
    g_string_append_printf (self->log, " %s %s:%u", request->is_output ? "reads" : "gives",
                            request->port.node, request->port.index);
  if (request->near.node != NULL)
    g_string_append_printf (self->log, " near %s:%u", request->near.node, request->near.index);
  if (request->wire.from.node != NULL)
    g_string_append_printf (self->log, " in %s:%u %s:%u", request->wire.from.node,
                            request->wire.from.index, request->wire.to.node,
                            request->wire.to.index);
  if (*request->text != '\0')
    g_string_append_printf (self->log, " “%s”", request->text);
  g_string_append (self->log, "; ");
}

/* As a history would that keeps nothing. */
static void
do_arrange (const GPtrArray *lines, const char *words, gpointer data)
{
  FakeEditor *self = data;
  g_string_append_printf (self->log, "%s; ", words);
  sluice_canvas_arrange (self->canvas, lines);
}

static gboolean
do_history (gboolean redo, gpointer data)
{
  g_string_append (((FakeEditor *) data)->log, redo ? "redo; " : "undo; ");
  return TRUE;
}

static const SluiceCanvasEditor vtable = {
  .describe_ports = do_describe,
  .judge = do_judge,
  .connect = do_connect,
  .disconnect = do_disconnect,
  .remove = remove_nodes,
  .detach = do_detach,
  .splice = do_splice,
  .rename = rename_node,
  .group = do_group,
  .ungroup = do_ungroup,
  .duplicate = do_duplicate,
  .mute = do_mute,
  .bypass = do_bypass,
  .copy = do_copy,
  .paste = do_paste,
  .palette = do_palette,
  .arrange = do_arrange,
  .history = do_history,
};

FakeEditor *
fake_editor_new (SluiceCanvas *canvas, const char *text)
{
  FakeEditor *self = g_new0 (FakeEditor, 1);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  self->canvas = canvas;
  self->nodes = g_ptr_array_new_with_free_func (free_node);
  self->log = g_string_new (NULL);
  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '\0')
      fake_editor_add (self, lines[i]);
  return self;
}

void
fake_editor_free (FakeEditor *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  g_ptr_array_unref (self->nodes);
  g_string_free (self->log, TRUE);
  g_clear_pointer (&self->model, sluice_graph_model_unref);
  g_free (self);
}

void
fake_editor_attach (FakeEditor *self)
{
  sluice_canvas_set_editor (self->canvas, &vtable, self);
  fake_editor_show (self);
}

char *
fake_editor_dup_inputs (FakeEditor *self, const char *name)
{
  const FakeNode *node = find (self, name);
  GString *text = g_string_new (NULL);
  for (guint i = 0; node != NULL && i < ops[node->op].n_inputs; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "",
                            node->inputs[i] != NULL ? node->inputs[i] : "-");
  return g_string_free (text, node == NULL);
}
