/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a person does to the text becomes a change of the graph. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/text-format.h"
#include "engine/graph/graph-text-private.h"
#include "engine/graph/wire.h"

/* A block of the change's text: where it begins there, and in the edited text. */
typedef struct
{
  guint line_there, line_here;
} Origin;

void
sluice_text_change_clear (SluiceTextChange *self)
{
  g_clear_pointer (&self->renames, g_array_unref);
  g_clear_pointer (&self->nodes, g_ptr_array_unref);
  g_clear_pointer (&self->text, g_free);
}

void
sluice_text_proposal_free (SluiceTextProposal *self)
{
  for (guint i = 0; i < self->blocks->len; i++)
    sluice_text_block_free (self->blocks->pdata[i]);
  g_ptr_array_unref (self->old);
  g_ptr_array_unref (self->blocks);
  g_ptr_array_unref (self->names);
  g_hash_table_unref (self->was);
  g_hash_table_unref (self->now);
  g_array_unref (self->origins);
  g_free (self->rest);
  g_free (self);
}

/* ---- which blocks ---- */

/* The lines that a text takes up, to the first one behind. */
static guint
line_behind (SluiceTextPlace end)
{
  return end.line + (end.byte > 0);
}

/* Makes the lines from a to b those of the text too, if it stands in one of them. */
static gboolean
take_in (SluiceTextPlace begin, SluiceTextPlace end, guint *a, guint *b)
{
  guint first = begin.line, behind = line_behind (end);
  if (first >= *b || behind <= *a || (first >= *a && behind <= *b))
    return FALSE;
  *a = MIN (*a, first);
  *b = MAX (*b, behind);
  return TRUE;
}

void
sluice_graph_text_widen (SluiceGraphText *self, guint *n_before, guint *n_behind)
{
  guint n = sluice_graph_text_get_n_lines (self);
  guint a = MIN (*n_before, n), b = n - MIN (*n_behind, n - a);
  for (gboolean again = TRUE; again;)
    {
      SluiceTextPlace at = { 0 }, end;
      again = FALSE;
      for (guint i = 0; i < self->blocks->len; i++, at = end)
        {
          end = sluice_text_place_over (at, self->blocks->pdata[i]);
          again |= take_in (at, end, &a, &b);
        }
      again |= take_in (at, sluice_text_place_add (at, &self->tail), &a, &b);
    }
  *n_before = a;
  *n_behind = n - b;
}

/* What stands in the lines from a to b. */
static void
collect_old (SluiceGraphText *self, SluiceTextProposal *p, guint a, guint b)
{
  SluiceTextPlace at = { 0 }, end;
  for (guint i = 0; i < self->blocks->len; i++, at = end)
    {
      SluiceTextBlock *block = self->blocks->pdata[i];
      end = sluice_text_place_over (at, block);
      if (!block->body.is_shown)
        continue;
      if (at.line >= a && line_behind (end) <= b)
        g_ptr_array_add (p->old, block);
      else if (at.line >= b)
        {
          p->next = block;
          return;
        }
    }
  p->has_tail = line_behind (sluice_text_place_add (at, &self->tail)) <= b;
}

/* ---- what they say ---- */

/* The place before the error's words is one in the whole text. FALSE. */
static gboolean
shift_error (GError **error, guint lines)
{
  SluiceTextPlace place;
  const char *words =
      error != NULL && *error != NULL ? sluice_text_split_error ((*error)->message, &place) : NULL;
  if (words != NULL)
    {
      char *message = g_strdup_printf ("%u:%u: %s", place.line + lines + 1, place.byte + 1, words);
      g_free ((*error)->message);
      (*error)->message = message;
    }
  return FALSE;
}

/* What a part of the text says beside nodes. (nullable): it cannot be read */
static GBytes *
pack_others (const char *text)
{
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  Tensorflow__GraphDef *def =
      sluice_text_parse (&arena, &tensorflow__graph_def__descriptor, text, strlen (text), NULL);
  if (def == NULL)
    return NULL;
  def->n_node = 0;
  return sluice_wire_pack (def, NULL);
}

