/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/span-column.h"

/*
 * The file: a head; blocks, each with a head of its own, where eight divides; a foot. Numbers are
 * little-endian. Blocks: one of names; pages of columns, so many as there are pages, for a file cut
 * short; of rows the order of their spans; levels above them; the index, which says where all of
 * these lie. A reader passes over kinds that it does not know.
 */
#define SLUICE_OWN_MAGIC   0x4543415254554c53ull /* "SLUTRACE" */
#define SLUICE_OWN_VERSION 1
#define SLUICE_OWN_NONE    G_MAXUINT32 /* no text */
#define SLUICE_OWN_COLUMNS 8           /* as SLUICE_VIEW_COLUMNS() */

typedef enum
{
  SLUICE_OWN_NAMES = 1,
  SLUICE_OWN_SPANS,
  SLUICE_OWN_ORDER,
  SLUICE_OWN_LEVEL,
  SLUICE_OWN_INDEX,
  SLUICE_OWN_BESIDE, /* counters, marks and flows; behind the names */
} SluiceOwnKind;

typedef struct
{
  guint64 magic;
  guint32 version, zero;
  gint64 start;    /* what times count from, in microseconds since 1970 */
  guint64 n_spans; /* of the whole file */
} SluiceOwnHead;

/* In front of a block. SPANS: entries of all columns, then their pages. */
typedef struct
{
  guint32 kind;
  guint32 crc;    /* of what is summed */
  guint64 length; /* without this head */
  guint64 summed; /* so many bytes of it: pages have sums of their own */
  guint32 zero;
  guint32 head_crc; /* of this head up to here */
} SluiceOwnBlock;

typedef struct
{
  guint64 magic;
  guint64 index; /* where its block begins */
  guint32 zero;
  guint32 crc; /* of this foot up to here */
} SluiceOwnFoot;

/* Of a lane, in the index: followed by its rows, each with its count, its entries, its levels. */
typedef struct
{
  gint64 begin, end, busy;
  guint64 n_spans;
  guint32 n_rows, zero;
} SluiceOwnLane;

typedef struct
{
  guint32 name, op, frame; /* texts */
  guint32 lane, kind, zero;
  guint64 bytes_in, bytes_out;
} SluiceOwnTitle;
