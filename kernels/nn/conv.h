/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/nn/conv-problem.h"

/* What conv-cpu.c does for the other convolutions. */

/* By plain loops, for any floating type. */
gboolean
sluice_conv_reference (SluiceKernelCall *call, SluiceConvKind kind, const SluiceConvCall *c);
