/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/error.h"
#include "engine/base/tensor.h"

/*
 * What lies in the memory of a device with a limit, and what has left it for the host's. White
 * paper, section 3.2: a device with too little memory goes on, as long as it holds what one kernel
 * needs at once.
 *
 * An allocation that finds no room moves what was used the longest time ago, from whatever thread
 * it is asked; what the kernel that runs uses stays. Before a kernel runs, what it uses comes back.
 * A buffer keeps its addresses, so that headers and views hold wherever it is.
 *
 * Nobody waits for what waits for him: threads that compute or allocate wait for the queues that
 * copy, and those for no one but a copy that goes on.
 */

/* One buffer on its way. */
typedef struct
{
  void *there; /* in the device's memory */
  void *here;  /* in the host's */
  gsize bytes;
  gboolean ok; /* (out) */
} SluiceBlockMove;

/* Copies, out of the device or back, and returns when all of it is done. */
typedef void (*SluiceMover) (gpointer device, SluiceBlockMove *moves, guint n, gboolean is_out);

/* Of an allocator, which takes it: of memory that can be vacated. name: of the device, short */
SluiceResidency *sluice_residency_new (SluiceAllocator *allocator,
                                       const char *name,
                                       SluiceMover mover,
                                       gpointer device);
/* The device goes: nothing moves any more. What it has moved can be dropped, and no more. */
void sluice_residency_close (SluiceResidency *self);
void sluice_residency_free (SluiceResidency *self);

/* ---- for who computes: one kernel at a time ---- */

void sluice_residency_begin (SluiceResidency *self);
/**
 * sluice_residency_need:
 * @tensors: (array length=n): those that are far come back, and stay until the kernel's end
 *
 * Returns: %FALSE with RESOURCE_EXHAUSTED where all of it and what the kernel uses besides does not
 * fit, or UNAVAILABLE where it could not be copied; none of it is lost
 */
gboolean sluice_residency_need (SluiceResidency *self,
                                SluiceTensor *const *tensors,
                                guint n,
                                GError **error);
void sluice_residency_end (SluiceResidency *self);

/* What this thread allocates from now on is for a copy to come and no kernel uses it yet: it may
 * leave at once, and waits for the kernel that runs where that has all the memory. Not from a
 * kernel or under a lock that one takes. Calls do not nest. */
void sluice_residency_begin_waiting (void);
void sluice_residency_end_waiting (void);

/* An allocation would pass the limit: FALSE: nothing is left to move. */
gboolean sluice_residency_make_room (SluiceResidency *self, gsize bytes);
/* Bytes that the kernel uses for which there was no room. */
gsize sluice_residency_get_needed (SluiceResidency *self);
/* What a message about too little memory says of it. (transfer full) (nullable): nothing */
char *sluice_residency_describe (SluiceResidency *self);

/* ---- for who copies, in a queue ---- */

typedef enum
{
  SLUICE_PIN_READ,
  SLUICE_PIN_WRITE
} SluicePinKind;

/**
 * sluice_residency_pin:
 * @tensor: a far one
 *
 * It stays where it is until it is unpinned, as soon as the copy is done.
 *
 * Returns: (nullable): where the tensor's elements lie in host memory; %NULL: on the device
 */
void *sluice_residency_pin (const SluiceTensor *tensor, SluicePinKind kind);
void sluice_residency_unpin (const SluiceTensor *tensor);

/* It is in the host's memory, or on its way. */
gboolean sluice_residency_is_away (const SluiceBuffer *buffer);

/* ---- for tensor.c ---- */

#define SLUICE_RESIDENT_BYTES 128 /* of a buffer's record with what is kept of it here */
/* From before a block is taken until its buffer is added, or there is none: end_take(). */
void sluice_residency_begin_take (SluiceResidency *self);
void sluice_residency_end_take (SluiceResidency *self);
void sluice_residency_add (SluiceResidency *self, SluiceBuffer *buffer);
/* Nobody uses the buffer any more. FALSE: its block and its record go when it has moved. */
gboolean sluice_residency_remove (SluiceBuffer *buffer);

typedef struct
{
  guint64 n_out, n_back;         /* buffers that moved, ever */
  guint64 bytes_out, bytes_back; /* ever: out, and back */
  gsize bytes_away;              /* in the host's memory now */
  gsize most_at_once;            /* the most that one kernel used */
  guint64 n_failed;              /* buffers that could not be moved out, ever */
} SluiceResidencyStats;
void sluice_residency_get_stats (SluiceResidency *self, SluiceResidencyStats *stats);
