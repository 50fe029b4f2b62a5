/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/pool.h"
#include "engine/base/visibility.h"
#include "engine/device/device.h"
#include "engine/device/resource.h"
#include "engine/graph/graph.h"

SLUICE_PUBLIC_BEGIN

/*
 * What travels along an edge: a tensor, or on a reference edge the variable itself. Which of the
 * two is static: the dtype of the edge.
 */
typedef union
{
  SluiceTensor *tensor;
  SluiceVariable *ref;
} SluiceValue;

typedef struct _SluiceKernel SluiceKernel;
typedef struct _SluiceKernelCall SluiceKernelCall;
typedef struct _SluicePartProducer SluicePartProducer;
typedef struct _SluiceStep SluiceStep;           /* runtime: what belongs to one run of a session */
typedef struct _SluiceFunctions SluiceFunctions; /* function.h */
typedef struct _SluiceRendezvous SluiceRendezvous; /* rendezvous.h */

/* A kernel that waits calls this once, from any thread; the call's outputs or error are then set.
 */
typedef void (*SluiceKernelDone) (SluiceKernelCall *call);

/*
 * One execution of a kernel. Lives from the call until it returns (compute) or has called done
 * (start).
 *
 * Inputs are borrowed. A kernel may write into an input only where sluice_call_can_reuse() says so.
 * Outputs: exactly one reference each, by sluice_call_output(), sluice_call_reuse() or
 * sluice_call_take_output(); an output left unset is an INTERNAL error, unless the kernel is
 * flagged MAY_LEAVE_DEAD (Switch, Merge).
 */
struct _SluiceKernelCall
{
  const SluiceNode
      *node; /* the origin: for messages and names; attributes are read in prepare, not here */
  const SluiceKernel *kernel;
  gpointer state; /* of prepare; shared by concurrent calls of the node */
  SluiceValue *inputs;
  SluiceValue *outputs;
  guint16 n_inputs, n_outputs;
  const guint8 *output_dtypes; /* as the node has them, but close at hand; NULL: ask the node */
  gboolean is_dead;            /* only _Send and _Recv are called when dead */
  SluiceDevice *device;
  SluiceResources *resources;      /* of the session */
  SluiceResources *step_resources; /* of the run: they go when it ends. NULL outside of a run */
  SluiceFunctions *functions;      /* of the session. NULL outside of a run */
  SluiceStep *step;
  const _Atomic int *cancelled; /* non-zero: give up soon. Long kernels look between chunks */
  guint64 frame, iteration;
  SluiceOwner owner;                  /* of what the call allocates */
  guint64 run_seed;                   /* seeds random nodes that have none of their own */
  SluiceKernelDone done;              /* of asynchronous kernels */
  GError *error;                      /* set by sluice_call_fail() */
  const SluicePartProducer *producer; /* (nullable): makes an input that is not there */
  SluiceRendezvous *rendezvous;       /* (nullable): where _Send and _Recv of the run meet, */
  guint64 epoch;                      /* and of which epoch there they are */
};

/*
 * A large value that only one kernel reads is best used while it is made: its kernel hands it over
 * in parts, each while it is in the first or second cache, and the whole is never in memory
 * (engine/passes/fuse-consumers.c).
 */
typedef struct
{
  /* Once, before the first part. FALSE: the value is refused; the consumer has set its error.
   * room: (out) (nullable) (transfer none): where the whole value may lie, until it is consumed;
   * else the producer makes parts in memory of its own. */
  gboolean (*begin) (gpointer data, const SluiceShape *shape, SluiceTensor **room);
  /* n elements, the first of which is number `first`: whole rows of the last dimension. On any
   * thread; each element comes once. */
  void (*consume) (gpointer data, gint64 first, gint64 n, const void *elements);
  gpointer data;
} SluicePartConsumer;

