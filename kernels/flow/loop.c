/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The frame of a loop: Enter, Exit, NextIteration and LoopCond, by value and by reference. The
 * executor itself moves values between frames and iterations (engine/runtime/step/frame.c).
 */
#include "kernels/flow/flow.h"

static const SluiceRecipe of_loop = { .why_none = "it makes sense inside a loop only" };

#define ENTER_ATTRS                                                                                \
  "T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10"

static const SluiceOpDef enter = {
  .name = "Enter",
  .signature = "data: T -> output: T",
  .attrs = ENTER_ATTRS,
  .summary = N_ ("Brings a value into a loop"),
  .role = SLUICE_ROLE_ENTER,
  .shape = sluice_flow_pass_all,
  .recipe = &of_loop,
};

static const SluiceOpDef ref_enter = {
  .name = "RefEnter",
  .signature = "data: Ref(T) -> output: Ref(T)",
  .attrs = ENTER_ATTRS,
  .summary = N_ ("Brings a reference into a loop"),
  .role = SLUICE_ROLE_ENTER,
  .shape = sluice_flow_pass_all,
  .recipe = &of_loop,
};

static const SluiceOpDef exit_op = {
  .name = "Exit",
  .signature = "data: T -> output: T",
  .attrs = "T: type",
  .summary = N_ ("Takes a value out of a loop"),
  .role = SLUICE_ROLE_EXIT,
  .flags = SLUICE_OP_LOOKS_AFAR,
  .shape = sluice_flow_exit_shape,
  .recipe = &of_loop,
};

static const SluiceOpDef ref_exit = {
  .name = "RefExit",
  .signature = "data: Ref(T) -> output: Ref(T)",
  .attrs = "T: type",
  .summary = N_ ("Takes a reference out of a loop"),
  .role = SLUICE_ROLE_EXIT,
  .shape = sluice_flow_pass_all,
  .recipe = &of_loop,
};

static const SluiceOpDef next_iteration = {
  .name = "NextIteration",
  .signature = "data: T -> output: T",
  .attrs = "T: type",
  .summary = N_ ("Hands a value to the next iteration"),
  .role = SLUICE_ROLE_NEXT_ITERATION,
  .shape = sluice_flow_pass_all,
  .recipe = &of_loop,
};

static const SluiceOpDef ref_next_iteration = {
  .name = "RefNextIteration",
  .signature = "data: Ref(T) -> output: Ref(T)",
  .attrs = "T: type",
  .summary = N_ ("Hands a reference to the next iteration"),
  .role = SLUICE_ROLE_NEXT_ITERATION,
  .shape = sluice_flow_pass_all,
  .recipe = &of_loop,
};

static const SluiceOpDef loop_cond = {
  .name = "LoopCond",
  .signature = "input: bool -> output: bool",
  .summary = N_ ("Does the loop go on?"),
  .role = SLUICE_ROLE_LOOP_COND,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_flow_pass_all,
  .recipe = &of_loop,
};

static const SluiceOpDef *const ops[] = { &enter,    &ref_enter,      &exit_op,
                                          &ref_exit, &next_iteration, &ref_next_iteration,
                                          &loop_cond };

const SluiceKernelModule sluice_module_flow_loop = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
