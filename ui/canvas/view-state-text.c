/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/view-state-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

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

typedef struct
{
  char **words;
  guint n;
} Line;

/* From this word on: (transfer full) (nullable): one is no escaped word */
static char **
unescape_words (const Line *line, guint from)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  for (guint i = from; i < line->n; i++)
    {
      g_autofree char *name = unescape_name (line->words[i]);
      if (name == NULL)
        return NULL;
      g_strv_builder_add (builder, name);
    }
  return g_strv_builder_end (builder);
}

/* Numbers from this word on. */
static gboolean
parse_numbers (const Line *line, guint from, double *values, guint n)
{
  for (guint i = 0; i < n; i++)
    if (from + i >= line->n || !parse_number (line->words[from + i], &values[i]))
      return FALSE;
  return TRUE;
}

static SluiceViewLine
answer (gboolean is_good)
{
  return is_good ? SLUICE_VIEW_LINE_OK : SLUICE_VIEW_LINE_BAD;
}

static SluiceViewLine
parse_moved (SluiceViewState *self, const Line *line)
{
  g_autofree char *name = line->n > 1 ? unescape_name (line->words[1]) : NULL;
  double by[2];
  /* A width, a colour may follow in later versions: such a line is kept by hand, not understood
   * by half. */
  if (line->n > 4)
    return SLUICE_VIEW_LINE_UNKNOWN;
  gboolean ok = name != NULL && parse_numbers (line, 2, by, 2);
  if (ok)
    sluice_view_state_set_move (self, name, by[0], by[1]);
  return answer (ok);
}

static SluiceViewLine
parse_bend (SluiceViewState *self, const Line *line)
{
  g_autofree char *from = line->n > 1 ? unescape_name (line->words[1]) : NULL;
  g_autofree char *to = line->n > 2 ? unescape_name (line->words[2]) : NULL;
  SluiceViewBends bends = { .n = line->n > 4 ? (line->n - 3) / 2 : 0 };
  gboolean ok = from != NULL && to != NULL && bends.n > 0 && line->n == 3 + 2 * bends.n;
  if (bends.n > SLUICE_MAX_BENDS)
    return SLUICE_VIEW_LINE_UNKNOWN;
  for (guint i = 0; i < bends.n && ok; i++)
    {
      double by[2];
      ok = parse_numbers (line, 3 + 2 * i, by, 2);
      bends.by[i] = (SluicePoint){ by[0], by[1] };
    }
  if (ok)
    sluice_view_state_set_bends (self, from, to, &bends);
  return answer (ok);
}

static SluiceViewLine
parse_note (SluiceViewState *self, const Line *line)
{
  gboolean is_frame = g_str_equal (line->words[0], "frame");
  g_autofree char *id = line->n > 1 ? unescape_name (line->words[1]) : NULL;
  g_autofree char *text = line->n > 2 ? unescape_name (line->words[2]) : NULL;
  g_auto (GStrv) names = unescape_words (line, is_frame ? 3 : 5);
  double by[2] = { 0, 0 };
  if (!is_frame && line->n > 6)
    return SLUICE_VIEW_LINE_UNKNOWN;
  gboolean ok =
      id != NULL && text != NULL && names != NULL && (is_frame || parse_numbers (line, 3, by, 2));
  if (ok)
    sluice_view_state_set_note (self, id, &(SluiceViewNote){ is_frame, text, names, by[0], by[1] });
  return answer (ok);
}

static SluiceViewLine
parse_view (SluiceViewState *self, const Line *line)
{
  double v[3];
  gboolean ok = line->n == 4 && parse_numbers (line, 1, v, 3) && v[2] > 0;
  if (ok)
    sluice_view_state_set_view (self, v[0], v[1], v[2]);
  return answer (ok);
}

static SluiceViewLine
parse_size (SluiceViewState *self, const Line *line)
{
  double v[2];
  gboolean ok = line->n == 3 && parse_numbers (line, 1, v, 2) && v[0] > 0 && v[1] > 0;
  if (ok)
    sluice_view_state_set_size (self, v[0], v[1]);
  return answer (ok);
}

static SluiceViewLine
parse_engine (SluiceViewState *self, const Line *line)
{
  if (line->n != 2 || strcmp (line->words[1], "dot") != 0)
    return SLUICE_VIEW_LINE_UNKNOWN;
  self->use_dot = TRUE;
  return SLUICE_VIEW_LINE_OK;
}

static SluiceViewLine
parse_named (SluiceViewState *self, const Line *line)
{
  g_autofree char *name = line->n == 2 ? unescape_name (line->words[1]) : NULL;
  if (name == NULL)
    return SLUICE_VIEW_LINE_BAD;
  if (g_str_equal (line->words[0], "open"))
    sluice_view_state_set_open (self, name, TRUE);
  else
    sluice_view_state_set_place (self, name,
                                 g_str_equal (line->words[0], "include") ? SLUICE_PLACE_INCLUDE
                                                                         : SLUICE_PLACE_EXCLUDE);
  return SLUICE_VIEW_LINE_OK;
}

