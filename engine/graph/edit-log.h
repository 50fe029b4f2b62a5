/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph-private.h"

/* What whoever changes nodes tells the open transaction, if there is one. Only for files of graph/.
 */
void sluice_edit_touch (struct _SluiceEdit *self, SluiceNode *node);
void sluice_edit_note_added (struct _SluiceEdit *self, SluiceNode *node);
/* Before the node is changed. */
static inline void
sluice_graph_touch (SluiceGraph *self, SluiceNode *node)
{
  if (self->edit != NULL && sluice_node_record (node)->image == NULL)
    sluice_edit_touch (self->edit, node);
}
/* Before the nodes from `first` on are freed. */
void sluice_graph_note_dropped (SluiceGraph *self, guint first);
/* Before the last number behind a name changes. */
void sluice_graph_note_suffix (SluiceGraph *self, const char *name);
void sluice_followers_free (GArray *followers);
