/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What a transaction keeps: of each node that it changes the state before, of the graph what it
 * added and took away, and where. To undo it both states change places.
 */
#include <string.h>

#include "engine/graph/edit-log.h"
#include "engine/graph/edit-private.h"
#include "engine/graph/function.h"
#include "engine/graph/lower-private.h"
#include "engine/graph/shape-context-private.h"

typedef struct
{
  guint number;
  SluiceGraphFollower func;
  gpointer user_data;
} Follower;

static void
image_free (gpointer data)
{
  SluiceNodeImage *image = data;
  sluice_node_clear (&image->other);
  g_free (image);
}

static SluiceNodePlace *
nth_place (const GArray *places, guint i)
{
  return &g_array_index (places, SluiceNodePlace, i);
}

/* ---- the graph without its nodes ---- */

static SluiceGraphImage
take_image (SluiceGraph *graph)
{
  return (SluiceGraphImage){
    .shell = graph->shell != NULL ? g_bytes_ref (graph->shell) : NULL,
    .meta_shell = graph->meta_shell != NULL ? g_bytes_ref (graph->meta_shell) : NULL,
    .library = graph->library != NULL ? sluice_library_ref (graph->library) : NULL,
    .producer = graph->producer,
    .next_position = graph->next_position,
    .is_unordered = graph->is_unordered,
    .state = graph->state,
  };
}

/* Gives the graph the image, and returns what it was. */
static SluiceGraphImage
swap_image (SluiceGraph *graph, SluiceGraphImage image)
{
  SluiceGraphImage old = { graph->shell,    graph->meta_shell,    graph->library,
                           graph->producer, graph->next_position, graph->is_unordered,
                           graph->state };
  graph->shell = image.shell;
  graph->meta_shell = image.meta_shell;
  graph->library = image.library;
  graph->producer = image.producer;
  graph->next_position = image.next_position;
  graph->is_unordered = image.is_unordered;
  graph->state = image.state;
  return old;
}

SluiceEdit *
sluice_edit_new (SluiceGraph *graph, gboolean is_log)
{
  SluiceEdit *self = g_new0 (SluiceEdit, 1);
  self->graph = graph;
  self->is_log = is_log;
  self->images = g_ptr_array_new_with_free_func (image_free);
  self->added = g_array_new (FALSE, FALSE, sizeof (SluiceNodePlace));
  self->removed = g_array_new (FALSE, FALSE, sizeof (SluiceNodePlace));
  self->positions = g_array_new (FALSE, FALSE, sizeof (SluicePositionImage));
  self->suffixes = g_array_new (FALSE, FALSE, sizeof (SluiceSuffixImage));
  self->direct = g_ptr_array_new ();
  self->dropped = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_node_free);
  self->other = take_image (graph);
  self->n_enters_before = graph->n_enters;
  return self;
}

void
sluice_edit_free (SluiceEdit *self)
{
  GArray *gone = self->is_undone ? self->added : self->removed;
  for (guint i = 0; i < gone->len; i++)
    sluice_node_free (nth_place (gone, i)->node);
  g_ptr_array_unref (self->images);
  g_ptr_array_unref (self->dropped);
  g_ptr_array_unref (self->direct);
  g_array_unref (self->added);
  g_array_unref (self->removed);
  g_array_unref (self->positions);
  g_array_unref (self->suffixes);
  g_clear_pointer (&self->other.shell, g_bytes_unref);
  g_clear_pointer (&self->other.meta_shell, g_bytes_unref);
  g_clear_pointer (&self->other.library, sluice_library_unref);
  if (self->graph != NULL && self->graph->edit != self)
    sluice_graph_unref (self->graph);
  g_free (self);
}

/* ---- gathering ---- */

static gpointer
copy_array (gconstpointer from, guint n, gsize size)
{
  return n > 0 ? g_memdup2 (from, n * size) : NULL;
}

