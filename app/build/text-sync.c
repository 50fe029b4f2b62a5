/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/text-sync.h"

#include <string.h>

#include "app/build/text-window.h"
#include "app/failure-words.h"
#include "engine/base/error.h"

#define PIECE_US   6000 /* of a long text, between two frames */
#define MOST_LINES 8000 /* of a text that is shown whole */
#define PAUSE_MS   300  /* in typing, after which it is read */

struct _SluiceTextSync
{
  GtkTextBuffer *buffer;
  SluiceTextWindow window; /* what of the text is in it */
  gboolean wants_all;
  SluiceTextSyncNews news;
  gpointer user_data;
  SluiceTextRenamed renamed; /* (nullable) */
  gpointer renamed_data;
  SluiceDocument *document; /* (nullable) */
  SluiceGraphText *map;     /* (nullable): the document's */
  guint map_lines;          /* as far as the map told */
  guint n_frozen;           /* the buffer changes, and nobody types */
  gboolean is_loading;
  gboolean is_applying; /* a command of what was typed is being done */
  guint refresh_source, apply_source;
  /* What was typed: lines before and behind are the map's. */
  gboolean is_edited;
  guint n_before, n_behind;
  char *error; /* (nullable) */
  SluiceTextPlace error_place;
  gboolean error_has_place;
};

static void
tell (SluiceTextSync *self)
{
  self->news (self, self->user_data);
}

static guint
count_lines (const SluiceTextSync *self)
{
  return sluice_text_window_count_lines (&self->window);
}

void
sluice_text_sync_freeze (SluiceTextSync *self)
{
  self->n_frozen++;
}

void
sluice_text_sync_thaw (SluiceTextSync *self)
{
  self->n_frozen--;
}

static gboolean
wants_more (const SluiceTextSync *self)
{
  return !sluice_text_window_is_whole (&self->window)
         && (self->wants_all || count_lines (self) <= MOST_LINES);
}

gboolean
sluice_text_sync_is_loading (const SluiceTextSync *self)
{
  return self->is_loading || wants_more (self);
}

gboolean
sluice_text_sync_is_edited (const SluiceTextSync *self)
{
  return self->is_edited;
}

gboolean
sluice_text_sync_is_edited_at (const SluiceTextSync *self, guint line)
{
  return self->is_edited && line >= self->n_before && line + self->n_behind < count_lines (self);
}

const char *
sluice_text_sync_get_error (const SluiceTextSync *self, SluiceTextPlace *place, gboolean *has_place)
{
  *place = self->error_place;
  *has_place = self->error_has_place;
  return self->error;
}

/* ---- the graph's changes come into the buffer ---- */

gboolean
sluice_text_sync_get_iter (SluiceTextSync *self, SluiceTextPlace place, GtkTextIter *iter)
{
  return sluice_text_window_get_iter (&self->window, place, iter);
}

/* From the map's lines to the buffer's. FALSE: it was typed over */
static gboolean
to_buffer (const SluiceTextSync *self, SluiceTextPlace *begin, SluiceTextPlace *end)
{
  if (!self->is_edited || end->line < self->n_before
      || (end->line == self->n_before && end->byte == 0))
    return TRUE;
  if (begin->line + self->n_behind < self->map_lines)
    return FALSE;
  begin->line += count_lines (self) - self->map_lines;
  end->line += count_lines (self) - self->map_lines;
  return TRUE;
}

/* Nobody types that, nor can it be taken back in the buffer. */
static void
begin_change (SluiceTextSync *self)
{
  sluice_text_sync_freeze (self);
  gtk_text_buffer_begin_irreversible_action (self->buffer);
}

static void
end_change (SluiceTextSync *self)
{
  gtk_text_buffer_end_irreversible_action (self->buffer);
  sluice_text_sync_thaw (self);
}

