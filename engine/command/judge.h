/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * What fits where, before it is connected: some microseconds a question, so that every port in
 * sight can be asked about while a wire is in hand. Nothing of the graph changes. Not thread-safe,
 * like the graph.
 */

/* What an input takes, found by asking the op's shape rule. */
typedef struct
{
  SluiceDType dtype; /* with SLUICE_REF for a reference; INVALID: any */
  guint ranks;       /* bit n: values of n axes */
  SluiceShape shape; /* where it is one rank: -1 for a size that may be any; else of no rank */
} SluiceInputWant;

/* dtype: of the value that is to be read, where the input takes several; INVALID: not known */
void sluice_input_want_find (const SluiceNode *node,
                             guint input,
                             SluiceDType dtype,
                             SluiceInputWant *want);
/* "float32 of 2 axes", "int64, ?×10", "any value". (transfer full) */
char *sluice_input_want_dup_words (const SluiceInputWant *self);

typedef struct
{
  gboolean fits;
  SluiceOutput result; /* where it fits: output 0 of the node then; dtype INVALID: it has none */
  char *reason;        /* (nullable): where not: "reads 2 axes, this has 4". (transfer full) */
} SluiceVerdict;
void sluice_verdict_clear (SluiceVerdict *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SluiceVerdict, sluice_verdict_clear)

/* What a message says behind "OP 'NAME': ". (transfer full) */
char *sluice_judge_dup_rest (const char *message);

typedef struct _SluiceJudge SluiceJudge;

/* Borrows the graph; remembers what leads to the edge that was asked about last. */
SluiceJudge *sluice_judge_new (SluiceGraph *graph);
void sluice_judge_free (SluiceJudge *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceJudge, sluice_judge_free)

/**
 * sluice_judge_ask:
 * @input: node->n_inputs for one more, where the op takes any number
 * @verdict: (out): to be cleared
 *
 * Would `connect FROM NODE:INPUT` be done, and what comes of it?
 *
 * Returns: @verdict->fits
 */
gboolean sluice_judge_ask (
    SluiceJudge *self, SluiceEdge from, SluiceNode *node, guint input, SluiceVerdict *verdict);

/* The same without a reason, which takes longer to find than the answer. result: (out): as the
 * verdict's, where it fits */
gboolean sluice_judge_fits (
    SluiceJudge *self, SluiceEdge from, SluiceNode *node, guint input, SluiceOutput *result);
