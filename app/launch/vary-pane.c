/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/vary-pane.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "ui/common/paint.h"
#include "ui/common/widget.h"
#include "ui/common/wrap.h"

#define FIRST_SEED 7

struct _SluiceVaryPane
{
  GtkBox parent;
  char *title;
  GtkWidget *kinds[3]; /* toggles, by SluiceVaryKind */
  GtkStack *stack;
  SluiceWrap *chips;
  GPtrArray *values;    /* of char * */
  GtkWidget *value;     /* where the next one is typed */
  GtkWidget *grid[3];   /* low, high, points */
  GtkWidget *random[3]; /* low, high, draws */
  GtkWidget *grid_log, *random_log;
  GtkWidget *strip; /* where the draws fell */
  GtkLabel *seed_label;
  guint64 seed;
  GArray *drawn; /* of double: parts of the range, 0 to 1 */
};

G_DEFINE_FINAL_TYPE (SluiceVaryPane, sluice_vary_pane, GTK_TYPE_BOX)

static guint changed_signal;

static void
changed_cb (SluiceVaryPane *self)
{
  g_signal_emit (self, changed_signal, 0);
}

static void
name_widget (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static SluiceVaryKind
get_kind (SluiceVaryPane *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->kinds); i++)
    if (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->kinds[i])))
      return (SluiceVaryKind) i;
  return SLUICE_VARY_VALUES;
}

/* ---- values, one chip each ---- */

static void remove_cb (GtkWidget *chip, SluiceVaryPane *self);

static void
add_value (SluiceVaryPane *self, const char *value)
{
  for (guint i = 0; i < self->values->len; i++)
    if (strcmp (self->values->pdata[i], value) == 0)
      return;
  g_autofree char *name = g_strdup_printf (_ ("Take %s out"), value);
  GtkWidget *chip = gtk_button_new_with_label (value);
  gtk_widget_set_tooltip_text (chip, name);
  name_widget (chip, name);
  gtk_widget_add_css_class (chip, "launch-chip");
  gtk_widget_set_valign (chip, GTK_ALIGN_CENTER);
  g_signal_connect_object (chip, "clicked", G_CALLBACK (remove_cb), self, 0);
  g_object_set_data_full (G_OBJECT (chip), "value", g_strdup (value), g_free);
  sluice_wrap_insert_before (self->chips, chip, self->value);
  g_ptr_array_add (self->values, g_strdup (value));
}

static void
remove_value (SluiceVaryPane *self, GtkWidget *chip)
{
  const char *value = g_object_get_data (G_OBJECT (chip), "value");
  for (guint i = 0; i < self->values->len; i++)
    if (strcmp (self->values->pdata[i], value) == 0)
      {
        g_ptr_array_remove_index (self->values, i);
        break;
      }
  gtk_widget_unparent (chip);
  changed_cb (self);
}

/* The focus goes on to where the next one is typed. */
static void
remove_cb (GtkWidget *chip, SluiceVaryPane *self)
{
  gtk_widget_grab_focus (self->value);
  remove_value (self, chip);
}

/* "0.1, 0.03" are two. */
static void
value_entered_cb (SluiceVaryPane *self)
{
  g_auto (GStrv) values =
      g_strsplit_set (gtk_editable_get_text (GTK_EDITABLE (self->value)), ", ;", -1);
  for (guint i = 0; values[i] != NULL; i++)
    if (*g_strstrip (values[i]) != '\0')
      add_value (self, values[i]);
  gtk_editable_set_text (GTK_EDITABLE (self->value), "");
  changed_cb (self);
}

static gboolean
value_key_cb (
    GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, SluiceVaryPane *self)
{
  GtkWidget *last = gtk_widget_get_prev_sibling (self->value);
  if (key != GDK_KEY_BackSpace || last == NULL
      || *gtk_editable_get_text (GTK_EDITABLE (self->value)) != '\0')
    return GDK_EVENT_PROPAGATE;
  remove_value (self, last);
  return GDK_EVENT_STOP;
}

/* What was typed and not entered counts, too. */
static void
value_left_cb (SluiceVaryPane *self)
{
  if (*gtk_editable_get_text (GTK_EDITABLE (self->value)) != '\0')
    value_entered_cb (self);
}

/* ---- parts of the pane ---- */

static GtkWidget *
make_entry (SluiceVaryPane *self, const char *what, const char *text, int chars)
{
  GtkWidget *entry = gtk_entry_new ();
  g_autofree char *name = g_strdup_printf ("%s: %s", self->title, what);
  gtk_editable_set_width_chars (GTK_EDITABLE (entry), chars);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (entry), chars);
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  gtk_widget_set_valign (entry, GTK_ALIGN_CENTER);
  name_widget (entry, name);
  return entry;
}

