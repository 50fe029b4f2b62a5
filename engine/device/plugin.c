/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/plugin.h"

#include <gmodule.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/device/device.h"

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
    {
      if (plugin->device_kind != NULL)
        sluice_device_add_kind (plugin->device_kind);
      return TRUE;
    }
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

/* ---- modules of devices ---- */

/* (transfer full) (nullable): it is not there */
static char *
find_module (const char *file)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = program != NULL ? g_path_get_dirname (program) : g_strdup (".");
  const char *told = g_getenv ("SLUICE_MODULES");
  const struct
  {
    const char *folder, *below;
  } places[] = { { told, "" }, { folder, "" }, { folder, ".." }, { folder, "../lib/sluice" } };
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      if (places[i].folder == NULL)
        continue;
      g_autofree char *path = g_build_filename (places[i].folder, places[i].below, file, NULL);
      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }
  return NULL;
}

gboolean
sluice_plugin_load_device (const char *device, GError **error)
{
  SluiceDeviceSpec spec;
  if (!sluice_device_spec_parse (&spec, device, error))
    return FALSE;
  g_autofree char *type = spec.type != NULL ? g_steal_pointer (&spec.type) : g_strdup ("*");
  sluice_device_spec_clear (&spec);
  if (strcmp (type, "CPU") == 0 || sluice_device_find_kind (type, NULL) != NULL)
    return TRUE;
  g_autofree char *lower = g_ascii_strdown (type, -1);
  g_autofree char *file = g_strdup_printf ("sluice-%s.so", lower);
  g_autofree char *path = find_module (file);
  if (path != NULL)
    return sluice_plugin_load (path, error);
  return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                      "there is no device '%s': its module %s is neither beside the program nor in "
                      "lib/sluice; set SLUICE_MODULES to its folder",
                      device, file);
}
