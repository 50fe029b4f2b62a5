/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/error.h"

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
