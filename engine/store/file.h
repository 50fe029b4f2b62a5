/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Files that are there whole or not at all: written under another name, fsynced and renamed.
 */
typedef struct _SluiceFileWriter SluiceFileWriter;

/* what: "checkpoint", for messages. */
SluiceFileWriter *sluice_file_writer_new (const char *what, const char *path, GError **error);
/* After a failure the rest is ignored, and finish() tells it. */
void sluice_file_writer_put (SluiceFileWriter *self, const void *data, gsize length);
/* The same of large blocks, on several threads. Returns the CRC-32C of the block. */
guint32 sluice_file_writer_put_summed (SluiceFileWriter *self, const void *data, gsize length);
gint64 sluice_file_writer_get_position (SluiceFileWriter *self);
/* Frees; FALSE: nothing is left on the disk. */
gboolean sluice_file_writer_finish (SluiceFileWriter *self, GError **error);
void sluice_file_writer_abort (SluiceFileWriter *self); /* frees */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceFileWriter, sluice_file_writer_abort)

/* FALSE with TensorFlow's code for errno: NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED … */
gboolean
sluice_file_fail (GError **error, int number, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Makes the folder that the file of that path is to stand in. */
gboolean sluice_file_make_folder (const char *path, GError **error);

/* (nullable): a folder is FAILED_PRECONDITION, as TensorFlow says. */
GMappedFile *sluice_file_map (const char *what, const char *path, GError **error);