static GBytes *
pack_old_others (const SluiceGraphText *self, const SluiceTextProposal *p)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < p->old->len; i++)
    g_string_append (text, ((const SluiceTextBlock *) p->old->pdata[i])->lead.text);
  if (p->has_tail)
    g_string_append (text, self->tail.text);
  return pack_others (text->str);
}

/* Versions and functions are not the text's to change. */
static gboolean
check_others (const SluiceGraphText *self,
              const SluiceTextProposal *p,
              const char *text,
              GError **error)
{
  g_autoptr (GBytes) old = pack_old_others (self, p), now = pack_others (text);
  if (old != NULL && now != NULL && g_bytes_equal (old, now))
    return TRUE;
  g_autoptr (GArray) fields = sluice_text_scan (text, strlen (text), NULL);
  SluiceTextPlace place = { 0 };
  for (guint i = 0; fields != NULL && i < fields->len; i++)
    {
      const SluiceTextField *field = &g_array_index (fields, SluiceTextField, i);
      if (!field->is_message || !sluice_text_field_is (field, text, "node"))
        {
          place = sluice_text_place (place, text, field->begin);
          break;
        }
    }
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "%u:%u: only nodes are changed here; leave the graph's versions and "
                      "functions as they are",
                      place.line + 1, place.byte + 1);
}

static gboolean
fail_name (const char *text, guint i, GError **error, const char *format, const char *name)
{
  g_autoptr (GArray) fields = sluice_text_scan (text, strlen (text), NULL);
  const SluiceTextField *block = NULL;
  for (guint k = 0, left = i; block == NULL && k < fields->len; k++)
    if (sluice_text_field_is (&g_array_index (fields, SluiceTextField, k), text, "node")
        && left-- == 0)
      block = &g_array_index (fields, SluiceTextField, k);
  g_autoptr (GArray) inside =
      sluice_text_scan (text + block->value, block->value_end - block->value, NULL);
  guint at = sluice_text_find_field (inside, text + block->value, "name");
  gsize byte = at != G_MAXUINT ? block->value + g_array_index (inside, SluiceTextField, at).begin
                               : block->begin;
  SluiceTextPlace place = sluice_text_place ((SluiceTextPlace){ 0 }, text, byte);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, format, place.line + 1, place.byte + 1,
                      name);
}

/* The change's text: blocks that say something else than the graph, with names as they will be. */
typedef struct
{
  SluiceGraphText *map;
  SluiceTextProposal *p;
  GString *text;
  guint line; /* where it ends */
  guint n;
} Changed;

static void
append_changed (Changed *self, const SluiceTextBlock *block, gboolean is_new, guint line_here)
{
  g_autofree char *body = sluice_text_dup_renamed (block->body.text, self->p->now);
  self->line += is_new ? block->lead.size.line : 0;
  Origin origin = { self->line, line_here };
  g_array_append_val (self->p->origins, origin);
  if (is_new) /* the others have theirs */
    g_string_append (self->text, block->lead.text);
  g_string_append (self->text, body);
  if (!g_str_has_suffix (body, "\n"))
    g_string_append_c (self->text, '\n');
  self->line += block->body.size.line + (block->body.size.byte > 0);
  self->n++;
}

/* Does the block say what the node is, but for what is renamed? */
static gboolean
says_node (const SluiceTextProposal *p, const SluiceTextBlock *block, const SluiceNode *node)
{
  g_autofree char *was = sluice_text_dup_renamed (block->body.text, p->was);
  g_autofree char *other = sluice_node_text_update (was, node);
  return other == NULL;
}

/* The node that a block of that name is, of those that stood there. FALSE: it is another's. */
static gboolean
find_node (const Changed *self, GHashTable *old, const char *name, SluiceNode **node)
{
  const char *was = g_hash_table_lookup (self->p->was, name);
  *node = sluice_graph_find (self->map->graph, was != NULL ? was : name);
  return *node == NULL || g_hash_table_contains (old, *node);
}

