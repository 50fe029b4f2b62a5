/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/*
 * Functions of the graph that kernels call: what a dataset does with each of its elements. Made
 * ready once and called any number of times, also after the run that made it ready. The session
 * fills this in (engine/runtime/session/executable-function.c).
 */
typedef struct _SluiceFunction SluiceFunction;

/* One call. Lives from start until it has called done. */
typedef struct _SluiceFunctionCall SluiceFunctionCall;
struct _SluiceFunctionCall
{
  SluiceTensor *const *inputs; /* borrowed until done */
  SluiceTensor **outputs;      /* as many as the function has, one reference each; none where it
                                  failed */
  GError *error;               /* names the node of the body */
  void (*done) (SluiceFunctionCall *call); /* once, from any thread; start may not have returned */
  gpointer running;                        /* the session's, as the next */
  gboolean is_cancelled;                   /* FALSE at first */
};

typedef struct
{
  /* Does not wait: on this thread it goes on as far as the body does, elsewhere it returns at
   * once. n_inputs: what the inputs hold. The caller is the kernel call on whose behalf it runs;
   * it may end first. */
  void (*start) (SluiceFunction *self,
                 SluiceFunctionCall *call,
                 guint n_inputs,
                 SluiceKernelCall *caller,
                 gboolean elsewhere);
  /* From any thread while the call's memory is there, also before start: it ends soon, with
   * CANCELLED. */
  void (*cancel) (SluiceFunction *self, SluiceFunctionCall *call);
  /* What the body waits for, as SluiceKernel.describe_wait; NULL: it does not wait. */
  char *(*describe_wait) (SluiceFunction *self, SluiceFunctionCall *call, SluiceKernelCall *caller);
  void (*finalize) (SluiceFunction *self);
} SluiceFunctionClass;

struct _SluiceFunction
{
  const SluiceFunctionClass *klass;
  _Atomic int ref_count;
  guint n_outputs;
  const SluiceDType *output_types;
  /* Neither reads nor changes state: calls may run at once and ahead of time, and nobody can tell.
   */
  gboolean is_pure;
};

static inline SluiceFunction *
sluice_function_ref (SluiceFunction *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

static inline void
sluice_function_unref (SluiceFunction *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) == 1)
    self->klass->finalize (self);
}

/* Who makes functions ready, of a session. */
struct _SluiceFunctions
{
  /* That of an attribute of a node of the session's graph. (transfer full) (nullable): NOT_FOUND,
   * INVALID_ARGUMENT, and whatever a body can be wrong in. */
  SluiceFunction *(*get) (SluiceFunctions *self,
                          const SluiceNode *node,
                          const char *attr,
                          GError **error);
};

/* The function in an attribute of the call's node. (transfer full) (nullable): call->error is set
 */
SluiceFunction *sluice_call_dup_function (SluiceKernelCall *call, const char *attr);
