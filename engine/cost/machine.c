/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/suggest.h"
#include "engine/base/text.h"
#include "engine/cost/json.h"

/* Of a file that says nothing: one core of today. */
#define GFLOPS      50.0
#define GBPS        10.0
#define OVERHEAD_US 0.1
/* Of a link within this machine: to wake who waits for the value. */
#define LATENCY_US 5.0

typedef struct
{
  SluiceMachine *machine;
  GHashTable *number_of_name; /* number + 1 of a device */
  guint8 *is_told;            /* by link */
} Reader;

/* 10⁹ a second are 10³ a microsecond. */
static double
per_us (double giga)
{
  return giga * 1000;
}

char *
sluice_machine_dup_device_name (const char *text, GError **error)
{
  SluiceDeviceSpec spec;
  g_autoptr (GError) reason = NULL;
  char *name = NULL;
  if (!sluice_device_spec_parse (&spec, text, &reason))
    {
      g_autofree char *words = sluice_text_escape (reason->message);
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s", words);
      return NULL;
    }
  if (spec.type != NULL && spec.index >= 0)
    name = g_strdup_printf ("/job:%s/replica:%d/task:%d/device:%s:%d",
                            spec.job != NULL ? spec.job : "localhost", MAX (spec.replica, 0),
                            MAX (spec.task, 0), spec.type, spec.index);
  sluice_device_spec_clear (&spec);
  if (name != NULL)
    return name;
  g_autofree char *shown = sluice_text_escape (text);
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
               "'%s' is no one device; write it like "
               "'/job:localhost/replica:0/task:0/device:CPU:0'",
               shown);
  return NULL;
}

/* (transfer full) (nullable) */
static char *
dup_full_name (const char *text, const char *where, GError **error)
{
  char *name = sluice_machine_dup_device_name (text, error);
  if (name == NULL)
    g_prefix_error (error, "%s: ", where);
  return name;
}

/* A type that nothing is known of here is taken to run what a CPU runs. */
typedef struct
{
  SluiceDevice device;
  SluiceDeviceClass klass;
} StandIn;

static void
add_stand_in (SluiceMachineDevice *device)
{
  StandIn *self = g_new0 (StandIn, 1);
  const SluiceDeviceClass *klass = sluice_device_class_find (device->type);
  self->klass = (SluiceDeviceClass){ device->type, .kernel_type = "CPU", .computes = TRUE };
  self->device.klass = klass != NULL ? klass : &self->klass;
  self->device.name = device->name;
  self->device.short_name = strstr (device->name, "/device:") + strlen ("/device:");
  self->device.index = (guint) atoi (strrchr (device->name, ':') + 1);
  device->device = &self->device;
}

/* (transfer full) */
static char *
dup_type (const char *name)
{
  const char *type = strstr (name, "/device:") + strlen ("/device:");
  return g_strndup (type, (gsize) (strrchr (type, ':') - type));
}

static gboolean
read_device (Reader *self, JsonNode *node, const char *path, GError **error)
{
  static const char *const keys[] = { "name", "gflops", "gbps", "memory", "overhead_us", NULL };
  SluiceMachine *machine = self->machine;
  SluiceMachineDevice *device = &machine->devices[machine->n_devices];
  g_autofree char *place = g_strdup_printf ("'%s': device %u", path, machine->n_devices + 1);
  double gflops = GFLOPS, gbps = GBPS;
  const char *text;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s is no object; write {\"name\": …}", place);
  JsonObject *object = json_node_get_object (node);
  if (!sluice_cost_json_get_text (object, "name", place, &text, error))
    return FALSE;
  g_autofree char *name = dup_full_name (text, place, error);
  if (name == NULL)
    return FALSE;
  g_autofree char *where = g_strdup_printf ("'%s': device '%s'", path, name);
  if (g_hash_table_contains (self->number_of_name, name))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s is there twice", where);
  device->overhead_us = OVERHEAD_US;
  device->memory = INFINITY;
  if (!sluice_cost_json_check_keys (object, keys, where, error)
      || !sluice_cost_json_get_number (object, "gflops", where, SLUICE_COST_JSON_ABOVE_0, &gflops,
                                       error)
      || !sluice_cost_json_get_number (object, "gbps", where, SLUICE_COST_JSON_ABOVE_0, &gbps,
                                       error)
      || !sluice_cost_json_get_number (object, "memory", where, SLUICE_COST_JSON_FROM_0,
                                       &device->memory, error)
      || !sluice_cost_json_get_number (object, "overhead_us", where, SLUICE_COST_JSON_FROM_0,
                                       &device->overhead_us, error))
    return FALSE;
  device->flops_per_us = per_us (gflops);
  device->bytes_per_us = per_us (gbps);
  device->type = dup_type (name);
  device->name = g_steal_pointer (&name);
  add_stand_in (device);
  machine->n_devices++;
  g_hash_table_insert (self->number_of_name, device->name, GUINT_TO_POINTER (machine->n_devices));
  return TRUE;
}

