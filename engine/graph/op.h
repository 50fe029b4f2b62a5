/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/visibility.h"
#include "engine/graph/attr.h"

SLUICE_PUBLIC_BEGIN

typedef struct _SluiceNode SluiceNode;
typedef struct _SluiceGraph SluiceGraph;
typedef struct _SluiceShapeContext SluiceShapeContext; /* graph/shape-context.h */
typedef struct _SluiceGradContext SluiceGradContext;   /* grad/grad.h */

/* What the engine must know of an op. It never asks for a name. */
typedef enum
{
  SLUICE_ROLE_NONE,
  SLUICE_ROLE_CONST,
  SLUICE_ROLE_PLACEHOLDER,
  SLUICE_ROLE_NO_OP,
  SLUICE_ROLE_IDENTITY,
  SLUICE_ROLE_ADD_N,
  SLUICE_ROLE_ZEROS_LIKE,
  SLUICE_ROLE_SHAPE,
  SLUICE_ROLE_FILL,
  SLUICE_ROLE_VARIABLE,        /* a reference variable */
  SLUICE_ROLE_RESOURCE_HANDLE, /* VarHandleOp and its like: makes a handle, holds nothing */
  SLUICE_ROLE_READ_VARIABLE,
  SLUICE_ROLE_ASSIGN,
  SLUICE_ROLE_SWITCH,
  SLUICE_ROLE_MERGE,
  SLUICE_ROLE_ENTER,
  SLUICE_ROLE_EXIT,
  SLUICE_ROLE_NEXT_ITERATION,
  SLUICE_ROLE_LOOP_COND,
  SLUICE_ROLE_CONTROL_TRIGGER,
  SLUICE_ROLE_SEND,
  SLUICE_ROLE_RECV,
  SLUICE_ROLE_STACK,
  SLUICE_ROLE_STACK_PUSH,
  SLUICE_ROLE_STACK_POP,
  SLUICE_ROLE_STOP_GRADIENT,
  /* What gradients of any graph are put together from. */
  SLUICE_ROLE_SUM,
  SLUICE_ROLE_RESHAPE,
  SLUICE_ROLE_SLICE,
  SLUICE_ROLE_CONCAT,
  SLUICE_ROLE_BROADCAST_GRADIENT_ARGS,
  SLUICE_ROLE_UNSORTED_SEGMENT_SUM,
  /* What shapes are computed with: shape inference reads through them (shape-context.h). */
  SLUICE_ROLE_SIZE,
  SLUICE_ROLE_RANK,
  SLUICE_ROLE_PACK,
  SLUICE_ROLE_STRIDED_SLICE,
  SLUICE_ROLE_CAST,
  SLUICE_ROLE_SUMMARY,       /* writes a serialised Summary */
  SLUICE_ROLE_MERGE_SUMMARY, /* joins several of them */
  SLUICE_ROLE_ENQUEUE,       /* brings a queue elements */
  SLUICE_ROLE_DEQUEUE,       /* takes elements out of one */
  SLUICE_N_ROLES
} SluiceRole;

typedef enum
{
  SLUICE_OP_STATEFUL = 1 << 0,
  SLUICE_OP_COMMUTATIVE = 1 << 1,
  SLUICE_OP_AGGREGATE = 1 << 2,
  SLUICE_OP_ALLOWS_UNINITIALIZED = 1 << 3, /* its ref inputs may be uninitialised */
  SLUICE_OP_NOT_DIFFERENTIABLE =
      1 << 4, /* the gradient is declared to be none; without it and without a
                 gradient function a path through the op is an error */
  SLUICE_OP_FORWARDS_METADATA = 1 << 5, /* Shape, Size, Rank: cheap, follows its input's device */
  SLUICE_OP_LOOKS_AFAR = 1 << 6, /* its shape rule reads what nodes tell that are no inputs of it */
  SLUICE_OP_OPTIMIZER = 1 << 7,  /* updates the variable of input 0 by a gradient; variables among
                                    the other inputs are its own state */
  SLUICE_OP_ONLY_READS = 1 << 8, /* what its references and handles refer to is read, or they are
                                    handed on; without it such an op counts as one that writes */
  SLUICE_OP_CHECKS = 1 << 9,     /* may be there only to fail: runs where nobody reads it, too */
  SLUICE_OP_CHEAP = 1 << 10,     /* a few passes over its inputs, though no element-wise kernel: may
                                    be computed again instead of being kept */
  SLUICE_OP_READS_FILES = 1 << 11,
  SLUICE_OP_WRITES_FILES = 1 << 12,   /* makes or deletes them, too */
  SLUICE_OP_ENDS_WITH_STEP = 1 << 13, /* stateful, but what it changes is gone when the step ends,
                                         or is its own random stream (device/random.h) */
  SLUICE_OP_MAY_SHARE = 1 << 14,      /* an output may be memory of an input, as its role does not
                                         say: where there is nothing to compute */
  SLUICE_OP_TAKES_STEP = 1 << 15,     /* moves the variable of input 0 by its last input: so does an
                                         optimizer for which there is no op of its own */
} SluiceOpFlags;

/* What a node costs on the shapes given: work and traffic. Placement, inspector and benches read
 * the same figures. */
typedef struct
{
  double flops;
  double bytes;
} SluiceCost;

/* One sample use of an op. Tests, the fuzzer and the gradient checker are generated from these. */
typedef struct
{
  const char *attrs; /* "T=float; transpose_a=true; N=2", types may be left to the inputs */
  const char
      *inputs; /* one item an input, ';' between: "float[2,3]", "int32[2]={0,1}", "float[]=0.5",
                  "float[4] in (0.5,2)" for a range of values, "bool[3]" random */
  double rtol, atol;    /* against the reference kernel, in float; 0, 0: the same bits */
  gboolean no_gradient; /* this sample is outside the differentiable domain, or the op has no
                           gradient there */
} SluiceSample;

