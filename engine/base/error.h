/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

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

/* Where in a graph an error came up; each %NULL where it is not known. */
typedef struct
{
  const char *node;   /* its name */
  const char *op;     /* of the node */
  const char *device; /* that it ran on; NULL where the error is older than a run */
} SluiceErrorPlace;

/**
 * sluice_error_set_place: (skip)
 * @error: of any domain; only of SLUICE_ERROR it keeps the place
 * @place: copied, but for what the error says of itself already: who knew first knew best
 */
void sluice_error_set_place (GError *error, const SluiceErrorPlace *place);

/**
 * sluice_error_get_place: (skip)
 *
 * Returns: borrowed from the error; all %NULL where it says nothing. A copy of an error has it too
 */
SluiceErrorPlace sluice_error_get_place (const GError *error);

SLUICE_PUBLIC_END