static gboolean
read_devices (Reader *self, JsonObject *root, const char *path, GError **error)
{
  SluiceMachine *machine = self->machine;
  g_autofree char *where = g_strdup_printf ("'%s'", path);
  JsonArray *list;
  if (!sluice_cost_json_get_array (root, "devices", where, &list, error))
    return FALSE;
  guint n = list != NULL ? json_array_get_length (list) : 0;
  if (n == 0 || n > SLUICE_MAX_DEVICES)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s has %u devices; give from 1 to %d under \"devices\"", where, n,
                        SLUICE_MAX_DEVICES);
  machine->devices = g_new0 (SluiceMachineDevice, n);
  for (guint i = 0; i < n; i++)
    if (!read_device (self, json_array_get_element (list, i), path, error))
      return FALSE;
  machine->links = g_new (SluiceMachineLink, n * n);
  self->is_told = g_new0 (guint8, n * n);
  for (guint i = 0; i < n * n; i++)
    machine->links[i] = (SluiceMachineLink){ INFINITY, 1 };
  return TRUE;
}

static gboolean
read_end (Reader *self,
          JsonObject *object,
          const char *key,
          const char *where,
          guint *device,
          GError **error)
{
  const char *text;
  if (!sluice_cost_json_get_text (object, key, where, &text, error))
    return FALSE;
  g_autofree char *name = dup_full_name (text, where, error);
  if (name == NULL)
    return FALSE;
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->number_of_name, name));
  *device = number - 1;
  if (number > 0)
    return TRUE;
  g_autofree const char **names = g_new (const char *, self->machine->n_devices);
  for (guint i = 0; i < self->machine->n_devices; i++)
    names[i] = self->machine->devices[i].name;
  const char *meant = sluice_suggest_name (name, names, self->machine->n_devices);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "%s: \"%s\" is '%s', which is not among the devices%s%s%s", where, key, name,
                      meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                      meant != NULL ? "'?" : "");
}

/* The other direction is not told apart until its own entry comes: is_told says which are. */
static gboolean
read_link (Reader *self, JsonNode *node, const char *where, GError **error)
{
  static const char *const keys[] = { "from", "to", "latency_us", "gbps", NULL };
  SluiceMachine *machine = self->machine;
  guint n = machine->n_devices, from, to;
  double latency_us = 0, gbps = 0;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s is no object; write {\"from\": …, \"to\": …}", where);
  JsonObject *object = json_node_get_object (node);
  if (!read_end (self, object, "from", where, &from, error)
      || !read_end (self, object, "to", where, &to, error)
      || !sluice_cost_json_check_keys (object, keys, where, error)
      || !sluice_cost_json_get_number (object, "latency_us", where, SLUICE_COST_JSON_FROM_0,
                                       &latency_us, error)
      || !sluice_cost_json_get_number (object, "gbps", where, SLUICE_COST_JSON_ABOVE_0, &gbps,
                                       error))
    return FALSE;
  if (gbps <= 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s has no bandwidth; give \"gbps\", in 10⁹ bytes a second", where);
  if (from == to)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s leads from '%s' to itself", where,
                        machine->devices[from].name);
  if (self->is_told[from * n + to])
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s: the one from '%s' to '%s' is there twice", where,
                        machine->devices[from].name, machine->devices[to].name);
  self->is_told[from * n + to] = 1;
  machine->links[from * n + to] = (SluiceMachineLink){ latency_us, per_us (gbps) };
  if (!self->is_told[to * n + from])
    machine->links[to * n + from] = machine->links[from * n + to];
  return TRUE;
}

