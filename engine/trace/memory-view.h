/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/memory-tape.h"

/*
 * A tape as pages and reports look at it: a band for every buffer, from the time at which it was
 * made to that at which it was freed, as high as its bytes, in a stack in which it sinks when one
 * under it is freed. A buffer that is handed on to another owner is another band in the same place.
 *
 * A moment is a number of records that have happened: of many records at one time each is one.
 */
typedef struct _SluiceMemoryView SluiceMemoryView;

#define SLUICE_BAND_NONE G_MAXUINT

typedef struct
{
  guint64 address;
  gsize bytes, given;
  SluiceOwner owner;
  SluiceBlockLabel label;
  gint64 made, freed;  /* nanoseconds; of what was there before 0, of what stays the end */
  guint begin, end;    /* moments: live from the first on, no longer at the second */
  gboolean was_before; /* the recording began */
  gboolean stays;      /* behind its end */
  guint before, after; /* bands of the same buffer with other owners; SLUICE_BAND_NONE */
  guint rank;          /* in the stack, from the floor */
  guint first_reading, n_readings;
  gint64 ready; /* the end of the run that made it; of what was there before 0 */
  gint64 used;  /* the end of what used it last: its maker, or a reader; while it lived */
  guint freer;  /* number of the run that ended with it, or held it; SLUICE_BAND_NONE: not known */
  gint64 waste; /* nanoseconds between its last use and its end, where that is long; else 0 */
} SluiceMemoryBand;

SluiceMemoryView *sluice_memory_view_new (SluiceMemoryTape *tape);
void sluice_memory_view_free (SluiceMemoryView *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceMemoryView, sluice_memory_view_free)

SluiceMemoryTape *sluice_memory_view_get_tape (const SluiceMemoryView *self);
/* Records at which the sum over the owners is not what the allocator counts: 0, or a fault. */
guint64 sluice_memory_view_get_n_wrong (const SluiceMemoryView *self);

guint sluice_memory_view_get_n_bands (const SluiceMemoryView *self);
const SluiceMemoryBand *sluice_memory_view_get_band (const SluiceMemoryView *self, guint band);
/* (array length=n): numbers of the runs that read a band, in order of time */
const guint *sluice_memory_view_get_readings (const SluiceMemoryView *self, guint band, guint *n);
const SluiceMemoryRun *sluice_memory_view_get_run (const SluiceMemoryView *self, guint run);
/* (nullable): the name of the band's owner, of a run */
const char *sluice_memory_view_get_name (const SluiceMemoryView *self, guint32 node);
/* The largest band of the node of that name; SLUICE_BAND_NONE: it has none. name: (nullable) */
guint sluice_memory_view_find_node (const SluiceMemoryView *self, const char *name);

/* The last moment at a time, and the time of one. */
guint sluice_memory_view_find_moment (const SluiceMemoryView *self, gint64 time);
gint64 sluice_memory_view_get_time (const SluiceMemoryView *self, guint moment);
/* The first moment at which most was live. */
guint sluice_memory_view_get_peak (const SluiceMemoryView *self);
guint sluice_memory_view_get_n_moments (const SluiceMemoryView *self);
gsize sluice_memory_view_get_live (const SluiceMemoryView *self, guint moment);
gsize sluice_memory_view_get_reserved (const SluiceMemoryView *self, guint moment);
/* (nullable): the request that was refused last, and its moment */
const SluiceAllocationRecord *
sluice_memory_view_get_refusal (const SluiceMemoryView *self, guint *moment);
void sluice_memory_view_sum_classes (const SluiceMemoryView *self,
                                     guint moment,
                                     gsize bytes[SLUICE_N_MEMORY_CLASSES]);

/* ---- who holds what at a moment ---- */

typedef enum
{
  SLUICE_HELP_NONE,   /* it is being made or read, or stays for the session: nothing to gain */
  SLUICE_HELP_KEPT,   /* the session keeps it from step to step */
  SLUICE_HELP_WAITS,  /* nothing uses it now, and something will */
  SLUICE_HELP_AT_ONCE /* nothing uses it any more: freed at once, the peak would be lower */
} SluiceMemoryHelp;

/* All that one owner has. */
typedef struct
{
  SluiceOwner owner;
  gsize bytes;
  guint n_blocks;
  guint band; /* the largest of them */
  SluiceMemoryHelp help;
  gsize gain;   /* of AT_ONCE: by how much the peak would be lower */
  gint64 until; /* of WAITS: when it is used again */
} SluiceMemoryHolding;

/* Largest first. (transfer full) (element-type SluiceMemoryHolding) */
GArray *sluice_memory_view_dup_holdings (const SluiceMemoryView *self, guint moment);
/* Bands that were freed long after their last use, by bytes and time, the worst first. (transfer
 * full) (element-type guint) */
GArray *sluice_memory_view_dup_late (const SluiceMemoryView *self);

/* ---- addresses ---- */

typedef struct
{
  guint64 offset; /* in the pool: what lies between places of the system is left out */
  gsize bytes;
  guint band; /* SLUICE_BAND_NONE: free */
} SluiceMemoryPiece;

typedef struct
{
  GArray *pieces; /* of SluiceMemoryPiece, by offset */
  gsize pool, live, free, largest;
  gsize rounding; /* in places that are in use, beyond what was asked for */
  guint n_holes;
} SluiceMemoryMap;

SluiceMemoryMap *sluice_memory_view_make_map (const SluiceMemoryView *self, guint moment);
void sluice_memory_map_free (SluiceMemoryMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceMemoryMap, sluice_memory_map_free)
/* How much of what is free does not lie in the largest hole, 0 to 1. */
double sluice_memory_map_get_fragmentation (const SluiceMemoryMap *self);

/* ---- the stack ---- */

/* From a column on, until the next point of its shape, or the shape's end. */
typedef struct
{
  guint column;
  gsize base;
} SluiceMemoryPoint;

typedef struct
{
  guint band;
  guint first_point, n_points;
  guint end; /* the first column without it */
} SluiceMemoryShape;

typedef struct
{
  gint64 from, to;
  guint n_columns;
  GArray *shapes;         /* of SluiceMemoryShape */
  GArray *points;         /* of SluiceMemoryPoint */
  guint *moments;         /* by column: the one in it at which most is live */
  gsize *live, *reserved; /* by column, at that moment; reserved: the most in it */
} SluiceMemoryLayout;

/* The stack between two times: what is live in a column at the moment at which most is. */
SluiceMemoryLayout *
sluice_memory_view_lay_out (const SluiceMemoryView *self, gint64 from, gint64 to, guint n_columns);
void sluice_memory_layout_free (SluiceMemoryLayout *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceMemoryLayout, sluice_memory_layout_free)
/* The band at a height; SLUICE_BAND_NONE: none */
guint sluice_memory_layout_find (const SluiceMemoryLayout *self,
                                 const SluiceMemoryView *view,
                                 guint column,
                                 gsize height);

/* ---- over steps ---- */

typedef struct
{
  SluiceOwner owner;
  gsize first, last; /* bytes behind the first and the last of the steps */
  guint band;        /* the largest of the last one */
} SluiceMemoryGrowth;

/* Owners that have more behind each of the steps than behind the one before, the fastest first;
 * views: at least three, of one device, in their order. (transfer full) (element-type
 * SluiceMemoryGrowth) */
GArray *sluice_memory_find_growth (SluiceMemoryView *const *views, guint n);
