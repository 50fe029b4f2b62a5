/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/memory/memory-pane.h"

#include <glib/gi18n.h>

#include "app/memory/memory-words.h"
#include "ui/chart/ticks.h"
#include "ui/timeline/memory-draw.h"

#define MOST_READ 6 /* readings that are listed; how many more there are is said */
#define MOST_LATE 5
#define MOST_GROW 5

struct _SluiceMemoryPane
{
  SluiceInspectorPane parent;
  SluiceInspectorRows *rows; /* of what is shown */
};

G_DEFINE_FINAL_TYPE (SluiceMemoryPane, sluice_memory_pane, SLUICE_TYPE_INSPECTOR_PANE)

static guint chosen_signal;

static void
add_link (SluiceMemoryPane *self, const char *name, const char *value, guint band)
{
  g_autofree char *target = g_strdup_printf ("%u", band);
  g_autofree char *words = g_strdup_printf (_ ("Show %s"), value);
  sluice_inspector_rows_add_link (self->rows, name, value, "memory-band.show", target, words);
}

/* ---- a buffer ---- */

static void
add_size (SluiceMemoryPane *self, const SluiceMemoryBand *band)
{
  g_autofree char *label = sluice_memory_format_label (&band->label);
  g_autofree char *bytes = sluice_format_step ((gint64) band->bytes);
  g_autofree char *given = sluice_format_step ((gint64) band->given);
  if (label != NULL)
    sluice_inspector_rows_add (self->rows, _ ("Type, shape"), label);
  sluice_inspector_rows_add_printf (self->rows, _ ("Asked for"), _ ("%s B"), bytes);
  sluice_inspector_rows_add_printf (self->rows, _ ("Takes"), _ ("%s B"), given);
}

static void
add_readings (SluiceMemoryPane *self, const SluiceMemoryView *view, guint number)
{
  guint n;
  const guint *readings = sluice_memory_view_get_readings (view, number, &n);
  for (guint i = 0; i < MIN (n, MOST_READ); i++)
    {
      const SluiceMemoryRun *run = sluice_memory_view_get_run (view, readings[i]);
      g_autofree char *name = sluice_memory_dup_name (view, (SluiceOwner){ run->node, 0 });
      g_autofree char *time = sluice_memory_format_time (view, run->start);
      sluice_inspector_rows_add_printf (self->rows, i == 0 ? _ ("Read by") : "", "%s, %s", name,
                                        time);
    }
  if (n > MOST_READ)
    sluice_inspector_rows_add_printf (self->rows, "", _ ("and %u more"), n - MOST_READ);
}

static void
add_life (SluiceMemoryPane *self, const SluiceMemoryView *view, guint number)
{
  const SluiceMemoryBand *band = sluice_memory_view_get_band (view, number);
  g_autofree char *made = sluice_memory_format_time (view, band->made);
  g_autofree char *freed = sluice_memory_format_time (view, band->freed);
  g_autofree char *freer = sluice_memory_words_freer (view, number);
  sluice_inspector_rows_begin (self->rows, _ ("Life in this step"), TRUE);
  sluice_inspector_rows_add (self->rows, _ ("Made"), band->was_before ? _ ("before it") : made);
  add_readings (self, view, number);
  sluice_inspector_rows_add (self->rows, _ ("Freed"), band->stays ? _ ("stays") : freed);
  if (!band->stays)
    sluice_inspector_rows_add (self->rows, band->waste > 0 ? _ ("Held until") : _ ("Freed by"),
                               freer);
  if (band->waste > 0)
    {
      g_autofree char *late = sluice_memory_words_late (view, number);
      sluice_inspector_rows_add_words (self->rows, late);
    }
  if (band->before != SLUICE_BAND_NONE || band->after != SLUICE_BAND_NONE)
    sluice_inspector_rows_begin (self->rows, _ ("The same bytes"), TRUE);
  if (band->before != SLUICE_BAND_NONE)
    {
      const SluiceMemoryBand *other = sluice_memory_view_get_band (view, band->before);
      add_link (self, _ ("Were before"), sluice_memory_class_words (other->owner.memory_class),
                band->before);
    }
  if (band->after != SLUICE_BAND_NONE)
    {
      const SluiceMemoryBand *other = sluice_memory_view_get_band (view, band->after);
      add_link (self, _ ("Are then"), sluice_memory_class_words (other->owner.memory_class),
                band->after);
    }
}

