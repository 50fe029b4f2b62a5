/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/queue-needs.h"

#include "engine/base/error.h"
#include "engine/device/device.h"
#include "engine/runtime/session/options.h"

const char *const sluice_queue_need_keys[] = { "device", "threads", "memory", NULL };

/* As the command line takes it. */
static const SluiceOption *
find_option (const char *key)
{
  return sluice_options_find (g_str_equal (key, "memory") ? "memory-limit" : key);
}

static gboolean
is_here (const char *device, GError **error)
{
  SluiceDeviceSpec spec = { 0 };
  if (!sluice_device_spec_parse (&spec, device, error))
    return FALSE;
  gboolean is_cpu = spec.type == NULL || g_str_equal (spec.type, "CPU");
  const SluiceDeviceKind *kind = is_cpu ? NULL : sluice_device_find_kind (spec.type, error);
  gboolean ok = is_cpu || kind != NULL;
  if (kind != NULL && spec.index >= 0 && (guint) spec.index >= kind->count ())
    ok = sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there are %u devices of type %s here",
                      kind->count (), spec.type);
  sluice_device_spec_clear (&spec);
  return ok;
}

gboolean
sluice_queue_needs_set (SluiceQueueNeeds *self, const char *key, const char *text, GError **error)
{
  SluiceSessionOptions parsed = { 0 };
  if (*text != '\0'
      && (!sluice_option_parse (find_option (key), &parsed, text, error)
          || (parsed.device != NULL && !is_here (parsed.device, error))))
    {
      g_prefix_error (error, "%s=%s: ", key, text);
      return FALSE;
    }
  if (g_str_equal (key, "device"))
    self->devices = parsed.device;
  else if (g_str_equal (key, "threads"))
    self->threads = parsed.n_threads;
  else
    self->memory = (gint64) parsed.memory_limit;
  return TRUE;
}

char *
sluice_queue_needs_dup_text (const SluiceQueueNeeds *self, const char *key)
{
  if (g_str_equal (key, "device"))
    return g_strdup (self->devices != NULL ? self->devices : "");
  gint64 number = g_str_equal (key, "threads") ? self->threads : self->memory;
  return number != 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, number) : g_strdup ("");
}
