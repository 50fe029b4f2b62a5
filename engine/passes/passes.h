/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/* What others need of this folder. */
#include "engine/passes/explain.h"
#include "engine/passes/fold.h"
#include "engine/passes/forecast.h"
#include "engine/passes/pipeline.h"
#include "engine/passes/races.h"
