/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "api/scope.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

G_BEGIN_DECLS

/**
 * SluiceFlowFunc:
 * @scope: where its nodes go: a branch or the body of a loop
 * @inputs: (array zero-terminated=1): edges that it is given
 * @user_data: what came with the function
 * @error: return location
 *
 * Builds one side of a condition, or what a loop repeats. It is called once, while the graph is
 * built. Edges from outside may be used freely: they are brought in. What is made here is seen
 * outside only where it is returned.
 *
 * Returns: (transfer full) (array zero-terminated=1): edges; "^node" stands for a value that is
 *   there once the node has run. %NULL with an error
 */
typedef char **(*SluiceFlowFunc) (SluiceScope *scope,
                                  const char *const *inputs,
                                  gpointer user_data,
                                  GError **error);

/**
 * SluiceCaseFunc:
 * @scope: where its nodes go
 * @branch: which one, from 0; one more than there are conditions where none holds
 * @user_data: what came with the function
 * @error: return location
 *
 * Builds a branch of sluice_scope_add_case(), as #SluiceFlowFunc does.
 *
 * Returns: (transfer full) (array zero-terminated=1): edges; %NULL with an error
 */
typedef char **(*SluiceCaseFunc) (SluiceScope *scope,
                                  guint branch,
                                  gpointer user_data,
                                  GError **error);

/**
 * sluice_scope_add_cond:
 * @self: a scope
 * @name: (nullable): of the scope of its nodes; %NULL for "cond"
 * @pred: edge of a scalar bool
 * @then_func: (scope call) (closure then_data): builds what runs where it is true
 * @then_data: (nullable): for @then_func
 * @else_func: (scope call) (closure else_data): builds what runs where it is false
 * @else_data: (nullable): for @else_func
 * @error: return location
 *
 * Adds a condition of Switch and Merge nodes. EuroSys 2018, 4.2; tf.compat.v1.cond.
 *
 * Returns: (transfer full) (array zero-terminated=1): one edge for each that both functions return;
 *   %NULL with INVALID_ARGUMENT where they do not fit, or the error of a function. Nodes that were
 *   made until then stay
 */
char **sluice_scope_add_cond (SluiceScope *self,
                              const char *name,
                              const char *pred,
                              SluiceFlowFunc then_func,
                              gpointer then_data,
                              SluiceFlowFunc else_func,
                              gpointer else_data,
                              GError **error);

/**
 * sluice_scope_add_case:
 * @self: a scope
 * @name: (nullable): of the scope of its nodes; %NULL for "case"
 * @preds: (array zero-terminated=1): edges of scalar bools, the first that holds counts
 * @func: (scope call) (closure user_data): builds each branch, and the one where none holds
 * @user_data: (nullable): for @func
 * @error: return location
 *
 * Adds conditions within each other. tf.case.
 *
 * Returns: (transfer full) (array zero-terminated=1): as sluice_scope_add_cond()
 */
char **sluice_scope_add_case (SluiceScope *self,
                              const char *name,
                              const char *const *preds,
                              SluiceCaseFunc func,
                              gpointer user_data,
                              GError **error);

/**
 * sluice_scope_add_while:
 * @self: a scope
 * @name: (nullable): of the scope of its nodes; %NULL for "while"
 * @inputs: (array zero-terminated=1): edges that its variables begin with, at least one
 * @cond_func: (scope call) (closure cond_data): returns a scalar bool: whether it goes on
 * @cond_data: (nullable): for @cond_func
 * @body_func: (scope call) (closure body_data): returns the variables of the next iteration
 * @body_data: (nullable): for @body_func
 * @parallel_iterations: how many iterations may run at once, from 1
 * @error: return location
 *
 * Adds a loop: Enter, Merge, LoopCond, Switch, NextIteration and Exit nodes. EuroSys 2018, 4.1;
 * tf.compat.v1.while_loop.
 *
 * Returns: (transfer full) (array zero-terminated=1): the variables after the last iteration; %NULL
 *   as sluice_scope_add_cond()
 */
char **sluice_scope_add_while (SluiceScope *self,
                               const char *name,
                               const char *const *inputs,
                               SluiceFlowFunc cond_func,
                               gpointer cond_data,
                               SluiceFlowFunc body_func,
                               gpointer body_data,
                               gint parallel_iterations,
                               GError **error);

/**
 * sluice_scope_add_map:
 * @self: a scope
 * @name: (nullable): of the scope of its nodes; %NULL for "map"
 * @elems: (array zero-terminated=1): edges, of the same size along their first dimension
 * @func: (scope call) (closure user_data): given a row of each, returns one edge for each dtype
 * @user_data: (nullable): for @func
 * @dtypes: (array length=n_dtypes) (nullable): of what @func returns; %NULL: those of @elems
 * @n_dtypes: how many
 * @error: return location
 *
 * Adds a loop over rows that keeps what comes of each in arrays. tf.map_fn.
 *
 * Returns: (transfer full) (array zero-terminated=1): what @func returns, row upon row; %NULL as
 *   sluice_scope_add_cond()
 */
char **sluice_scope_add_map (SluiceScope *self,
                             const char *name,
                             const char *const *elems,
                             SluiceFlowFunc func,
                             gpointer user_data,
                             const SluiceDType *dtypes,
                             gsize n_dtypes,
                             GError **error);

/**
 * sluice_scope_add_fold:
 * @self: a scope
 * @name: (nullable): of the scope of its nodes; %NULL for "foldl", or "scan"
 * @elems: (array zero-terminated=1): edges, of the same size along their first dimension
 * @initial: (array zero-terminated=1): edges that its values begin with, at least one
 * @func: (scope call) (closure user_data): given the values and a row of each of @elems, returns
 *   the next values
 * @user_data: (nullable): for @func
 * @keep_all: the values after every row, and not only the last: tf.scan instead of tf.foldl
 * @error: return location
 *
 * Adds a loop that carries values from row to row.
 *
 * Returns: (transfer full) (array zero-terminated=1): one edge for each of @initial; %NULL as
 *   sluice_scope_add_cond()
 */
char **sluice_scope_add_fold (SluiceScope *self,
                              const char *name,
                              const char *const *elems,
                              const char *const *initial,
                              SluiceFlowFunc func,
                              gpointer user_data,
                              gboolean keep_all,
                              GError **error);

G_END_DECLS

SLUICE_PUBLIC_END
