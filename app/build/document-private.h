/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/build/document.h"

typedef struct _DocumentSave DocumentSave;   /* a save under way; document-save.c */
typedef struct _DocumentPaste DocumentPaste; /* a paste under way; document-paste.c */

struct _SluiceDocument
{
  GObject parent;
  SluiceCommandStack *stack; /* (nullable) */
  char *path;                /* (nullable) */
  GBytes *base;     /* (nullable): what the first command was done to; without a path until then */
  char *base_hash;  /* (nullable): sluice_journal_hash() of base, where it is known */
  char *graph_hash; /* (nullable): of the graph where it was saved last */
  GBytes *known;    /* (nullable): what the file holds, as far as is known */
  GBytes *replaced; /* (nullable): what it held before, while it is told that it is saved */
  SluiceJournal *journal; /* (nullable): there was no command yet */
  GCancellable
      *preparing; /* (nullable): for the journal to begin with, a copy of base is written */
  int prepared;   /* it, or -1 */
  guint sync_source;

  guint n_text_changes, n_text_saved; /* that are comments and blanks alone */
  GPtrArray *arranged;                /* (element-type utf8): by the command that is being done */

  GFileMonitor *monitor; /* (nullable) */
  guint look_source;
  GCancellable *looking; /* (nullable) */
  GBytes *theirs;        /* (nullable): what another program wrote */
  SluiceDocumentNews news;
  char *words; /* (nullable): of the news */

  DocumentPaste *paste;  /* (nullable) */
  DocumentSave *save;    /* (nullable) */
  GCancellable *hashing; /* (nullable): graph_hash is being found */
};

/* Begins with all that was done until now. */
gboolean sluice_document_begin_journal (SluiceDocument *self, GError **error);
/* said: (nullable) */
gboolean
sluice_document_do_said (SluiceDocument *self, const char *line, GString *said, GError **error);
/* Before the graph changes; there is what the first command is done to. */
gboolean sluice_document_begin_change (SluiceDocument *self, GError **error);
/* After commands, or after they are undone: what they made of the picture is of the new graph. */
void sluice_document_tell_done (SluiceDocument *self);
void sluice_document_emit_changed (SluiceDocument *self);
void sluice_document_emit_pasting (SluiceDocument *self);
void sluice_document_emit_news (SluiceDocument *self);

/* The file at that path holds bytes, which is what the graph was after so many bytes of the stack's
 * journal; it is the document's from now on. FALSE: what was done since cannot be kept there. */
gboolean sluice_document_move (
    SluiceDocument *self, const char *path, GBytes *bytes, gsize n_journal, GError **error);

/* document-save.c */
/* Before the graph changes or is left: what is being pasted is there, and what is being saved is
 * the graph as it is now. */
void sluice_document_freeze_save (SluiceDocument *self);
/* What the file holds is known, and is what the graph was at that moment, with so many changes of
 * the text. */
void sluice_document_take_saved (SluiceDocument *self,
                                 GBytes *bytes,
                                 guint64 moment,
                                 guint n_text_changes);
void sluice_document_emit_hashed (SluiceDocument *self);

/* document-file.c */
/* What another program made of a file. (transfer full) (nullable) */
GBytes *sluice_document_read_other (const char *path, GBytes *known);
/* FALSE with ABORTED: there is something. other: (transfer full) (nullable) */
gboolean sluice_document_take_other (SluiceDocument *self, GBytes *other, GError **error);
void sluice_document_watch (SluiceDocument *self);
void sluice_document_unwatch (SluiceDocument *self);
/* words: (transfer full) */
void sluice_document_tell (SluiceDocument *self, SluiceDocumentNews news, char *words);
void sluice_document_tell_opened (SluiceDocument *self, const SluiceOpenedGraph *opened);
