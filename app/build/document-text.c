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
  if (self->stack == NULL || self->text != NULL)
    return self->text;
  g_autofree char *known = dup_known (self);
  return self->text = sluice_graph_text_new (sluice_document_get_graph (self), known);
}

void
sluice_document_forget_text (SluiceDocument *self)
{
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