void
sluice_edit_touch (SluiceEdit *self, SluiceNode *node)
{
  SluiceNodeRecord *record = sluice_node_record (node);
  sluice_node_output_frame (node); /* as it was */
  SluiceNodeImage *image = g_new (SluiceNodeImage, 1);
  SluiceNodeRecord *other = &image->other;
  image->node = node;
  *other = *record;
  other->constants = NULL;
  other->node.inputs = copy_array (node->inputs, node->n_inputs, sizeof *node->inputs);
  other->node.control_inputs =
      copy_array (node->control_inputs, node->n_control_inputs, sizeof *node->control_inputs);
  other->node.outputs = copy_array (node->outputs, node->n_outputs, sizeof *node->outputs);
  other->node.error = node->error != NULL ? g_error_copy (node->error) : NULL;
  other->uses = copy_array (record->uses, record->n_uses, sizeof *record->uses);
  other->uses_capacity = record->n_uses;
  if (record->block != NULL)
    atomic_fetch_add_explicit (&record->block->ref_count, 1, memory_order_relaxed);
  if (record->foreign != NULL)
    g_bytes_ref (record->foreign);
  other->lowered = record->lowered != NULL ? sluice_lowered_copy (record->lowered) : NULL;
  sluice_call_path_ref (record->path);
  record->image = image;
  g_ptr_array_add (self->images, image);
}

void
sluice_edit_note_added (SluiceEdit *self, SluiceNode *node)
{
  SluiceNodePlace place = { node, node->id - 1 };
  sluice_node_record (node)->image = SLUICE_IMAGE_OF_NEW;
  g_array_append_val (self->added, place);
}

void
sluice_graph_note_dropped (SluiceGraph *self, guint first)
{
  GArray *added = self->edit != NULL ? self->edit->added : NULL;
  while (added != NULL && added->len > 0 && nth_place (added, added->len - 1)->node->id > first)
    g_array_set_size (added, added->len - 1);
}

void
sluice_graph_note_suffix (SluiceGraph *self, const char *name)
{
  if (self->edit == NULL)
    return;
  SluiceSuffixImage image = { name, GPOINTER_TO_UINT (g_hash_table_lookup (self->suffixes, name)) };
  g_array_append_val (self->edit->suffixes, image);
}

void
sluice_edit_note_position (SluiceNode *node)
{
  SluiceEdit *edit = node->graph->edit;
  if (edit == NULL)
    return;
  SluicePositionImage image = { node, sluice_node_record (node)->position };
  g_array_append_val (edit->positions, image);
}

/* ---- comparing ---- */

static gboolean
inputs_equal (const SluiceNode *a, const SluiceNode *b)
{
  if (a->n_inputs != b->n_inputs)
    return FALSE;
  for (guint i = 0; i < a->n_inputs; i++)
    if (a->inputs[i].node != b->inputs[i].node || a->inputs[i].port != b->inputs[i].port)
      return FALSE;
  return TRUE;
}

static gboolean
outputs_equal (const SluiceNode *a, const SluiceNode *b)
{
  if (a->n_outputs != b->n_outputs)
    return FALSE;
  for (guint i = 0; i < a->n_outputs; i++)
    if (a->outputs[i].dtype != b->outputs[i].dtype
        || a->outputs[i].handle_dtype != b->outputs[i].handle_dtype
        || !sluice_shape_equal (&a->outputs[i].shape, &b->outputs[i].shape)
        || !sluice_shape_equal (&a->outputs[i].handle_shape, &b->outputs[i].handle_shape))
      return FALSE;
  return TRUE;
}

