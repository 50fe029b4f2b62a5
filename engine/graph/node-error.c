/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/node-error.h"

#include "engine/graph/graph.h"

gboolean
sluice_node_sign_error (const SluiceNode *node, GError **error)
{
  if (error != NULL && *error != NULL)
    sluice_error_set_place (*error, &(SluiceErrorPlace){ .node = node->name, .op = node->op_name });
  return FALSE;
}

static GError *
new_valist (const SluiceNode *node, SluiceError code, const char *format, va_list args)
{
  g_autofree char *what = g_strdup_vprintf (format, args);
  GError *error = g_error_new (SLUICE_ERROR, code, "%s '%s': %s", node->op_name, node->name, what);
  sluice_node_sign_error (node, &error);
  return error;
}

gboolean
sluice_node_fail (const SluiceNode *node, GError **error, SluiceError code, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  if (error != NULL)
    *error = new_valist (node, code, format, args);
  va_end (args);
  return FALSE;
}

GError *
sluice_node_error_new (const SluiceNode *node, SluiceError code, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  GError *error = new_valist (node, code, format, args);
  va_end (args);
  return error;
}
