/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/sim.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/text.h"

/* Protecting 8 MiB in pages of 4 KiB takes 370 us, in these 4 us. */
#define PAGE      ((gsize) 2 << 20)
#define ALIGNED   ((gsize) 64)
#define MAX_SPACE ((gsize) 1 << 40) /* of addresses, which cost nothing */

const SluiceSimOptions sluice_sim_default = { .speed = 1 };

/* One of a session. Its memory outlives it, until the last tensor is gone. */
typedef struct
{
  SluiceMemorySource source;
  SluiceSimOptions options;
  SluiceDeviceThread *threads[SLUICE_N_QUEUE_KINDS];
  gint64 begun;         /* when the one for kernels began what it runs */
  pthread_mutex_t lock; /* guards what follows */
  char *space;          /* addresses for blocks, from a page's start on */
  gsize n_space, n_used;
  void *mapping;    /* of space, and what lies before it */
  GHashTable *free; /* bytes → GPtrArray of blocks that were given back */
  guint n_inside;   /* threads of its own that may touch it */
} Sim;

/* ---- memory ---- */

static gsize
round_up (gsize bytes)
{
  return (bytes + PAGE - 1) & ~(PAGE - 1);
}

/* Under the lock. */
static void
protect (Sim *self, int protection)
{
  if (self->n_used > 0 && mprotect (self->space, round_up (self->n_used), protection) != 0)
    g_error ("a simulated device cannot protect its memory: %s", g_strerror (errno));
}

static void
enter (Sim *self)
{
  pthread_mutex_lock (&self->lock);
  if (self->n_inside++ == 0)
    protect (self, PROT_READ | PROT_WRITE);
  pthread_mutex_unlock (&self->lock);
}

static void
leave (Sim *self)
{
  pthread_mutex_lock (&self->lock);
  if (--self->n_inside == 0)
    protect (self, PROT_NONE);
  pthread_mutex_unlock (&self->lock);
}

/* Under the lock. (nullable) */
static char *
take_space (Sim *self, gsize bytes)
{
  GPtrArray *list = g_hash_table_lookup (self->free, GSIZE_TO_POINTER (bytes));
  if (list != NULL && list->len > 0)
    return g_ptr_array_steal_index_fast (list, list->len - 1);
  gsize before = round_up (self->n_used);
  /* Blocks of a page and more begin on one, so that it can be given back. */
  gsize at = bytes >= PAGE ? before : self->n_used;
  if (bytes > self->n_space - at)
    return NULL;
  gsize used = at + bytes, mapped = round_up (used);
  if (self->n_inside > 0 && mapped > before
      && mprotect (self->space + before, mapped - before, PROT_READ | PROT_WRITE) != 0)
    return NULL;
  self->n_used = used;
  return self->space + at;
}

static void *
map_memory (gpointer data, gsize bytes)
{
  Sim *self = data;
  pthread_mutex_lock (&self->lock);
  char *block = take_space (self, (bytes + ALIGNED - 1) & ~(ALIGNED - 1));
  pthread_mutex_unlock (&self->lock);
  return block;
}

static void
unmap_memory (gpointer data, void *memory, gsize bytes)
{
  Sim *self = data;
  bytes = (bytes + ALIGNED - 1) & ~(ALIGNED - 1);
  pthread_mutex_lock (&self->lock);
  if (bytes >= PAGE)
    madvise (memory, bytes & ~(PAGE - 1), MADV_DONTNEED); /* what is not given back is only kept */
  GPtrArray *list = g_hash_table_lookup (self->free, GSIZE_TO_POINTER (bytes));
  if (list == NULL)
    {
      list = g_ptr_array_new ();
      g_hash_table_insert (self->free, GSIZE_TO_POINTER (bytes), list);
    }
  g_ptr_array_add (list, memory);
  pthread_mutex_unlock (&self->lock);
}

/* What is read there by mistake is no number. */
static void
vacate_memory (gpointer data, void *memory, gsize bytes)
{
  Sim *self = data;
  enter (self);
  memset (memory, 0xFF, bytes);
  leave (self);
  if (bytes >= PAGE)
    madvise (memory, bytes & ~(PAGE - 1), MADV_DONTNEED);
}

static gboolean
occupy_memory (gpointer data, void *memory, gsize bytes)
{
  return TRUE;
}

/* ---- time ---- */

