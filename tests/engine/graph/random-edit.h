/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/edit.h"

/* A transaction of one to three changes that are drawn by g_test_rand_int(). (transfer full)
 * (nullable): NULL where it was refused */
SluiceEdit *random_edit (SluiceGraph *graph);
