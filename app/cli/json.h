/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

#include "engine/base/shape.h"

/*
 * What verbs say to programs: one JSON object a line on standard output, in the C locale whatever
 * the user's is. Numbers are numbers; those that JSON has not are the strings "NaN", "Infinity" and
 * "-Infinity". No verb writes JSON in another way.
 */
typedef struct _JsonBuilder JsonBuilder;

/* --json was given. */
extern gboolean sluice_cli_json;

/* A line is begun; (transfer full). Where --json was not given it is built and thrown away. */
JsonBuilder *sluice_cli_json_begin (void);
/* Ends what sluice_cli_json_begin() began, and prints it where --json was given. */
void sluice_cli_json_end (JsonBuilder *take);
/* Prints an object that is ended already, --json or not. */
void sluice_cli_print_json (JsonBuilder *take);

/* Prints an object of many numbers that was written as text (engine/store/json-text.h), in one
 * line.
 */
void sluice_cli_print_json_text (const char *text);

/* Members of the object that is open. */
void
sluice_cli_json_string (JsonBuilder *b, const char *name, const char *value); /* (nullable): null */
void sluice_cli_json_int (JsonBuilder *b, const char *name, gint64 value);
void sluice_cli_json_double (JsonBuilder *b, const char *name, double value);
void sluice_cli_json_bool (JsonBuilder *b, const char *name, gboolean value);
void sluice_cli_json_null (JsonBuilder *b, const char *name);
void sluice_cli_json_shape (JsonBuilder *b,
                            const char *name,
                            const SluiceShape *shape); /* of an unknown rank: null */
void sluice_cli_json_strings (JsonBuilder *b,
                              const char *name,
                              const char *const *values); /* NULL: null */

/* A value where none has a name: in an array. */
void sluice_cli_json_add_double (JsonBuilder *b, double value);
void sluice_cli_json_add_string (JsonBuilder *b, const char *value); /* (nullable): null */

/* A line with the members of a dictionary a{sv}, (transfer floating), where --json was given: a
 * maybe without a value is null, a dictionary an object, another array an array. */
void sluice_cli_print_variant (GVariant *members);
