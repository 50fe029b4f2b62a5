/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/device.h"

#include "engine/device/sent.h"
#include "engine/device/sim.h"
#include "engine/device/swap-store.h"

#include <string.h>

static const SluiceDeviceClass cpu_class = { .type = "CPU", .computes = TRUE };
static const SluiceDeviceClass null_class = { .type = "NULL", .computes = FALSE };

/* Of const SluiceDeviceKind: what is built in, then that of plugins; changes at start-up only, no
 * lock. */
static GPtrArray *kinds;

const char *
sluice_device_class_get_kernel_type (const SluiceDeviceClass *klass)
{
  return klass->kernel_type != NULL ? klass->kernel_type : klass->type;
}

const SluiceDeviceClass *
sluice_device_class_find (const char *type)
{
  if (strcmp (type, cpu_class.type) == 0)
    return &cpu_class;
  if (strcmp (type, null_class.type) == 0)
    return &null_class;
  const SluiceDeviceKind *kind = sluice_device_find_kind (type, NULL);
  return kind != NULL ? kind->klass : NULL;
}

SluiceDevice *
sluice_tensor_get_device (const SluiceTensor *tensor)
{
  if (!sluice_tensor_is_far (tensor))
    return NULL;
  return sluice_allocator_get_holder (sluice_block_get_allocator (tensor->buffer->block));
}

static SluiceDevice *
device_new (const SluiceCluster *cluster,
            const SluiceDeviceClass *klass,
            guint index,
            gsize memory_limit,
            const SluiceMemorySource *source)
{
  SluiceDevice *self = g_new0 (SluiceDevice, 1);
  self->klass = klass;
  self->index = index;
  if (cluster == NULL)
    cluster = sluice_cluster_get_local ();
  self->incarnation = cluster->incarnation;
  g_autofree char *task = sluice_cluster_dup_own_name (cluster);
  self->name = g_strdup_printf ("%s/device:%s:%u", task, klass->type, index);
  self->short_name = self->name + strlen (task) + strlen ("/device:");
  self->data = source != NULL ? source->data : NULL;
  self->allocator = sluice_allocator_new_from (self->name, memory_limit, source, self);
  if (klass->queues != NULL)
    self->sent = sluice_sent_values_new ();
  if (self->allocator != NULL)
    return self;
  g_clear_pointer (&self->sent, sluice_sent_values_free);
  g_free (self->name);
  g_free (self);
  return NULL;
}

SluiceDevice *
sluice_device_new_cpu (const SluiceCluster *cluster,
                       guint index,
                       gsize memory_limit,
                       const char *swap_folder)
{
  SluiceDevice *self = device_new (cluster, &cpu_class, index, memory_limit, NULL);
  if (self != NULL && memory_limit > 0)
    self->swap = sluice_swap_new (self->allocator, sluice_swap_store_new_file (swap_folder));
  return self;
}

SluiceDevice *
sluice_device_new_null (const SluiceCluster *cluster, guint index)
{
  return device_new (cluster, &null_class, index, 0, NULL);
}

/* ---- the way between host and device ---- */

typedef struct
{
  SluiceDevice *device;
  SluiceQueueKind kind;
  SluiceCopyKind direction;
  SluiceTensor *to, *from;
  gboolean ok;
} Copy;

static void
copy (gpointer data)
{
  Copy *c = data;
  c->ok = c->device->klass->queues->copy (c->device, c->kind, c->direction, c->to->data,
                                          c->from->data, sluice_tensor_bytes (c->from));
}

/* After all that the device computes now. Where it has failed, c->to goes. */
static SluiceTensor *
copy_and_wait (Copy *c, GError **error)
{
  const SluiceDeviceQueues *queues = c->device->klass->queues;
  SluiceDeviceEvent computed = queues->record (c->device, SLUICE_QUEUE_COMPUTE);
  queues->wait_in_queue (c->device, c->kind, computed);
  if (queues->enqueue (c->device, c->kind, copy, c))
    queues->wait (c->device, queues->record (c->device, c->kind));
  if (c->ok)
    return c->to;
  sluice_device_fail_copy (c->device, c->direction, sluice_tensor_bytes (c->from), error);
  sluice_tensor_unref (c->to);
  return NULL;
}

gboolean
sluice_device_fail_copy (SluiceDevice *self, SluiceCopyKind direction, gsize bytes, GError **error)
{
  return sluice_fail (error, SLUICE_ERROR_UNAVAILABLE,
                      "%" G_GSIZE_FORMAT " bytes could not be copied %s %s", bytes,
                      direction == SLUICE_COPY_OUT ? "from" : "to", self->short_name);
}