static void
follow_cb (SluiceGraphText *map,
           SluiceTextPlace begin,
           SluiceTextPlace end,
           const char *text,
           gpointer data)
{
  SluiceTextSync *self = data;
  guint n = sluice_text_place ((SluiceTextPlace){ 0 }, text, strlen (text)).line;
  guint n_old = end.line - begin.line;
  gboolean is_before = self->is_edited && end.line <= self->n_before;
  SluiceTextPlace from = begin, to = end;
  gboolean is_seen = to_buffer (self, &from, &to);
  if (self->is_loading)
    self->window.bottom += n - n_old;
  else if (is_seen)
    {
      begin_change (self); /* whoever saves or does a command refreshes the map, too */
      sluice_text_window_replace (&self->window, from, to, text);
      end_change (self);
    }
  if (is_before && is_seen)
    self->n_before += n - n_old;
  else if (self->is_edited && is_seen)
    self->n_behind += n - n_old;
  self->map_lines += n - n_old;
}

/* The buffer has the text around a line. */
static void
move (SluiceTextSync *self, guint line)
{
  begin_change (self);
  sluice_text_window_move (&self->window, self->map, line);
  end_change (self);
}

/* TRUE: the map is up to date. */
static gboolean
refresh (SluiceTextSync *self, gint64 budget_us)
{
  GtkTextIter start;
  gboolean done = sluice_graph_text_refresh (self->map, budget_us);
  if (done && self->is_loading)
    {
      self->is_loading = FALSE;
      move (self, 0);
      gtk_text_buffer_get_start_iter (self->buffer, &start);
      gtk_text_buffer_place_cursor (self->buffer, &start);
    }
  return done;
}

/* TRUE: as much of the text is there as is wanted. */
static gboolean
grow (SluiceTextSync *self, gint64 budget_us)
{
  gint64 end = g_get_monotonic_time () + budget_us;
  while (wants_more (self) && g_get_monotonic_time () < end)
    sluice_text_sync_grow (self, self->window.bottom == 0);
  return !wants_more (self);
}

static gboolean
refresh_cb (gpointer data)
{
  SluiceTextSync *self = data;
  if (!refresh (self, PIECE_US) || !grow (self, PIECE_US))
    return G_SOURCE_CONTINUE;
  self->refresh_source = 0;
  tell (self);
  return G_SOURCE_REMOVE;
}

static void
stale_cb (SluiceGraphText *map, gpointer data)
{
  SluiceTextSync *self = data;
  if (self->refresh_source == 0)
    self->refresh_source = g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, refresh_cb, self, NULL);
}

/* ---- what of a long text is there ---- */

guint
sluice_text_sync_get_top (const SluiceTextSync *self)
{
  return self->window.top;
}

guint
sluice_text_sync_count_lines (const SluiceTextSync *self)
{
  return count_lines (self);
}

/* Hidden lines are the map's. */
void
sluice_text_sync_grow (SluiceTextSync *self, gboolean up)
{
  if (self->map == NULL || self->is_loading || sluice_text_window_is_whole (&self->window))
    return;
  while (!refresh (self, G_MAXINT64))
    ;
  begin_change (self);
  (up ? sluice_text_window_grow_up : sluice_text_window_grow_down) (&self->window, self->map);
  end_change (self);
}

gboolean
sluice_text_sync_show (SluiceTextSync *self, SluiceTextPlace place)
{
  GtkTextIter iter;
  if (sluice_text_sync_get_iter (self, place, &iter))
    return TRUE;
  if (self->map == NULL || self->is_edited || self->is_loading)
    return FALSE;
  while (!refresh (self, G_MAXINT64))
    ;
  move (self, place.line);
  return TRUE;
}

void
sluice_text_sync_show_all (SluiceTextSync *self)
{
  self->wants_all = TRUE;
  if (self->map != NULL && !sluice_text_window_is_whole (&self->window))
    stale_cb (self->map, self);
}

void
sluice_text_sync_show_part (SluiceTextSync *self, guint line)
{
  self->wants_all = FALSE;
  if (self->map != NULL && !self->is_edited && !self->is_loading && count_lines (self) > MOST_LINES)
    move (self, line);
}

/* ---- what is typed goes into the graph ---- */

static void
set_error (SluiceTextSync *self, const GError *error)
{
  g_clear_pointer (&self->error, g_free);
  self->error_has_place = FALSE;
  if (error == NULL)
    return;
  const char *message = error->message, *words;
  const char *node = sluice_error_get_place (error).node;
  message = sluice_command_skip_names (message);
  gboolean is_commands = message != error->message;
  words = sluice_text_split_error (message, &self->error_place);
  self->error_has_place =
      is_commands ? sluice_graph_text_locate (self->map, message, node, &self->error_place)
                  : words != NULL;
  self->error = sluice_failure_sentence (words != NULL ? words : message);
}

