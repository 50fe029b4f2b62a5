/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/error.h"

#include <errno.h>

/* Kept beside an error by GLib. */
typedef struct
{
  char *node, *op, *device;
} SluiceErrorPrivate;

static void
sluice_error_private_init (SluiceErrorPrivate *self)
{
  *self = (SluiceErrorPrivate){ NULL };
}

static void
sluice_error_private_copy (const SluiceErrorPrivate *from, SluiceErrorPrivate *to)
{
  to->node = g_strdup (from->node);
  to->op = g_strdup (from->op);
  to->device = g_strdup (from->device);
}

static void
sluice_error_private_clear (SluiceErrorPrivate *self)
{
  g_free (self->node);
  g_free (self->op);
  g_free (self->device);
}

G_DEFINE_EXTENDED_ERROR (SluiceError, sluice_error)

void
sluice_error_set_place (GError *error, const SluiceErrorPlace *place)
{
  if (error->domain != SLUICE_ERROR)
    return;
  SluiceErrorPrivate *kept = sluice_error_get_private (error);
  if (kept->node == NULL)
    {
      kept->node = g_strdup (place->node);
      kept->op = g_strdup (place->op);
    }
  if (kept->device == NULL)
    kept->device = g_strdup (place->device);
}

SluiceErrorPlace
sluice_error_get_place (const GError *error)
{
  if (error->domain != SLUICE_ERROR)
    return (SluiceErrorPlace){ NULL };
  const SluiceErrorPrivate *kept = sluice_error_get_private (error);
  return (SluiceErrorPlace){ kept->node, kept->op, kept->device };
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