static GtkWidget *
make_field (SluiceVaryPane *self, const char *what, const char *text, int chars)
{
  GtkWidget *entry = make_entry (self, what, text, chars);
  g_signal_connect_object (entry, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  return entry;
}

static GtkWidget *
make_words (const char *text)
{
  GtkWidget *label = gtk_label_new (text);
  gtk_widget_add_css_class (label, "launch-small");
  return label;
}

static GtkWidget *
make_values (SluiceVaryPane *self, const char *first)
{
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();
  self->chips = SLUICE_WRAP (sluice_wrap_new (6, FALSE));
  self->value = make_entry (self, _ ("next value"), "", 5);
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->value), _ ("add"));
  gtk_widget_set_tooltip_text (self->value,
                               _ ("A value, or several with commas, then Return; Backspace takes "
                                  "the last one out"));
  g_signal_connect_object (self->value, "activate", G_CALLBACK (value_entered_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (value_key_cb), self, 0);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (focus, "leave", G_CALLBACK (value_left_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (self->value, keys);
  gtk_widget_add_controller (self->value, focus);
  sluice_wrap_append (self->chips, self->value);
  if (first != NULL && *first != '\0')
    add_value (self, first);
  return GTK_WIDGET (self->chips);
}

/* Ends and number of a range. low, high: texts to begin with */
static GtkWidget *
make_range (SluiceVaryPane *self,
            GtkWidget **fields,
            GtkWidget **log,
            const char *from,
            const char *number,
            const char *n)
{
  GtkWidget *wrap = sluice_wrap_new (6, FALSE);
  g_autofree char *name = g_strdup_printf ("%s: %s", self->title, _ ("logarithmic"));
  fields[0] = make_field (self, _ ("low"), "", 6);
  fields[1] = make_field (self, _ ("high"), "", 6);
  fields[2] = make_field (self, number, n, 3);
  *log = gtk_check_button_new_with_label (_ ("log"));
  gtk_widget_set_tooltip_text (*log,
                               _ ("Equal factors, not equal distances, from one to the next"));
  name_widget (*log, name);
  g_signal_connect_object (*log, "toggled", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  sluice_wrap_append (SLUICE_WRAP (wrap), make_words (from));
  sluice_wrap_append (SLUICE_WRAP (wrap), fields[0]);
  sluice_wrap_append (SLUICE_WRAP (wrap), make_words (_ ("to")));
  sluice_wrap_append (SLUICE_WRAP (wrap), fields[1]);
  sluice_wrap_append (SLUICE_WRAP (wrap), fields[2]);
  sluice_wrap_append (SLUICE_WRAP (wrap), make_words (number));
  sluice_wrap_append (SLUICE_WRAP (wrap), *log);
  return wrap;
}

/* The range as a band, the draws as strokes in it. */
static void
draw_strip (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  SluiceVaryPane *self = data;
  SluiceTheme theme;
  sluice_theme_from_widget (&theme, GTK_WIDGET (area));
  sluice_cairo_set_color (cr, sluice_color_with_alpha (theme.accent, 0.3));
  cairo_rectangle (cr, 4, 2, width - 8, height - 4);
  cairo_fill (cr);
  sluice_cairo_set_color (cr, theme.dim);
  cairo_rectangle (cr, 0, height - 2, width, 1);
  cairo_fill (cr);
  sluice_cairo_set_color (cr, theme.accent);
  for (guint i = 0; i < self->drawn->len; i++)
    {
      cairo_rectangle (cr, 4 + g_array_index (self->drawn, double, i) * (width - 10), 2, 2,
                       height - 4);
      cairo_fill (cr);
    }
}

static void
show_seed (SluiceVaryPane *self)
{
  g_autofree char *text = g_strdup_printf (_ ("seed %u"), (guint) self->seed);
  gtk_label_set_label (self->seed_label, text);
}

static void
draw_again_cb (SluiceVaryPane *self)
{
  self->seed++;
  show_seed (self);
  changed_cb (self);
}

static GtkWidget *
make_random (SluiceVaryPane *self)
{
  GtkWidget *wrap =
      make_range (self, self->random, &self->random_log, _ ("even from"), _ ("draws"), "3");
  GtkWidget *button = gtk_button_new ();
  g_autofree char *name = g_strdup_printf ("%s: %s", self->title, _ ("draw others"));
  self->strip = gtk_drawing_area_new ();
  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (self->strip), 60);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (self->strip), 18);
  gtk_widget_set_valign (self->strip, GTK_ALIGN_CENTER);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self->strip), draw_strip, self, NULL);
  self->seed_label = GTK_LABEL (make_words (NULL));
  gtk_button_set_child (GTK_BUTTON (button), GTK_WIDGET (self->seed_label));
  gtk_widget_set_tooltip_text (button, _ ("Draw others, by the next seed"));
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  name_widget (button, name);
  g_signal_connect_object (button, "clicked", G_CALLBACK (draw_again_cb), self, G_CONNECT_SWAPPED);
  show_seed (self);
  sluice_wrap_append (SLUICE_WRAP (wrap), self->strip);
  sluice_wrap_append (SLUICE_WRAP (wrap), button);
  return wrap;
}

