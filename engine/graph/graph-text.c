/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/graph-text.h"

#include <string.h>

#include "engine/graph/graph-private.h"
#include "engine/graph/text-format.h"
#include "engine/graph/graph-text-private.h"

/* ---- parts and blocks ---- */

void
sluice_text_part_take (SluiceTextPart *self, char *text)
{
  g_free (self->text);
  self->text = text;
  self->size = sluice_text_place ((SluiceTextPlace){ 0 }, text, strlen (text));
}

SluiceTextPlace
sluice_text_place_add (SluiceTextPlace at, const SluiceTextPart *part)
{
  if (!part->is_shown)
    return at;
  at.byte = part->size.line > 0 ? part->size.byte : at.byte + part->size.byte;
  at.line += part->size.line;
  return at;
}

SluiceTextPlace
sluice_text_place_over (SluiceTextPlace at, const SluiceTextBlock *block)
{
  return sluice_text_place_add (sluice_text_place_add (at, &block->lead), &block->body);
}

SluiceTextBlock *
sluice_text_block_new (SluiceNode *node, char *take_lead, char *take_body)
{
  SluiceTextBlock *self = g_new0 (SluiceTextBlock, 1);
  self->node = node;
  sluice_text_part_take (&self->lead, take_lead);
  if (take_body != NULL)
    sluice_text_part_take (&self->body, take_body);
  return self;
}

void
sluice_text_block_free (SluiceTextBlock *self)
{
  g_free (self->lead.text);
  g_free (self->body.text);
  g_free (self->adopted);
  g_free (self);
}

void
sluice_graph_text_mark (SluiceGraphText *self, SluiceTextBlock *block)
{
  self->n_stale += !block->is_stale;
  block->is_stale = TRUE;
  block->is_checked = FALSE;
}

static SluiceTextBlock *
nth (const SluiceGraphText *self, guint i)
{
  return self->blocks->pdata[i];
}

static gboolean
is_blank (const char *text)
{
  return text[strspn (text, " \t\r\n\f\v")] == '\0';
}

gboolean
sluice_text_cut (const char *text, GPtrArray *blocks, char **rest, GError **error)
{
  gsize length = strlen (text), at = 0;
  g_autoptr (GArray) fields = sluice_text_scan (text, length, error);
  for (guint i = 0; fields != NULL && i < fields->len; i++)
    {
      const SluiceTextField *field = &g_array_index (fields, SluiceTextField, i);
      if (!field->is_message || !sluice_text_field_is (field, text, "node"))
        continue;
      gsize end = sluice_text_end_of_line (text, length, field->end);
      g_ptr_array_add (blocks,
                       sluice_text_block_new (NULL, g_strndup (text + at, field->begin - at),
                                              g_strndup (text + field->begin, end - field->begin)));
      at = end;
    }
  if (fields != NULL)
    *rest = g_strdup (text + at);
  return fields != NULL;
}

/* ---- the graph changes ---- */

/* Where a block stands in the list. */
static guint
find_index (SluiceGraphText *self, const SluiceTextBlock *block)
{
  for (guint i = self->last_found; i < MIN (self->last_found + 4, self->blocks->len); i++)
    if (nth (self, i) == block)
      return self->last_found = i;
  for (guint i = 0; i < self->blocks->len; i++)
    if (nth (self, i) == block)
      return self->last_found = i;
  g_assert_not_reached ();
}

static void
insert_block (SluiceGraphText *self, guint at, SluiceTextBlock *block)
{
  g_ptr_array_insert (self->blocks, (int) at, block);
  block->is_listed = TRUE;
  g_hash_table_insert (self->by_node, block->node, block);
  sluice_graph_text_mark (self, block);
  self->last_found = at;
}

/* What the block left to the one behind it becomes its own again, where that has it still. */
static void
take_lead_back (SluiceGraphText *self, SluiceTextBlock *block, guint at)
{
  SluiceTextPart *next = at < self->blocks->len ? &nth (self, at)->lead : &self->tail;
  block->lead.is_shown = FALSE;
  if (block->left_lead && next->is_shown && g_str_has_prefix (next->text, block->lead.text))
    {
      sluice_text_part_take (next, g_strdup (next->text + strlen (block->lead.text)));
      block->lead.is_shown = TRUE;
    }
  else if (block->left_lead)
    sluice_text_part_take (&block->lead, g_strdup (""));
  block->left_lead = FALSE;
}

