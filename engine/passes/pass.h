/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/kept.h"
#include "engine/passes/place.h"
#include "engine/passes/work.h"

/*
 * A pass turns the work graph of one signature into the next one's. Its file ends with the const
 * struct that says what it is, and pipeline.h has its line among the others: nobody else knows
 * passes.
 */

typedef struct
{
  const SluiceEdge *feeds;
  guint n_feeds;
  const SluiceEdge *fetches;
  guint n_fetches;
  SluiceNode *const *targets;
  guint n_targets;
  /* Feeds come and fetches are taken while the run is under way: both become nodes, and the work
   * graph has neither feeds nor fetches besides. */
  gboolean is_partial;
  /* A placeholder that nothing feeds is no error yet: the work graph has it, and instead of fetches
   * and targets those nodes that may change something and do not wait for it. */
  gboolean may_lack_feeds;
} SluiceSignature;

/* What a run may want of its passes. */
typedef enum
{
  SLUICE_PASS_OPTIMIZE = 1 << 0,      /* the graph may be changed at all beyond what must be */
  SLUICE_PASS_LEAVE_OUT = 1 << 1,     /* nobody looks at the value of every node */
  SLUICE_PASS_FUSE = 1 << 2,          /* several nodes may run as one */
  SLUICE_PASS_RECOMPUTE = 1 << 3,     /* memory is worth more than time */
  SLUICE_PASS_ORDER_EFFECTS = 1 << 4, /* accesses to state get an order */
  SLUICE_PASS_SHUFFLE = 1 << 5,       /* what is ready goes in an order by lot */
  SLUICE_PASS_FIT = 1 << 6,           /* each device has so many bytes */
} SluicePassWish;

typedef struct
{
  const SluiceSignature *signature;
  const SluicePlacements *placements;
  SluiceDevice *const *devices; /* of the session, by number; borrowed while the work graph lives */
  int max_rank;                 /* of kernels */
  guint wishes;                 /* SluicePassWish */
  guint64 order_seed;           /* for SHUFFLE */
  double fit;                   /* for FIT: bytes */
  SluiceGraph *sized;           /* for FIT (nullable), and */
  gint64 dim;                   /* what stands for unknown dimensions: as of SluiceFitSizes */
  const SluiceKeptNodes
      *kept; /* (nullable): nodes that stay by themselves, where they are needed */
} SluicePassOptions;

typedef struct
{
  const char *name;
  const char *summary; /* N_() */
  guint enabled;       /* SluicePassWish: runs where all of these are wanted; 0: always */
  guint requires;      /* SluiceFacts that must hold */
  guint excludes;      /* SluiceFacts that must not hold yet */
  guint provides;      /* SluiceFacts that hold afterwards */
  /* Whoever changes edges besides by the functions of work.h calls sluice_work_touch(). */
  gboolean (*run) (SluiceWork *work, const SluicePassOptions *options, GError **error);
} SluicePass;
