/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Reads the records of an event file, plain or of gzip, which another program may still be writing:
 * what is not whole yet is read later. Offsets are those of the unpacked bytes.
 */
typedef struct _SluiceEventReader SluiceEventReader;

typedef enum
{
  SLUICE_EVENTS_FAILED = -1, /* error is set */
  SLUICE_EVENTS_END,         /* nothing is left, so far */
  SLUICE_EVENTS_TORN,        /* the file ends within a record, so far */
  SLUICE_EVENTS_DAMAGED, /* sluice_event_reader_get_damage(): where the next record begins is not
                            known, or this one is not what was written. Reading on says the same
                            again */
  SLUICE_EVENTS_ONE,
} SluiceEventsResult;

/* What is no regular file fails, as sluice_read_file() has it. */
SluiceEventReader *sluice_event_reader_open (const char *path, GError **error);
void sluice_event_reader_free (SluiceEventReader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceEventReader, sluice_event_reader_free)

/* Without: the checksums of data are believed. Those of lengths never are. */
void sluice_event_reader_set_checks (SluiceEventReader *self, gboolean checks);

/* data: (out): what the record holds; stays until the next call. */
SluiceEventsResult sluice_event_reader_next (SluiceEventReader *self,
                                             const guint8 **data,
                                             gsize *length,
                                             GError **error);

/* Where the next record begins, or would. */
guint64 sluice_event_reader_get_offset (const SluiceEventReader *self);
/* Of the file as it lies there, packed: how far it was read. For progress. */
guint64 sluice_event_reader_get_position (const SluiceEventReader *self);
/* In words, translatable with _(); of the last call that said DAMAGED. */
const char *sluice_event_reader_get_damage (const SluiceEventReader *self);

/* A number that a file which begins otherwise, or has other bytes before this offset, hardly has.
 */
guint32 sluice_event_reader_get_mark (const SluiceEventReader *self);
/**
 * sluice_event_reader_resume:
 * @offset: that sluice_event_reader_get_offset() gave
 * @mark: that sluice_event_reader_get_mark() gave then
 *
 * On a reader that has read nothing.
 *
 * Returns: SLUICE_EVENTS_ONE when the next record is the one there; SLUICE_EVENTS_END when it is
 * another file, or a shorter one: open it again to read it from its beginning
 */
SluiceEventsResult
sluice_event_reader_resume (SluiceEventReader *self, guint64 offset, guint32 mark, GError **error);
