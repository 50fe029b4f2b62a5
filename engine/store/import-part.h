/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/import-text.h"

/*
 * A file of text part by part, so that its size costs no memory. One that is packed is unpacked as
 * a whole, and is a single part.
 */
typedef struct
{
  GBytes *whole; /* (nullable): of one that is packed */
  int fd;        /* -1: it is */
  gsize size;    /* when it was opened */
  GByteArray *head, *part;
  gsize counted;  /* so far lines were counted, */
  gint64 n_lines; /* so many */
} ImportParts;

gboolean sluice_import_parts_open (ImportParts *self, const char *path, GError **error);
void sluice_import_parts_clear (ImportParts *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ImportParts, sluice_import_parts_clear)

/* The part in which that offset lies, with IMPORT_MARK_BYTES before it where there are so many;
 * text is good until the next call. */
gboolean sluice_import_parts_read (ImportParts *self, gsize from, ImportText *text, GError **error);

/* How large a part is from now on; tests take small ones. 0: as usual. */
void sluice_import_parts_set_size (gsize bytes);
