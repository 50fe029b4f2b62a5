/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* JSON of many numbers, without a node in memory for each. */

/* As few digits as bring the value back, whatever the locale; what is not finite is the string
 * "NaN", "Infinity" or "-Infinity". */
void sluice_json_append_double (GString *json, double value);
void sluice_json_append_doubles (GString *json, const double *values, gsize n); /* an array */
/* With quotation marks; what is no UTF-8 is replaced. */
void sluice_json_append_string (GString *json, const char *text, gssize length);