struct _SluicePartProducer
{
  SluiceDType dtype; /* of the value */
  guint input;       /* of the consumer, which the value is */
  /* FALSE: the error of the consumer's call is set. */
  gboolean (*produce) (const SluicePartProducer *self,
                       SluiceKernelCall *consumer_call,
                       const SluicePartConsumer *consumer);
};

/*
 * How an element-wise kernel makes a strip of its output, for fusion: element i of it depends on
 * element i of the operands only, and has the bits that compute gives.
 */
typedef struct _SluiceStrip SluiceStrip;
#define SLUICE_STRIP_OPERANDS 2  /* at most */
#define SLUICE_STRIP_LINKS    16 /* of a chain at most */

/* One of several strips in a row: what it does to the value that the one before it gives. */
typedef struct
{
  const SluiceStrip *strip;
  guint position;    /* the operand that the value is */
  const void *other; /* the other operand */
  gboolean is_single;
} SluiceStripLink;

/* All of them at once, without a strip in memory between one and the next. out may be an operand.
 */
typedef void (*SluiceStripChain) (
    const SluiceStripLink *links, guint n_links, gint64 n, const void *value, void *out);

struct _SluiceStrip
{
  /* Bit k of single: operand k is one element that stands for all, for one operand at most. out may
   * be an operand, where the elements are of one size. */
  void (*run) (
      const SluiceStrip *self, gint64 n, const void *const *operands, guint single, void *out);
  void (*loop) (void); /* of the kernel's; so are the next two */
  guint n_operands;
  float alpha;
  double ns;              /* an element, about */
  gboolean one_shape;     /* refuses operands of one element that stand for all */
  gboolean adds_rows;     /* operand 1 is a vector along the last dimension of operand 0 */
  SluiceStripChain chain; /* (nullable): of two operands, and so is all that has the same chain */
  guint chain_op;         /* the kernel's own */
};

/* Of the operands. A reference that comes from another device comes as a value. */
static inline SluiceDType
sluice_strip_dtype (const SluiceNode *node)
{
  return sluice_dtype_base (sluice_edge_dtype (node->inputs[0]));
}

typedef enum
{
  SLUICE_KERNEL_CHEAP = 1 << 0, /* always well under a microsecond: never worth another thread */
  SLUICE_KERNEL_ASYNC = 1 << 1, /* start; compute, where there is one, only tries */
  SLUICE_KERNEL_MAY_LEAVE_DEAD = 1 << 2,  /* an output left unset is dead */
  SLUICE_KERNEL_RUNS_DEAD = 1 << 3,       /* is called although an input is dead */
  SLUICE_KERNEL_KEEPS_DENORMALS = 1 << 4, /* moves data: indifferent to the flushing mode */
  SLUICE_KERNEL_WAITS_FOR_SWAP = 1
                                 << 5, /* with ASYNC: for nothing else, so a queue may wait, too */
} SluiceKernelFlags;

struct _SluiceKernel
{
  const char *op;     /* name in the registry */
  const char *device; /* type: "CPU" */
  /* Constraints on type attributes: "T" and the set it may be of. Unused entries have name NULL. */
  struct
  {
    const char *attr;
    SluiceDTypeSet types;
  } where[3];
  int rank;    /* highest that accepts wins; 0 is the plain reference kernel, which can be forced */
  guint flags; /* SluiceKernelFlags */
  guint32 host_inputs,
      host_outputs; /* bits: inputs and outputs that lie in host memory on a device with its own;
                       the last bit stands for all that follow, too */

