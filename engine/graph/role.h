/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * What follows from a role alone. Who asks one of these questions of a node asks here: a new role
 * answers them in one row of the table, and no pass has a list of roles of its own.
 */
typedef struct
{
  /* Decides what is alive: Switch, Merge, those of loops, ControlTrigger. */
  gboolean is_control_flow : 1;
  /* Enter, Exit, NextIteration: takes a value to another frame or iteration. The executor does it
   * itself, without a kernel. */
  gboolean crosses_frames : 1;
  /* Merge, ControlTrigger: may be alive though an input or a control input is dead. */
  gboolean outlives_inputs : 1;
  /* Send, Recv. */
  gboolean is_transfer : 1;
  /* Its outputs are inputs of it, without a look at the elements. */
  gboolean moves_value : 1;
  /* Its output is the memory of its first input, alive where that is. */
  gboolean is_view : 1;
  /* Its output is its first input, shape included. */
  gboolean is_identity : 1;
  /* Variables: stands for what outlives the step. */
  gboolean is_state : 1;
  /* Reads of its inputs how large they are, not what is in them. */
  gboolean asks_shape : 1;
  /* Is there for more than its outputs, or its kernel needs a step: never folded or left out. */
  gboolean is_more_than_values : 1;
  /* As cheap to compute as to read, whether its kernel is element-wise or not. */
  gboolean is_cheap : 1;
} SluiceRoleTraits;

/* By role. */
extern const SluiceRoleTraits sluice_role_traits[SLUICE_N_ROLES];

static inline const SluiceRoleTraits *
sluice_node_get_traits (const SluiceNode *node)
{
  return &sluice_role_traits[sluice_node_get_role (node)];
}
