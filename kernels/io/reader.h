/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/io/records.h"
#include "kernels/queue/queue.h"

/*
 * A reader: takes names of files out of a queue and gives their records. Calls are served in the
 * order they came; one that has to wait for a name holds no thread.
 */
typedef struct _SluiceReader SluiceReader;
extern const SluiceResourceType sluice_reader_type;

SluiceReader *sluice_reader_new (const char *name, const SluiceRecordSpec *spec);

/* Records into the call's outputs 0 (keys) and 1 (values), then done. max below 0: one, as scalars;
 * else up to so many, as vectors: fewer at the end of a file. */
void
sluice_reader_read (SluiceReader *self, SluiceQueue *queue, SluiceKernelCall *call, gint64 max);
/* The call, if it still waits, ends soon. */
void sluice_reader_cancel (SluiceReader *self, SluiceKernelCall *call);
/* What a call waits for, of a queue. (transfer full) (nullable): it does not wait */
char *sluice_reader_describe_wait (SluiceReader *self, SluiceKernelCall *call);

typedef struct
{
  gint64 n_started, n_finished; /* files */
  gint64 n_records;
  GString *work; /* (nullable): name of the file */
} SluiceReaderState;
void sluice_reader_state_clear (SluiceReaderState *self);
void sluice_reader_get_state (SluiceReader *self, SluiceReaderState *state); /* clear it */
/* NULL: back to the beginning. A file that is being read is left. */
void sluice_reader_set_state (SluiceReader *self, const SluiceReaderState *state);
/* Is that all that there is to a reader's state? Not where it stands inside a file. */
gboolean sluice_reader_can_save (const SluiceReader *self);
