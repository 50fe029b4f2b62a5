/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <pthread.h>

#include "engine/runtime/plan/plan.h"
#include "engine/runtime/session/snapshot.h"

/*
 * What traces, owners of memory and inspectors know of the nodes of all snapshots of a session, by
 * number: a copy, with a lock of its own that is never held while something is planned, as the
 * graph's is. A node that stays in another snapshot keeps its number.
 */
typedef struct
{
  const char *name, *op; /* interned */
  const char *device;    /* (nullable): short name of where it stands in the newest snapshot */
  const char *reason; /* (nullable): why there, or why nowhere; NULL: it is not in that snapshot */
} SluiceNodeTitle;

/* Of what plans send between devices. */
typedef struct
{
  guint32 node; /* number of the node that it comes from */
  char *text;   /* as the key begins */
} SluiceTransferTitle;

typedef struct
{
  pthread_mutex_t lock;         /* held for a few loads and stores; guards all. Who writes holds
                                   graph_lock, too */
  GArray *nodes;                /* of SluiceNodeTitle, by number - 1 */
  GHashTable *by_name;          /* (nullable): interned name -> the newest number of that name */
  guint32 last_found;           /* whoever asks for all nodes asks in their order */
  const SluiceSnapshot *newest; /* (nullable): of which places are told */
  gboolean has_several;         /* snapshots; before that, a node's number is its id */
  GStringChunk *reasons;
  GPtrArray *frames;            /* names of loops that plans have, by number; NULL is number 0 */
  GHashTable *frame_numbers;    /* the same by name */
  GArray *transfers;            /* of SluiceTransferTitle, by number - 1 */
  GHashTable *transfer_numbers; /* the same by text */
  GPtrArray *name_lists;        /* what `together` has and had: the trace's readers keep it */
  GHashTable *together; /* number of a node -> names of others that its kernel runs in the newest
                           plan with several */
} SluiceTitles;

void sluice_titles_init (SluiceTitles *self);
void sluice_titles_clear (SluiceTitles *self);

/* The nodes that have come since, and where they stand; devices: by number in the placements. A
 * snapshot that was never added is the newest from now on. */
void sluice_titles_add (SluiceTitles *self, SluiceSnapshot *snapshot, SluiceDevice *const *devices);
/* Before there is another snapshot: from now on nodes of a known name and op get the number that
 * they had. */
void sluice_titles_begin_several (SluiceTitles *self, SluiceSnapshot *first);

/* FALSE: there is no such number. */
gboolean sluice_titles_get (SluiceTitles *self, guint32 number, SluiceNodeTitle *title);
/* name: interned. FALSE: the newest snapshot has no such node. */
gboolean sluice_titles_find (SluiceTitles *self, const char *name, SluiceNodeTitle *title);

/* The number of a loop in traces: the same for all plans. */
guint32 sluice_titles_number_frame (SluiceTitles *self, const char *name);
/* The numbers of a plan's transfers in traces: the same for all plans. Its nodes have theirs. */
void sluice_titles_number_transfers (SluiceTitles *self, SluicePlan *plan);
/* A node's kernel runs others besides. names: of them, ends with NULL (transfer full) */
void sluice_titles_set_together (SluiceTitles *self, guint32 number, const char **take_names);