static void
show_band (SluiceMemoryPane *self, const SluiceMemoryView *view, guint number)
{
  const SluiceMemoryBand *band = sluice_memory_view_get_band (view, number);
  guint peak = sluice_memory_view_get_peak (view);
  gsize live = sluice_memory_view_get_live (view, peak);
  g_autofree char *name = sluice_memory_dup_name (view, band->owner);
  g_autofree char *subtitle =
      g_strdup_printf (_ ("%s on %s"), sluice_memory_class_words (band->owner.memory_class),
                       sluice_memory_view_get_tape (view)->device);
  self->rows = sluice_inspector_pane_begin (SLUICE_INSPECTOR_PANE (self), name, subtitle);
  add_size (self, band);
  if (sluice_memory_view_get_tape (view)->is_failure)
    return; /* nothing before it is known */
  add_life (self, view, number);
  sluice_inspector_rows_begin (self->rows, _ ("At the peak"), TRUE);
  if (band->begin <= peak && peak < band->end && live > 0)
    {
      g_autofree char *share =
          sluice_format_tick ((double) band->bytes / (double) live, 0.01, SLUICE_UNIT_PERCENT);
      sluice_inspector_rows_add (self->rows, _ ("This buffer"), share);
    }
  else
    sluice_inspector_rows_add (self->rows, _ ("This buffer"), _ ("is not there"));
}

/* ---- the step ---- */

static void
add_numbers (SluiceMemoryPane *self, const SluiceMemoryView *view)
{
  const SluiceMemoryTape *tape = sluice_memory_view_get_tape (view);
  guint peak = sluice_memory_view_get_peak (view);
  g_autofree char *bytes =
      sluice_memory_format_bytes ((double) sluice_memory_view_get_live (view, peak));
  g_autofree char *time =
      sluice_memory_format_time (view, sluice_memory_view_get_time (view, peak));
  g_autofree char *limit = sluice_memory_format_bytes ((double) tape->limit);
  g_autofree char *pool = sluice_memory_format_bytes ((double) tape->log->reserved_bytes);
  g_autoptr (SluiceMemoryMap) map = sluice_memory_view_make_map (view, peak);
  g_autofree char *rounding = sluice_memory_format_bytes ((double) map->rounding);
  g_autofree char *made = sluice_format_step ((gint64) tape->log->n_allocations);
  g_autofree char *fresh = sluice_format_step ((gint64) tape->log->n_fresh);
  if (tape->is_failure)
    sluice_inspector_rows_add (self->rows, _ ("In use then"), bytes);
  else
    sluice_inspector_rows_add_printf (self->rows, _ ("Peak"), _ ("%s at %s"), bytes, time);
  sluice_inspector_rows_add (self->rows, _ ("Limit"), tape->is_limited ? limit : _ ("none set"));
  sluice_inspector_rows_add (self->rows, _ ("From the system"), pool);
  sluice_inspector_rows_add (self->rows, _ ("Lost to rounding then"), rounding);
  if (tape->is_failure)
    return;
  sluice_inspector_rows_add (self->rows, _ ("Blocks made"), made);
  sluice_inspector_rows_add (self->rows, _ ("New from the system"), fresh);
}

/* Of one owner all together: a loop has as many as it has rounds. */
typedef struct
{
  SluiceOwner owner;
  guint worst, n;
  gsize bytes;
} Late;

/* (transfer full) (element-type Late): those with the worst first */
static GArray *
group_late (const SluiceMemoryView *view)
{
  g_autoptr (GArray) late = sluice_memory_view_dup_late (view);
  GArray *groups = g_array_new (FALSE, FALSE, sizeof (Late));
  for (guint i = 0; i < late->len; i++)
    {
      guint number = g_array_index (late, guint, i), k = 0;
      const SluiceMemoryBand *band = sluice_memory_view_get_band (view, number);
      while (k < groups->len && g_array_index (groups, Late, k).owner.node != band->owner.node)
        k++;
      if (k == groups->len)
        g_array_append_val (groups, ((const Late){ band->owner, number, 0, 0 }));
      g_array_index (groups, Late, k).n++;
      g_array_index (groups, Late, k).bytes += band->bytes;
    }
  return groups;
}

