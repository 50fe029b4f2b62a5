/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The text of a document, with the comments of its file. */
#include "app/build/document-private.h"

/* That of a file is made when it is opened; other graphs have one once somebody looks at it. */
SluiceGraphText *
sluice_document_get_text (SluiceDocument *self)
{
  SluiceGraphText *text = self->stack != NULL ? sluice_command_stack_get_text (self->stack) : NULL;
  if (text != NULL || self->stack == NULL)
    return text;
  text = sluice_graph_text_new (sluice_document_get_graph (self), NULL);
  sluice_command_stack_take_text (self->stack, text);
  return text;
}

void
sluice_document_text_changed (SluiceDocument *self)
{
  self->n_text_changes++;
  sluice_document_emit_changed (self);
}