  /* Attributes are parsed here, once a plan; NULL: no state. The result is freed with free_state.
   */
  gpointer (*prepare) (const SluiceNode *node, GError **error);
  void (*free_state) (gpointer state);
  /* May refuse a node that the constraints allow (a data_format, a rank): the next kernel is asked.
   * NULL: accepts */
  gboolean (*accepts) (const SluiceNode *node);
  /* FALSE: call->error is set. Of an asynchronous kernel, nullable: tried first; FALSE without an
   * error where it has to wait, and nothing was done; start is called then. */
  gboolean (*compute) (SluiceKernelCall *call);
  void (*start) (SluiceKernelCall *call);
  /* Of an asynchronous kernel, nullable: the step ends early while the call waits; the kernel calls
   * done soon. From any thread, possibly while start still runs. Without it the kernel looks at
   * call->cancelled. */
  void (*cancel) (SluiceKernelCall *call);
  /* Of an asynchronous kernel, nullable: what the call waits for and who could bring it, in words
   * that follow "waits for"; for a step that cannot go on. NULL: it does not wait. The graph does
   * not change meanwhile. (transfer full) */
  char *(*describe_wait) (SluiceKernelCall *call);
  /* Nullable: a step that has the node failed; who waits for what the node brings should hear why.
   * After the step. */
  void (*step_failed) (const SluiceNode *node, SluiceResources *resources, const GError *error);
  /* Nullable: the kernel is element-wise. FALSE: not for the types of this node. */
  gboolean (*strip) (const SluiceKernel *self, const SluiceNode *node, SluiceStrip *strip);
  /* Nullable, of one output: instead of compute, hands it to the consumer in parts that have the
   * bits that compute gives. FALSE: call->error is set, or the consumer refused. */
  gboolean (*produce) (SluiceKernelCall *call, const SluicePartConsumer *consumer);
  guint consumed; /* 1 + the input that may come in parts, from call->producer; 0: none */
  gpointer data;  /* for tables of kernels that share one function */
};

/* What a source file of kernels/ exports: ops, kernels, or both. Named after its path:
 * kernels/registry.h. */
typedef struct
{
  const SluiceOpDef *const *ops; /* (nullable) */
  guint n_ops;
  const SluiceKernel *kernels; /* (nullable) */
  guint n_kernels;
  /* More tables of the same, for files whose tables are made at start-up; called once, before the
   * ones above are read. */
  void (*init) (void);
} SluiceKernelModule;

/**
 * sluice_registry_init:
 * @modules: NULL-terminated
 *
 * Registers all of them, once; later calls do nothing. Before any other call of the engine.
 */
void sluice_registry_init (const SluiceKernelModule *const *modules);

/**
 * sluice_registry_add_modules:
 * @modules: NULL-terminated
 *
 * More of them, after sluice_registry_init() and before there is a graph: sluice_plugin_load().
 *
 * Returns: FALSE with what is wrong with a definition (op.h), or with a kernel: NOT_FOUND where its
 * op is not known, INVALID_ARGUMENT where it has no function
 */
gboolean sluice_registry_add_modules (const SluiceKernelModule *const *modules, GError **error);

/**
 * sluice_kernel_find:
 * @max_rank: G_MAXINT, or 0 to force the reference kernel
 *
 * Returns: (transfer none): the kernel of highest rank for the node; NULL with NOT_FOUND and the
 * list of those registered
 */
const SluiceKernel *
sluice_kernel_find (const SluiceNode *node, const char *device_type, int max_rank, GError **error);
/* The same for a node on a device of the class. On one with a queue and memory of its own stands
 * nothing that waits for others, or handles strings and variants. */
const SluiceKernel *sluice_device_class_find_kernel (const SluiceDeviceClass *klass,
                                                     const SluiceNode *node,
                                                     int max_rank,
                                                     GError **error);
/* All kernels of an op: `sluice ops`, tests. */
const SluiceKernel *const *sluice_kernel_list (const char *op, guint *n);

/* SLUICE_KERNEL=reference in the environment, or this, forces rank 0 everywhere. */
void sluice_kernel_force_reference (gboolean force);

/* ---- inside a kernel ---- */

/* Of a bit set of struct SluiceKernel. */
static inline gboolean
sluice_kernel_is_host (guint32 bits, guint i)
{
  return bits >> MIN (i, 31) & 1;
}

