/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kinds/tensor.h"

/* (transfer full): a string, or a tensor of strings, all of them UTF-8 without NUL. */
SluiceTensorRecord *sluice_text_new (gint64 step, double wall, SluiceTensor *strings);