guint
sluice_node_image_compare (const SluiceNodeImage *image)
{
  const SluiceNode *a = image->node, *b = &image->other.node;
  guint what = 0;
  if (a->name != b->name)
    what |= SLUICE_CHANGED_NAME;
  if (a->device != b->device)
    what |= SLUICE_CHANGED_DEVICE;
  if (!sluice_node_attrs_equal (a, b))
    what |= SLUICE_CHANGED_ATTRS;
  if (!inputs_equal (a, b))
    what |= SLUICE_CHANGED_INPUTS;
  if (a->n_control_inputs != b->n_control_inputs
      || (a->n_control_inputs > 0
          && memcmp (a->control_inputs, b->control_inputs,
                     a->n_control_inputs * sizeof *a->control_inputs)
                 != 0))
    what |= SLUICE_CHANGED_CONTROLS;
  if (!outputs_equal (a, b))
    what |= SLUICE_CHANGED_OUTPUTS;
  if (g_strcmp0 (a->error != NULL ? a->error->message : NULL,
                 b->error != NULL ? b->error->message : NULL)
      != 0)
    what |= SLUICE_CHANGED_ERROR;
  const char *frame = sluice_node_record (a)->frame;
  if (frame != NULL && image->other.frame != NULL && frame != image->other.frame)
    what |= SLUICE_CHANGED_LOOP;
  return what;
}

static gboolean
is_idle (const SluiceNodeImage *image)
{
  const SluiceNodeRecord *a = sluice_node_record (image->node), *b = &image->other;
  return sluice_node_image_compare (image) == 0 && a->node.graph == b->node.graph
         && a->n_uses == b->n_uses && a->foreign == b->foreign && a->lowered == b->lowered
         && a->path == b->path && a->shape_error == b->shape_error && a->frame == b->frame
         && a->cycle_error == b->cycle_error && a->inferred == b->inferred
         && (a->n_uses == 0 || memcmp (a->uses, b->uses, a->n_uses * sizeof *a->uses) == 0);
}

void
sluice_edit_drop_idle_images (SluiceEdit *self)
{
  for (guint i = self->images->len; i-- > 0;)
    {
      SluiceNodeImage *image = self->images->pdata[i];
      if (!is_idle (image))
        continue;
      sluice_node_record (image->node)->image = NULL;
      g_ptr_array_remove_index_fast (self->images, i);
    }
}

/* ---- the array of nodes ---- */

static void
renumber (SluiceGraph *graph, guint first)
{
  for (guint i = first; i < graph->nodes->len; i++)
    ((SluiceNode *) graph->nodes->pdata[i])->id = i + 1;
}

static void
set_length (SluiceGraph *graph, guint n)
{
  g_ptr_array_set_free_func (graph->nodes, NULL);
  g_ptr_array_set_size (graph->nodes, (int) n);
  g_ptr_array_set_free_func (graph->nodes, (GDestroyNotify) sluice_node_free);
}

/* Takes nodes out, which have no name in the graph any more. Returns the first index that they left
 * free. */
static guint
take_out (SluiceGraph *graph, SluiceNode *const *nodes, guint n)
{
  guint first = graph->nodes->len, at;
  for (guint i = 0; i < n; i++)
    {
      first = MIN (first, nodes[i]->id - 1);
      sluice_graph_count_node (graph, nodes[i], FALSE);
      nodes[i]->graph = NULL;
    }
  at = first;
  for (guint i = first; i < graph->nodes->len; i++)
    if (((SluiceNode *) graph->nodes->pdata[i])->graph != NULL)
      graph->nodes->pdata[at++] = graph->nodes->pdata[i];
  set_length (graph, at);
  return first;
}

/* The reverse, at the indices that are told. */
static guint
put_in (SluiceGraph *graph, const GArray *places)
{
  guint n = places->len, from = graph->nodes->len, at = from + n;
  if (n == 0)
    return at;
  set_length (graph, at);
  for (guint k = n; k > 0;)
    {
      const SluiceNodePlace *place = nth_place (places, k - 1);
      at--;
      if (place->index == at)
        {
          graph->nodes->pdata[at] = place->node;
          place->node->graph = graph;
          sluice_graph_count_node (graph, place->node, TRUE);
          k--;
        }
      else
        graph->nodes->pdata[at] = graph->nodes->pdata[--from];
    }
  return nth_place (places, 0)->index;
}

