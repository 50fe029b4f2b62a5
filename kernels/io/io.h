/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/* What ops on files share. */

/* Fails the call with an error of something that it used. Returns FALSE. */
gboolean sluice_call_take_error (SluiceKernelCall *call, GError *take);

/**
 * sluice_call_check_path:
 *
 * Every op that touches files asks here first.
 *
 * Returns: %FALSE with PERMISSION_DENIED: the session may not so use that file
 */
gboolean sluice_call_check_path (SluiceKernelCall *call,
                                 const char *path,
                                 SluiceFileUse use,
                                 GError **error);

/**
 * sluice_call_dup_path:
 *
 * The scalar string at input i as the name of a file that may be used so.
 *
 * Returns: (transfer full) (nullable): call->error is set: no scalar, with a zero byte inside, or
 * as sluice_call_check_path()
 */
char *sluice_call_dup_path (SluiceKernelCall *call, guint i, SluiceFileUse use);

/* The same of a string of a tensor; what: "file name", "name of a tensor". */
char *sluice_call_dup_name (SluiceKernelCall *call, const SluiceString *string, const char *what);
