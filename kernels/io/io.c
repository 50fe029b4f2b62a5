/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/io/io.h"

#include <string.h>

gboolean
sluice_call_take_error (SluiceKernelCall *call, GError *take)
{
  sluice_call_fail (call, take->code, "%s", take->message);
  g_error_free (take);
  return FALSE;
}

char *
sluice_call_dup_name (SluiceKernelCall *call, const SluiceString *string, const char *what)
{
  if (string->length == 0)
    return g_strdup ("");
  if (memchr (string->data, 0, string->length) == NULL)
    return g_strndup (string->data, string->length);
  g_autofree char *begin = g_strndup (string->data, string->length);
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "the %s '%s…' has a zero byte inside",
                    what, begin);
  return NULL;
}

gboolean
sluice_call_check_path (SluiceKernelCall *call, const char *path, SluiceFileUse use, GError **error)
{
  return sluice_file_access_check (sluice_resources_get_files (call->resources), path, use, error);
}

char *
sluice_call_dup_path (SluiceKernelCall *call, guint i, SluiceFileUse use)
{
  if (!sluice_call_want_scalar (call, i))
    return NULL;
  g_autofree char *path =
      sluice_call_dup_name (call, sluice_call_input (call, i)->data, "file name");
  GError *error = NULL;
  if (path == NULL || sluice_call_check_path (call, path, use, &error))
    return g_steal_pointer (&path);
  sluice_call_take_error (call, error);
  return NULL;
}
