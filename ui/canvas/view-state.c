/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/view-state-private.h"

#include <string.h>

static void
note_free (gpointer data)
{
  SluiceViewNote *note = data;
  g_free (note->text);
  g_strfreev (note->names);
  g_free (note);
}

static SluiceOpenScopes *
scopes_new (void)
{
  SluiceOpenScopes *self = g_new (SluiceOpenScopes, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->paths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

static void
scopes_unref (SluiceOpenScopes *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_hash_table_unref (self->paths);
  g_free (self);
}

/* Those that are open, to be changed. */
static GHashTable *
own_open (SluiceViewState *self)
{
  if (g_atomic_ref_count_compare (&self->open->ref_count, 1))
    return self->open->paths;
  SluiceOpenScopes *own = scopes_new ();
  GHashTableIter iter;
  gpointer path;
  g_hash_table_iter_init (&iter, self->open->paths);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    g_hash_table_add (own->paths, g_strdup (path));
  scopes_unref (self->open);
  self->open = own;
  return own->paths;
}

SluiceViewState *
sluice_view_state_new (void)
{
  SluiceViewState *self = g_new0 (SluiceViewState, 1);
  self->open = scopes_new ();
  self->moves = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->bends = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->notes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, note_free);
  self->unknown = g_ptr_array_new_with_free_func (g_free);
  return self;
}

SluiceViewState *
sluice_view_state_copy (const SluiceViewState *self)
{
  SluiceViewState *copy = sluice_view_state_new ();
  scopes_unref (copy->open);
  copy->open = self->open;
  g_atomic_ref_count_inc (&copy->open->ref_count);
  sluice_view_state_take_arrangement (copy, self);
  for (guint i = 0; i < self->unknown->len; i++)
    g_ptr_array_add (copy->unknown, g_strdup (self->unknown->pdata[i]));
  copy->has_view = self->has_view;
  copy->centre = self->centre;
  copy->zoom = self->zoom;
  copy->width = self->width;
  copy->height = self->height;
  return copy;
}

void
sluice_view_state_free (SluiceViewState *self)
{
  scopes_unref (self->open);
  g_hash_table_unref (self->moves);
  g_hash_table_unref (self->places);
  g_hash_table_unref (self->bends);
  g_hash_table_unref (self->notes);
  g_ptr_array_unref (self->unknown);
  g_free (self);
}

gboolean
sluice_view_state_is_open (const SluiceViewState *self, const char *scope)
{
  return g_hash_table_contains (self->open->paths, scope);
}

void
sluice_view_state_set_open (SluiceViewState *self, const char *scope, gboolean open)
{
  if (open == sluice_view_state_is_open (self, scope))
    return;
  if (open)
    g_hash_table_add (own_open (self), g_strdup (scope));
  else
    g_hash_table_remove (own_open (self), scope);
}

void
sluice_view_state_close_all (SluiceViewState *self)
{
  g_hash_table_remove_all (own_open (self));
}

void
sluice_view_state_take_open (SluiceViewState *self, const SluiceViewState *other)
{
  GHashTableIter iter;
  gpointer scope;
  g_hash_table_iter_init (&iter, other->open->paths);
  while (g_hash_table_iter_next (&iter, &scope, NULL))
    sluice_view_state_set_open (self, scope, TRUE);
}

gboolean
sluice_view_state_get_move (const SluiceViewState *self, const char *name, double *dx, double *dy)
{
  const SluicePoint *p = g_hash_table_lookup (self->moves, name);
  if (p == NULL)
    return FALSE;
  *dx = p->x;
  *dy = p->y;
  return TRUE;
}

void
sluice_view_state_set_move (SluiceViewState *self, const char *name, double dx, double dy)
{
  SluicePoint p = { dx, dy };
  g_hash_table_replace (self->moves, g_strdup (name), g_memdup2 (&p, sizeof p));
}

void
sluice_view_state_unset_moves (SluiceViewState *self)
{
  g_hash_table_remove_all (self->moves);
}

static gboolean
is_below (gpointer key, gpointer value, gpointer scope)
{
  const char *name = key;
  gsize length = strlen (scope);
  return strncmp (name, scope, length) == 0 && (name[length] == '\0' || name[length] == '/');
}

void
sluice_view_state_unset_moves_below (SluiceViewState *self, const char *name)
{
  g_hash_table_foreach_remove (self->moves, is_below, (gpointer) name);
}

/* Replaces what is in @to by copies. */
static void
copy_table (GHashTable *to, GHashTable *from, gsize size)
{
  GHashTableIter iter;
  gpointer key, value;
  g_hash_table_remove_all (to);
  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (to, g_strdup (key), g_memdup2 (value, size));
}

static void
copy_places (GHashTable *to, GHashTable *from)
{
  GHashTableIter iter;
  gpointer key, value;
  g_hash_table_remove_all (to);
  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (to, g_strdup (key), value);
}

static void
copy_notes (SluiceViewState *self, GHashTable *from)
{
  GHashTableIter iter;
  gpointer id, note;
  g_hash_table_remove_all (self->notes);
  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &id, &note))
    sluice_view_state_set_note (self, id, note);
}

