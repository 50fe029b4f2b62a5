/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/error.h"

#include <errno.h>

/* G_DEFINE_QUARK keeps its result in a plain variable, which threads race for. */
GQuark
sluice_error_quark (void)
{
  static gsize quark;
  if (g_once_init_enter (&quark))
    g_once_init_leave (&quark, g_quark_from_static_string ("sluice-error-quark"));
  return (GQuark) quark;
}

static const char *const code_names[] = {
  [SLUICE_ERROR_CANCELLED] = "CANCELLED",
  [SLUICE_ERROR_UNKNOWN] = "UNKNOWN",
  [SLUICE_ERROR_INVALID_ARGUMENT] = "INVALID_ARGUMENT",
  [SLUICE_ERROR_DEADLINE_EXCEEDED] = "DEADLINE_EXCEEDED",
  [SLUICE_ERROR_NOT_FOUND] = "NOT_FOUND",
  [SLUICE_ERROR_ALREADY_EXISTS] = "ALREADY_EXISTS",
  [SLUICE_ERROR_PERMISSION_DENIED] = "PERMISSION_DENIED",
  [SLUICE_ERROR_RESOURCE_EXHAUSTED] = "RESOURCE_EXHAUSTED",
  [SLUICE_ERROR_FAILED_PRECONDITION] = "FAILED_PRECONDITION",
  [SLUICE_ERROR_ABORTED] = "ABORTED",
  [SLUICE_ERROR_OUT_OF_RANGE] = "OUT_OF_RANGE",
  [SLUICE_ERROR_UNIMPLEMENTED] = "UNIMPLEMENTED",
  [SLUICE_ERROR_INTERNAL] = "INTERNAL",
  [SLUICE_ERROR_UNAVAILABLE] = "UNAVAILABLE",
  [SLUICE_ERROR_DATA_LOSS] = "DATA_LOSS",
};

const char *
sluice_error_code_name (int code)
{
  if (code < 1 || code >= (int) G_N_ELEMENTS (code_names))
    return "UNKNOWN";
  return code_names[code];
}

gboolean
sluice_fail (GError **error, SluiceError code, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  if (error)
    *error = g_error_new_valist (SLUICE_ERROR, code, format, args);
  va_end (args);
  return FALSE;
}

static SluiceError
code_of_errno (int number)
{
  switch (number)
    {
    case ENOENT:
      return SLUICE_ERROR_NOT_FOUND;
    case EISDIR:
    case ENOTDIR:
    case ENOTEMPTY:
      return SLUICE_ERROR_FAILED_PRECONDITION;
    case EEXIST:
      return SLUICE_ERROR_ALREADY_EXISTS;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
      return SLUICE_ERROR_INVALID_ARGUMENT;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return SLUICE_ERROR_RESOURCE_EXHAUSTED;
    case EACCES:
    case EPERM:
    case EROFS:
      return SLUICE_ERROR_PERMISSION_DENIED;
    default:
      return SLUICE_ERROR_UNAVAILABLE;
    }
}

/* What whoever reads the message can do; "": nothing that would be known here. */
static const char *
advice_of_errno (int number)
{
  switch (number)
    {
    case ENOSPC:
    case EDQUOT:
      return "; free some space there, then go on: what was saved before is whole";
    case EACCES:
    case EPERM:
      return "; choose another place, or have its permissions changed";
    case EROFS:
      return "; choose a place that can be written";
    case EMFILE:
    case ENFILE:
      return "; close other programs, or allow more (ulimit -n)";
    case ENOMEM:
      return "; close other programs";
    case EIO:
      return "; the disk may be failing: save what is on it";
    default:
      return "";
    }
}

gboolean
sluice_fail_errno (GError **error, int number, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return sluice_fail (error, code_of_errno (number), "%s: %s%s", what, g_strerror (number),
                      advice_of_errno (number));
}
