/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A large text is pasted in pieces, between which the window is drawn and hears of Cancel. Whoever
 * does something else to the document takes the rest at once. */
#include "app/build/document-private.h"
#include "engine/base/error.h"
#include "engine/command/paste.h"

#define PIECE_US 5000 /* of a turn */

struct _DocumentPaste
{
  SluicePasting *pasting;
  SluiceDocumentPasted done;
  gpointer user_data;
  guint source;
};

static void
end_paste (SluiceDocument *self, GError *take_error)
{
  DocumentPaste *paste = g_steal_pointer (&self->paste);
  g_autoptr (GError) error = take_error;
  g_clear_handle_id (&paste->source, g_source_remove);
  if (error == NULL)
    sluice_pasting_end (paste->pasting, &error);
  sluice_pasting_free (paste->pasting);
  if (error == NULL)
    sluice_document_tell_done (self);
  sluice_document_emit_pasting (self);
  paste->done (error, paste->user_data);
  g_free (paste);
}

static gboolean
go_on_cb (gpointer data)
{
  SluiceDocument *self = data;
  if (!sluice_pasting_go_on (self->paste->pasting, PIECE_US))
    {
      sluice_document_emit_pasting (self);
      return G_SOURCE_CONTINUE;
    }
  self->paste->source = 0;
  end_paste (self, NULL);
  return G_SOURCE_REMOVE;
}

void
sluice_document_paste (SluiceDocument *self,
                       const char *text,
                       gboolean is_wired,
                       SluiceDocumentPasted done,
                       gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  if (!sluice_document_begin_change (self, &error))
    {
      done (error, user_data);
      return;
    }
  self->paste = g_new0 (DocumentPaste, 1);
  *self->paste = (DocumentPaste){ sluice_pasting_new (self->stack, sluice_document_get_graph (self),
                                                      text, is_wired),
                                  done, user_data };
  if (sluice_pasting_go_on (self->paste->pasting, PIECE_US))
    end_paste (self, NULL);
  else
    self->paste->source = g_idle_add (go_on_cb, self);
}

void
sluice_document_finish_paste (SluiceDocument *self)
{
  if (self->paste == NULL)
    return;
  while (!sluice_pasting_go_on (self->paste->pasting, G_MAXINT64))
    ;
  end_paste (self, NULL);
}

void
sluice_document_cancel_paste (SluiceDocument *self)
{
  GError *error = NULL;
  if (self->paste == NULL)
    return;
  sluice_fail (&error, SLUICE_ERROR_CANCELLED, "the paste was cancelled");
  end_paste (self, error);
}

gboolean
sluice_document_get_paste (SluiceDocument *self, double *progress, guint *n_nodes)
{
  *progress = self->paste != NULL ? sluice_pasting_get_progress (self->paste->pasting) : 0;
  *n_nodes = self->paste != NULL ? sluice_pasting_get_n_nodes (self->paste->pasting) : 0;
  return self->paste != NULL;
}
