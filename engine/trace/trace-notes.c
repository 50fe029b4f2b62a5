/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/trace-notes.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "engine/base/error.h"

#define TRACES "traces" /* as engine/train/flight-file.h keeps them */
#define NAME   "notes.json"

SluiceTraceNote *
sluice_trace_note_new (guint64 step, gint64 from, gint64 to, const char *text)
{
  SluiceTraceNote *self = g_new (SluiceTraceNote, 1);
  *self = (SluiceTraceNote){ step, from, MAX (from, to), g_strdup (text) };
  return self;
}

void
sluice_trace_note_free (SluiceTraceNote *self)
{
  g_free (self->text);
  g_free (self);
}

char *
sluice_trace_notes_dup_path (const char *folder)
{
  return g_build_filename (folder, TRACES, NAME, NULL);
}

char *
sluice_trace_notes_dup_path_of (const char *trace)
{
  g_autofree char *folder = g_path_get_dirname (trace);
  g_autofree char *name = g_path_get_basename (folder);
  return g_str_equal (name, TRACES) ? g_build_filename (folder, NAME, NULL)
                                    : g_strconcat (trace, ".", NAME, NULL);
}

static int
compare_notes (gconstpointer pa, gconstpointer pb)
{
  const SluiceTraceNote *a = *(SluiceTraceNote *const *) pa, *b = *(SluiceTraceNote *const *) pb;
  if (a->step != b->step)
    return a->step < b->step ? -1 : 1;
  if (a->from != b->from)
    return a->from < b->from ? -1 : 1;
  return strcmp (a->text, b->text);
}

/* ---- reading ---- */

static SluiceTraceNote *
read_note (JsonNode *node)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  const char *text =
      object != NULL ? json_object_get_string_member_with_default (object, "text", NULL) : NULL;
  if (text == NULL)
    return NULL;
  gint64 step = json_object_get_int_member_with_default (object, "step", -1);
  gint64 from = json_object_get_int_member_with_default (object, "from", 0);
  gint64 to = json_object_get_int_member_with_default (object, "to", from);
  return step >= 0 ? sluice_trace_note_new ((guint64) step, from, to, text) : NULL;
}

static gboolean
read_all (JsonParser *parser, GPtrArray *notes)
{
  JsonNode *root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_ARRAY (root))
    return FALSE;
  JsonArray *array = json_node_get_array (root);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      SluiceTraceNote *note = read_note (json_array_get_element (array, i));
      if (note == NULL)
        return FALSE;
      g_ptr_array_add (notes, note);
    }
  return TRUE;
}

GPtrArray *
sluice_trace_notes_read (const char *path, GError **error)
{
  g_autoptr (GPtrArray) notes =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_trace_note_free);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) failure = NULL;
  g_autofree char *text = NULL;
  gsize length;
  if (!g_file_get_contents (path, &text, &length, &failure))
    {
      if (g_error_matches (failure, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        return g_steal_pointer (&notes);
      g_propagate_error (error, g_steal_pointer (&failure));
      return NULL;
    }
  if (json_parser_load_from_data (parser, text, (gssize) length, NULL) && read_all (parser, notes))
    {
      g_ptr_array_sort (notes, compare_notes);
      return g_steal_pointer (&notes);
    }
  g_set_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS,
               "'%s' is damaged: a JSON array of notes, each with step, from, to and text, is "
               "expected; move it away to begin anew",
               path);
  return NULL;
}

/* ---- writing ---- */

static char *
print_all (GPtrArray *notes)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_array (b);
  for (guint i = 0; i < notes->len; i++)
    {
      const SluiceTraceNote *note = notes->pdata[i];
      json_builder_begin_object (b);
      json_builder_set_member_name (b, "step");
      json_builder_add_int_value (b, (gint64) note->step);
      json_builder_set_member_name (b, "from");
      json_builder_add_int_value (b, note->from);
      json_builder_set_member_name (b, "to");
      json_builder_add_int_value (b, note->to);
      json_builder_set_member_name (b, "text");
      json_builder_add_string_value (b, note->text);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  return json_to_string (root, TRUE);
}

gboolean
sluice_trace_notes_write (GPtrArray *notes, const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_ptr_array_sort (notes, compare_notes);
  if (notes->len == 0)
    {
      if (g_unlink (path) == 0 || errno == ENOENT)
        return TRUE;
    }
  else if (g_mkdir_with_parents (folder, 0777) == 0)
    {
      g_autofree char *text = print_all (notes);
      return g_file_set_contents (path, text, -1, error);
    }
  int code = errno;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "'%s': %s", path,
               g_strerror (code));
  return FALSE;
}
