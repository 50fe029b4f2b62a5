/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/input.h"
#include "kernels/io/io.h"

/* How the readers take records out of a file, one after the other. */
typedef enum
{
  SLUICE_RECORDS_TEXT_LINE,
  SLUICE_RECORDS_TFRECORD,
  SLUICE_RECORDS_FIXED_LENGTH,
  SLUICE_RECORDS_WHOLE_FILE,
  SLUICE_RECORDS_IDENTITY, /* the name itself; no file is touched */
} SluiceRecordFormat;

typedef struct
{
  SluiceRecordFormat format;
  SluiceEncoding encoding;
  gint64 skip_lines; /* of text */
  gint64 header_bytes, record_bytes, footer_bytes,
      hop_bytes; /* of fixed length; hop: to the next */
} SluiceRecordSpec;

/* A file that is being read. */
typedef struct
{
  SluiceRecordSpec spec;
  char *name;
  SluiceInput *input; /* (nullable) */
  gint64 number;      /* lines or records so far */
  GString *ahead;     /* of fixed length: what is read, from the last record on */
  GString *record;
} SluiceRecords;

void sluice_records_init (SluiceRecords *self, const SluiceRecordSpec *spec);
void sluice_records_clear (SluiceRecords *self);

/* Begins a file; the one before is closed. FALSE: NOT_FOUND and its like, PERMISSION_DENIED where
 * the session of the call may not read it. */
gboolean
sluice_records_open (SluiceRecords *self, SluiceKernelCall *call, const char *name, GError **error);
void sluice_records_close (SluiceRecords *self);

/**
 * sluice_records_read:
 * @key: what names the record: "FILE:NUMBER", replaced
 * @value: replaced
 * @is_last: set where no record follows, in the formats that know
 */
SluiceReadResult sluice_records_read (
    SluiceRecords *self, GString *key, GString *value, gboolean *is_last, GError **error);
