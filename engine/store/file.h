/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Files that are there whole or not at all: written without a name, or under one that nobody else
 * has, in the same folder, fsynced and then named; the folder is fsynced too. A link of the file's
 * name is replaced, never followed. All that is written goes this way.
 */

/* What temporary names begin with, where the file system cannot do without. */
#define SLUICE_FILE_TEMPORARY ".sluice-"

typedef struct _SluiceFileWriter SluiceFileWriter;

/* what: "checkpoint", for messages. */
SluiceFileWriter *sluice_file_writer_new (const char *what, const char *path, GError **error);
/* After a failure the rest is ignored, and finish() tells it. */
void sluice_file_writer_put (SluiceFileWriter *self, const void *data, gsize length);
/* The same of large blocks, on several threads. Returns the CRC-32C of the block. */
guint32 sluice_file_writer_put_summed (SluiceFileWriter *self, const void *data, gsize length);
/* Other bytes for some that were put before. */
void sluice_file_writer_rewrite (SluiceFileWriter *self, gint64 at, const void *data, gsize length);
gint64 sluice_file_writer_get_position (SluiceFileWriter *self);
/* Frees; FALSE: nothing is left on the disk. */
gboolean sluice_file_writer_finish (SluiceFileWriter *self, GError **error);
void sluice_file_writer_abort (SluiceFileWriter *self); /* frees */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceFileWriter, sluice_file_writer_abort)

/* All of it in one call. */
gboolean sluice_file_put (
    const char *what, const char *path, const void *data, gsize length, GError **error);
/* Of a regular file, block by block; onto itself nothing. */
gboolean sluice_file_copy (const char *what, const char *from, const char *to, GError **error);
/* Of a file, or of a folder with all that is in it. */
gboolean sluice_file_copy_tree (const char *what, const char *from, const char *to, GError **error);
/* The folder that the file of that path stands in: what was named, renamed or removed there is on
 * the disk. */
void sluice_file_sync_folder (const char *path);
/* A folder and the files in it; folders below it stay, and then it does. */
void sluice_file_remove_flat (const char *folder);
/* Removes what a process left in a folder that was killed while it wrote there; nobody else may be
 * writing in it. */
void sluice_file_sweep (const char *folder);

/* FALSE with TensorFlow's code for errno: NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED … */
gboolean
sluice_file_fail (GError **error, int number, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Makes the folder that the file of that path is to stand in. */
gboolean sluice_file_make_folder (const char *path, GError **error);

/* (nullable): a folder is FAILED_PRECONDITION, as TensorFlow says. */
GMappedFile *sluice_file_map (const char *what, const char *path, GError **error);
