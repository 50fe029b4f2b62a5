/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/builder.h"
#include "kernels/registry.h"

/*
 * One node's kernel, called as the executor calls it, in turns with rivals in one process: what
 * disturbs the machine disturbs both, and only the ratio is told. JSON lines; 1 is as fast as the
 * fastest rival.
 */

#define RACE_MAX_INPUTS 10

typedef struct
{
  SluiceGraph *graph;
  SluiceNode *node;
  const SluiceKernel *kernel;
  gpointer state;
  SluiceDevice *device;
  SluiceValue inputs[RACE_MAX_INPUTS];
  guint n_refs;
} NodeBench;

typedef struct
{
  void (*call) (gpointer data);
  gpointer data;
} Contender;

extern guint race_n_threads;
extern const char *race_only; /* a word that names must contain, or NULL */

/* argv[1]: race_only. Calls @bench on one thread and on all, denormals flushed. */
int race_main (int argc, char **argv, void (*bench) (void));

/* Small numbers around 0. (transfer full) */
SluiceTensor *race_filled (const SluiceShape *shape);

/* @inputs: taken; the first @n_refs are variables' values. */
void node_bench_init (NodeBench *self,
                      const char *op,
                      SluiceTensor *const *inputs,
                      guint n,
                      guint n_refs,
                      const SluiceAttr *attrs,
                      guint n_attrs);
void node_bench_clear (NodeBench *self);
void node_bench_call (gpointer self);

/**
 * race:
 * @work: what a call does, in @unit
 * @goal: the least ratio wanted
 *
 * contenders[0] is ours; it is compared round by round with the fastest of the others.
 */
void race (const char *name,
           double work,
           const char *unit,
           double goal,
           const Contender *contenders,
           guint n);

/* How many times as fast @contender is on all threads as on one; its name gets "speed-up/" before.
 */
void race_threads (const char *name, const Contender *contender, double goal);

/* Nanoseconds of a call, the best of some rounds. */
double race_best_ns (const Contender *contender);
