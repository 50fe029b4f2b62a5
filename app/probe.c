/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/thread.h"

/* Latencies are counted in buckets of a millisecond; the last one holds all that are longer. */
#define N_BUCKETS 4000

struct _SluiceProbe
{
  GtkWidget *widget; /* borrowed */
  gboolean (*is_settled) (GtkWidget *widget);
  double opened; /* seconds from the start of the process to the first whole picture; 0: not yet */
  GSource *source;
  GdkFrameClock *clock;
  double started_wall;
  gint64 woken, woken_cpu; /* when the loop last came out of its poll; 0: it is in there */
  gint64 frame, frame_cpu; /* when the frame under way began */
  gint64 in_frames_cpu;    /* of this turn of the loop */
  double worst_stall, worst_busy, worst_frame, worst_other; /* milliseconds */
  gint64 worst_at;      /* g_get_monotonic_time() at the end of the worst stall */
  double worst_waited;  /* of that stall: ready to run, while others had the processors */
  int schedule_fd;      /* of this thread's times in the scheduler; -1: the system does not say */
  guint64 woken_waited; /* ns, as there */
  GArray *fresh;
  guint latencies[N_BUCKETS];
  guint n_latencies;
};

typedef struct
{
  GSource source;
  SluiceProbe *probe;
} ProbeSource;

/* Nanoseconds that the thread was ready to run and others ran. */
static guint64
waited_now (SluiceProbe *self)
{
  char text[64];
  unsigned long long ran, waited = 0;
  gssize n = self->schedule_fd >= 0 ? pread (self->schedule_fd, text, sizeof text - 1, 0) : -1;
  if (n <= 0)
    return 0;
  text[n] = '\0';
  return sscanf (text, "%llu %llu", &ran, &waited) == 2 ? waited : 0;
}

/* How long this process has been there, to 10 ms; 0 where the system does not say. */
static double
process_age (void)
{
  g_autofree char *text = NULL;
  unsigned long long ticks;
  struct timespec now;
  if (!g_file_get_contents ("/proc/self/stat", &text, NULL, NULL))
    return 0;
  const char *rest = strrchr (text, ')'); /* the name before may hold blanks */
  if (rest == NULL
      || sscanf (
             rest,
             ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
             &ticks)
             != 1)
    return 0;
  clock_gettime (CLOCK_BOOTTIME, &now);
  return now.tv_sec + now.tv_nsec * 1e-9 - (double) ticks / sysconf (_SC_CLK_TCK);
}

/* The loop is about to poll: the turn that ends here began when it came out of the last poll. */
static gboolean
probe_prepare (GSource *source, int *timeout)
{
  SluiceProbe *self = ((ProbeSource *) source)->probe;
  if (self->woken == 0)
    return FALSE;
  double busy = (sluice_thread_get_cpu_us () - self->woken_cpu) * 1e-3;
  gint64 now = g_get_monotonic_time ();
  double stall = (now - self->woken) * 1e-3;
  if (stall > self->worst_stall)
    {
      self->worst_at = now;
      self->worst_waited = (double) (waited_now (self) - self->woken_waited) * 1e-6;
    }
  self->worst_stall = MAX (self->worst_stall, stall);
  self->worst_busy = MAX (self->worst_busy, busy);
  self->worst_other = MAX (self->worst_other, busy - self->in_frames_cpu * 1e-3);
  self->woken = 0;
  return FALSE;
}

static gboolean
probe_check (GSource *source)
{
  SluiceProbe *self = ((ProbeSource *) source)->probe;
  self->woken = g_get_monotonic_time ();
  self->woken_cpu = sluice_thread_get_cpu_us ();
  self->woken_waited = waited_now (self);
  self->in_frames_cpu = 0;
  return FALSE;
}

static gboolean
probe_dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static void
before_paint_cb (SluiceProbe *self)
{
  self->frame_cpu = sluice_thread_get_cpu_us ();
}