/* What stands between the lines that are the map's. (transfer full) */
static char *
dup_edited (SluiceTextSync *self)
{
  GtkTextIter begin, end;
  const SluiceTextWindow *window = &self->window;
  /* What is typed at the edge may change the block behind it. */
  while (self->n_before < window->top)
    sluice_text_sync_grow (self, TRUE);
  while (window->bottom > 0 && self->n_behind <= window->bottom)
    sluice_text_sync_grow (self, FALSE);
  gtk_text_buffer_get_iter_at_line (self->buffer, &begin, (int) (self->n_before - window->top));
  if (self->n_behind > 0)
    gtk_text_buffer_get_iter_at_line (self->buffer, &end,
                                      (int) (count_lines (self) - self->n_behind - window->top));
  else
    gtk_text_buffer_get_end_iter (self->buffer, &end);
  return gtk_text_buffer_get_slice (self->buffer, &begin, &end, TRUE);
}

/* Of what gets another name. (transfer full) (nullable) */
static char *
dup_layout (SluiceTextSync *self, const SluiceTextChange *change)
{
  guint n = change->renames->len;
  g_autofree const char **from = g_new0 (const char *, n + 1), **to = g_new0 (const char *, n + 1);
  for (guint i = 0; i < n; i++)
    {
      const SluiceTextRename *rename = &g_array_index (change->renames, SluiceTextRename, i);
      from[i] = rename->from;
      to[i] = rename->to;
    }
  return n > 0 && self->renamed != NULL ? self->renamed (from, to, self->renamed_data) : NULL;
}

static gboolean
do_change (SluiceTextSync *self, GError **error)
{
  g_auto (SluiceTextChange) change = { 0 };
  g_autofree char *text = dup_edited (self);
  if (!sluice_graph_text_propose (self->map, self->n_before, self->n_behind, text, &change, error))
    return FALSE;
  g_autofree char *layout = dup_layout (self, &change);
  g_autofree char *line = sluice_command_dup_text_line (&change, layout);
  self->is_applying = TRUE;
  gboolean ok = line == NULL || sluice_document_do (self->document, line, error);
  self->is_applying = FALSE;
  if (!ok)
    return FALSE;
  self->is_edited = FALSE;
  sluice_graph_text_accept (self->map);
  self->map_lines = count_lines (self);
  if (line == NULL)
    sluice_document_text_changed (self->document);
  return TRUE;
}

void
sluice_text_sync_apply (SluiceTextSync *self)
{
  g_autoptr (GError) error = NULL;
  g_clear_handle_id (&self->apply_source, g_source_remove);
  if (!self->is_edited || self->is_applying)
    return;
  sluice_document_finish_paste (self->document);
  while (!refresh (self, G_MAXINT64))
    ;
  sluice_graph_text_widen (self->map, &self->n_before, &self->n_behind);
  gboolean ok = do_change (self, &error);
  set_error (self, error);
  if (ok)
    {
      /* What was typed is the document's to take back from now on. */
      gtk_text_buffer_set_enable_undo (self->buffer, FALSE);
      gtk_text_buffer_set_enable_undo (self->buffer, TRUE);
      refresh (self, G_MAXINT64);
    }
  tell (self);
}

static gboolean
apply_cb (gpointer data)
{
  SluiceTextSync *self = data;
  self->apply_source = 0;
  sluice_text_sync_apply (self);
  return G_SOURCE_REMOVE;
}

/* The lines from first to last are about to change. */
static void
note_edit (SluiceTextSync *self, const GtkTextIter *begin, const GtkTextIter *end)
{
  guint before = sluice_text_window_get_place (&self->window, begin).line;
  guint behind = count_lines (self) - 1 - sluice_text_window_get_place (&self->window, end).line;
  if (self->n_frozen > 0 || self->map == NULL)
    return;
  self->n_before = self->is_edited ? MIN (self->n_before, before) : before;
  self->n_behind = self->is_edited ? MIN (self->n_behind, behind) : behind;
  self->is_edited = TRUE;
  /* Whole blocks: what changes beside them goes on being shown. */
  sluice_graph_text_widen (self->map, &self->n_before, &self->n_behind);
  g_clear_handle_id (&self->apply_source, g_source_remove);
  self->apply_source = g_timeout_add (PAUSE_MS, apply_cb, self);
}

