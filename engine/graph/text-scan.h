/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Where things stand in protobuf's text format: what a reader of values (text-format.h) skips.
 * Says nothing of which fields there may be.
 */

/* A line and a byte of it, each from 0. */
typedef struct
{
  guint line, byte;
} SluiceTextPlace;

/* A field of a message, `name: value` or `name { … }`. Bytes of the text that was scanned. */
typedef struct
{
  gsize begin, end; /* with its name, without what separates it from the next */
  gsize name_end;
  gsize value, value_end; /* of a message what is in its braces */
  gboolean is_message;
} SluiceTextField;

/**
 * sluice_text_scan:
 *
 * Returns: (transfer full) (nullable) (element-type SluiceTextField): the fields that stand in no
 * other one; %NULL with INVALID_ARGUMENT "line:column: …", both from 1, where a quote or brace is
 * not closed, or no field stands
 */
GArray *sluice_text_scan (const char *text, gsize length, GError **error);

/**
 * sluice_text_scan_next:
 * @at: (inout): where the field begins, or blanks before it; then where the next one does
 *
 * Returns: %FALSE: the text has ended, or an error is set as by sluice_text_scan()
 */
gboolean sluice_text_scan_next (
    const char *text, gsize length, gsize *at, SluiceTextField *field, GError **error);

gboolean sluice_text_field_is (const SluiceTextField *self, const char *text, const char *name);
/* Of the first field of that name in the scanned text; G_MAXUINT: there is none. */
guint sluice_text_find_field (const GArray *fields, const char *text, const char *name);

/* Where a byte of a text stands that begins at @from. */
SluiceTextPlace sluice_text_place (SluiceTextPlace from, const char *text, gsize byte);
/* "line:column: …" of an error in the place, and what follows it. (nullable): it says none */
const char *sluice_text_split_error (const char *message, SluiceTextPlace *place);
/* The end of the line, its newline included, where nothing but blanks and a comment follows; else
 * where that begins. */
gsize sluice_text_end_of_line (const char *text, gsize length, gsize at);
