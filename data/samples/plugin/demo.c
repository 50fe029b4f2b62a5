/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A kind of device of one's own, outside the program: DEMO:0 and DEMO:1 have memory of their own
 * and queues, of which each does what it is given at once. A driver's would hand kernels and copies
 * to its streams, and tell of what they have done in `notify`.
 *
 *   gcc -shared -fPIC -O2 demo.c -o sluice-demo.so $(pkg-config --cflags sluice-0)
 *
 *   SLUICE_MODULES=. sluice train digits-mlp --device DEMO:0
 */
#include <gmodule.h>
#include <stdlib.h>
#include <string.h>

#include "engine/device/plugin.h"

#define N_DEVICES 2
#define BYTES     ((gsize) 256 << 20) /* of each */

/* ---- memory ---- */

static void *
map (gpointer data, gsize bytes)
{
  return aligned_alloc (64, (bytes + 63) & ~(gsize) 63);
}

static void
unmap (gpointer data, void *memory, gsize bytes)
{
  free (memory);
}

/* ---- queues ---- */

static gboolean
enqueue (SluiceDevice *self, SluiceQueueKind kind, SluiceQueuedFunc func, gpointer data)
{
  func (data);
  return TRUE;
}

static gboolean
copy (SluiceDevice *self,
      SluiceQueueKind kind,
      SluiceCopyKind direction,
      void *to,
      const void *from,
      gsize bytes)
{
  memcpy (to, from, bytes);
  return TRUE;
}

static gboolean
copy_across (SluiceDevice *self,
             SluiceQueueKind kind,
             void *to,
             SluiceDevice *from_device,
             const void *from,
             gsize bytes)
{
  memcpy (to, from, bytes);
  return TRUE;
}

static SluiceDeviceEvent
record (SluiceDevice *self, SluiceQueueKind kind)
{
  return (SluiceDeviceEvent){ NULL, 0 };
}

static gboolean
has_passed (SluiceDevice *self, SluiceDeviceEvent event)
{
  return TRUE;
}

static void
wait (SluiceDevice *self, SluiceDeviceEvent event)
{
}

static void
wait_in_queue (SluiceDevice *self, SluiceQueueKind kind, SluiceDeviceEvent event)
{
}

static gboolean
synchronize (SluiceDevice *self, GError **error)
{
  return TRUE;
}

static const SluiceDeviceQueues queues = { .enqueue = enqueue,
                                           .notify = enqueue,
                                           .copy = copy,
                                           .copy_across = copy_across,
                                           .record = record,
                                           .has_passed = has_passed,
                                           .wait = wait,
                                           .wait_in_queue = wait_in_queue,
                                           .synchronize = synchronize };

/* ---- the kind ---- */

static guint
count (void)
{
  return N_DEVICES;
}

static char *
describe (guint index)
{
  return index < N_DEVICES ? g_strdup ("a demonstration, with the CPU's kernels")
                           : g_strdup_printf ("there are %d of them", N_DEVICES);
}

static const SluiceMemorySource *
open_device (guint index, const char *options, GError **error)
{
  static const SluiceMemorySource memory = {
    .map = map, .unmap = unmap, .bytes = BYTES, .is_far = TRUE
  };
  return &memory;
}

static const SluiceDeviceClass demo_class = {
  .type = "DEMO", .kernel_type = "CPU", .computes = TRUE, .queues = &queues
};
static const SluiceDeviceKind kind = { &demo_class, count, describe, open_device, FALSE };
static const SluiceKernelModule *const modules[] = { NULL };

G_MODULE_EXPORT const SluicePlugin sluice_plugin;
const SluicePlugin sluice_plugin = { SLUICE_PLUGIN_ABI, "demo", modules, &kind };