/* ---- which kind ---- */

static const char *const kind_names[] = {
  [SLUICE_VARY_VALUES] = "values", [SLUICE_VARY_GRID] = "grid", [SLUICE_VARY_RANDOM] = "random"
};

static void
kind_toggled_cb (SluiceVaryPane *self)
{
  gtk_stack_set_visible_child_name (self->stack, kind_names[get_kind (self)]);
  changed_cb (self);
}

static GtkWidget *
make_kinds (SluiceVaryPane *self)
{
  static const char *const words[] = { N_ ("Values"), N_ ("Grid"), N_ ("Random") };
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class (box, "linked");
  gtk_widget_add_css_class (box, "launch-kinds");
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autofree char *name = g_strdup_printf ("%s: %s", self->title, _ (words[i]));
      self->kinds[i] = gtk_toggle_button_new_with_label (_ (words[i]));
      name_widget (self->kinds[i], name);
      if (i > 0)
        gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (self->kinds[i]),
                                     GTK_TOGGLE_BUTTON (self->kinds[0]));
      gtk_box_append (GTK_BOX (box), self->kinds[i]);
    }
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->kinds[0]), TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    g_signal_connect_object (self->kinds[i], "toggled", G_CALLBACK (kind_toggled_cb), self,
                             G_CONNECT_SWAPPED);
  return box;
}

/* ---- what was chosen ---- */

/* Where the values of "KEY=a,b" lie in the range. */
static void
note_draws (SluiceVaryPane *self, const SluiceVary *vary, const char *text)
{
  double low = g_ascii_strtod (vary->low, NULL), high = g_ascii_strtod (vary->high, NULL);
  g_auto (GStrv) values = g_strsplit (strchr (text, '=') + 1, ",", -1);
  g_array_set_size (self->drawn, 0);
  for (guint i = 0; values[i] != NULL; i++)
    {
      double value = g_ascii_strtod (values[i], NULL);
      double part =
          vary->is_log ? log (value / low) / log (high / low) : (value - low) / (high - low);
      if (isfinite (part))
        g_array_append_val (self->drawn, part);
    }
  gtk_widget_queue_draw (self->strip);
}

char *
sluice_vary_pane_dup_text (
    SluiceVaryPane *self, const char *key, SluiceProject *scratch, guint64 *count, GError **error)
{
  SluiceVaryKind kind = get_kind (self);
  GtkWidget **fields = kind == SLUICE_VARY_GRID ? self->grid : self->random;
  GtkWidget *log = kind == SLUICE_VARY_GRID ? self->grid_log : self->random_log;
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  for (guint i = 0; i < self->values->len; i++)
    g_ptr_array_add (values, self->values->pdata[i]);
  g_ptr_array_add (values, NULL);
  const SluiceVary vary = { .kind = kind,
                            .values = (const char *const *) values->pdata,
                            .low = gtk_editable_get_text (GTK_EDITABLE (fields[0])),
                            .high = gtk_editable_get_text (GTK_EDITABLE (fields[1])),
                            .n = gtk_editable_get_text (GTK_EDITABLE (fields[2])),
                            .is_log = gtk_check_button_get_active (GTK_CHECK_BUTTON (log)),
                            .seed = self->seed };
  char *text = sluice_vary_dup_text (&vary, key, scratch, count, error);
  g_array_set_size (self->drawn, 0);
  if (text != NULL && kind == SLUICE_VARY_RANDOM)
    note_draws (self, &vary, text);
  return text;
}

char *
sluice_vary_pane_dup_words (SluiceVaryPane *self, guint64 count)
{
  guint n = (guint) MIN (count, G_MAXUINT);
  switch (get_kind (self))
    {
    case SLUICE_VARY_GRID:
      return g_strdup_printf (ngettext ("%u point", "%u points", n), n);
    case SLUICE_VARY_RANDOM:
      return g_strdup_printf (ngettext ("%u draw", "%u draws", n), n);
    default:
      return g_strdup_printf (ngettext ("%u value", "%u values", n), n);
    }
}

void
sluice_vary_pane_focus (SluiceVaryPane *self)
{
  gtk_widget_grab_focus (self->value);
}

/* ---- kept and taken up again ---- */