/* On a device with memory of its own: does output i lie in the host's? */
static inline gboolean
sluice_call_is_host_output (const SluiceKernelCall *call, guint i)
{
  return call->kernel != NULL && sluice_kernel_is_host (call->kernel->host_outputs, i);
}

static inline SluiceTensor *
sluice_call_input (SluiceKernelCall *call, guint i)
{
  return call->inputs[i].tensor;
}

/* Allocates output i. NULL: call->error is set (RESOURCE_EXHAUSTED). (transfer none) */
SluiceTensor *sluice_call_output (SluiceKernelCall *call, guint i, const SluiceShape *shape);
SluiceTensor *
sluice_call_scratch (SluiceKernelCall *call, SluiceDType dtype, const SluiceShape *shape);

/* Values that are neither inputs nor held by variables that are, and whose elements are to be read:
 * a device with too little memory may have moved them, and brings them back until the kernel's end.
 * FALSE: call->error is set */
gboolean sluice_call_need (SluiceKernelCall *call, SluiceTensor *const *values, guint n);

/* May the kernel write into input i, a value and no reference? Then nobody else sees its elements,
   now or later: what was read from a variable is held by the variable too. */
gboolean sluice_call_can_reuse (SluiceKernelCall *call, guint i);

/* Output i in the memory of input `from`, where that is allowed and dtype and size fit; else a new
 * one. */
SluiceTensor *
sluice_call_reuse (SluiceKernelCall *call, guint i, guint from, const SluiceShape *shape);

/* Input `from` itself, or other dimensions over its elements, becomes output i. */
void sluice_call_forward (SluiceKernelCall *call, guint i, guint from);
gboolean
sluice_call_forward_view (SluiceKernelCall *call, guint i, guint from, const SluiceShape *shape);
void sluice_call_take_output (SluiceKernelCall *call, guint i, SluiceTensor *take);

/* Sets the call's error to "Op 'name': message"; returns FALSE. */
gboolean sluice_call_fail (SluiceKernelCall *call, SluiceError code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* The same with the error of something that the call used. (transfer full) take */
gboolean sluice_call_fail_with (SluiceKernelCall *call, GError *take);
/* Fails where input i has not that rank. */
gboolean sluice_call_want_rank (SluiceKernelCall *call, guint i, int rank);
gboolean sluice_call_want_scalar (SluiceKernelCall *call, guint i);

/* As sluice_pool_parallel_for(), but stops between chunks when cancelled (then FALSE with CANCELLED
 * set). */
gboolean sluice_call_parallel_for (SluiceKernelCall *call,
                                   gint64 n,
                                   gint64 grain,
                                   double unit_ns,
                                   SluiceRangeFunc func,
                                   gpointer data);

/* Hands over a value that is there as a whole; consumer->begin() has agreed. FALSE: cancelled. */
gboolean sluice_call_produce_whole (SluiceKernelCall *call,
                                    const SluicePartConsumer *consumer,
                                    const SluiceTensor *value);

/**
 * sluice_call_resource:
 * @make: makes the resource where there is none
 *
 * The session's resource of this node, by its name (attributes container and shared_name where the
 * op has them). (transfer full) (nullable): call->error is set
 */
SluiceResource *sluice_call_resource (SluiceKernelCall *call,
                                      const SluiceResourceType *type,
                                      SluiceResourceMake make,
                                      gpointer data);

/* SluiceKernel.prepare: the SluiceResourceKey under which sluice_call_resource() looks for the
 * node's resource, for kernels that do so in every step. */
gpointer sluice_resource_key_prepare (const SluiceNode *node, GError **error);

/* The object behind a resource handle at input i; checks its type. (transfer none) (nullable) */
SluiceResource *
sluice_call_handle (SluiceKernelCall *call, guint i, const SluiceResourceType *type);

SLUICE_PUBLIC_END
