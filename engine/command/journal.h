/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/command/stack.h"

/*
 * The journal of a stack on disk: a folder with a copy of the file that is edited, and beside it a
 * script of all that was done to it since, undoing as well (journal-text.h). The graph of the copy
 * and the script make the same graph again, with the same to undo and to redo.
 *
 * A line is written before its command counts as done, by one write(): that is all that kill -9
 * needs, for what was written belongs to the kernel. Only a machine that goes down loses what was
 * not synced, and a sync takes as long as a disk likes; whoever edits does not wait for it, but
 * calls sluice_journal_sync() on another thread when no command came for a while.
 *
 * The folder stands below the user's state, not beside the file: that may lie where nobody may
 * write. It is there only while there is something to lose, and is held by a lock that dies with
 * its process. Not thread-safe but for what says so.
 */
typedef struct _SluiceJournal SluiceJournal;

/* Of a file, whatever links lead to it. (transfer full) */
char *sluice_journal_dup_folder (const char *path);
/* SHA-256 in hex, as journals know files by. (transfer full) */
char *sluice_journal_hash (GBytes *bytes);

/**
 * sluice_journal_prepare:
 * @folder: of the journal that may begin
 * @base: what the file holds
 *
 * Writes the copy that a journal stands on before there is a command to wait for it: in a file
 * without a name, of which nothing is left if no journal begins. Thread-safe.
 *
 * Returns: the file's descriptor, the caller's to close; -1: the disk cannot do that
 */
int sluice_journal_prepare (const char *folder, GBytes *base);

/**
 * sluice_journal_create:
 * @path: of the file, for whoever finds the folder
 * @base: what the file holds; the graph was made of it
 * @hash: (nullable): sluice_journal_hash() of that, where it is known
 * @prepared: of sluice_journal_prepare() for the same, or -1
 *
 * Returns: (transfer full) (nullable): %NULL with ALREADY_EXISTS where there is one, which is never
 * overwritten; UNAVAILABLE where another process, or another part of this one, holds it;
 * RESOURCE_EXHAUSTED, PERMISSION_DENIED …
 */
SluiceJournal *sluice_journal_create (const char *folder,
                                      const char *path,
                                      GBytes *base,
                                      const char *hash,
                                      int prepared,
                                      GError **error);

/**
 * sluice_journal_open:
 *
 * Returns: (transfer full) (nullable): what was left there; %NULL with NOT_FOUND where nothing was,
 * DATA_LOSS where its beginning is damaged, or as sluice_journal_create()
 */
SluiceJournal *sluice_journal_open (const char *folder, GError **error);

/* The copies in the folder, and nothing is locked or changed: for a journal that is only read.
 * path: of the journal itself. */
SluiceJournal *sluice_journal_open_read_only (const char *path, GError **error);

/* The folder stays. */
SluiceJournal *sluice_journal_ref (SluiceJournal *self);
void sluice_journal_unref (SluiceJournal *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceJournal, sluice_journal_unref)

/* ---- what was left ---- */

const char *sluice_journal_get_path (SluiceJournal *self);
/* Lines that do, undo or redo something. */
guint sluice_journal_get_n_commands (SluiceJournal *self);

/**
 * sluice_journal_dup_base:
 * @file: (nullable): what the file holds now, which is as good if it is the same
 *
 * Returns: (transfer full) (nullable): what the first command was done to; %NULL with DATA_LOSS
 */
GBytes *sluice_journal_dup_base (SluiceJournal *self, GBytes *file, GError **error);

typedef struct
{
  guint n_unsaved;     /* commands behind the last save */
  gboolean is_changed; /* the file holds something that was neither read nor saved */
} SluiceJournalOutcome;

/**
 * sluice_journal_replay:
 * @stack: a new one, of the graph of the base, and with its text where that is kept
 * @file: (nullable): SHA-256 of what the file holds now
 * @outcome: (nullable) (out)
 *
 * Does it all again. A line that is damaged, or that cannot be done, ends it: the file as it was is
 * kept beside, and the journal goes on from the line before.
 *
 * Returns: %FALSE with the number of that line, and the name of what was kept; @outcome is set
 */
gboolean sluice_journal_replay (SluiceJournal *self,
                                SluiceCommandStack *stack,
                                const char *file,
                                SluiceJournalOutcome *outcome,
                                GError **error);

/* ---- while it is edited ---- */

/* FALSE: not a byte of it is there. */
gboolean sluice_journal_append (SluiceJournal *self, const char *line, GError **error);

/* What the journal's file is known to hold: what was read or saved last. (transfer full)
 * (nullable): DATA_LOSS */
GBytes *sluice_journal_dup_known (SluiceJournal *self, GError **error);
/* SHA-256 of that. Borrowed until it changes. */
const char *sluice_journal_get_known (SluiceJournal *self);

/* Before the file is written: it will hold bytes, which the graph is now. A copy is kept. */
gboolean sluice_journal_begin_save (SluiceJournal *self, GBytes *bytes, GError **error);
/* The same in two, for who lets another thread write: the hash is told when the graph is that, the
 * copy is made on any thread before the file is written. */
gboolean sluice_journal_announce_save (SluiceJournal *self, const char *hash, GError **error);
gboolean
sluice_journal_keep_save (SluiceJournal *self, const char *hash, GBytes *bytes, GError **error);
/* And after it, if it was. */
void sluice_journal_end_save (SluiceJournal *self, gboolean is_saved);

/* A copy that stays as long as the journal: what a merge reads. (transfer full) (nullable): its
 * path */
char *sluice_journal_keep (SluiceJournal *self, GBytes *bytes, GError **error);
/* The file holds bytes that another program wrote, and that is known now: after what was made of
 * it, a merge or nothing. A copy is kept. */
gboolean sluice_journal_note_read (SluiceJournal *self, GBytes *bytes, GError **error);

/* On any thread: what was appended until now is on the disk. */
gboolean sluice_journal_sync (SluiceJournal *self, GError **error);

/* There is nothing to lose any more: the folder goes. Nothing may be appended then. */
void sluice_journal_remove (SluiceJournal *self);
/* Gives what is there another name, "journal.1" …: a new one can be created. (transfer full)
 * (nullable): its name now */
char *sluice_journal_set_aside (const char *folder, GError **error);