SluiceTensor *
sluice_tensor_dup_near (SluiceTensor *tensor, SluiceAllocator *to, GError **error)
{
  SluiceDevice *device = sluice_tensor_get_device (tensor);
  if (device == NULL)
    return sluice_tensor_ref (tensor);
  SluiceTensor *near = sluice_tensor_new_checked (to, (SluiceDType) tensor->dtype, &tensor->shape,
                                                  SLUICE_OWNER_NONE, error);
  if (near == NULL)
    return NULL;
  return copy_and_wait (&(Copy){ device, SLUICE_QUEUE_OUT, SLUICE_COPY_OUT, near, tensor }, error);
}

SluiceTensor *
sluice_device_copy_in (SluiceDevice *self, SluiceTensor *tensor, SluiceOwner owner, GError **error)
{
  SluiceTensor *there = sluice_tensor_new_checked (self->allocator, (SluiceDType) tensor->dtype,
                                                   &tensor->shape, owner, error);
  if (there == NULL)
    return NULL;
  return copy_and_wait (&(Copy){ self, SLUICE_QUEUE_IN, SLUICE_COPY_IN, there, tensor }, error);
}

/* ---- kinds of plugins ---- */

static GPtrArray *
get_kinds (void)
{
  if (g_once_init_enter (&kinds))
    {
      GPtrArray *list = g_ptr_array_new ();
      g_ptr_array_add (list, (gpointer) &sluice_sim_kind);
      g_once_init_leave (&kinds, list);
    }
  return kinds;
}

void
sluice_device_add_kind (const SluiceDeviceKind *kind)
{
  g_ptr_array_add (get_kinds (), (gpointer) kind);
}

guint
sluice_device_kind_count_listed (const SluiceDeviceKind *kind)
{
  return kind->is_simulated ? 1 : kind->count ();
}

const SluiceDeviceKind *const *
sluice_device_list_kinds (guint *n)
{
  *n = get_kinds ()->len;
  return (const SluiceDeviceKind *const *) kinds->pdata;
}

const SluiceDeviceKind *
sluice_device_find_kind (const char *type, GError **error)
{
  g_autoptr (GString) known = g_string_new ("CPU");
  for (guint i = 0; i < get_kinds ()->len; i++)
    {
      const SluiceDeviceKind *kind = kinds->pdata[i];
      if (strcmp (kind->klass->type, type) == 0)
        return kind;
      g_string_append_printf (known, ", %s", kind->klass->type);
    }
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
               "this program has no devices of type %s (it has %s); load the plugin that brings "
               "them",
               type, known->str);
  return NULL;
}

SluiceDevice *
sluice_device_new_of_kind (const SluiceCluster *cluster,
                           const SluiceDeviceKind *kind,
                           guint index,
                           gsize memory_limit,
                           const char *options,
                           GError **error)
{
  guint n = kind->count ();
  if (index >= n)
    {
      g_autofree char *found = kind->describe (n);
      sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is no device %s:%u: %s", kind->klass->type,
                   index, found);
      return NULL;
    }
  const SluiceMemorySource *source = kind->open (index, options, error);
  if (source == NULL)
    return NULL;
  SluiceDevice *self = device_new (cluster, kind->klass, index, memory_limit, source);
  if (self == NULL)
    sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no memory for device %s:%u",
                 kind->klass->type, index);
  else if (kind->klass->queues != NULL && sluice_allocator_get_limit (self->allocator) > 0)
    self->swap = sluice_swap_new (self->allocator, sluice_swap_store_new_host (self));
  return self;
}

void
sluice_device_free (SluiceDevice *self)
{
  g_clear_pointer (&self->swap, sluice_swap_close);
  if (self->klass->finalize)
    self->klass->finalize (self);
  g_clear_pointer (&self->sent, sluice_sent_values_free);
  sluice_allocator_unref (self->allocator);
  g_free (self->name);
  g_free (self);
}

/* ---- specifications ---- */

void
sluice_device_spec_clear (SluiceDeviceSpec *self)
{
  g_free (self->job);
  g_free (self->type);
  *self = (SluiceDeviceSpec){ .replica = -1, .task = -1, .index = -1 };
}

