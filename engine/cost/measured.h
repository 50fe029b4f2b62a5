/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/sketch.h"
#include "engine/cost/cost-key.h"
#include "engine/device/device.h"

/*
 * What was measured of nodes and links of one machine: by what a node's time depends on
 * (cost-key.h) and its device, in a bounded number of entries. train/measured-file.h keeps it over
 * runs, train/measuring.h fills it from a session that runs. One thread at a time.
 *
 * A kernel that runs several nodes says only what all of them took: its time is divided among them
 * as the formulas of their ops would have it, and counts apart from what they take alone. A node of
 * the step that no kernel ran (folded, handed on, kept by another plan) counts as not run.
 */
typedef struct _SluiceMeasured SluiceMeasured;

typedef enum
{
  SLUICE_MEASURED_ALONE,
  /* Its share of a kernel that ran others too, and of what passed before that. */
  SLUICE_MEASURED_TOGETHER,
  SLUICE_MEASURED_NOT_RUN,
  SLUICE_N_MEASURED,
} SluiceMeasuredHow;

/* The most entries; what was not measured for longest goes. */
#define SLUICE_MEASURED_MOST 8192

typedef struct _SluiceMeasuredEntry SluiceMeasuredEntry;

typedef struct
{
  double us;         /* the median of how it mostly ran */
  double plus_minus; /* nine of ten samples lie within, of however it ran */
  double p95;
  guint64 n;       /* samples; 0: there is nothing */
  SluiceCost cost; /* of the entry */
  double mean_us;  /* of how it mostly ran, but for the largest twentieth: what sums are made of */
  SluiceMeasuredHow how; /* it mostly ran */
} SluiceMeasuredFigure;

SluiceMeasured *sluice_measured_new (void);
void sluice_measured_free (SluiceMeasured *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceMeasured, sluice_measured_free)

/* What the session asks of devices that are not the CPU (SIM's speed): figures of others are not
 * theirs. (nullable) */
void sluice_measured_set_options (SluiceMeasured *self, const char *device_options);

/* Where figures of a device are kept, borrowed until the next call: all CPUs are one. name: full or
 * short */
const char *sluice_measured_name_device (SluiceMeasured *self, const char *name);

/* The entry to add to, made where there is none; it lives until sluice_measured_trim(). */
SluiceMeasuredEntry *
sluice_measured_open (SluiceMeasured *self, const char *device, const SluiceCostKey *key);
/* Samples of the same time; of NOT_RUN the time is not read. */
void sluice_measured_entry_add (SluiceMeasuredEntry *entry,
                                SluiceMeasuredHow how,
                                double ns,
                                guint32 times);
/* (nullable): nothing is known of exactly this */
const SluiceMeasuredEntry *
sluice_measured_find (SluiceMeasured *self, const char *device, const SluiceCostKey *key);
/* The same op on other shapes: of those that have run the one whose cost is nearest by factor.
 * (nullable) */
const SluiceMeasuredEntry *
sluice_measured_find_near (SluiceMeasured *self, const char *device, const SluiceCostKey *key);
void sluice_measured_entry_get (const SluiceMeasuredEntry *entry, SluiceMeasuredFigure *figure);

/* ---- links ---- */

/* Of a copy from device to device, by their short names, without what it waited. */
void sluice_measured_add_transfer (
    SluiceMeasured *self, const char *from, const char *to, double bytes, double ns);

typedef struct
{
  double latency_us;
  double bytes_per_us; /* INFINITY: larger values took no longer */
  double residual;     /* of a size's median from the line, as part of it: the root of the mean
                          square */
  double wait_us;      /* until it begins, though nothing is in its way: its thread has to wake */
  guint64 n;
} SluiceMeasuredLink;

/* The line through the medians of all sizes. FALSE: nothing was measured there, nor between others
 * of these types */
gboolean sluice_measured_get_link (SluiceMeasured *self,
                                   const char *from,
                                   const char *to,
                                   SluiceMeasuredLink *link);

/* What a value waits before its copy begins, though nothing is in its way. */
void sluice_measured_add_wait (SluiceMeasured *self, const char *from, const char *to, double ns);

/* ---- overheads ---- */

/* Of a device, what is neither a node's time nor a transfer's. */
typedef enum
{
  /* From the end of a node to the beginning of the next on the same thread, or in the same queue,
   * where that one could have begun. */
  SLUICE_OVERHEAD_BETWEEN,
  /* Of a queue: from when a node could run until it begins, where the queue was empty. */
  SLUICE_OVERHEAD_WAKE,
  /* Of a queue: what the host takes to give it a node. */
  SLUICE_OVERHEAD_GIVE,
  /* Of a queue: from the end of what it did until the host, which waited for it, goes on. */
  SLUICE_OVERHEAD_NEWS,
  SLUICE_N_OVERHEADS,
} SluiceOverhead;

SluiceMeasuredEntry *
sluice_measured_open_overhead (SluiceMeasured *self, const char *device, SluiceOverhead overhead);
/* n is 0: not measured */
void sluice_measured_get_overhead (SluiceMeasured *self,
                                   const char *device,
                                   SluiceOverhead overhead,
                                   SluiceMeasuredFigure *figure);

/* ---- loops ---- */

/* How often a step goes round a loop. */
void
sluice_measured_add_rounds (SluiceMeasured *self, const char *device, const char *loop, guint n);
/* 1: not measured */
double sluice_measured_get_rounds (SluiceMeasured *self, const char *device, const char *loop);

/* ---- predictions ---- */

/* A step was predicted by this table, and then took so long. */
void sluice_measured_add_prediction (SluiceMeasured *self, double predicted_us, double us);
/* The part of them that nine of ten predictions were off at most; NAN: none was held to a step */
double sluice_measured_get_off (SluiceMeasured *self);

/* ---- keeping ---- */

guint sluice_measured_get_n (const SluiceMeasured *self);
/* Adds what the other has since it was kept last; drops what is too much. */
void sluice_measured_merge_fresh (SluiceMeasured *self, const SluiceMeasured *other);
/* All of it is kept: nothing is fresh. */
void sluice_measured_set_kept (SluiceMeasured *self);
gboolean sluice_measured_has_fresh (const SluiceMeasured *self);
/* Keeps the most entries; handles end. */
void sluice_measured_trim (SluiceMeasured *self);

void sluice_measured_append_text (const SluiceMeasured *self, GString *text);
/* Adds what a text says, which is kept already. DATA_LOSS: with the line; nothing was added then */
gboolean
sluice_measured_add_text (SluiceMeasured *self, const char *text, gsize length, GError **error);
