/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/device/function.h"

SluiceFunction *
sluice_call_dup_function (SluiceKernelCall *call, const char *attr)
{
  GError *error = NULL;
  if (call->functions == NULL)
    sluice_call_fail (call, SLUICE_ERROR_FAILED_PRECONDITION,
                      "the function in '%s' can be called in a session only", attr);
  SluiceFunction *function = call->functions != NULL
                                 ? call->functions->get (call->functions, call->node, attr, &error)
                                 : NULL;
  if (error != NULL)
    sluice_call_fail_with (call, error);
  return function;
}
