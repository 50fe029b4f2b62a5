/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "engine/store/kind-list.h"

/*
 * What a series can be made of. A kind is one file below kinds/ and one line in meson.build: the
 * enum, the table and every loop over kinds come from that list. Numbers are in databases: they
 * never change.
 */
typedef enum
{
#define SLUICE_KIND_NUMBER(NAME, name, number) SLUICE_SERIES_##NAME = number,
  SLUICE_KINDS (SLUICE_KIND_NUMBER)
#undef SLUICE_KIND_NUMBER
} SluiceSeriesKind;

/* One entry of the table: kind-private.h says what it holds. */
typedef struct _SluiceKind SluiceKind;

/* What a series has of one step: the first member of each kind's own struct. Immutable once it was
 * logged or read. */
typedef struct
{
  const SluiceKind *kind;
  gint64 step;
  double wall;    /* Unix seconds */
  gint64 segment; /* of the series: how often its steps began anew before, in an imported log */
} SluiceRecord;

void sluice_record_free (gpointer record);
/* Bytes of memory that it holds. */
gsize sluice_record_get_size (const SluiceRecord *record);
/**
 * sluice_record_dup_json:
 *
 * (transfer full): what it is a record of, step and wall time left out, as a JSON value. Numbers
 * that are not finite are the strings "NaN", "Infinity" and "-Infinity".
 */
char *sluice_record_dup_json (const SluiceRecord *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceRecord, sluice_record_free)

/* (nullable): a number that no kind has comes from a newer program or a damaged row. */
const SluiceKind *sluice_kind_get (int number);
const SluiceKind *sluice_kind_find (const char *name); /* (nullable): "pr-curve" */
const char *sluice_kind_get_name (const SluiceKind *kind);
SluiceSeriesKind sluice_kind_get_number (const SluiceKind *kind);
/* (transfer container): names, NULL-terminated, in the order of the table. */
const char **sluice_kind_list_names (void);
