/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/*
 * What TensorFlow's debugger dumps (tf.debugging.experimental.enable_dump_debug_info, files
 * tfdbg_events.*): values of nodes of graphs, as they were made. Of a node that ran several times
 * it is the first one. Nothing in it is trusted.
 */
typedef struct _SluiceTfdbg SluiceTfdbg;

/* Is it a folder with such a dump, or a file of one? */
gboolean sluice_tfdbg_is (const char *path);
/* NOT_FOUND: there are no values in it; FAILED_PRECONDITION: it has only figures about values, and
 * how to dump these; DATA_LOSS */
SluiceTfdbg *sluice_tfdbg_open (const char *path, GError **error);
void sluice_tfdbg_free (SluiceTfdbg *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTfdbg, sluice_tfdbg_free)

/* Edges, in the order in which they were made: "a", "a:1". (transfer full) (element-type utf8) */
GPtrArray *sluice_tfdbg_dup_names (const SluiceTfdbg *self);
/* (transfer full) (nullable): NOT_FOUND, DATA_LOSS */
SluiceTensor *sluice_tfdbg_read (const SluiceTfdbg *self, const char *name, GError **error);

/* ---- of one record, for tests ---- */

typedef struct
{
  char *edge;           /* NULL: it is of something else */
  guint64 mode;         /* TensorDebugMode */
  const guint8 *tensor; /* TensorProto, within the record */
  gsize length;
} SluiceTfdbgValue;

void sluice_tfdbg_parse (const guint8 *record, gsize length, SluiceTfdbgValue *value);
void sluice_tfdbg_value_clear (SluiceTfdbgValue *value);