/* The block that a new node's goes behind. (nullable): it goes first */
static SluiceTextBlock *
find_before (SluiceGraphText *self, const SluiceTextBlock *gone, guint index)
{
  const SluiceNode *before = gone != NULL ? gone->after : NULL;
  SluiceTextBlock *block = before != NULL ? g_hash_table_lookup (self->by_node, before) : NULL;
  if (block != NULL || (gone != NULL && before == NULL))
    return block;
  while (block == NULL && index > 0)
    block = g_hash_table_lookup (self->by_node, sluice_graph_get_node (self->graph, --index));
  return block;
}

static void
add_node (SluiceGraphText *self, SluiceNode *node, guint index)
{
  SluiceTextBlock *block = g_hash_table_lookup (self->removed, node);
  g_hash_table_steal (self->removed, node);
  if (block != NULL && block->is_listed)
    {
      block->node = node;
      g_hash_table_insert (self->by_node, node, block);
      sluice_graph_text_mark (self, block);
      return;
    }
  const SluiceTextBlock *before = find_before (self, block, index);
  guint at = before != NULL ? find_index (self, before) + 1 : 0;
  if (block == NULL)
    block = sluice_text_block_new (node, g_strdup (""), NULL);
  block->node = node;
  take_lead_back (self, block, at);
  block->body.is_shown = FALSE;
  insert_block (self, at, block);
}

static void
remove_node (SluiceGraphText *self, SluiceNode *node)
{
  SluiceTextBlock *block = g_hash_table_lookup (self->by_node, node);
  if (block == NULL)
    return;
  g_hash_table_remove (self->by_node, node);
  block->node = NULL;
  g_hash_table_insert (self->removed, node, block);
  sluice_graph_text_mark (self, block);
}

static void
mark_node (SluiceGraphText *self, const SluiceNode *node)
{
  SluiceTextBlock *block = g_hash_table_lookup (self->by_node, node);
  if (block != NULL)
    sluice_graph_text_mark (self, block);
}

/* Whoever names it. */
static void
mark_users (SluiceGraphText *self, const SluiceNode *node)
{
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (self->graph, node, &n);
  for (guint i = 0; i < n; i++)
    mark_node (self, uses[i].node);
}

static void
follow_cb (SluiceGraph *graph, const SluiceGraphDelta *delta, gpointer data)
{
  const guint said = SLUICE_CHANGED_NAME | SLUICE_CHANGED_DEVICE | SLUICE_CHANGED_ATTRS
                     | SLUICE_CHANGED_INPUTS | SLUICE_CHANGED_CONTROLS;
  SluiceGraphText *self = data;
  for (guint i = 0; i < delta->n_removed; i++)
    remove_node (self, delta->removed[i].node);
  for (guint i = 0; i < delta->n_added; i++)
    add_node (self, delta->added[i].node, delta->added[i].index);
  for (guint i = 0; i < delta->n_changed; i++)
    {
      const SluiceNodeChange *change = &delta->changed[i];
      if (change->what & said)
        mark_node (self, change->node);
      if (change->what & SLUICE_CHANGED_NAME)
        mark_users (self, change->node);
    }
  if (self->n_stale > 0 && self->stale != NULL)
    self->stale (self, self->user_data);
}

/* ---- the text follows ---- */

typedef struct
{
  SluiceGraphText *map;
  SluiceTextPlace at; /* of the block that is looked at */
  GString *run;       /* new text that ends there, not told of yet */
  SluiceTextPlace run_at;
} Walk;

static void
tell (SluiceGraphText *self, SluiceTextPlace begin, SluiceTextPlace end, const char *text)
{
  if (self->follower != NULL && (*text != '\0' || begin.line != end.line || begin.byte != end.byte))
    self->follower (self, begin, end, text, self->user_data);
}

static void
tell_run (Walk *walk)
{
  tell (walk->map, walk->run_at, walk->run_at, walk->run->str);
  g_string_truncate (walk->run, 0);
}

static void
show (Walk *walk, SluiceTextPart *part)
{
  if (walk->run->len == 0)
    walk->run_at = walk->at;
  g_string_append (walk->run, part->text);
  part->is_shown = TRUE;
  walk->at = sluice_text_place_add (walk->at, part);
}

/* Whole lines that are the same at both ends are left alone. */
static void
replace_body (Walk *walk, SluiceTextPart *body, char *take_text)
{
  const char *old = body->text;
  gsize n = strlen (old), n_now = strlen (take_text), same = 0, behind = 0;
  while (same < MIN (n, n_now) && old[same] == take_text[same])
    same++;
  while (same > 0 && old[same - 1] != '\n')
    same--;
  while (behind < MIN (n, n_now) - same && old[n - behind - 1] == take_text[n_now - behind - 1])
    behind++;
  while (behind > 0 && old[n - behind - 1] != '\n')
    behind--;
  g_autofree char *text = g_strndup (take_text + same, n_now - same - behind);
  SluiceTextPlace begin = sluice_text_place (walk->at, old, same);
  SluiceTextPlace end = sluice_text_place (walk->at, old, n - behind);
  sluice_text_part_take (body, take_text);
  tell (walk->map, begin, end, text);
}