static void
after_paint_cb (SluiceProbe *self)
{
  gint64 cpu = sluice_thread_get_cpu_us () - self->frame_cpu;
  double now = g_get_real_time () * 1e-6;
  if (self->opened == 0 && self->is_settled (self->widget))
    self->opened = process_age ();
  self->in_frames_cpu += cpu;
  self->worst_frame = MAX (self->worst_frame, cpu * 1e-3);
  for (guint i = 0; i < self->fresh->len; i++)
    {
      double wall = g_array_index (self->fresh, double, i);
      if (wall < self->started_wall)
        continue; /* of an earlier session: it is read now, not logged now */
      self->latencies[(guint) CLAMP ((now - wall) * 1e3, 0, N_BUCKETS - 1)]++;
      self->n_latencies++;
    }
  g_array_set_size (self->fresh, 0);
}

static void
realized_cb (SluiceProbe *self)
{
  self->clock = g_object_ref (gtk_widget_get_frame_clock (self->widget));
  g_signal_connect_swapped (self->clock, "before-paint", G_CALLBACK (before_paint_cb), self);
  g_signal_connect_swapped (self->clock, "after-paint", G_CALLBACK (after_paint_cb), self);
}

SluiceProbe *
sluice_probe_new (GtkWidget *widget, gboolean (*is_settled) (GtkWidget *widget))
{
  static GSourceFuncs funcs = { probe_prepare, probe_check, probe_dispatch, NULL, NULL, NULL };
  SluiceProbe *self = g_new0 (SluiceProbe, 1);
  self->widget = widget;
  self->is_settled = is_settled;
  self->started_wall = g_get_real_time () * 1e-6;
  self->fresh = g_array_new (FALSE, FALSE, sizeof (double));
  self->schedule_fd = open ("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  self->source = g_source_new (&funcs, sizeof (ProbeSource));
  ((ProbeSource *) self->source)->probe = self;
  /* Looked at before and after every poll, whatever else is due. */
  g_source_set_priority (self->source, G_MININT);
  g_source_attach (self->source, NULL);
  g_signal_connect_swapped (widget, "realize", G_CALLBACK (realized_cb), self);
  return self;
}

void
sluice_probe_free (SluiceProbe *self)
{
  g_source_destroy (self->source);
  g_source_unref (self->source);
  if (self->clock != NULL)
    g_signal_handlers_disconnect_by_data (self->clock, self);
  g_clear_object (&self->clock);
  g_signal_handlers_disconnect_by_data (self->widget, self);
  g_array_unref (self->fresh);
  if (self->schedule_fd >= 0)
    close (self->schedule_fd);
  g_free (self);
}

GArray *
sluice_probe_get_fresh (SluiceProbe *self)
{
  return self->fresh;
}

static guint
median_latency (SluiceProbe *self)
{
  guint seen = 0, at = 0;
  for (; at < N_BUCKETS - 1; at++)
    {
      seen += self->latencies[at];
      if (2 * seen > self->n_latencies)
        break;
    }
  return at;
}

static void
add_double (JsonBuilder *builder, const char *name, double *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, *value);
  *value = 0;
}

void
sluice_probe_dump (SluiceProbe *self, JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "worst_at_us");
  json_builder_add_int_value (builder, self->worst_at);
  json_builder_set_member_name (builder, "cpu_ms");
  json_builder_add_double_value (builder, sluice_thread_get_cpu_us () * 1e-3);
  add_double (builder, "worst_stall_ms", &self->worst_stall);
  add_double (builder, "worst_waited_ms", &self->worst_waited);
  add_double (builder, "worst_busy_ms", &self->worst_busy);
  add_double (builder, "worst_frame_ms", &self->worst_frame);
  add_double (builder, "worst_other_ms", &self->worst_other);
  json_builder_set_member_name (builder, "opened_s");
  json_builder_add_double_value (builder, self->opened);
  json_builder_set_member_name (builder, "points_seen");
  json_builder_add_int_value (builder, self->n_latencies);
  json_builder_set_member_name (builder, "latency_ms");
  json_builder_add_int_value (builder, self->n_latencies > 0 ? median_latency (self) : 0);
}