/* The index before the transaction of nodes that are taken away one after the other: those taken
 * away earlier count. nodes: by index. */
static void
note_removed (SluiceEdit *self, SluiceNode *const *nodes, guint n)
{
  GArray *merged =
      g_array_sized_new (FALSE, FALSE, sizeof (SluiceNodePlace), self->removed->len + n);
  guint k = 0;
  for (guint i = 0; i < n; i++)
    {
      if (sluice_node_record (nodes[i])->image == SLUICE_IMAGE_OF_NEW)
        continue;
      while (k < self->removed->len && nth_place (self->removed, k)->index <= nodes[i]->id - 1 + k)
        g_array_append_val (merged, *nth_place (self->removed, k++));
      SluiceNodePlace place = { nodes[i], nodes[i]->id - 1 + k };
      g_array_append_val (merged, place);
    }
  while (k < self->removed->len)
    g_array_append_val (merged, *nth_place (self->removed, k++));
  g_array_unref (self->removed);
  self->removed = merged;
}

void
sluice_edit_detach (SluiceEdit *self, SluiceNode *const *nodes, guint n)
{
  SluiceGraph *graph = self->graph;
  note_removed (self, nodes, n);
  for (guint i = 0; i < n; i++)
    {
      sluice_graph_index_attrs (graph, nodes[i], FALSE);
      sluice_name_table_remove (&graph->by_name, nodes[i]);
    }
  renumber (graph, take_out (graph, nodes, n));
  for (guint i = 0; i < n; i++)
    if (sluice_node_record (nodes[i])->image == SLUICE_IMAGE_OF_NEW)
      g_ptr_array_add (self->dropped, nodes[i]);
  guint kept = 0;
  for (guint i = 0; i < self->added->len; i++)
    if (nth_place (self->added, i)->node->graph != NULL)
      *nth_place (self->added, kept++) = *nth_place (self->added, i);
  g_array_set_size (self->added, kept);
}

/* ---- undoing ---- */

/* Values that were worked out before a run, of the node and of what was made of them. */
static void
forget_behind (SluiceNode *node, GPtrArray *todo)
{
  sluice_node_forget_constants (node);
  g_ptr_array_add (todo, node);
  while (todo->len > 0)
    {
      const SluiceNodeRecord *record = g_ptr_array_steal_index_fast (todo, todo->len - 1);
      for (guint i = 0; i < record->n_uses; i++)
        {
          SluiceNode *user = record->uses[i].node;
          if (sluice_node_record (user)->constants == NULL)
            continue;
          sluice_node_forget_constants (user);
          g_ptr_array_add (todo, user);
        }
    }
}

void
sluice_edit_forget_constants (SluiceEdit *self)
{
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  for (guint i = 0; i < self->images->len; i++)
    forget_behind (((SluiceNodeImage *) self->images->pdata[i])->node, todo);
}

static void
swap_node (SluiceNodeImage *image)
{
  SluiceNodeRecord *record = sluice_node_record (image->node), now = *record;
  sluice_node_forget_constants (image->node);
  *record = image->other;
  record->constants = NULL;
  record->node.id = now.node.id;
  record->node.graph = now.node.graph;
  record->position = now.position;
  record->visits = 0;
  record->is_queued = FALSE;
  record->image = now.image;
  record->was_asked = now.was_asked;
  now.constants = NULL;
  image->other = now;
}

static void
swap_positions (SluiceEdit *self)
{
  guint n = self->positions->len;
  for (guint i = 0; i < n; i++)
    {
      SluicePositionImage *image =
          &g_array_index (self->positions, SluicePositionImage, self->is_undone ? i : n - 1 - i);
      guint32 now = sluice_node_record (image->node)->position;
      sluice_node_record (image->node)->position = image->position;
      image->position = now;
    }
}