static void
freshen (Walk *walk, SluiceTextBlock *block)
{
  char *now = NULL;
  if (block->adopted != NULL)
    {
      now = sluice_node_text_update (block->adopted, block->node);
      now = now != NULL ? now : g_strdup (block->adopted);
      g_clear_pointer (&block->adopted, g_free);
    }
  else if (block->body.text == NULL)
    {
      GString *text = g_string_new (NULL);
      sluice_node_text_write (text, block->node);
      now = g_string_free (text, FALSE);
    }
  else if (!block->is_checked)
    now = sluice_node_text_update (block->body.text, block->node);
  block->is_checked = TRUE;
  if (block->body.is_shown)
    {
      tell_run (walk);
      walk->at = sluice_text_place_add (walk->at, &block->lead);
      if (now != NULL)
        replace_body (walk, &block->body, now);
      walk->at = sluice_text_place_add (walk->at, &block->body);
      return;
    }
  if (now != NULL)
    sluice_text_part_take (&block->body, now);
  if (block->lead.is_shown)
    {
      tell_run (walk);
      walk->at = sluice_text_place_add (walk->at, &block->lead);
    }
  else
    show (walk, &block->lead);
  show (walk, &block->body);
}

/* Comments of a node that went stay, before what comes next. */
static void
take_out (Walk *walk, guint i)
{
  SluiceGraphText *self = walk->map;
  SluiceTextBlock *block = nth (self, i);
  SluiceTextPart *next = i + 1 < self->blocks->len ? &nth (self, i + 1)->lead : &self->tail;
  gboolean leaves = !is_blank (block->lead.text);
  gboolean moves = leaves && block->lead.is_shown && next->is_shown;
  SluiceTextPlace end = sluice_text_place_over (walk->at, block);
  SluiceTextPlace begin = moves ? sluice_text_place_add (walk->at, &block->lead) : walk->at;
  tell_run (walk);
  const char *text = leaves && !moves && next->is_shown ? block->lead.text : "";
  if (leaves)
    sluice_text_part_take (next, g_strconcat (block->lead.text, next->text, NULL));
  block->left_lead = leaves;
  block->after = i > 0 ? nth (self, i - 1)->node : NULL;
  block->is_listed = FALSE;
  g_ptr_array_remove_index (self->blocks, i);
  tell (self, begin, end, text);
}

/* Where the text ends; from: the i-th block stands at walk->at */
static void
walk_to_end (Walk *walk, guint i)
{
  for (; i < walk->map->blocks->len; i++)
    walk->at = sluice_text_place_over (walk->at, nth (walk->map, i));
}

gboolean
sluice_graph_text_refresh (SluiceGraphText *self, gint64 budget_us)
{
  g_autoptr (GString) run = g_string_new (NULL);
  Walk walk = { .map = self, .run = run };
  gint64 begun = g_get_monotonic_time ();
  guint i = 0;
  for (guint n_done = 0; i < self->blocks->len && self->n_stale > 0;)
    {
      SluiceTextBlock *block = nth (self, i);
      if (!block->is_stale)
        {
          tell_run (&walk);
          walk.at = sluice_text_place_over (walk.at, block);
          i++;
          continue;
        }
      if (n_done++ > 0 && g_get_monotonic_time () - begun > budget_us)
        break;
      block->is_stale = FALSE;
      self->n_stale--;
      if (block->node == NULL)
        take_out (&walk, i);
      else
        {
          freshen (&walk, block);
          i++;
        }
    }
  if (self->n_stale == 0 && !self->tail.is_shown)
    {
      tell_run (&walk);
      walk_to_end (&walk, i);
      show (&walk, &self->tail);
    }
  tell_run (&walk);
  return self->n_stale == 0;
}

char *
sluice_graph_text_dup_text (SluiceGraphText *self)
{
  while (!sluice_graph_text_refresh (self, G_MAXINT64))
    ;
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < self->blocks->len; i++)
    {
      g_string_append (text, nth (self, i)->lead.text);
      g_string_append (text, nth (self, i)->body.text);
    }
  g_string_append (text, self->tail.text);
  return g_string_free (text, FALSE);
}