/* Goes through the blocks; names are those of the text. */
static gboolean
compare_blocks (Changed *self,
                GHashTable *names,
                const Tensorflow__GraphDef *def,
                const char *text,
                GError **error)
{
  SluiceTextProposal *p = self->p;
  g_autoptr (GHashTable) old = g_hash_table_new (NULL, NULL);
  SluiceTextPlace at = { 0 };
  for (guint i = 0; i < p->old->len; i++)
    g_hash_table_add (old, ((SluiceTextBlock *) p->old->pdata[i])->node);
  for (guint i = 0; i < p->blocks->len; i++)
    {
      SluiceTextBlock *block = p->blocks->pdata[i];
      const char *name = def->node[i]->name;
      SluiceNode *node;
      if (!find_node (self, old, name, &node))
        return fail_name (text, i, error, "%u:%u: there is a node '%s' already; rename one", name);
      if (!g_hash_table_add (names, (gpointer) name))
        return fail_name (text, i, error, "%u:%u: there are two nodes '%s'; rename one", name);
      g_ptr_array_add (p->names, g_strdup (name));
      block->lead.is_shown = block->body.is_shown = TRUE;
      at = sluice_text_place_add (at, &block->lead);
      if (node == NULL || !says_node (p, block, node))
        append_changed (self, block, node == NULL, p->n_before + at.line);
      at = sluice_text_place_add (at, &block->body);
    }
  return TRUE;
}

/* Notes what differs from the graph. */
static gboolean
compare (SluiceGraphText *self,
         SluiceTextProposal *p,
         const Tensorflow__GraphDef *def,
         const char *text,
         SluiceTextChange *change,
         GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GString) changed = g_string_new (NULL);
  Changed all = { self, p, changed, 0, 0 };
  sluice_text_proposal_find_renames (self, p, def, change->renames);
  if (!compare_blocks (&all, names, def, text, error))
    return FALSE;
  for (guint i = 0; i < p->old->len; i++)
    {
      SluiceNode *node = ((SluiceTextBlock *) p->old->pdata[i])->node;
      if (node != NULL && !g_hash_table_contains (names, node->name)
          && !g_hash_table_contains (p->now, node->name))
        g_ptr_array_add (change->nodes, node);
    }
  if (changed->len > 0 || change->nodes->len > 0)
    change->text = g_strdup (changed->str);
  change->n_blocks = all.n;
  return TRUE;
}

static gboolean
read_proposal (SluiceGraphText *self,
               SluiceTextProposal *p,
               const char *text,
               SluiceTextChange *change,
               GError **error)
{
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  if (!sluice_text_cut (text, p->blocks, &p->rest, error))
    return FALSE;
  const Tensorflow__GraphDef *def =
      sluice_text_parse (&arena, &tensorflow__graph_def__descriptor, text, strlen (text), error);
  if (def == NULL)
    return FALSE;
  if (def->n_node != p->blocks->len)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "1:1: write each node by itself, node { … }");
  return check_others (self, p, text, error) && compare (self, p, def, text, change, error);
}

gboolean
sluice_graph_text_propose (SluiceGraphText *self,
                           guint n_before,
                           guint n_behind,
                           const char *text,
                           SluiceTextChange *change,
                           GError **error)
{
  guint n = sluice_graph_text_get_n_lines (self);
  g_clear_pointer (&self->proposal, sluice_text_proposal_free);
  SluiceTextProposal *p = g_new0 (SluiceTextProposal, 1);
  p->old = g_ptr_array_new ();
  p->blocks = g_ptr_array_new ();
  p->names = g_ptr_array_new_with_free_func (g_free);
  p->was = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  p->now = g_hash_table_new (g_str_hash, g_str_equal);
  p->origins = g_array_new (FALSE, FALSE, sizeof (Origin));
  p->n_before = n_before;
  p->n_lines = sluice_text_place ((SluiceTextPlace){ 0 }, text, strlen (text)).line;
  p->n_lines_before = n - n_before - n_behind;
  collect_old (self, p, n_before, n - n_behind);
  *change = (SluiceTextChange){ .nodes = g_ptr_array_new (),
                                .renames = g_array_new (FALSE, FALSE, sizeof (SluiceTextRename)) };
  g_array_set_clear_func (change->renames, sluice_text_rename_clear);
  if (!g_utf8_validate (text, -1, NULL))
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%u:1: the text is no UTF-8", n_before + 1);
  else if (read_proposal (self, p, text, change, error))
    {
      self->proposal = p;
      return TRUE;
    }
  else
    shift_error (error, n_before);
  sluice_text_change_clear (change);
  sluice_text_proposal_free (p);
  return FALSE;
}

