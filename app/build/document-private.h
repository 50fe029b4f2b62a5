/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/build/document.h"

struct _SluiceDocument
{
  GObject parent;
  SluiceCommandStack *stack; /* (nullable) */
  char *path;                /* (nullable) */
  GBytes *base;     /* (nullable): what the first command was done to; without a path until then */
  char *base_hash;  /* (nullable): sluice_journal_hash() of base, where it is known */
  char *graph_hash; /* (nullable): of the graph where it was saved last */
  GBytes *known;    /* (nullable): what the file holds, as far as is known */
  SluiceJournal *journal; /* (nullable): there was no command yet */
  guint sync_source;

  GPtrArray *arranged; /* (element-type utf8): by the command that is being done */

  gboolean text_is_changed; /* by comments and blanks */

  GFileMonitor *monitor; /* (nullable) */
  guint look_source;
  GCancellable *looking; /* (nullable) */
  GBytes *theirs;        /* (nullable): what another program wrote */
  SluiceDocumentNews news;
  char *words; /* (nullable): of the news */
};

/* Begins with all that was done until now. */
gboolean sluice_document_begin_journal (SluiceDocument *self, GError **error);
/* said: (nullable) */
gboolean
sluice_document_do_said (SluiceDocument *self, const char *line, GString *said, GError **error);
void sluice_document_emit_changed (SluiceDocument *self);
void sluice_document_emit_news (SluiceDocument *self);

/* document-file.c */
void sluice_document_watch (SluiceDocument *self);
void sluice_document_unwatch (SluiceDocument *self);
/* words: (transfer full) */
void sluice_document_tell (SluiceDocument *self, SluiceDocumentNews news, char *words);
void sluice_document_tell_opened (SluiceDocument *self, const SluiceOpenedGraph *opened);
/* ABORTED: it holds something else than is known. */
gboolean sluice_document_check_file (SluiceDocument *self, GError **error);
