/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/plugin.h"

#include <gmodule.h>
#include <string.h>

#include "engine/base/error.h"

static GHashTable *loaded; /* canonical path; start-up only, no lock */

static gboolean
register_plugin (const char *path, const SluicePlugin *plugin, GError **error)
{
  if (plugin->abi != SLUICE_PLUGIN_ABI)
    return sluice_fail (
        error, SLUICE_ERROR_FAILED_PRECONDITION,
        "plugin '%s' was built for version %u of the plugin interface, this program "
        "has version %u: build it again",
        path, plugin->abi, SLUICE_PLUGIN_ABI);
  if (plugin->modules != NULL && sluice_registry_add_modules (plugin->modules, error))
    return TRUE;
  if (plugin->modules == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "plugin '%s' has no modules", path);
  g_prefix_error (error, "plugin '%s': ", path);
  return FALSE;
}

/* The loader begins with the path. */
static const char *
without_path (const char *message, const char *path)
{
  gsize n = strlen (path);
  return strncmp (message, path, n) == 0 && g_str_has_prefix (message + n, ": ") ? message + n + 2
                                                                                 : message;
}

gboolean
sluice_plugin_load (const char *path, GError **error)
{
  /* Without a slash the system's library folders would be searched. */
  g_autofree char *canonical = g_canonicalize_filename (path, NULL);
  if (loaded != NULL && g_hash_table_contains (loaded, canonical))
    return TRUE;
  GModule *module = g_module_open (canonical, G_MODULE_BIND_LOCAL);
  if (module == NULL)
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "plugin '%s' cannot be loaded: %s", path,
                        without_path (g_module_error (), canonical));
  g_module_make_resident (module);
  gpointer symbol;
  if (!g_module_symbol (module, "sluice_plugin", &symbol) || symbol == NULL)
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                        "'%s' is no plugin: it exports no sluice_plugin", path);
  if (!register_plugin (path, symbol, error))
    return FALSE;
  if (loaded == NULL)
    loaded = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_add (loaded, g_steal_pointer (&canonical));
  return TRUE;
}