static gboolean
take_prefix (const char **text, const char *prefix)
{
  if (!g_str_has_prefix (*text, prefix))
    return FALSE;
  *text += strlen (prefix);
  return TRUE;
}

/* A letter, then letters, digits and '_'. (transfer full) (nullable) */
static char *
take_word (const char **text)
{
  const char *end = *text;
  if (!g_ascii_isalpha (*end))
    return NULL;
  while (g_ascii_isalnum (*end) || *end == '_')
    end++;
  char *word = g_strndup (*text, end - *text);
  *text = end;
  return word;
}

/* "*" leaves -1. */
static gboolean
take_number (const char **text, int *value)
{
  *value = -1;
  if (take_prefix (text, "*"))
    return TRUE;
  if (!g_ascii_isdigit (**text))
    return FALSE;
  char *end;
  guint64 number = g_ascii_strtoull (*text, &end, 10);
  if (number > G_MAXINT)
    return FALSE;
  *text = end;
  *value = number;
  return TRUE;
}

/* "GPU:1", "gpu:*", "GPU", "*". */
static gboolean
take_device (const char **text, SluiceDeviceSpec *self)
{
  g_clear_pointer (&self->type, g_free);
  self->index = -1;
  if (!take_prefix (text, "*"))
    {
      g_autofree char *word = take_word (text);
      if (word == NULL)
        return FALSE;
      self->type = g_ascii_strup (word, -1);
    }
  return take_prefix (text, ":") ? take_number (text, &self->index) : TRUE;
}

static gboolean
take_part (const char **text, SluiceDeviceSpec *self)
{
  if (take_prefix (text, "/job:"))
    {
      g_clear_pointer (&self->job, g_free);
      if (take_prefix (text, "*"))
        return TRUE;
      self->job = take_word (text);
      return self->job != NULL;
    }
  if (take_prefix (text, "/replica:"))
    return take_number (text, &self->replica);
  if (take_prefix (text, "/task:"))
    return take_number (text, &self->task);
  if (take_prefix (text, "/device:") || take_prefix (text, "/"))
    return take_device (text, self);
  return FALSE;
}

gboolean
sluice_device_spec_parse (SluiceDeviceSpec *self, const char *text, GError **error)
{
  const char *rest = text;
  *self = (SluiceDeviceSpec){ .replica = -1, .task = -1, .index = -1 };
  gboolean ok = TRUE;
  if (*rest != '\0' && *rest != '/')
    ok = take_device (&rest, self);
  while (ok && *rest != '\0')
    ok = take_part (&rest, self);
  if (ok)
    return TRUE;
  sluice_device_spec_clear (self);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "'%s' is no device: it stops making sense at '%s'; write it like "
                      "'/job:worker/task:0/device:CPU:0', '/cpu:0' or 'CPU:0'",
                      text, rest);
}

static gboolean
number_matches (int wanted, int actual)
{
  return wanted < 0 || wanted == actual;
}

gboolean
sluice_device_spec_matches (const SluiceDeviceSpec *self, const SluiceDevice *device)
{
  SluiceDeviceSpec actual;
  if (!sluice_device_spec_parse (&actual, device->name, NULL))
    g_return_val_if_reached (FALSE);
  gboolean matches = (self->job == NULL || g_strcmp0 (self->job, actual.job) == 0)
                     && (self->type == NULL || g_strcmp0 (self->type, actual.type) == 0)
                     && number_matches (self->replica, actual.replica)
                     && number_matches (self->task, actual.task)
                     && number_matches (self->index, actual.index);
  sluice_device_spec_clear (&actual);
  return matches;
}

static gboolean
words_agree (const char *a, const char *b)
{
  return a == NULL || b == NULL || g_str_equal (a, b);
}

static gboolean
numbers_agree (int a, int b)
{
  return a < 0 || b < 0 || a == b;
}

gboolean
sluice_device_spec_merge (SluiceDeviceSpec *self, const SluiceDeviceSpec *other)
{
  if (!words_agree (self->job, other->job) || !words_agree (self->type, other->type)
      || !numbers_agree (self->replica, other->replica) || !numbers_agree (self->task, other->task)
      || !numbers_agree (self->index, other->index))
    return FALSE;
  if (self->job == NULL)
    self->job = g_strdup (other->job);
  if (self->type == NULL)
    self->type = g_strdup (other->type);
  self->replica = MAX (self->replica, other->replica);
  self->task = MAX (self->task, other->task);
  self->index = MAX (self->index, other->index);
  return TRUE;
}
