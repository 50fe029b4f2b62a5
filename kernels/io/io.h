/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/* What ops on files share. */

/* Fails the call with an error of something that it used. Returns FALSE. */
gboolean sluice_call_take_error (SluiceKernelCall *call, GError *take);

/**
 * sluice_call_dup_path:
 *
 * The scalar string at input i as the name of a file.
 *
 * Returns: (transfer full) (nullable): call->error is set: no scalar, or with a zero byte inside
 */
char *sluice_call_dup_path (SluiceKernelCall *call, guint i);

/* The same of a string of a tensor; what: "file name", "name of a tensor". */
char *sluice_call_dup_name (SluiceKernelCall *call, const SluiceString *string, const char *what);