typedef struct
{
  const SluiceSample *samples;
  guint n_samples;
  SluiceDTypeSet dtypes; /* the dtypes of attribute "T" (or the first type attribute) to repeat the
                            samples in; 0: only as written */
  const char *why_none; /* where no sample can be run alone (Send, Placeholder): the reason, said in
                           the report */
} SluiceRecipe;

/*
 * Everything that an op is, but for its kernels. A const struct beside them; nothing about the op
 * stands elsewhere.
 *
 * signature:
 *
 *   a: T, b: T -> product: T             the type is an attribute
 *   inputs: N * T      values: Tlist     lists: of one type, of a list of types
 *   ref: Ref(T)                          a reference
 *   shape: int32       handle: resource  a type that is fixed
 *   -> output: dtype   input: T ->       no inputs; no outputs
 *
 * attrs, with ';' between: "NAME: KIND [CONSTRAINT] [= DEFAULT]"
 *
 *   KIND         string int float bool type shape tensor func list(KIND)
 *   in place of  {float, double}  number  real  any  floating  index
 *   type
 *   CONSTRAINT   N: int >= 1   list(type) >= 1   padding: {'SAME', 'VALID'}
 *   DEFAULT      = false   = 'NHWC'   = [1,1,1,1]   = float
 */
typedef struct _SluiceOpDef
{
  const char *name;
  const char *signature;
  const char *attrs; /* (nullable) */
  const char *summary;
  SluiceRole role;
  guint flags; /* SluiceOpFlags */

  /* Partial shapes in, partial shapes out, or an error that names both. NULL: outputs stay unknown
   */
  gboolean (*shape) (SluiceShapeContext *context, GError **error);
  /* Adds the nodes of the gradient. NULL: none; see SLUICE_OP_NOT_DIFFERENTIABLE */
  gboolean (*gradient) (SluiceGradContext *context, GError **error);
  /* NULL: bytes of inputs and outputs, one flop an output element */
  void (*cost) (const SluiceNode *node,
                const SluiceShape *inputs,
                const SluiceShape *outputs,
                SluiceCost *cost);
  const SluiceRecipe *recipe;
} SluiceOpDef;

/* The definition of an op that needs no more than this. The ops of a family share most arguments:
 * its file has a macro that fills them in. */
#define SLUICE_OP_DEF(id, op_name, op_signature, op_attrs, op_flags, op_shape, op_recipe, text)    \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = op_signature,                                                                     \
    .attrs = op_attrs,                                                                             \
    .summary = text,                                                                               \
    .flags = op_flags,                                                                             \
    .shape = op_shape,                                                                             \
    .recipe = op_recipe,                                                                           \
  }
/* The same for an op that works on what outlives the step and has no gradient; its file has one
 * `recipe` for all of them. */
#define SLUICE_STATEFUL_OP(id, op_name, op_signature, op_attrs, op_shape, text)                    \
  SLUICE_OP_DEF (id, op_name, op_signature, op_attrs,                                              \
                 SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE, op_shape, &recipe, text)

/* A parsed argument of a signature. */
typedef struct
{
  const char *name;        /* interned */
  SluiceDType type;        /* fixed type, or INVALID */
  const char *type_attr;   /* interned (nullable): the attr that gives the type */
  const char *number_attr; /* "N * T" */
  const char *list_attr;   /* a list(type) attr that gives all types of the argument */
  gboolean is_ref;
} SluiceArg;

typedef struct
{
  const char *name; /* interned */
  SluiceAttrKind kind;
  SluiceAttrKind list_kind;
  SluiceDTypeSet allowed_types; /* 0: any */
  char **allowed_strings;       /* (nullable) */
  gboolean has_minimum;
  gint64 minimum; /* of an int, or of a list's length */
  gboolean has_default;
  SluiceAttrValue default_value;
} SluiceAttrDef;

/* An op definition with its texts parsed, as the registry holds it. */
typedef struct _SluiceOp
{
  const SluiceOpDef *def;
  const char *name; /* interned: compares by pointer */
  SluiceArg *inputs, *outputs;
  guint n_inputs, n_outputs;
  SluiceAttrDef *attrs;
  guint n_attrs;
} SluiceOp;

/**
 * sluice_registry_add_ops:
 *
 * Registers definitions, all or none. At start-up only, before any other thread uses the registry.
 *
 * Returns: FALSE with INVALID_ARGUMENT where a text does not parse, ALREADY_EXISTS where a name is
 * taken
 */
gboolean sluice_registry_add_ops (const SluiceOpDef *const *ops, guint n, GError **error);

const SluiceOp *sluice_registry_find (const char *name);   /* (nullable) */
const SluiceOp *sluice_registry_by_role (SluiceRole role); /* (nullable): the first registered */
const SluiceOp *const *sluice_registry_list (guint *n);    /* sorted by name */
/* The registered name nearest to a mistyped one, or NULL. */
const char *sluice_registry_suggest_name (const char *name);
const SluiceAttrDef *sluice_op_find_attr (const SluiceOp *self, const char *name); /* (nullable) */

/**
 * sluice_op_parse_sample:
 * @text: (nullable): attributes as SluiceSample writes them, "T=float; strides=[1,2,2,1]"
 *
 * Returns: (transfer full) (array length=n): a text that does not parse is a programming error and
 * aborts with the op's name. Clear the values, then g_free()
 */
SluiceAttr *sluice_op_parse_sample (const SluiceOp *self, const char *text, guint *n);

SLUICE_PUBLIC_END