/* ---- what is wrong with it ---- */

/* The proposed block of that name begins there. */
static gboolean
find_proposed (const SluiceTextProposal *p, const char *name, SluiceTextPlace *place)
{
  SluiceTextPlace at = { p->n_before, 0 };
  for (guint i = 0; i < p->names->len; i++)
    {
      const SluiceTextBlock *block = p->blocks->pdata[i];
      at = sluice_text_place_add (at, &block->lead);
      if (g_str_equal (p->names->pdata[i], name))
        {
          *place = at;
          return TRUE;
        }
      at = sluice_text_place_add (at, &block->body);
    }
  return FALSE;
}

static gboolean
find_other (SluiceGraphText *self, const char *name, SluiceTextPlace *place)
{
  const SluiceTextProposal *p = self->proposal;
  const SluiceNode *node = sluice_graph_find (self->graph, name);
  g_auto (SluiceTextSpot) spot = { 0 };
  if (node == NULL
      || !sluice_graph_text_find_node (self, node, SLUICE_NODE_FIELD_NONE, NULL, 0, &spot))
    return FALSE;
  *place = spot.begin;
  if (place->line >= p->n_before + p->n_lines_before)
    place->line += p->n_lines - p->n_lines_before;
  return TRUE;
}

/* The name that a message about a rename is about. */
static gboolean
find_new_name (const SluiceTextProposal *p, const char *message, SluiceTextPlace *place)
{
  SluiceTextPlace at = { p->n_before, 0 };
  for (guint i = 0; i < p->names->len; i++)
    {
      const SluiceTextBlock *block = p->blocks->pdata[i];
      const char *name = p->names->pdata[i];
      g_autofree char *quoted = g_strdup_printf ("'%s'", name);
      at = sluice_text_place_add (at, &block->lead);
      if (g_hash_table_contains (p->was, name) && strstr (message, quoted) != NULL)
        {
          g_autoptr (GArray) fields = sluice_node_text_scan (block->body.text, NULL);
          const SluiceNodeField *field =
              fields != NULL ? sluice_node_text_find (fields, SLUICE_NODE_FIELD_NAME, NULL, 0)
                             : NULL;
          *place = sluice_text_place (at, block->body.text, field != NULL ? field->begin : 0);
          return TRUE;
        }
      at = sluice_text_place_add (at, &block->body);
    }
  return FALSE;
}

gboolean
sluice_graph_text_locate (SluiceGraphText *self,
                          const char *message,
                          const char *node,
                          SluiceTextPlace *place)
{
  const SluiceTextProposal *p = self->proposal;
  const Origin *origin = NULL;
  g_return_val_if_fail (p != NULL, FALSE);
  if (sluice_text_split_error (message, place) == NULL)
    return find_new_name (p, message, place)
           || (node != NULL && (find_proposed (p, node, place) || find_other (self, node, place)));
  for (guint i = 0; i < p->origins->len; i++)
    if (g_array_index (p->origins, Origin, i).line_there <= place->line)
      origin = &g_array_index (p->origins, Origin, i);
  if (origin != NULL)
    place->line += origin->line_here - origin->line_there;
  return origin != NULL;
}

/* ---- it is done ---- */

