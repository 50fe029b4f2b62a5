/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/*
 * A dataset says how elements, tuples of tensors, are made, one after the other; it never changes
 * and travels along edges as a variant. Going through it needs a cursor, which an iterator keeps
 * from step to step.
 */
typedef struct _SluiceDataset SluiceDataset;
typedef struct _SluiceCursor SluiceCursor;
typedef struct _SluiceDatasetPass SluiceDatasetPass; /* dataset-pass.h */

typedef enum
{
  SLUICE_NEXT_ONE,
  SLUICE_NEXT_END,
  SLUICE_NEXT_FAILED, /* error is set */
  SLUICE_NEXT_LATER,  /* not there yet: the pass is woken when it is worth another call */
} SluiceNext;

typedef struct
{
  gsize size;        /* of a dataset, which begins with SluiceDataset */
  gsize cursor_size; /* of a cursor, which begins with SluiceCursor; all zero at first */
  /* The next element: one reference each into `out`, as many as the dataset has components. The
   * call is the one that asks: its allocator, its cancellation; after LATER it may be another.
   * What a cursor has so far it keeps, also where the call is cancelled: the next one goes on from
   * there. Not called again after the end. */
  SluiceNext (*next) (SluiceCursor *self,
                      SluiceKernelCall *call,
                      SluiceTensor **out,
                      GError **error);
  void (*end) (SluiceCursor *self);    /* nullable: frees what a cursor holds */
  void (*clear) (SluiceDataset *self); /* nullable: frees what a dataset holds beside its inputs */
} SluiceDatasetClass;

struct _SluiceDataset
{
  SluiceResource parent;
  const SluiceDatasetClass *klass;
  char *name; /* of its node */
  guint n;    /* components */
  SluiceDType *types;
  guint n_inputs;
  SluiceDataset **inputs;
  /* No function of it, or of its inputs, touches state: elements may be made ahead of time. */
  gboolean is_pure;
};

struct _SluiceCursor
{
  SluiceDataset *dataset;  /* a reference */
  SluiceDatasetPass *pass; /* which has the cursor */
  gboolean is_at_end;
};

/**
 * sluice_dataset_new:
 * @types: (array length=n) (nullable): %NULL: to be filled in
 *
 * Returns: (transfer full): of klass->size, all zero behind the head
 */
SluiceDataset *sluice_dataset_new (const SluiceDatasetClass *klass,
                                   SluiceKernelCall *call,
                                   guint n,
                                   const SluiceDType *types);
/* The same over other datasets, with their components one behind the other. Input i of the call
 * and the n_inputs - 1 that follow. (transfer full) (nullable): call->error is set */
SluiceDataset *sluice_dataset_new_over (const SluiceDatasetClass *klass,
                                        SluiceKernelCall *call,
                                        guint i,
                                        guint n_inputs);

/* Of a dataset whose components are not those of its inputs. */
void sluice_dataset_set_types (SluiceDataset *self, guint n, const SluiceDType *types);

/* (transfer none) (nullable): call->error is set */
SluiceDataset *sluice_call_get_dataset (SluiceKernelCall *call, guint i);
/* The dataset becomes output 0. (transfer full) take; NULL: FALSE */
gboolean sluice_call_put_dataset (SluiceKernelCall *call, SluiceDataset *take);

SluiceCursor *sluice_cursor_new (SluiceDataset *dataset, SluiceDatasetPass *pass);
void sluice_cursor_free (SluiceCursor *self);
/* At the end it stays there. CANCELLED where the call is cancelled. */
SluiceNext
sluice_cursor_next (SluiceCursor *self, SluiceKernelCall *call, SluiceTensor **out, GError **error);

/* FALSE: the call is cancelled; CANCELLED. */
gboolean sluice_check_cancelled (const SluiceKernelCall *call, GError **error);

/* The dataset that a variant holds. (transfer none) (nullable): it holds something else */
SluiceDataset *sluice_tensor_get_dataset (const SluiceTensor *tensor);
/* n tensors, some of which may be there. */
void sluice_element_drop (SluiceTensor **element, guint n);

/* Did an element fail, and not the run that asked for it? What was to be put together with it is
 * lost then. */
static inline gboolean
sluice_next_has_failed (SluiceNext result, GError *const *error)
{
  return result == SLUICE_NEXT_FAILED
         && !g_error_matches (*error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
}

/* Input i as one int64. FALSE: call->error is set */
gboolean sluice_call_get_scalar (SluiceKernelCall *call, guint i, gint64 *value);

/* Shape rule: a dataset. */
#define SLUICE_DATASET_OP(id, op_name, op_signature, op_attrs, op_flags, text)                     \
  SLUICE_OP_DEF (id, op_name, op_signature, op_attrs "metadata: string = ''",                      \
                 op_flags | SLUICE_OP_NOT_DIFFERENTIABLE, sluice_shape_scalar, &recipe, text)
#define SLUICE_DATASET_TYPES "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; "