void
sluice_view_state_take_arrangement (SluiceViewState *self, const SluiceViewState *other)
{
  copy_table (self->moves, other->moves, sizeof (SluicePoint));
  copy_table (self->bends, other->bends, sizeof (SluiceViewBends));
  copy_notes (self, other->notes);
  copy_places (self->places, other->places);
  self->use_dot = other->use_dot;
}

SluicePlace
sluice_view_state_get_place (const SluiceViewState *self, const char *name)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (self->places, name));
}

void
sluice_view_state_set_place (SluiceViewState *self, const char *name, SluicePlace place)
{
  if (place == SLUICE_PLACE_DEFAULT)
    g_hash_table_remove (self->places, name);
  else
    g_hash_table_replace (self->places, g_strdup (name), GINT_TO_POINTER (place));
}

gboolean
sluice_view_state_get_use_dot (const SluiceViewState *self)
{
  return self->use_dot;
}

void
sluice_view_state_set_use_dot (SluiceViewState *self, gboolean use_dot)
{
  self->use_dot = use_dot;
}

void
sluice_view_state_get_size (const SluiceViewState *self, double *width, double *height)
{
  if (self->width <= 0 || self->height <= 0)
    return;
  *width = self->width;
  *height = self->height;
}

void
sluice_view_state_set_size (SluiceViewState *self, double width, double height)
{
  self->width = width;
  self->height = height;
}

gboolean
sluice_view_state_get_view (const SluiceViewState *self, double *x, double *y, double *zoom)
{
  if (!self->has_view)
    return FALSE;
  *x = self->centre.x;
  *y = self->centre.y;
  *zoom = self->zoom;
  return TRUE;
}

void
sluice_view_state_set_view (SluiceViewState *self, double x, double y, double zoom)
{
  self->has_view = TRUE;
  self->centre = (SluicePoint){ x, y };
  self->zoom = zoom;
}

/* ---- bends ---- */

/* No name has a line's end in it. */
static char *
bend_key (const char *from, const char *to)
{
  return g_strconcat (from, "\n", to, NULL);
}

gboolean
sluice_view_state_get_bends (const SluiceViewState *self,
                             const char *from,
                             const char *to,
                             SluiceViewBends *bends)
{
  g_autofree char *key = bend_key (from, to);
  const SluiceViewBends *found = g_hash_table_lookup (self->bends, key);
  if (found != NULL)
    *bends = *found;
  return found != NULL;
}

void
sluice_view_state_set_bends (SluiceViewState *self,
                             const char *from,
                             const char *to,
                             const SluiceViewBends *bends)
{
  g_hash_table_replace (self->bends, bend_key (from, to), g_memdup2 (bends, sizeof *bends));
}

void
sluice_view_state_unset_bend (SluiceViewState *self, const char *from, const char *to)
{
  g_autofree char *key = bend_key (from, to);
  g_hash_table_remove (self->bends, key);
}

gboolean
sluice_view_state_has_bends (const SluiceViewState *self)
{
  return g_hash_table_size (self->bends) > 0;
}

/* ---- notes ---- */

GHashTable *
sluice_view_state_get_notes (const SluiceViewState *self)
{
  return self->notes;
}

void
sluice_view_state_set_note (SluiceViewState *self, const char *id, const SluiceViewNote *note)
{
  if (note == NULL)
    {
      g_hash_table_remove (self->notes, id);
      return;
    }
  SluiceViewNote *copy = g_memdup2 (note, sizeof *note);
  copy->text = g_strdup (note->text);
  copy->names = g_strdupv (note->names);
  g_hash_table_replace (self->notes, g_strdup (id), copy);
}

char *
sluice_view_state_new_note_id (const SluiceViewState *self)
{
  guint number = g_hash_table_size (self->notes) + 1;
  char *id = g_strdup_printf ("%u", number);
  while (g_hash_table_contains (self->notes, id))
    {
      g_free (id);
      id = g_strdup_printf ("%u", ++number);
    }
  return id;
}