static void
swap_suffixes (SluiceEdit *self)
{
  GHashTable *suffixes = self->graph->suffixes;
  guint n = self->suffixes->len;
  for (guint i = 0; i < n; i++)
    {
      SluiceSuffixImage *image =
          &g_array_index (self->suffixes, SluiceSuffixImage, self->is_undone ? i : n - 1 - i);
      guint now = GPOINTER_TO_UINT (g_hash_table_lookup (suffixes, image->name));
      if (image->number == 0)
        g_hash_table_remove (suffixes, image->name);
      else
        g_hash_table_insert (suffixes, (gpointer) image->name, GUINT_TO_POINTER (image->number));
      image->number = now;
    }
}

static gboolean
has_other_name (const SluiceNodeImage *image)
{
  return image->node->name != image->other.node.name;
}

static void
take_names (SluiceEdit *self, const GArray *take)
{
  SluiceGraph *graph = self->graph;
  for (guint i = 0; i < self->images->len; i++)
    {
      const SluiceNodeImage *image = self->images->pdata[i];
      if (image->node->graph == NULL)
        continue;
      sluice_graph_index_attrs (graph, image->node, FALSE);
      if (has_other_name (image))
        sluice_name_table_remove (&graph->by_name, image->node);
    }
  for (guint i = 0; i < take->len; i++)
    {
      SluiceNode *node = nth_place (take, i)->node;
      const SluiceNodeImage *image = sluice_edit_find_image (self, node);
      if (image == NULL)
        sluice_graph_index_attrs (graph, node, FALSE);
      if (image == NULL || !has_other_name (image))
        sluice_name_table_remove (&graph->by_name, node);
    }
}

static void
give_names (SluiceEdit *self, const GArray *put)
{
  SluiceGraph *graph = self->graph;
  for (guint i = 0; i < self->images->len; i++)
    {
      const SluiceNodeImage *image = self->images->pdata[i];
      if (image->node->graph == NULL)
        continue;
      sluice_graph_index_attrs (graph, image->node, TRUE);
      if (has_other_name (image))
        sluice_name_table_add (&graph->by_name, image->node);
    }
  for (guint i = 0; i < put->len; i++)
    {
      SluiceNode *node = nth_place (put, i)->node;
      const SluiceNodeImage *image = sluice_edit_find_image (self, node);
      if (image == NULL)
        sluice_graph_index_attrs (graph, node, TRUE);
      if (image == NULL || !has_other_name (image))
        sluice_name_table_add (&graph->by_name, node);
    }
}

/* While it is worked on each node knows its image. */
static void
link_images (SluiceEdit *self, gboolean link)
{
  for (guint i = 0; i < self->images->len; i++)
    {
      SluiceNodeImage *image = self->images->pdata[i];
      sluice_node_record (image->node)->image = link ? image : NULL;
    }
  for (guint i = 0; i < self->added->len && !link; i++)
    sluice_node_record (nth_place (self->added, i)->node)->image = NULL;
}

const SluiceNodeImage *
sluice_edit_find_image (const SluiceEdit *self, const SluiceNode *node)
{
  const SluiceNodeImage *image = sluice_node_record (node)->image;
  return image == SLUICE_IMAGE_OF_NEW ? NULL : image;
}

void
sluice_edit_toggle (SluiceEdit *self)
{
  SluiceGraph *graph = self->graph;
  GArray *take = self->is_undone ? self->removed : self->added;
  GArray *put = self->is_undone ? self->added : self->removed;
  g_autofree SluiceNode **nodes = g_new (SluiceNode *, take->len + 1);
  link_images (self, TRUE);
  sluice_edit_forget_constants (self);
  take_names (self, take);
  for (guint i = 0; i < take->len; i++)
    nodes[i] = nth_place (take, i)->node;
  guint first = take_out (graph, nodes, take->len);
  for (guint i = 0; i < self->images->len; i++)
    swap_node (self->images->pdata[i]);
  guint first_in = put_in (graph, put);
  renumber (graph, MIN (first, first_in));
  swap_positions (self);
  swap_suffixes (self);
  self->other = swap_image (graph, self->other);
  give_names (self, put);
  sluice_edit_forget_constants (self);
  self->is_undone = !self->is_undone;
  self->state = graph->state;
  link_images (self, FALSE);
  graph->version++;
}

