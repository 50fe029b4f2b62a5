/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

#include "engine/store/file.h"

/*
 * The sorted table of keys and values that TensorFlow's checkpoints are kept in: LevelDB's, with
 * blocks of entries that share prefixes, an index block of the last key of each, a masked CRC-32C
 * behind every block, and a footer of 48 bytes. Keys and values are any bytes. Blocks may be
 * compressed by Snappy; TensorFlow writes its checkpoints plain, and so do we.
 */
typedef struct
{
  const char *data;
  gsize length;
} SluiceSpan;

typedef struct _SluiceTable SluiceTable;

/* Do the bytes end as a table does? */
gboolean sluice_table_is_one (const char *bytes, gsize length);

/**
 * sluice_table_open:
 * @bytes: stay where they are for as long as the table
 *
 * Reads footer and index; blocks are read, and checked, where they are asked for. DATA_LOSS on
 * damage, UNIMPLEMENTED for blocks compressed by anything but Snappy.
 */
SluiceTable *sluice_table_open (const char *bytes, gsize length, GError **error);
void sluice_table_free (SluiceTable *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTable, sluice_table_free)

/* FALSE without an error: no such key. value stays where it is for as long as the table. */
gboolean
sluice_table_find (const SluiceTable *self, SluiceSpan key, SluiceSpan *value, GError **error);

/* In order of keys; the key is gone after the call. func returns FALSE with an error to stop. */
typedef gboolean (*SluiceTableFunc) (SluiceSpan key,
                                     SluiceSpan value,
                                     gpointer data,
                                     GError **error);
gboolean
sluice_table_foreach (const SluiceTable *self, SluiceTableFunc func, gpointer data, GError **error);

/* ---- writing ---- */

typedef struct _SluiceTableWriter SluiceTableWriter;
SluiceTableWriter *sluice_table_writer_new (SluiceFileWriter *file); /* borrowed */
/* Keys come in ascending order, each once. */
void sluice_table_writer_add (SluiceTableWriter *self, SluiceSpan key, SluiceSpan value);
/* Writes index and footer and frees. */
void sluice_table_writer_finish (SluiceTableWriter *self);
void sluice_table_writer_free (SluiceTableWriter *self);

/* Order of keys: by bytes. */
int sluice_span_compare (SluiceSpan a, SluiceSpan b);