static gint64
now_ns (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

static void
sleep_until (gint64 ns)
{
  struct timespec until = { ns / 1000000000, ns % 1000000000 };
  while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
    ;
}

/* ---- queues ---- */

typedef struct
{
  Sim *sim;
  SluiceQueuedFunc func;
  gpointer data;
} Work;

static void
run_kernel (gpointer data)
{
  Work *work = data;
  enter (work->sim);
  work->sim->begun = now_ns ();
  work->func (work->data);
  leave (work->sim);
  g_free (work);
}

/* Nothing of its own touches the memory meanwhile. */
static void
sim_pace (SluiceDevice *device)
{
  Sim *self = device->data;
  if (self->options.speed >= 1)
    return;
  gint64 took = now_ns () - self->begun;
  leave (self);
  sleep_until (self->begun + (gint64) ((double) took / self->options.speed));
  enter (self);
}

static gboolean
sim_enqueue (SluiceDevice *device, SluiceQueueKind kind, SluiceQueuedFunc func, gpointer data)
{
  Sim *self = device->data;
  if (kind != SLUICE_QUEUE_COMPUTE)
    {
      sluice_device_thread_push (self->threads[kind], func, data);
      return TRUE;
    }
  Work *work = g_new (Work, 1);
  *work = (Work){ self, func, data };
  sluice_device_thread_push (self->threads[kind], run_kernel, work);
  return TRUE;
}

static gboolean
sim_notify (SluiceDevice *device, SluiceQueueKind kind, SluiceQueuedFunc func, gpointer data)
{
  sluice_device_thread_push (((Sim *) device->data)->threads[kind], func, data);
  return TRUE;
}

static gboolean
sim_copy (SluiceDevice *device,
          SluiceQueueKind kind,
          SluiceCopyKind direction,
          void *to,
          const void *from,
          gsize bytes)
{
  Sim *self = device->data;
  gint64 end = now_ns ();
  if (direction != SLUICE_COPY_WITHIN)
    {
      end += self->options.latency_us * 1000;
      if (self->options.bytes_a_second > 0)
        end += (gint64) (1e9 * (double) bytes / self->options.bytes_a_second);
    }
  enter (self);
  memcpy (to, from, bytes);
  leave (self);
  if (end > now_ns ())
    sleep_until (end);
  return TRUE;
}

static gboolean
sim_copy_across (SluiceDevice *device,
                 SluiceQueueKind kind,
                 void *to,
                 SluiceDevice *from_device,
                 const void *from,
                 gsize bytes)
{
  enter (from_device->data);
  gboolean ok = sim_copy (device, kind, SLUICE_COPY_IN, to, from, bytes);
  leave (from_device->data);
  return ok;
}

static SluiceDeviceEvent
sim_record (SluiceDevice *device, SluiceQueueKind kind)
{
  SluiceMoment moment = sluice_device_thread_get_moment (((Sim *) device->data)->threads[kind]);
  return (SluiceDeviceEvent){ moment.thread, moment.number };
}

static SluiceMoment
moment_of (SluiceDeviceEvent event)
{
  return (SluiceMoment){ event.queue, event.number };
}

static gboolean
sim_has_passed (SluiceDevice *device, SluiceDeviceEvent event)
{
  return sluice_device_thread_has_passed (moment_of (event));
}

static void
sim_wait (SluiceDevice *device, SluiceDeviceEvent event)
{
  sluice_device_thread_wait (moment_of (event));
}

static void
sim_wait_in_queue (SluiceDevice *device, SluiceQueueKind kind, SluiceDeviceEvent event)
{
  sluice_device_thread_push_wait (((Sim *) device->data)->threads[kind], moment_of (event));
}

/* What one queue does last may be pushed by another. */
static gboolean
sim_synchronize (SluiceDevice *device, GError **error)
{
  for (guint round = 0; round < SLUICE_N_QUEUE_KINDS; round++)
    for (guint kind = 0; kind < SLUICE_N_QUEUE_KINDS; kind++)
      sim_wait (device, sim_record (device, kind));
  return TRUE;
}

/* ---- options ---- */

static gboolean
parse_number (const char *text, double *value)
{
  char *end;
  *value = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (*value) && *value > 0;
}

/* "500us", "2ms", "0". */
static gboolean
parse_us (const char *text, gint64 *us)
{
  char *end;
  double value = g_ascii_strtod (text, &end);
  double unit = g_str_equal (end, "ms") ? 1e3 : g_str_equal (end, "s") ? 1e6 : 1;
  gboolean has_unit = unit != 1 || g_str_equal (end, "us") || (value == 0 && *end == '\0');
  if (end == text || !has_unit || !(value >= 0 && value * unit <= 60e6))
    return FALSE;
  *us = (gint64) (value * unit);
  return TRUE;
}

static gboolean
parse_option (SluiceSimOptions *options, const char *name, const char *value)
{
  gsize bytes;
  if (g_str_equal (name, "memory"))
    return sluice_text_parse_size (value, &options->memory_bytes);
  if (g_str_equal (name, "latency"))
    return parse_us (value, &options->latency_us);
  if (g_str_equal (name, "speed"))
    return parse_number (value, &options->speed) && options->speed <= 1;
  if (!g_str_equal (name, "bandwidth") || !sluice_text_parse_size (value, &bytes))
    return FALSE;
  options->bytes_a_second = (double) bytes;
  return TRUE;
}

gboolean
sluice_sim_options_parse (SluiceSimOptions *options, const char *text, GError **error)
{
  *options = sluice_sim_default;
  g_auto (GStrv) parts = g_strsplit (text != NULL ? text : "", ",", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      g_auto (GStrv) pair = g_strsplit (g_strstrip (parts[i]), "=", 2);
      if (g_strv_length (pair) != 2 || !parse_option (options, pair[0], pair[1]))
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "'%s' is no option of a simulated device; there are memory=256M, "
                            "latency=500us (up to 60s), bandwidth=10G (bytes a second) and "
                            "speed=0.5 (up to 1)",
                            parts[i]);
    }
  return TRUE;
}

