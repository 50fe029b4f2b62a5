/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph-private.h"
#include "engine/graph/wire.h"

/* The functions of a GraphDef, and their bodies as nodes of a graph. Only for files of graph/. */

typedef struct _SluiceLibrary SluiceLibrary;

/* (transfer full) (nullable): a copy, for which there may be no memory */
SluiceLibrary *sluice_library_new (const Tensorflow__FunctionDefLibrary *def, GError **error);
SluiceLibrary *sluice_library_ref (SluiceLibrary *self);
void sluice_library_unref (SluiceLibrary *self);

/* (nullable) */
const Tensorflow__FunctionDef *sluice_library_find (const SluiceLibrary *self, const char *name);

/* The function that is the gradient of another, by the library's own word: it takes that one's
 * inputs and the gradients of its outputs, and gives the gradients of its inputs. (nullable) */
const char *sluice_library_find_gradient (const SluiceLibrary *self, const char *name);

/* Of every function, by name. */
void sluice_library_foreach (const SluiceLibrary *self,
                             void (*func) (const Tensorflow__FunctionDef *def, gpointer data),
                             gpointer data);

/* The outputs of a node whose op is this function, as far as its attributes tell. */
void sluice_function_set_outputs (const Tensorflow__FunctionDef *self, SluiceNode *node);

/* The dtypes of all arguments, or of all results, where it is called with these attributes; INVALID
 * where they do not tell. (transfer full) */
SluiceDType *sluice_function_dup_types (const Tensorflow__FunctionDef *self,
                                        gboolean of_results,
                                        const SluiceAttr *attrs,
                                        guint n_attrs,
                                        guint *n);

/* How one body is written out. */
typedef struct
{
  const SluiceAttr *attrs; /* the function is called with */
  guint n_attrs;
  const char *scope;  /* in front of all names */
  const char *device; /* of nodes that ask for none */
  const SluiceEdge *inputs;
  guint n_inputs;
  SluiceNode *const *controls; /* come before all of the body */
  guint n_controls;
  const char *pivot; /* (nullable): name of the node that sources of the body come after */
} SluiceInline;

/**
 * sluice_function_inline:
 * @outputs: (out caller-allocates) (array length=n_outputs)
 * @named: (element-type SluiceNode): gets the nodes that the function names as its control outputs
 *
 * Adds the body to a graph. FALSE: INVALID_ARGUMENT, where what is asked for does not fit the
 * signature, or the body is damaged.
 */
gboolean sluice_function_inline (const Tensorflow__FunctionDef *self,
                                 SluiceGraph *graph,
                                 const SluiceInline *how,
                                 SluiceEdge *outputs,
                                 guint n_outputs,
                                 GPtrArray *named,
                                 GError **error);
