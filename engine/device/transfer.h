/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/device.h"
#include "engine/graph/graph.h"

SLUICE_PUBLIC_BEGIN

/*
 * Which value goes from which device to which: the name under which a Send and its Recv meet. What
 * partitioning puts between devices and what stands in a graph as _Send and _Recv are named by the
 * same functions, in TensorFlow's form:
 *
 *   send_device;incarnation as 16 hexadecimal digits;recv_device;edge;frame:iteration
 *
 * Never changes once it is made; counted. White paper, section 3.2.2.
 */
typedef struct
{
  _Atomic int ref_count;
  guint64 incarnation; /* of the sender: after a restart it is another one */
  const char *send_device, *recv_device, *edge;
  const char *text; /* the key but for frame and iteration */
  guint32 hash;     /* of text */
} SluiceTransfer;

/* (transfer full) (nullable): INVALID_ARGUMENT where a device is none, or the edge is no word that
 * a key can hold */
SluiceTransfer *sluice_transfer_new (const char *send_device,
                                     guint64 incarnation,
                                     const char *recv_device,
                                     const char *edge,
                                     GError **error);
/* Of a _Send, _Recv, _HostSend or _HostRecv, by its attributes; the error names node and
 * attribute. */
SluiceTransfer *sluice_transfer_new_of_node (const SluiceNode *node, GError **error);
/* Between devices of the process. edge: as new. */
SluiceTransfer *
sluice_transfer_new_between (const SluiceDevice *from, const SluiceDevice *to, const char *edge);
SluiceTransfer *sluice_transfer_ref (SluiceTransfer *self);
void sluice_transfer_unref (SluiceTransfer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTransfer, sluice_transfer_unref)

/* The names are the same, whoever made them. */
gboolean sluice_transfer_equal (const SluiceTransfer *a, const SluiceTransfer *b);

/* The whole key of one execution. (transfer full) */
char *sluice_transfer_dup_key (const SluiceTransfer *self, guint64 frame, guint64 iteration);
/* The other way. (transfer full) (nullable): INVALID_ARGUMENT, which says what part is wrong */
SluiceTransfer *
sluice_transfer_parse_key (const char *key, guint64 *frame, guint64 *iteration, GError **error);

/* The number of a loop's frame in keys: the same in every process, of all frames that a step has.
 * 0 is what lies outside all loops. parent, iteration: where the loop was entered. */
guint64 sluice_transfer_number_frame (guint64 parent, guint64 iteration, const char *name);

SLUICE_PUBLIC_END
