/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/document.h"

#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/command/command.h"

struct _SluiceDocument
{
  GObject parent;
  SluiceCommandStack *stack; /* (nullable) */
  SluiceGraphText *text;       /* (nullable): nobody asked for it yet */
  guint text_source;         /* it is to be made, before the file is another one */
  gboolean text_is_changed;  /* by comments and blanks */
  char *path;                /* (nullable) */
  guint saved_at;            /* how many commands were done then */
  gboolean saved_is_lost;    /* what was undone to get there was done anew */
};

G_DEFINE_FINAL_TYPE (SluiceDocument, sluice_document, G_TYPE_OBJECT)

enum
{
  OPENED,
  CHANGED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

SluiceDocument *
sluice_document_new (void)
{
  return g_object_new (SLUICE_TYPE_DOCUMENT, NULL);
}

/* ---- the text ---- */

static gboolean
has_text_file (SluiceDocument *self)
{
  return self->path != NULL && sluice_command_is_text_name (self->path);
}

/* (nullable): as it is in the file */
static char *
read_text (SluiceDocument *self)
{
  gsize length;
  g_autoptr (GBytes) bytes =
      has_text_file (self)
          ? sluice_read_file ("graph", self->path, SLUICE_READ_PLAIN, G_MAXINT32, NULL)
          : NULL;
  const char *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;
  return data != NULL ? g_strndup (data, length) : NULL;
}

SluiceGraphText *
sluice_document_get_text (SluiceDocument *self)
{
  g_clear_handle_id (&self->text_source, g_source_remove);
  if (self->stack == NULL || self->text != NULL)
    return self->text;
  g_autofree char *text = read_text (self);
  return self->text = sluice_graph_text_new (sluice_document_get_graph (self), text);
}

static gboolean
make_text_cb (gpointer data)
{
  SLUICE_DOCUMENT (data)->text_source = 0;
  sluice_document_get_text (data);
  return G_SOURCE_REMOVE;
}

static void
forget_text (SluiceDocument *self)
{
  g_clear_handle_id (&self->text_source, g_source_remove);
  g_clear_pointer (&self->text, sluice_graph_text_free);
  self->text_is_changed = FALSE;
}

void
sluice_document_text_changed (SluiceDocument *self)
{
  self->text_is_changed = TRUE;
  g_signal_emit (self, signals[CHANGED], 0);
}

void
sluice_document_open (SluiceDocument *self, SluiceGraph *graph, const char *path)
{
  forget_text (self);
  g_clear_pointer (&self->stack, sluice_command_stack_free);
  g_free (self->path);
  self->path = g_strdup (path);
  self->saved_at = 0;
  self->saved_is_lost = FALSE;
  if (graph != NULL)
    self->stack = sluice_command_stack_new (graph);
  if (graph != NULL && has_text_file (self))
    self->text_source = g_idle_add_full (G_PRIORITY_LOW, make_text_cb, self, NULL);
  g_signal_emit (self, signals[OPENED], 0);
}

SluiceGraph *
sluice_document_get_graph (SluiceDocument *self)
{
  return self->stack != NULL ? sluice_command_stack_get_graph (self->stack) : NULL;
}

SluiceCommandStack *
sluice_document_get_stack (SluiceDocument *self)
{
  return self->stack;
}

const char *
sluice_document_get_path (SluiceDocument *self)
{
  return self->path;
}

/* ---- commands ---- */

gboolean
sluice_document_do (SluiceDocument *self, const char *line, GError **error)
{
  guint n_done = self->stack != NULL ? sluice_command_stack_get_n_undo (self->stack) : 0;
  if (self->stack == NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "there is no graph to change; open one, or begin with an empty one");
  if (has_text_file (self))
    sluice_document_get_text (self);
  if (!sluice_command_stack_do (self->stack, line, NULL, error))
    return FALSE;
  if (self->saved_at > n_done)
    self->saved_is_lost = TRUE;
  g_signal_emit (self, signals[CHANGED], 0);
  return TRUE;
}

gboolean
sluice_document_go_to (SluiceDocument *self, guint n, GError **error)
{
  guint n_done = self->stack != NULL ? sluice_command_stack_get_n_undo (self->stack) : 0;
  if (n == n_done)
    return TRUE;
  if (n < n_done ? !sluice_command_stack_undo (self->stack, n_done - n, error)
                 : !sluice_command_stack_redo (self->stack, n - n_done, error))
    return FALSE;
  g_signal_emit (self, signals[CHANGED], 0);
  return TRUE;
}

/* ---- the file ---- */

gboolean
sluice_document_is_changed (SluiceDocument *self)
{
  return self->stack != NULL
         && (self->saved_is_lost || self->text_is_changed
             || sluice_command_stack_get_n_undo (self->stack) != self->saved_at);
}

gboolean
sluice_document_save (SluiceDocument *self, GError **error)
{
  if (self->stack == NULL || self->path == NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "the graph has no file yet; say where it is to be saved");
  SluiceGraphText *text = has_text_file (self) ? sluice_document_get_text (self) : NULL;
  if (text != NULL && sluice_graph_text_is_whole (text)
          ? !sluice_command_write_text (text, self->path, error)
          : !sluice_command_write (sluice_document_get_graph (self), self->path, error))
    return FALSE;
  self->text_is_changed = FALSE;
  self->saved_at = sluice_command_stack_get_n_undo (self->stack);
  self->saved_is_lost = FALSE;
  g_signal_emit (self, signals[CHANGED], 0);
  return TRUE;
}

gboolean
sluice_document_save_as (SluiceDocument *self, const char *path, GError **error)
{
  g_autofree char *before = self->path;
  self->path = g_strdup (path);
  if (sluice_document_save (self, error))
    return TRUE;
  g_free (self->path);
  self->path = g_steal_pointer (&before);
  return FALSE;
}

static void
sluice_document_finalize (GObject *object)
{
  SluiceDocument *self = SLUICE_DOCUMENT (object);
  forget_text (self);
  g_clear_pointer (&self->stack, sluice_command_stack_free);
  g_free (self->path);
  G_OBJECT_CLASS (sluice_document_parent_class)->finalize (object);
}

static void
sluice_document_class_init (SluiceDocumentClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_document_finalize;
  signals[OPENED] = g_signal_new ("opened", SLUICE_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 0);
  signals[CHANGED] = g_signal_new ("changed", SLUICE_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
sluice_document_init (SluiceDocument *self)
{
}