static void
insert_cb (SluiceTextSync *self, GtkTextIter *at)
{
  note_edit (self, at, at);
}

static void
delete_cb (SluiceTextSync *self, GtkTextIter *begin, GtkTextIter *end)
{
  note_edit (self, begin, end);
}

/* ---- where what stands ---- */

/* The map's place of one in the buffer. FALSE: what is there was typed */
static gboolean
to_map (const SluiceTextSync *self, SluiceTextPlace *place)
{
  if (!self->is_edited || place->line < self->n_before)
    return TRUE;
  if (place->line + self->n_behind < count_lines (self))
    return FALSE;
  place->line -= count_lines (self) - self->map_lines;
  return TRUE;
}

gboolean
sluice_text_sync_find_spot (SluiceTextSync *self, const GtkTextIter *at, SluiceTextSpot *spot)
{
  SluiceTextPlace place = sluice_text_window_get_place (&self->window, at);
  *spot = (SluiceTextSpot){ 0 };
  return self->map != NULL && to_map (self, &place)
         && sluice_graph_text_find_spot (self->map, place, spot)
         && to_buffer (self, &spot->begin, &spot->end)
         && to_buffer (self, &spot->field_begin, &spot->field_end);
}

gboolean
sluice_text_sync_find_node (SluiceTextSync *self,
                            const char *name,
                            SluiceNodeFieldKind kind,
                            const char *attr,
                            guint input,
                            SluiceTextSpot *spot)
{
  SluiceGraph *graph = self->map != NULL ? sluice_document_get_graph (self->document) : NULL;
  const SluiceNode *node = graph != NULL ? sluice_graph_find (graph, name) : NULL;
  *spot = (SluiceTextSpot){ 0 };
  return node != NULL && sluice_graph_text_find_node (self->map, node, kind, attr, input, spot)
         && to_buffer (self, &spot->begin, &spot->end)
         && to_buffer (self, &spot->field_begin, &spot->field_end);
}

/* ---- life ---- */

void
sluice_text_sync_set_renamed (SluiceTextSync *self, SluiceTextRenamed renamed, gpointer user_data)
{
  self->renamed = renamed;
  self->renamed_data = user_data;
}

void
sluice_text_sync_open (SluiceTextSync *self, SluiceDocument *document)
{
  g_clear_handle_id (&self->refresh_source, g_source_remove);
  g_clear_handle_id (&self->apply_source, g_source_remove);
  self->document = document;
  self->map = document != NULL ? sluice_document_get_text (document) : NULL;
  self->is_edited = FALSE;
  self->map_lines = 1;
  set_error (self, NULL);
  begin_change (self);
  gtk_text_buffer_set_text (self->buffer, "", 0);
  self->window.top = self->window.bottom = 0;
  end_change (self);
  self->is_loading = self->map != NULL;
  if (self->map != NULL)
    {
      sluice_graph_text_follow (self->map, follow_cb, stale_cb, self);
      stale_cb (self->map, self);
    }
  tell (self);
}

SluiceTextSync *
sluice_text_sync_new (GtkTextBuffer *buffer, SluiceTextSyncNews news, gpointer user_data)
{
  SluiceTextSync *self = g_new0 (SluiceTextSync, 1);
  self->buffer = g_object_ref (buffer);
  self->window.buffer = buffer;
  self->news = news;
  self->user_data = user_data;
  self->map_lines = 1;
  g_signal_connect_swapped (buffer, "insert-text", G_CALLBACK (insert_cb), self);
  g_signal_connect_swapped (buffer, "delete-range", G_CALLBACK (delete_cb), self);
  return self;
}

void
sluice_text_sync_free (SluiceTextSync *self)
{
  g_clear_handle_id (&self->refresh_source, g_source_remove);
  g_clear_handle_id (&self->apply_source, g_source_remove);
  g_signal_handlers_disconnect_by_data (self->buffer, self);
  if (self->map != NULL && sluice_document_get_graph (self->document) != NULL)
    sluice_graph_text_follow (self->map, NULL, NULL, NULL);
  g_object_unref (self->buffer);
  g_free (self->error);
  g_free (self);
}
