/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/run-diff.h"

/* What differs between runs, in words. No GTK. */

/* (nullable) (transfer none): the result that tells most: what was evaluated and is to rise, what
 * was evaluated, the loss. */
const SluiceRunResultDiff *sluice_diff_get_result (const SluiceRunDiff *self);
/* (transfer none): "Not more than seeds alone give" */
const char *sluice_diff_get_verdict (SluiceSeedsVerdict verdict);
/* (transfer full): "98.3 % and 98.2 %, seeds ± 0.3 %", or why nothing is claimed. */
char *sluice_diff_dup_reason (const SluiceRunResultDiff *result);
/* (transfer full): "0.1 → 0.03"; of more than two runs "0.1 | 0.03 | 0.1". */
char *sluice_diff_dup_values (const SluiceRunDiffItem *item);
/* (transfer full): "2 of 61 nodes" */
char *sluice_diff_dup_graph_count (const SluiceRunDiff *self);
/* (transfer full): "+ dropout: RandomUniform", "~ logits/MatMul: input 0: a → b" */
char *sluice_diff_dup_node (const SluiceRunNodeDiff *node);
/* (transfer full): the nodes line by line, no more than so many; where they are more, scope by
 * scope:
 * "+ conv1: 12 nodes". (element-type SluiceDiffLine) */
typedef struct
{
  SluiceDiffKind kind;
  char *words;
} SluiceDiffLine;
GPtrArray *sluice_diff_list_nodes (const SluiceRunDiff *self, guint most);
/* (transfer full): how many nodes there are of each sort: "1 added · 1 changed · 59 the same" */
char *sluice_diff_dup_node_counts (const SluiceRunDiff *self);
/* (transfer none): "Order of data", of sluice_run_diff_kinds[] */
const char *sluice_diff_get_title (const char *kind);

typedef enum
{
  SLUICE_DIFF_SAME,
  SLUICE_DIFF_OTHER,
  SLUICE_DIFF_UNKNOWN, /* of one of the runs it is not known */
} SluiceDiffVerdict;
/* Of a kind; @words: (out) (transfer full): what it is, in one line. */
SluiceDiffVerdict
sluice_diff_judge_kind (const SluiceRunDiff *self, const char *kind, char **words);

/* (transfer full): all of it, for the clipboard. @names: of the runs */
char *sluice_diff_dup_text (const SluiceRunDiff *self, const char *const *names);
