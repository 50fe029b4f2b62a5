/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The text of a document, with the comments of its file. */
#include <string.h>

#include "app/build/document-private.h"
#include "engine/command/command.h"

/* (nullable): what the file holds, where that is text */
static char *
dup_known (SluiceDocument *self)
{
  gsize length = 0;
  const char *data = self->known != NULL ? g_bytes_get_data (self->known, &length) : NULL;
  return length > 0 && sluice_command_is_text (data, length) ? g_strndup (data, length) : NULL;
}

SluiceGraphText *
sluice_document_get_text (SluiceDocument *self)
{
  g_clear_handle_id (&self->text_source, g_source_remove);
  if (self->stack == NULL || self->text != NULL)
    return self->text;
  g_autofree char *known = dup_known (self);
  return self->text = sluice_graph_text_new (sluice_document_get_graph (self), known);
}

static gboolean
make_text_cb (gpointer data)
{
  SLUICE_DOCUMENT (data)->text_source = 0;
  sluice_document_get_text (data);
  return G_SOURCE_REMOVE;
}

/* Once there is time, and before the first command: what has another name then is known by its
 * old one in the file. */
void
sluice_document_prepare_text (SluiceDocument *self)
{
  gsize length = 0;
  const char *data = self->known != NULL ? g_bytes_get_data (self->known, &length) : NULL;
  if (length > 0 && sluice_command_is_text (data, length))
    self->text_source = g_idle_add_full (G_PRIORITY_LOW, make_text_cb, self, NULL);
}

void
sluice_document_forget_text (SluiceDocument *self)
{
  g_clear_handle_id (&self->text_source, g_source_remove);
  g_clear_pointer (&self->text, sluice_graph_text_free);
  self->text_is_changed = FALSE;
}

void
sluice_document_text_changed (SluiceDocument *self)
{
  self->text_is_changed = TRUE;
  sluice_document_emit_changed (self);
}

GBytes *
sluice_document_export_text (SluiceDocument *self)
{
  SluiceGraphText *text = sluice_document_get_text (self);
  if (!sluice_graph_text_is_whole (text))
    return NULL;
  char *all = sluice_graph_text_dup_text (text);
  return g_bytes_new_take (all, strlen (all));
}
