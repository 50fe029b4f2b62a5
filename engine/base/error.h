/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Status codes by TensorFlow's names and numbers, so that a recorded case compares by number. */
typedef enum
{
  SLUICE_ERROR_CANCELLED = 1,
  SLUICE_ERROR_UNKNOWN = 2,
  SLUICE_ERROR_INVALID_ARGUMENT = 3,
  SLUICE_ERROR_DEADLINE_EXCEEDED = 4,
  SLUICE_ERROR_NOT_FOUND = 5,
  SLUICE_ERROR_ALREADY_EXISTS = 6,
  SLUICE_ERROR_PERMISSION_DENIED = 7,
  SLUICE_ERROR_RESOURCE_EXHAUSTED = 8,
  SLUICE_ERROR_FAILED_PRECONDITION = 9,
  SLUICE_ERROR_ABORTED = 10,
  SLUICE_ERROR_OUT_OF_RANGE = 11,
  SLUICE_ERROR_UNIMPLEMENTED = 12,
  SLUICE_ERROR_INTERNAL = 13,
  SLUICE_ERROR_UNAVAILABLE = 14,
  SLUICE_ERROR_DATA_LOSS = 15,
} SluiceError;

#define SLUICE_ERROR (sluice_error_quark ())
GQuark sluice_error_quark (void);

/**
 * sluice_error_code_name:
 *
 * Returns: (transfer none): TensorFlow's name of @code, "INVALID_ARGUMENT" …, or "UNKNOWN"
 */
const char *sluice_error_code_name (int code);

/**
 * sluice_fail:
 *
 * Sets @error and returns %FALSE, so that `return sluice_fail (error, …);` is one line.
 */
gboolean
sluice_fail (GError **error, SluiceError code, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* The same of an errno: TensorFlow's code for it, NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED
 * …, and its words behind the sentence. */
gboolean
sluice_fail_errno (GError **error, int number, const char *format, ...) G_GNUC_PRINTF (3, 4);
