/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * The text of a journal. It is a script: what is not a command stands in comments, and each line
 * ends in one with a sum of it and of all lines before, so that nothing changes unnoticed.
 *
 *     # sluice journal 1 # 8b3f5a10
 *     # of "/digits/model.pbtxt" # 02c4f1de
 *     # on 6b1c…: SHA-256 of the file that it was # 97e05b3c
 *     add Neg n loss # 5d20a9f4
 *     # saved 41f7… # c9e81b02
 *     undo 1 # 0a77d3c6
 */
typedef enum
{
  SLUICE_JOURNAL_COMMAND,
  SLUICE_JOURNAL_SAVED,     /* the file is to hold what the graph is here */
  SLUICE_JOURNAL_READ,      /* the file holds something else, which is known */
  SLUICE_JOURNAL_NOT_SAVED, /* the last SAVED did not come about */
} SluiceJournalKind;

typedef struct
{
  SluiceJournalKind kind;
  guint number;     /* of the line, from 1 */
  gint64 at;        /* offset of the line in the file */
  guint32 before;   /* the sum before it */
  const char *text; /* of a command, else the SHA-256 of the file; borrowed */
} SluiceJournalLine;

typedef struct
{
  char *path;       /* of the file that was edited */
  const char *base; /* SHA-256 of what it held */
  GArray *lines;    /* SluiceJournalLine, without the header */
  guint n_commands;
  gint64 length; /* of what is whole; a line behind it that has no end was never acknowledged */
  guint32 sum;
  guint damaged; /* number of the first line that is damaged; 0: none */
  GPtrArray *texts;
} SluiceJournalText;

/* (transfer full) (nullable): DATA_LOSS: the header is damaged, or there is none; UNIMPLEMENTED:
 * a newer version has written it. */
SluiceJournalText *sluice_journal_text_parse (const char *data, gsize length, GError **error);
void sluice_journal_text_free (SluiceJournalText *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceJournalText, sluice_journal_text_free)

/* The line with its sum and its end; *sum: of the lines before, then with it. (transfer full) */
char *sluice_journal_text_line (const char *text, guint32 *sum);
/* Of a mark. (transfer full) */
char *sluice_journal_text_mark (SluiceJournalKind kind, const char *hash);
/* The header. (transfer full) */
char *sluice_journal_text_begin (const char *path, const char *base, guint32 *sum);