/* Which node each block is now; the blocks that it had before go. */
static void
take_nodes (SluiceGraphText *self, SluiceTextProposal *p)
{
  for (guint i = 0; i < p->old->len; i++)
    ((SluiceTextBlock *) p->old->pdata[i])->is_replaced = TRUE;
  for (guint i = 0; i < p->blocks->len; i++)
    {
      SluiceTextBlock *block = p->blocks->pdata[i];
      block->node = sluice_graph_find (self->graph, p->names->pdata[i]);
      SluiceTextBlock *other = g_hash_table_lookup (self->by_node, block->node);
      if (other != NULL)
        other->is_replaced = TRUE;
      g_hash_table_insert (self->by_node, block->node, block);
      block->is_listed = TRUE;
    }
}

static void
drop_block (SluiceGraphText *self, SluiceTextBlock *block, const SluiceTextBlock *before)
{
  self->n_stale -= block->is_stale;
  block->is_stale = block->is_listed = block->is_replaced = FALSE;
  block->after = before != NULL ? before->node : NULL;
  block->left_lead = FALSE;
  if (block->node != NULL) /* the graph has it, with another block; else it may come back */
    sluice_text_block_free (block);
}

/* Lets the proposed blocks stand before the next one. */
static void
put_in (SluiceGraphText *self, SluiceTextProposal *p)
{
  GPtrArray *now = g_ptr_array_sized_new (self->blocks->len + p->blocks->len);
  SluiceTextBlock *before = NULL;
  for (guint i = 0; i <= self->blocks->len; i++)
    {
      SluiceTextBlock *block = i < self->blocks->len ? self->blocks->pdata[i] : NULL;
      if (block == p->next)
        for (guint k = 0; k < p->blocks->len; k++)
          g_ptr_array_add (now, p->blocks->pdata[k]);
      if (block != NULL && block->is_replaced)
        drop_block (self, block, before);
      else if (block != NULL)
        g_ptr_array_add (now, before = block);
    }
  g_ptr_array_unref (self->blocks);
  self->blocks = now;
  self->last_found = 0;
}

void
sluice_graph_text_accept (SluiceGraphText *self)
{
  SluiceTextProposal *p = g_steal_pointer (&self->proposal);
  g_return_if_fail (p != NULL);
  take_nodes (self, p);
  put_in (self, p);
  for (guint i = 0; i < p->blocks->len; i++)
    sluice_graph_text_mark (self, p->blocks->pdata[i]);
  SluiceTextPart *rest = p->next != NULL ? &p->next->lead : &self->tail;
  sluice_text_part_take (rest, p->has_tail ? g_strdup (p->rest)
                                           : g_strconcat (p->rest, rest->text, NULL));
  g_ptr_array_set_size (p->blocks, 0);
  sluice_text_proposal_free (p);
  if (self->n_stale > 0 && self->stale != NULL)
    self->stale (self, self->user_data);
}

void
sluice_graph_text_adopt (SluiceGraphText *self, const char *text)
{
  g_autoptr (GPtrArray) blocks =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_text_block_free);
  g_autofree char *rest = NULL;
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  const Tensorflow__GraphDef *def =
      sluice_text_parse (&arena, &tensorflow__graph_def__descriptor, text, strlen (text), NULL);
  if (def == NULL || !sluice_text_cut (text, blocks, &rest, NULL) || blocks->len != def->n_node)
    return;
  for (guint i = 0; i < blocks->len; i++)
    {
      SluiceTextBlock *from = blocks->pdata[i];
      const SluiceNode *node = sluice_graph_find (self->graph, def->node[i]->name);
      SluiceTextBlock *to = node != NULL ? g_hash_table_lookup (self->by_node, node) : NULL;
      if (to == NULL)
        continue;
      g_free (to->adopted);
      to->adopted = g_steal_pointer (&from->body.text);
      if (to->body.text == NULL)
        sluice_text_part_take (&to->lead, g_steal_pointer (&from->lead.text));
      sluice_graph_text_mark (self, to);
    }
}