static void
add_late (SluiceMemoryPane *self, const SluiceMemoryView *view)
{
  g_autoptr (GArray) groups = group_late (view);
  sluice_inspector_rows_begin (self->rows, _ ("Freed late"), TRUE);
  for (guint i = 0; i < MIN (groups->len, MOST_LATE); i++)
    {
      const Late *late = &g_array_index (groups, Late, i);
      g_autofree char *name = sluice_memory_dup_name (view, late->owner);
      g_autofree char *bytes = sluice_memory_format_bytes ((double) late->bytes);
      g_autofree char *size =
          late->n > 1 ? g_strdup_printf ("%s, %u ×", bytes, late->n) : g_strdup (bytes);
      g_autofree char *words = sluice_memory_words_late (view, late->worst);
      add_link (self, size, name, late->worst);
      gtk_widget_add_css_class (GTK_WIDGET (sluice_inspector_rows_add_words (self->rows, words)),
                                "dim-label");
    }
  if (groups->len > MOST_LATE)
    sluice_inspector_rows_add_printf (self->rows, "", _ ("and %u more"), groups->len - MOST_LATE);
  if (groups->len == 0)
    sluice_inspector_rows_add_words (self->rows, _ ("Nothing was held after its last use."));
}

static void
add_growth (SluiceMemoryPane *self,
            const SluiceMemoryView *view,
            const GArray *growth,
            guint n_steps)
{
  if (growth == NULL || n_steps < 3)
    return;
  sluice_inspector_rows_begin (self->rows, _ ("Grows from step to step"), TRUE);
  for (guint i = 0; i < MIN (growth->len, MOST_GROW); i++)
    {
      const SluiceMemoryGrowth *grows = &g_array_index (growth, SluiceMemoryGrowth, i);
      g_autofree char *name = sluice_memory_dup_name (view, grows->owner);
      g_autofree char *words = sluice_memory_words_growth (view, grows);
      add_link (self, name, words, grows->band);
    }
  g_autofree char *nothing = g_strdup_printf (
      ngettext ("Nothing did in %u step.", "Nothing did in %u steps.", n_steps), n_steps);
  if (growth->len == 0)
    sluice_inspector_rows_add_words (self->rows, nothing);
}

void
sluice_memory_pane_show (SluiceMemoryPane *self,
                         const SluiceMemoryView *view,
                         guint band,
                         const GArray *growth,
                         guint n_steps)
{
  if (view == NULL)
    {
      sluice_inspector_pane_clear (SLUICE_INSPECTOR_PANE (self));
      return;
    }
  if (band != SLUICE_BAND_NONE)
    {
      show_band (self, view, band);
      return;
    }
  const SluiceMemoryTape *tape = sluice_memory_view_get_tape (view);
  g_autofree char *step = sluice_format_step ((gint64) tape->step);
  g_autofree char *title = g_strdup_printf (_ ("Step %s"), step);
  g_autofree char *subtitle = g_strdup_printf (_ ("memory of %s"), tape->device);
  self->rows = sluice_inspector_pane_begin (SLUICE_INSPECTOR_PANE (self), title, subtitle);
  add_numbers (self, view);
  if (tape->is_failure)
    return;
  add_late (self, view);
  add_growth (self, view, growth, n_steps);
}

/* ---- life ---- */

static void
show_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_signal_emit (widget, chosen_signal, 0,
                 (guint) g_ascii_strtoull (g_variant_get_string (parameter, NULL), NULL, 10));
}

static void
sluice_memory_pane_class_init (SluiceMemoryPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  gtk_widget_class_install_action (widget_class, "memory-band.show", "s", show_action);
  chosen_signal = g_signal_new ("band-chosen", SLUICE_TYPE_MEMORY_PANE, G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
sluice_memory_pane_init (SluiceMemoryPane *self)
{
}

GtkWidget *
sluice_memory_pane_new (void)
{
  return g_object_new (SLUICE_TYPE_MEMORY_PANE, NULL);
}
