/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Which files the ops of a graph may read and write. Graphs come from other people, and an op may
 * name any file. Counted; does not change once it is in use.
 */
typedef struct _SluiceFileAccess SluiceFileAccess;

typedef enum
{
  SLUICE_FILE_READ,
  SLUICE_FILE_WRITE, /* makes, changes and deletes, too */
} SluiceFileUse;

/* Allows nothing yet. */
SluiceFileAccess *sluice_file_access_new (void);
SluiceFileAccess *sluice_file_access_ref (SluiceFileAccess *self);
void sluice_file_access_unref (SluiceFileAccess *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceFileAccess, sluice_file_access_unref)

/* What lies below the folder may be read, and with SLUICE_FILE_WRITE written too. A file: itself.
 */
void sluice_file_access_allow (SluiceFileAccess *self, const char *folder, SluiceFileUse use);

/* What begins with that path is not written, whatever is allowed: the files that we keep ourselves
 * in a folder that is. */
void sluice_file_access_forbid (SluiceFileAccess *self, const char *prefix);

/**
 * sluice_file_access_check:
 * @self: (nullable): allows everything
 * @path: of a file, or of one that is to be; symbolic links on the way are followed
 *
 * Returns: %FALSE with PERMISSION_DENIED: @path does not lie in an allowed folder. Names the
 * folders, and the option that allows more
 */
gboolean sluice_file_access_check (const SluiceFileAccess *self,
                                   const char *path,
                                   SluiceFileUse use,
                                   GError **error);