static void
save_range (
    GKeyFile *file, const char *group, const char *name, GtkWidget *const *fields, GtkWidget *log)
{
  const char *const words[] = { gtk_editable_get_text (GTK_EDITABLE (fields[0])),
                                gtk_editable_get_text (GTK_EDITABLE (fields[1])),
                                gtk_editable_get_text (GTK_EDITABLE (fields[2])),
                                gtk_check_button_get_active (GTK_CHECK_BUTTON (log)) ? "log"
                                                                                     : "even" };
  g_key_file_set_string_list (file, group, name, words, G_N_ELEMENTS (words));
}

static void
load_range (
    GKeyFile *file, const char *group, const char *name, GtkWidget *const *fields, GtkWidget *log)
{
  g_auto (GStrv) words = g_key_file_get_string_list (file, group, name, NULL, NULL);
  if (words == NULL || g_strv_length (words) != 4)
    return;
  for (guint i = 0; i < 3; i++)
    gtk_editable_set_text (GTK_EDITABLE (fields[i]), words[i]);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (log), g_str_equal (words[3], "log"));
}

void
sluice_vary_pane_save (SluiceVaryPane *self, GKeyFile *file, const char *group)
{
  g_key_file_set_string (file, group, "vary", kind_names[get_kind (self)]);
  g_key_file_set_string_list (file, group, "values", (const char *const *) self->values->pdata,
                              self->values->len);
  save_range (file, group, "grid", self->grid, self->grid_log);
  save_range (file, group, "random", self->random, self->random_log);
  g_key_file_set_uint64 (file, group, "seed", self->seed);
}

void
sluice_vary_pane_load (SluiceVaryPane *self, GKeyFile *file, const char *group)
{
  g_autofree char *kind = g_key_file_get_string (file, group, "vary", NULL);
  g_auto (GStrv) values = g_key_file_get_string_list (file, group, "values", NULL, NULL);
  while (gtk_widget_get_prev_sibling (self->value) != NULL)
    remove_value (self, gtk_widget_get_prev_sibling (self->value));
  for (guint i = 0; values != NULL && values[i] != NULL; i++)
    add_value (self, values[i]);
  load_range (file, group, "grid", self->grid, self->grid_log);
  load_range (file, group, "random", self->random, self->random_log);
  self->seed = g_key_file_get_uint64 (file, group, "seed", NULL);
  show_seed (self);
  for (guint i = 0; i < G_N_ELEMENTS (kind_names); i++)
    if (g_strcmp0 (kind, kind_names[i]) == 0)
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->kinds[i]), TRUE);
  changed_cb (self);
}

/* ---- life ---- */

GtkWidget *
sluice_vary_pane_new (const char *title, const char *first, const char *default_value)
{
  SluiceVaryPane *self = g_object_new (SLUICE_TYPE_VARY_PANE, NULL);
  GtkWidget *wrap = sluice_wrap_new (12, FALSE);
  self->title = g_strdup (title);
  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_set_hhomogeneous (self->stack, FALSE);
  gtk_stack_set_vhomogeneous (self->stack, FALSE);
  gtk_widget_set_hexpand (GTK_WIDGET (self->stack), TRUE);
  gtk_stack_add_named (self->stack, make_values (self, first), "values");
  gtk_stack_add_named (
      self->stack, make_range (self, self->grid, &self->grid_log, _ ("from"), _ ("points"), "3"),
      "grid");
  gtk_stack_add_named (self->stack, make_random (self), "random");
  sluice_wrap_append (SLUICE_WRAP (wrap), make_kinds (self));
  sluice_wrap_append (SLUICE_WRAP (wrap), GTK_WIDGET (self->stack));
  if (default_value != NULL)
    {
      g_autofree char *text = g_strdup_printf (_ ("default %s"), default_value);
      GtkWidget *label = make_words (text);
      gtk_widget_add_css_class (label, "dim-label");
      sluice_wrap_append (SLUICE_WRAP (wrap), label);
    }
  gtk_widget_set_hexpand (wrap, TRUE);
  gtk_box_append (GTK_BOX (self), wrap);
  gtk_widget_add_css_class (GTK_WIDGET (self), "launch-vary");
  return GTK_WIDGET (self);
}

static void
sluice_vary_pane_finalize (GObject *object)
{
  SluiceVaryPane *self = SLUICE_VARY_PANE (object);
  g_free (self->title);
  g_ptr_array_unref (self->values);
  g_array_unref (self->drawn);
  G_OBJECT_CLASS (sluice_vary_pane_parent_class)->finalize (object);
}

static void
sluice_vary_pane_class_init (SluiceVaryPaneClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_vary_pane_finalize;
  changed_signal = g_signal_new ("changed", SLUICE_TYPE_VARY_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
}

static void
sluice_vary_pane_init (SluiceVaryPane *self)
{
  self->values = g_ptr_array_new_with_free_func (g_free);
  self->drawn = g_array_new (FALSE, FALSE, sizeof (double));
  self->seed = FIRST_SEED;
}
