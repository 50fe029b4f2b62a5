/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graphdef.h"
#include "engine/graph/wire.h"

/* How a GraphDef is read. Only for files of graph/. */

/* An AttrValue that is still bytes, unchecked: what AttrEntry.value points to where its
 * base.descriptor is NULL. */
typedef struct
{
  ProtobufCMessage base;
  const guint8 *bytes;
  gsize length;
} SluiceRawAttr;

/**
 * sluice_raw_read_graph:
 *
 * A GraphDef whose nodes' attributes stay bytes, which must outlive the arena.
 *
 * Returns: (transfer none) (nullable): NULL where the file is damaged or holds more than usual;
 * sluice_wire_unpack() then reads it or says why not
 */
Tensorflow__GraphDef *sluice_raw_read_graph (SluiceArena *arena, const guint8 *bytes, gsize length);
/* The same of a MetaGraphDef. */
Tensorflow__MetaGraphDef *
sluice_raw_read_meta (SluiceArena *arena, const guint8 *bytes, gsize length);
/* FALSE: damaged or seldom. */
gboolean sluice_raw_read_attr (const SluiceRawAttr *raw, SluiceAttrValue *value);

/* A GraphDef that was read; meta: (nullable): what it came in. */
gboolean sluice_graph_import_def (SluiceGraph *self,
                                  const Tensorflow__GraphDef *def,
                                  const Tensorflow__MetaGraphDef *meta,
                                  GError **error);

/* Nodes for a graph that has some; what is wrong with one stays on it. */
gboolean sluice_graph_add_defs (SluiceGraph *self, const Tensorflow__GraphDef *def, GError **error);

/* A node as it is written out, in the arena; flags: SluiceExportFlags. Names are the node's own. */
Tensorflow__NodeDef *
sluice_graph_write_node (SluiceArena *arena, guint flags, const SluiceNode *node);