static gboolean
read_all (Reader *self, JsonObject *root, const char *path, GError **error)
{
  static const char *const keys[] = { "devices", "links", NULL };
  g_autofree char *where = g_strdup_printf ("'%s'", path);
  JsonArray *list;
  if (!sluice_cost_json_check_keys (root, keys, where, error)
      || !read_devices (self, root, path, error)
      || !sluice_cost_json_get_array (root, "links", where, &list, error))
    return FALSE;
  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    {
      g_autofree char *place = g_strdup_printf ("'%s': link %u", path, i + 1);
      if (!read_link (self, json_array_get_element (list, i), place, error))
        return FALSE;
    }
  return TRUE;
}

SluiceMachine *
sluice_machine_parse (const char *text, gsize length, const char *path, GError **error)
{
  g_autoptr (JsonObject) root = sluice_cost_json_parse (text, length, path, error);
  if (root == NULL)
    return NULL;
  g_autoptr (SluiceMachine) machine = g_new0 (SluiceMachine, 1);
  g_autoptr (GHashTable) number_of_name = g_hash_table_new (g_str_hash, g_str_equal);
  Reader reader = { machine, number_of_name, NULL };
  gboolean is_read = read_all (&reader, root, path, error);
  g_free (reader.is_told);
  machine->is_elsewhere = TRUE;
  return is_read ? g_steal_pointer (&machine) : NULL;
}

SluiceMachine *
sluice_machine_load (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = sluice_cost_json_read ("machine", path, error);
  if (bytes == NULL)
    return NULL;
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);
  return sluice_machine_parse (text != NULL ? text : "", length, path, error);
}

SluiceMachine *
sluice_machine_new_here (SluiceDevice *const *devices, guint n)
{
  SluiceMachine *self = g_new0 (SluiceMachine, 1);
  self->n_devices = n;
  self->devices = g_new0 (SluiceMachineDevice, n);
  self->links = g_new (SluiceMachineLink, n * n);
  for (guint i = 0; i < n * n; i++)
    self->links[i] = (SluiceMachineLink){ LATENCY_US, per_us (GBPS) };
  for (guint i = 0; i < n; i++)
    {
      SluiceAllocator *allocator = devices[i]->allocator;
      self->devices[i] = (SluiceMachineDevice){
        .name = g_strdup (devices[i]->name),
        .type = g_strdup (devices[i]->klass->type),
        .flops_per_us = per_us (GFLOPS),
        .bytes_per_us = per_us (GBPS),
        .overhead_us = OVERHEAD_US,
        .memory = sluice_allocator_is_limited (allocator)
                      ? (double) sluice_allocator_get_limit (allocator)
                      : INFINITY,
        .device = devices[i],
        .is_here = TRUE,
      };
    }
  return self;
}

void
sluice_machine_free (SluiceMachine *self)
{
  for (guint i = 0; i < self->n_devices; i++)
    {
      g_free (self->devices[i].name);
      g_free (self->devices[i].type);
      if (!self->devices[i].is_here)
        g_free (self->devices[i].device);
    }
  g_free (self->devices);
  g_free (self->links);
  g_free (self);
}

int
sluice_machine_find_device (const SluiceMachine *self, const char *name)
{
  for (guint i = 0; i < self->n_devices; i++)
    if (g_str_equal (self->devices[i].name, name))
      return (int) i;
  return -1;
}
