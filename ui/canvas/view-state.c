/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/view-state.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "ui/common/geometry.h"

/* Thousands where all of a large graph is open; each picture under construction has its own view
 * state, and most change none of them. */
typedef struct
{
  gatomicrefcount ref_count;
  GHashTable *paths; /* set of char*; changed by who has the only reference */
} Scopes;

struct _SluiceViewState
{
  Scopes *open;
  GHashTable *moves;  /* char* -> SluicePoint* */
  GHashTable *places; /* char* -> SluicePlace, never DEFAULT */
  GPtrArray *unknown; /* char*: lines of newer versions and other tools */
  gboolean use_dot;
  gboolean has_view;
  SluicePoint centre;
  double zoom;
  double width, height; /* 0: not set */
};

static Scopes *
scopes_new (void)
{
  Scopes *self = g_new (Scopes, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->paths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

static void
scopes_unref (Scopes *self)
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
  Scopes *own = scopes_new ();
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

/* Replaces what is in @to by copies. */
static void
copy_moves (GHashTable *to, GHashTable *from)
{
  GHashTableIter iter;
  gpointer key, value;
  g_hash_table_remove_all (to);
  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (to, g_strdup (key), g_memdup2 (value, sizeof (SluicePoint)));
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

void
sluice_view_state_take_arrangement (SluiceViewState *self, const SluiceViewState *other)
{
  copy_moves (self->moves, other->moves);
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

/* Names may hold blanks and anything else; a line must not. */
static char *
escape_name (const char *name)
{
  GString *out = g_string_new (NULL);
  for (const char *c = name; *c != '\0'; c++)
    if ((guchar) *c <= ' ' || *c == '\\' || *c == 0x7f)
      g_string_append_printf (out, "\\%03o", (guchar) *c);
    else
      g_string_append_c (out, *c);
  return g_string_free (out, FALSE);
}

/* The name that escape_name() wrote; NULL when a backslash is not followed by three octal digits of
 * a byte. */
static char *
unescape_name (const char *word)
{
  GString *out = g_string_new (NULL);
  for (const char *c = word; *c != '\0'; c++)
    {
      guint byte = (guchar) *c;
      if (*c == '\\')
        {
          byte = 0;
          for (int i = 1; i <= 3; i++)
            {
              if (c[i] < '0' || c[i] > '7')
                return g_string_free (out, TRUE);
              byte = byte * 8 + (c[i] - '0');
            }
          if (byte == 0 || byte > 0x7f)
            return g_string_free (out, TRUE);
          c += 3;
        }
      g_string_append_c (out, (char) byte);
    }
  return g_string_free (out, FALSE);
}

/* A finite number that fills the whole word. */
static gboolean
parse_number (const char *word, double *value)
{
  char *end;
  *value = g_ascii_strtod (word, &end);
  return end != word && *end == '\0' && isfinite (*value);
}

typedef enum
{
  LINE_OK,
  LINE_BAD,
  LINE_UNKNOWN,
} LineResult;

static LineResult
parse_line (SluiceViewState *self, char **words)
{
  guint n = g_strv_length (words);
  g_autofree char *name = n > 1 ? unescape_name (words[1]) : NULL;
  double a, b, c;

  if (strcmp (words[0], "moved") == 0)
    {
      /* A width, a colour may follow in later versions: such a line is kept by hand, not understood
       * by half. */
      if (n > 4)
        return LINE_UNKNOWN;
      if (n != 4 || name == NULL || !parse_number (words[2], &a) || !parse_number (words[3], &b))
        return LINE_BAD;
      sluice_view_state_set_move (self, name, a, b);
      return LINE_OK;
    }
  if (strcmp (words[0], "view") == 0)
    {
      if (n != 4 || !parse_number (words[1], &a) || !parse_number (words[2], &b)
          || !parse_number (words[3], &c) || c <= 0)
        return LINE_BAD;
      sluice_view_state_set_view (self, a, b, c);
      return LINE_OK;
    }
  if (strcmp (words[0], "size") == 0)
    {
      if (n != 3 || !parse_number (words[1], &a) || !parse_number (words[2], &b) || a <= 0
          || b <= 0)
        return LINE_BAD;
      sluice_view_state_set_size (self, a, b);
      return LINE_OK;
    }
  if (strcmp (words[0], "engine") == 0)
    {
      if (n != 2 || strcmp (words[1], "dot") != 0)
        return LINE_UNKNOWN;
      self->use_dot = TRUE;
      return LINE_OK;
    }
  if (strcmp (words[0], "open") == 0 || strcmp (words[0], "include") == 0
      || strcmp (words[0], "exclude") == 0)
    {
      if (n != 2 || name == NULL)
        return LINE_BAD;
      if (words[0][0] == 'o')
        sluice_view_state_set_open (self, name, TRUE);
      else
        sluice_view_state_set_place (
            self, name, words[0][0] == 'i' ? SLUICE_PLACE_INCLUDE : SLUICE_PLACE_EXCLUDE);
      return LINE_OK;
    }
  return LINE_UNKNOWN;
}

/* The words of a line; runs of blanks count as one. */
static char **
split_words (const char *line)
{
  g_auto (GStrv) parts = g_strsplit_set (line, " \t", -1);
  GPtrArray *words = g_ptr_array_new ();
  for (guint i = 0; parts[i] != NULL; i++)
    if (parts[i][0] != '\0')
      g_ptr_array_add (words, g_strdup (parts[i]));
  g_ptr_array_add (words, NULL);
  return (char **) g_ptr_array_free (words, FALSE);
}

static gboolean
parse_header (const char *line, char **hash, GError **error)
{
  g_auto (GStrv) words = split_words (line);
  guint n = g_strv_length (words);

  if (n < 2 || strcmp (words[0], "layout") != 0)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                   _ ("Line 1: a layout file begins with “layout 1 graph=HASH”, not with “%s”"),
                   line);
      return FALSE;
    }
  if (strcmp (words[1], "1") != 0)
    {
      g_set_error (
          error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
          _ ("Line 1: layout version %s is newer than this program, which reads version 1"),
          words[1]);
      return FALSE;
    }
  if (hash != NULL)
    *hash = g_strdup (n > 2 && g_str_has_prefix (words[2], "graph=") ? words[2] + 6 : "");
  return TRUE;
}

SluiceViewState *
sluice_view_state_parse (const char *text, char **hash, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (SluiceViewState) self = sluice_view_state_new ();
  g_autofree char *found = NULL;

  if (!g_utf8_validate (text, -1, NULL))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, _ ("A layout file must be UTF-8 text"));
      return NULL;
    }
  if (!parse_header (lines[0] == NULL ? "" : lines[0], &found, error))
    return NULL;
  for (guint i = 1; lines[i] != NULL; i++)
    {
      g_auto (GStrv) words = split_words (g_strchomp (lines[i]));
      if (words[0] == NULL)
        continue;
      switch (parse_line (self, words))
        {
        case LINE_OK:
          break;
        case LINE_UNKNOWN:
          g_ptr_array_add (self->unknown, g_strdup (lines[i]));
          break;
        case LINE_BAD:
          g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                       _ ("Line %u: “%s” is not a valid “%s” line"), i + 1, lines[i], words[0]);
          return NULL;
        }
    }
  if (hash != NULL)
    *hash = g_steal_pointer (&found);
  return g_steal_pointer (&self);
}