/* ---- followers ---- */

guint
sluice_graph_follow (SluiceGraph *self, SluiceGraphFollower follower, gpointer user_data)
{
  if (self->followers == NULL)
    self->followers = g_array_new (FALSE, FALSE, sizeof (Follower));
  guint n = self->followers->len;
  Follower entry = { n > 0 ? g_array_index (self->followers, Follower, n - 1).number + 1 : 1,
                     follower, user_data };
  g_array_append_val (self->followers, entry);
  return entry.number;
}

void
sluice_graph_unfollow (SluiceGraph *self, guint number)
{
  for (guint i = 0; self->followers != NULL && i < self->followers->len; i++)
    if (g_array_index (self->followers, Follower, i).number == number)
      {
        g_array_remove_index (self->followers, i);
        return;
      }
  g_return_if_reached ();
}

void
sluice_followers_free (GArray *followers)
{
  g_array_unref (followers);
}

static GArray *
list_changes (SluiceEdit *self)
{
  GArray *changes = g_array_new (FALSE, FALSE, sizeof (SluiceNodeChange));
  for (guint i = 0; i < self->images->len; i++)
    {
      const SluiceNodeImage *image = self->images->pdata[i];
      /* A node that came or went is told once. */
      guint what = image->node->graph != NULL && image->other.node.graph != NULL
                       ? sluice_node_image_compare (image)
                       : 0;
      SluiceNodeChange change = { image->node, what, image->other.node.name };
      if (what != 0)
        g_array_append_val (changes, change);
    }
  return changes;
}

void
sluice_edit_notify (SluiceEdit *self)
{
  GArray *followers = self->graph->followers;
  if (followers == NULL || followers->len == 0)
    return;
  g_autoptr (GArray) changes = list_changes (self);
  const GArray *added = self->is_undone ? self->removed : self->added;
  const GArray *removed = self->is_undone ? self->added : self->removed;
  SluiceGraphDelta delta = { .removed = (const SluiceNodePlace *) removed->data,
                             .n_removed = removed->len,
                             .added = (const SluiceNodePlace *) added->data,
                             .n_added = added->len,
                             .changed = (const SluiceNodeChange *) changes->data,
                             .n_changed = changes->len };
  if (delta.n_removed + delta.n_added + delta.n_changed == 0)
    return;
  for (guint i = 0; i < followers->len; i++)
    {
      Follower *follower = &g_array_index (followers, Follower, i);
      follower->func (self->graph, &delta, follower->user_data);
    }
}

void
sluice_graph_hold (SluiceGraph *self)
{
  self->n_holds++;
  if (self->edit == NULL && self->followers != NULL && self->followers->len > 0)
    self->edit = sluice_edit_new (self, TRUE);
}

void
sluice_graph_release (SluiceGraph *self)
{
  g_return_if_fail (self->n_holds > 0);
  SluiceEdit *edit = self->edit;
  if (--self->n_holds > 0 || edit == NULL || !edit->is_log)
    return;
  sluice_edit_close (edit);
  sluice_edit_notify (edit);
  sluice_edit_free (edit);
}

void
sluice_edit_close (SluiceEdit *self)
{
  SluiceGraph *graph = self->graph;
  sluice_edit_drop_idle_images (self);
  for (guint i = 0; i < self->added->len; i++)
    nth_place (self->added, i)->index = nth_place (self->added, i)->node->id - 1;
  link_images (self, FALSE);
  self->state = graph->state;
  graph->edit = NULL;
  sluice_graph_ref (graph);
}
