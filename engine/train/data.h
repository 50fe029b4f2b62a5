/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"
#include "engine/train/project.h"

/* One split of a data set in memory, as the files have it: x [n, ...] and y [n, ...] of any plain
 * dtype. */
typedef struct
{
  SluiceTensor *x, *y;
  gint64 n;
} SluiceExamples;

/**
 * sluice_examples_load:
 * @test: the held-out split instead of the training one
 *
 * IDX (plain or .gz), CSV (numbers, with or without a heading; x and y in two files, or y as a
 * column), NumPy .npy, and .npz as "file.npz:member", the bytes of a text (plain or .gz). The
 * project's shape is applied to each example of x. Without a file for y the one of x is a sequence:
 * examples are its successive parts of the project's shape, y what follows each element.
 *
 * Returns: (transfer full): %NULL with NOT_FOUND, DATA_LOSS or INVALID_ARGUMENT naming the file,
 * what it holds and what was wanted
 */
SluiceExamples *sluice_examples_load (const SluiceProject *project, gboolean test, GError **error);
/**
 * sluice_examples_load_all:
 * @train: (out) (nullable): %NULL where batches come out of the graph
 * @test: (out) (nullable): %NULL where nothing is evaluated on examples
 *
 * Returns: %FALSE with an error; what was loaded is set even so
 */
gboolean sluice_examples_load_all (const SluiceProject *project,
                                   SluiceExamples **train,
                                   SluiceExamples **test,
                                   GError **error);
void sluice_examples_free (SluiceExamples *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceExamples, sluice_examples_free)

/**
 * sluice_examples_gather:
 * @rows: (array length=n): which examples, in order
 * @dtype: of the result; values are multiplied by @scale
 *
 * Returns: (transfer full): [n, ...] of @values, one of the split's tensors
 */
SluiceTensor *sluice_examples_gather (
    const SluiceTensor *values, const gint64 *rows, gint64 n, SluiceDType dtype, double scale);

/* Element i as a double; of any dtype that a file's tensor has. */
double sluice_examples_get_value (const SluiceTensor *values, gint64 i);

/* Readers of one file each; fuzzed. bytes: decompressed. name: for messages. */
SluiceTensor *
sluice_idx_parse (const guint8 *bytes, gsize length, const char *name, GError **error);
SluiceTensor *
sluice_npy_parse (const guint8 *bytes, gsize length, const char *name, GError **error);
/* [rows, columns] of double; names of the columns where the first line is a heading. */
SluiceTensor *
sluice_csv_parse (const char *bytes, gsize length, const char *name, char ***names, GError **error);
/* The bytes of a member of a zip archive, inflated. */
GBytes *sluice_npz_read (
    const guint8 *bytes, gsize length, const char *member, const char *name, GError **error);
/* The names of all members, without ".npy": (transfer full) (element-type utf8) (nullable). */
GPtrArray *sluice_npz_list (const guint8 *bytes, gsize length, const char *name, GError **error);

/*
 * Batches of a split, for ever: examples in file order or in an order drawn anew each epoch from
 * (seed, epoch); a batch may span two epochs, so all have the same size. Where the next batch
 * begins is all of the state.
 */
typedef struct
{
  gint64 epoch, position;
} SluiceDataCursor;

typedef struct
{
  SluiceTensor *x, *y;
  SluiceDataCursor next; /* where the batch after this one begins */
} SluiceDataBatch;
void sluice_data_batch_free (SluiceDataBatch *self);

/* order: (out caller-allocates) (array length=n): the examples of an epoch. A function of (seed,
 * epoch) alone, so that a cursor is all that a resumed run needs. */
void sluice_data_make_order (gint64 *order, gint64 n, gboolean shuffle, guint64 seed, gint64 epoch);

/* Makes batches on a thread of its own, a few ahead, but where they need little copying; examples
 * in file order and of the wanted types are not copied at all. One thread at a time asks. Borrows
 * examples. NULL with RESOURCE_EXHAUSTED: there is no thread for it. */
typedef struct _SluiceDataBatches SluiceDataBatches;
SluiceDataBatches *sluice_data_batches_new (const SluiceExamples *examples,
                                            gint64 size,
                                            gboolean shuffle,
                                            guint64 seed,
                                            SluiceDType x_dtype,
                                            SluiceDType y_dtype,
                                            double scale,
                                            SluiceDataCursor start,
                                            GError **error);
SluiceDataBatch *sluice_data_batches_next (SluiceDataBatches *self); /* (transfer full) */
/* The one that comes then, where it is there without waiting for it. (transfer none) (nullable) */
const SluiceDataBatch *sluice_data_batches_peek (SluiceDataBatches *self);
void sluice_data_batches_free (SluiceDataBatches *self);