gboolean
sluice_sim_check_options (const char *device, const char *text, GError **error)
{
  SluiceSimOptions options;
  SluiceDeviceSpec spec = { 0 };
  gboolean ok = device == NULL || sluice_device_spec_parse (&spec, device, error);
  gboolean is_of_module = ok && spec.type != NULL && !g_str_equal (spec.type, "CPU")
                          && !g_str_equal (spec.type, sluice_sim_kind.klass->type);
  if (device != NULL && ok)
    sluice_device_spec_clear (&spec);
  return ok && (is_of_module || sluice_sim_options_parse (&options, text, error));
}

/* ---- the kind ---- */

static guint
count_sims (void)
{
  return SLUICE_MAX_SIMS;
}

static char *
describe (guint index)
{
  if (index >= SLUICE_MAX_SIMS)
    return g_strdup_printf ("there are %d simulated devices", SLUICE_MAX_SIMS);
  return g_strdup ("simulated: memory and queues of its own, with the CPU's kernels "
                   "(--device-options memory=256M,latency=500us,bandwidth=10G,speed=0.5)");
}

static gsize
get_machine_bytes (void)
{
  return (gsize) sysconf (_SC_PHYS_PAGES) * (gsize) sysconf (_SC_PAGESIZE);
}

/* Runs what is queued. */
static void
stop_queues (Sim *self)
{
  /* Copies out of the device are queued by kernels, and what waits for them by the host. */
  const SluiceQueueKind order[] = { SLUICE_QUEUE_IN, SLUICE_QUEUE_COMPUTE, SLUICE_QUEUE_OUT };
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    g_clear_pointer (&self->threads[order[i]], sluice_device_thread_free);
}

static void
sim_finalize (SluiceDevice *device)
{
  stop_queues (device->data);
}

static void
free_list (gpointer key, gpointer list, gpointer data)
{
  g_ptr_array_unref (list);
}

static void
close_memory (gpointer data)
{
  Sim *self = data;
  munmap (self->mapping, self->n_space + PAGE);
  g_hash_table_foreach (self->free, free_list, NULL);
  g_hash_table_unref (self->free);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

/* (nullable) */
static Sim *
sim_new (const SluiceSimOptions *options, GError **error)
{
  /* More than may lie there: what is given back is reused for its own size only, and what has left
   * keeps its addresses. */
  gsize bytes = MAX (options->memory_bytes, get_machine_bytes ());
  gsize n_space = MIN (16 * bytes + ((gsize) 1 << 30), MAX_SPACE);
  n_space = round_up (n_space);
  void *mapping =
      mmap (NULL, n_space + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    {
      sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                   "no addresses for %" G_GSIZE_FORMAT " bytes of a simulated device", n_space);
      return NULL;
    }
  Sim *self = g_new0 (Sim, 1);
  self->options = *options;
  self->mapping = mapping;
  self->space = (char *) round_up ((gsize) mapping);
  madvise (self->space, n_space, MADV_HUGEPAGE); /* where the system has them */
  self->n_space = n_space;
  self->free = g_hash_table_new (NULL, NULL);
  self->source =
      (SluiceMemorySource){ map_memory, unmap_memory,  close_memory, self, options->memory_bytes,
                            TRUE,       vacate_memory, occupy_memory };
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

static const SluiceMemorySource *
open_sim (guint index, const char *text, GError **error)
{
  SluiceSimOptions options;
  if (!sluice_sim_options_parse (&options, text, error))
    return NULL;
  Sim *self = sim_new (&options, error);
  for (guint kind = 0; self != NULL && kind < SLUICE_N_QUEUE_KINDS; kind++)
    if ((self->threads[kind] = sluice_device_thread_new ("a simulated device", error)) == NULL)
      {
        stop_queues (self);
        close_memory (self);
        return NULL;
      }
  return self != NULL ? &self->source : NULL;
}

static const SluiceDeviceQueues queues = {
  .enqueue = sim_enqueue,
  .notify = sim_notify,
  .copy = sim_copy,
  .copy_across = sim_copy_across,
  .record = sim_record,
  .has_passed = sim_has_passed,
  .wait = sim_wait,
  .wait_in_queue = sim_wait_in_queue,
  .synchronize = sim_synchronize,
  .pace = sim_pace,
};
static const SluiceDeviceClass sim_class = {
  .type = "SIM", .kernel_type = "CPU", .computes = TRUE, .queues = &queues, .finalize = sim_finalize
};
const SluiceDeviceKind sluice_sim_kind = { &sim_class, count_sims, describe, open_sim, TRUE };