static void
take_line (GPtrArray *lines, char *line)
{
  g_ptr_array_add (lines, line);
}

static int
compare_lines (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Hundredths of a pixel, without an exponent or a locale's comma. */
static const char *
print_number (char *buffer, double value)
{
  g_ascii_formatd (buffer, G_ASCII_DTOSTR_BUF_SIZE, "%.2f", value);
  if (g_str_has_suffix (buffer, ".00"))
    buffer[strlen (buffer) - 3] = '\0';
  return strcmp (buffer, "-0") == 0 ? "0" : buffer;
}

static void
add_named_lines (const SluiceViewState *self, GPtrArray *lines)
{
  char x[G_ASCII_DTOSTR_BUF_SIZE], y[G_ASCII_DTOSTR_BUF_SIZE];
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, self->open->paths);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      g_autofree char *name = escape_name (key);
      take_line (lines, g_strdup_printf ("open %s", name));
    }
  g_hash_table_iter_init (&iter, self->moves);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const SluicePoint *p = value;
      g_autofree char *name = escape_name (key);
      take_line (lines, g_strdup_printf ("moved %s %s %s", name, print_number (x, p->x),
                                         print_number (y, p->y)));
    }
  g_hash_table_iter_init (&iter, self->places);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      g_autofree char *name = escape_name (key);
      gboolean include = GPOINTER_TO_INT (value) == SLUICE_PLACE_INCLUDE;
      take_line (lines, g_strdup_printf ("%s %s", include ? "include" : "exclude", name));
    }
}

char *
sluice_view_state_print (const SluiceViewState *self, const char *graph_hash)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  GString *out = g_string_new (NULL);

  add_named_lines (self, lines);
  for (guint i = 0; i < self->unknown->len; i++)
    take_line (lines, g_strdup (self->unknown->pdata[i]));
  if (self->use_dot)
    take_line (lines, g_strdup ("engine dot"));
  if (self->has_view && self->width > 0)
    {
      char x[G_ASCII_DTOSTR_BUF_SIZE], y[G_ASCII_DTOSTR_BUF_SIZE];
      take_line (lines, g_strdup_printf ("size %s %s", print_number (x, self->width),
                                         print_number (y, self->height)));
    }
  if (self->has_view)
    {
      char x[G_ASCII_DTOSTR_BUF_SIZE], y[G_ASCII_DTOSTR_BUF_SIZE], z[G_ASCII_DTOSTR_BUF_SIZE];
      g_ascii_formatd (z, sizeof z, "%.4f", self->zoom);
      take_line (lines, g_strdup_printf ("view %s %s %s", print_number (x, self->centre.x),
                                         print_number (y, self->centre.y), z));
    }
  g_ptr_array_sort (lines, compare_lines);
  g_string_append_printf (out, "layout 1 graph=%s\n", graph_hash == NULL ? "" : graph_hash);
  for (guint i = 0; i < lines->len; i++)
    g_string_append_printf (out, "%s\n", (char *) lines->pdata[i]);
  return g_string_free (out, FALSE);
}