gboolean
sluice_graph_text_is_whole (const SluiceGraphText *self)
{
  return self->graph->meta_shell == NULL;
}

guint
sluice_graph_text_get_n_lines (const SluiceGraphText *self)
{
  SluiceTextPlace at = { 0 };
  for (guint i = 0; i < self->blocks->len; i++)
    at = sluice_text_place_over (at, nth (self, i));
  return sluice_text_place_add (at, &self->tail).line + 1;
}

/* What of a part that stands at a place is in the lines. */
static void
append_lines (
    GString *out, SluiceTextPlace at, const SluiceTextPart *part, guint first, guint behind)
{
  SluiceTextPlace end = sluice_text_place_add (at, part);
  if (!part->is_shown || end.line < first || at.line >= behind)
    return;
  const char *begin = part->text, *newline;
  for (guint line = at.line; line < behind && *begin != '\0'; line++, begin = newline)
    {
      newline = strchrnul (begin, '\n');
      newline += *newline == '\n';
      if (line >= first)
        g_string_append_len (out, begin, newline - begin);
    }
}

char *
sluice_graph_text_dup_lines (const SluiceGraphText *self, guint first, guint behind)
{
  GString *out = g_string_new (NULL);
  SluiceTextPlace at = { 0 };
  for (guint i = 0; i < self->blocks->len && at.line < behind; i++)
    {
      const SluiceTextBlock *block = nth (self, i);
      append_lines (out, at, &block->lead, first, behind);
      append_lines (out, sluice_text_place_add (at, &block->lead), &block->body, first, behind);
      at = sluice_text_place_over (at, block);
    }
  append_lines (out, at, &self->tail, first, behind);
  return g_string_free (out, FALSE);
}

/* ---- where what stands ---- */

void
sluice_text_spot_clear (SluiceTextSpot *self)
{
  g_clear_pointer (&self->attr, g_free);
}

static gboolean
is_before (SluiceTextPlace a, SluiceTextPlace b)
{
  return a.line != b.line ? a.line < b.line : a.byte < b.byte;
}

static void
set_field (SluiceTextSpot *spot, const SluiceTextBlock *block, const SluiceNodeField *field)
{
  spot->kind = field->kind;
  spot->input = field->input;
  spot->attr = g_strdup (field->attr);
  spot->field_begin = sluice_text_place (spot->begin, block->body.text, field->begin);
  spot->field_end = sluice_text_place (spot->begin, block->body.text, field->end);
}

gboolean
sluice_graph_text_find_spot (SluiceGraphText *self, SluiceTextPlace place, SluiceTextSpot *spot)
{
  SluiceTextPlace at = { 0 }, end = { 0 };
  guint i = 0;
  for (; i < self->blocks->len; i++, at = end)
    if (is_before (place, end = sluice_text_place_over (at, nth (self, i))))
      break;
  *spot = (SluiceTextSpot){ 0 };
  if (i == self->blocks->len || nth (self, i)->node == NULL)
    return FALSE;
  const SluiceTextBlock *block = nth (self, i);
  spot->node = block->node;
  spot->begin = sluice_text_place_add (at, &block->lead);
  spot->end = end;
  if (is_before (place, spot->begin))
    return FALSE;
  g_autoptr (GArray) fields = sluice_node_text_scan (block->body.text, NULL);
  for (guint k = 0; fields != NULL && k < fields->len; k++)
    {
      const SluiceNodeField *field = &g_array_index (fields, SluiceNodeField, k);
      SluiceTextPlace first = sluice_text_place (spot->begin, block->body.text, field->begin);
      SluiceTextPlace last = sluice_text_place (spot->begin, block->body.text, field->end);
      if (!is_before (place, first) && !is_before (last, place))
        {
          set_field (spot, block, field);
          break;
        }
    }
  return TRUE;
}

gboolean
sluice_graph_text_find_node (SluiceGraphText *self,
                             const SluiceNode *node,
                             SluiceNodeFieldKind kind,
                             const char *attr,
                             guint input,
                             SluiceTextSpot *spot)
{
  SluiceTextBlock *block = g_hash_table_lookup (self->by_node, node);
  SluiceTextPlace at = { 0 };
  *spot = (SluiceTextSpot){ 0 };
  if (block == NULL || !block->body.is_shown)
    return FALSE;
  for (guint i = 0; nth (self, i) != block; i++)
    at = sluice_text_place_over (at, nth (self, i));
  spot->node = block->node;
  spot->begin = sluice_text_place_add (at, &block->lead);
  spot->end = sluice_text_place_add (spot->begin, &block->body);
  g_autoptr (GArray) fields =
      kind != SLUICE_NODE_FIELD_NONE ? sluice_node_text_scan (block->body.text, NULL) : NULL;
  const SluiceNodeField *field =
      fields != NULL ? sluice_node_text_find (fields, kind, attr, input) : NULL;
  if (field != NULL)
    set_field (spot, block, field);
  return TRUE;
}

