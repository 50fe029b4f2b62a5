/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * The YAML that programs write for themselves: keys, keys below keys by indentation, values in one
 * line or several, quoted or not, and lists of such values. What else YAML has (anchors, tags,
 * braces) is the text of its value; keys below items of lists are left out.
 */

#define SLUICE_FLAT_YAML_MAX_DEPTH 32

/**
 * SluiceFlatYamlFunc:
 * @keys: the outermost first
 * @value: without its quotes; of a list each item, one call after the other
 * @is_quoted: it is a text, whatever it looks like
 */
typedef void (*SluiceFlatYamlFunc) (
    const char *const *keys, guint n_keys, const char *value, gboolean is_quoted, gpointer data);

/* FALSE with DATA_LOSS, which names the line: what stands before it was told. */
gboolean sluice_flat_yaml_each (
    const char *text, gsize length, SluiceFlatYamlFunc func, gpointer data, GError **error);