SluiceViewLine
sluice_view_state_parse_line (SluiceViewState *self, const char *text)
{
  static const struct
  {
    const char *word;
    SluiceViewLine (*parse) (SluiceViewState *self, const Line *line);
  } kinds[] = { { "moved", parse_moved },   { "bend", parse_bend },  { "note", parse_note },
                { "frame", parse_note },    { "view", parse_view },  { "size", parse_size },
                { "engine", parse_engine }, { "open", parse_named }, { "include", parse_named },
                { "exclude", parse_named } };
  g_auto (GStrv) words = split_words (text);
  const Line line = { words, g_strv_length (words) };
  for (guint i = 0; i < G_N_ELEMENTS (kinds) && line.n > 0; i++)
    if (g_str_equal (words[0], kinds[i].word))
      return kinds[i].parse (self, &line);
  return line.n > 0 ? SLUICE_VIEW_LINE_UNKNOWN : SLUICE_VIEW_LINE_OK;
}

char **
sluice_view_line_split (const char *text)
{
  g_auto (GStrv) words = split_words (text);
  const Line line = { words, g_strv_length (words) };
  return unescape_words (&line, 0);
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
      switch (sluice_view_state_parse_line (self, g_strchomp (lines[i])))
        {
        case SLUICE_VIEW_LINE_OK:
          break;
        case SLUICE_VIEW_LINE_UNKNOWN:
          g_ptr_array_add (self->unknown, g_strdup (lines[i]));
          break;
        case SLUICE_VIEW_LINE_BAD:
          g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                       _ ("Line %u: “%s” is not a valid “%.*s” line"), i + 1, lines[i],
                       (int) strcspn (lines[i], " \t"), lines[i]);
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
add_moves (GHashTable *moves, GPtrArray *lines)
{
  char x[G_ASCII_DTOSTR_BUF_SIZE], y[G_ASCII_DTOSTR_BUF_SIZE];
  GHashTableIter iter;
  gpointer key, value;
  g_hash_table_iter_init (&iter, moves);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const SluicePoint *p = value;
      g_autofree char *name = escape_name (key);
      take_line (lines, g_strdup_printf ("moved %s %s %s", name, print_number (x, p->x),
                                         print_number (y, p->y)));
    }
}

static void
add_bends (GHashTable *bends, GPtrArray *lines)
{
  char x[G_ASCII_DTOSTR_BUF_SIZE], y[G_ASCII_DTOSTR_BUF_SIZE];
  GHashTableIter iter;
  gpointer key, value;
  g_hash_table_iter_init (&iter, bends);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const SluiceViewBends *of_line = value;
      g_auto (GStrv) names = g_strsplit (key, "\n", 2);
      g_autofree char *from = escape_name (names[0]), *to = escape_name (names[1]);
      GString *line = g_string_new (NULL);
      g_string_printf (line, "bend %s %s", from, to);
      for (guint i = 0; i < of_line->n; i++)
        g_string_append_printf (line, " %s %s", print_number (x, of_line->by[i].x),
                                print_number (y, of_line->by[i].y));
      take_line (lines, g_string_free (line, FALSE));
    }
}

static char *
print_note (const char *id, const SluiceViewNote *note)
{
  char x[G_ASCII_DTOSTR_BUF_SIZE], y[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *key = escape_name (id), *text = escape_name (note->text);
  GString *line = g_string_new (note->is_frame ? "frame" : "note");
  g_string_append_printf (line, " %s %s", key, text);
  if (!note->is_frame)
    g_string_append_printf (line, " %s %s", print_number (x, note->dx), print_number (y, note->dy));
  for (guint i = 0; note->names[i] != NULL; i++)
    {
      g_autofree char *name = escape_name (note->names[i]);
      g_string_append_printf (line, " %s", name);
    }
  return g_string_free (line, FALSE);
}

GPtrArray *
sluice_view_state_list_lines (const SluiceViewState *self)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  GHashTableIter iter;
  gpointer key, value;
  add_moves (self->moves, lines);
  add_bends (self->bends, lines);
  g_hash_table_iter_init (&iter, self->notes);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (*((const SluiceViewNote *) value)->text != '\0') /* else somebody is about to write it */
      take_line (lines, print_note (key, value));
  g_hash_table_iter_init (&iter, self->places);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      g_autofree char *name = escape_name (key);
      gboolean include = GPOINTER_TO_INT (value) == SLUICE_PLACE_INCLUDE;
      take_line (lines, g_strdup_printf ("%s %s", include ? "include" : "exclude", name));
    }
  if (self->use_dot)
    take_line (lines, g_strdup ("engine dot"));
  g_ptr_array_sort (lines, compare_lines);
  return lines;
}

static void
add_open (const SluiceViewState *self, GPtrArray *lines)
{
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, self->open->paths);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      g_autofree char *name = escape_name (key);
      take_line (lines, g_strdup_printf ("open %s", name));
    }
}

char *
sluice_view_state_print (const SluiceViewState *self, const char *graph_hash)
{
  g_autoptr (GPtrArray) lines = sluice_view_state_list_lines (self);
  GString *out = g_string_new (NULL);

  add_open (self, lines);
  for (guint i = 0; i < self->unknown->len; i++)
    take_line (lines, g_strdup (self->unknown->pdata[i]));
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