/* ---- the map ---- */

/* What a file has besides nodes. (transfer full) */
static char *
dup_shell (SluiceGraph *graph)
{
  g_auto (SluiceArena) arena;
  GString *text = g_string_new (NULL);
  sluice_arena_init (&arena);
  gsize length = 0;
  const guint8 *bytes = graph->shell != NULL ? g_bytes_get_data (graph->shell, &length) : NULL;
  Tensorflow__GraphDef *def =
      sluice_wire_unpack (&arena, &tensorflow__graph_def__descriptor, bytes, length, NULL);
  if (def == NULL)
    def = sluice_wire_new (&arena, &tensorflow__graph_def__descriptor);
  if (def->versions == NULL)
    def->versions = sluice_wire_new (&arena, &tensorflow__version_def__descriptor);
  def->versions->producer = graph->producer;
  def->version = 0;
  sluice_text_write (text, &def->base, 0);
  return g_string_free (text, FALSE);
}

/* The blocks of the nodes that the text has. */
static void
read_text (SluiceGraphText *self, const char *text)
{
  g_autoptr (GPtrArray) blocks = g_ptr_array_new ();
  g_auto (SluiceArena) arena;
  char *rest = NULL;
  sluice_arena_init (&arena);
  const Tensorflow__GraphDef *def =
      sluice_text_parse (&arena, &tensorflow__graph_def__descriptor, text, strlen (text), NULL);
  gboolean ok =
      def != NULL && sluice_text_cut (text, blocks, &rest, NULL) && blocks->len == def->n_node;
  for (guint i = 0; i < blocks->len; i++)
    {
      SluiceTextBlock *block = blocks->pdata[i];
      block->node = ok ? sluice_graph_find (self->graph, def->node[i]->name) : NULL;
      if (block->node == NULL || g_hash_table_contains (self->by_node, block->node))
        sluice_text_block_free (block);
      else
        insert_block (self, self->blocks->len, block);
    }
  if (ok)
    sluice_text_part_take (&self->tail, g_steal_pointer (&rest));
  g_free (rest);
}

SluiceGraphText *
sluice_graph_text_new (SluiceGraph *graph, const char *text)
{
  SluiceGraphText *self = g_new0 (SluiceGraphText, 1);
  self->graph = sluice_graph_ref (graph);
  self->blocks = g_ptr_array_new ();
  self->by_node = g_hash_table_new (NULL, NULL);
  self->removed = g_hash_table_new (NULL, NULL);
  if (text != NULL)
    read_text (self, text);
  if (self->tail.text == NULL)
    sluice_text_part_take (&self->tail, dup_shell (graph));
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    if (!g_hash_table_contains (self->by_node, sluice_graph_get_node (graph, i)))
      add_node (self, sluice_graph_get_node (graph, i), i);
  self->followed = sluice_graph_follow (graph, follow_cb, self);
  return self;
}

void
sluice_graph_text_free (SluiceGraphText *self)
{
  GHashTableIter iter;
  SluiceTextBlock *block;
  sluice_graph_unfollow (self->graph, self->followed);
  if (self->proposal != NULL)
    sluice_text_proposal_free (self->proposal);
  g_hash_table_iter_init (&iter, self->removed);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &block))
    if (!block->is_listed)
      sluice_text_block_free (block);
  for (guint i = 0; i < self->blocks->len; i++)
    sluice_text_block_free (nth (self, i));
  g_ptr_array_unref (self->blocks);
  g_hash_table_unref (self->by_node);
  g_hash_table_unref (self->removed);
  g_free (self->tail.text);
  sluice_graph_unref (self->graph);
  g_free (self);
}

void
sluice_graph_text_follow (SluiceGraphText *self,
                          SluiceTextFollower follower,
                          SluiceTextStale stale,
                          gpointer user_data)
{
  self->follower = follower;
  self->stale = stale;
  self->user_data = user_data;
  self->tail.is_shown = FALSE;
  for (guint i = 0; i < self->blocks->len; i++)
    {
      SluiceTextBlock *block = nth (self, i);
      block->lead.is_shown = block->body.is_shown = FALSE;
      self->n_stale += !block->is_stale;
      block->is_stale = TRUE;
    }
}
