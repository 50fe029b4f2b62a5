/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/devices-button.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/status-text.h"

/* A row of the table. */
enum
{
  COLUMN_DEVICE,
  COLUMN_LIVE,
  COLUMN_PEAK,
  COLUMN_LIMIT,
  COLUMN_HELD,
  COLUMN_AWAY,
  N_COLUMNS
};

static const char *const titles[N_COLUMNS] = { N_ ("Device"),      N_ ("In use"),
                                               N_ ("At the most"), N_ ("Limit"),
                                               N_ ("Held"),        N_ ("In the host's memory") };

struct _SluiceDevicesButton
{
  GtkWidget parent;
  GtkMenuButton *button;
  GtkLabel *label, *sum; /* sum: where there is no room for the first */
  GtkGrid *table;
  GPtrArray *cells; /* of GtkLabel: N_COLUMNS a device */
};

G_DEFINE_FINAL_TYPE (SluiceDevicesButton, sluice_devices_button, GTK_TYPE_WIDGET)

static GtkWidget *
make_cell (const char *text, guint column)
{
  GtkWidget *cell = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (cell), column == COLUMN_DEVICE ? 0 : 1);
  return cell;
}

static void
add_head (SluiceDevicesButton *self)
{
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      GtkWidget *cell = make_cell (_ (titles[i]), i);
      gtk_widget_add_css_class (cell, "dim-label");
      gtk_grid_attach (self->table, cell, (int) i, 0, 1, 1);
    }
}

static void
add_row (SluiceDevicesButton *self)
{
  int row = (int) (self->cells->len / N_COLUMNS) + 1;
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      GtkWidget *cell = make_cell (NULL, i);
      gtk_widget_add_css_class (cell, "numeric");
      gtk_grid_attach (self->table, cell, (int) i, row, 1, 1);
      g_ptr_array_add (self->cells, cell);
    }
}

static void
show_row (GtkLabel **cells, const SluiceDeviceMemory *device)
{
  g_autofree char *live = g_format_size (device->live_bytes);
  g_autofree char *peak = g_format_size (device->peak_bytes);
  g_autofree char *held = g_format_size (device->reserved_bytes);
  g_autofree char *limit =
      device->limit_bytes != 0 ? g_format_size (device->limit_bytes) : g_strdup (_ ("none"));
  g_autofree char *away = device->may_move ? g_format_size (device->away_bytes) : g_strdup ("–");
  const char *const texts[N_COLUMNS] = { device->name, live, peak, limit, held, away };
  for (guint i = 0; i < N_COLUMNS; i++)
    gtk_label_set_label (cells[i], texts[i]);
}

/* Rows stay: who reads them sees figures change, not a table that is built anew. */
static void
show_table (SluiceDevicesButton *self, const GArray *devices)
{
  while (self->cells->len < devices->len * N_COLUMNS)
    add_row (self);
  for (guint i = 0; i < self->cells->len; i++)
    gtk_widget_set_visible (self->cells->pdata[i], i < devices->len * N_COLUMNS);
  for (guint i = 0; i < devices->len; i++)
    show_row ((GtkLabel **) &self->cells->pdata[i * N_COLUMNS],
              &g_array_index (devices, SluiceDeviceMemory, i));
}

void
sluice_devices_button_show (SluiceDevicesButton *self, const GArray *devices)
{
  gboolean is_there = devices != NULL && devices->len > 0;
  gtk_widget_set_visible (GTK_WIDGET (self), is_there);
  if (!is_there)
    return;
  g_autofree char *text = sluice_status_devices_text (devices);
  g_autofree char *name = g_strdup_printf (_ ("Memory in use: %s"), text);
  g_autofree char *sum = sluice_status_memory_text (devices);
  gtk_label_set_label (self->label, text);
  gtk_label_set_label (self->sum, sum);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  name, -1);
  show_table (self, devices);
}

char *
sluice_devices_button_dup_text (SluiceDevicesButton *self)
{
  if (!gtk_widget_get_visible (GTK_WIDGET (self)))
    return g_strdup ("");
  GString *text = g_string_new (gtk_label_get_label (self->label));
  for (guint i = 0; i < self->cells->len; i++)
    if (gtk_widget_get_visible (self->cells->pdata[i]))
      g_string_append_printf (text, "%c%s", i % N_COLUMNS == 0 ? '\n' : '\t',
                              gtk_label_get_label (self->cells->pdata[i]));
  return g_string_free (text, FALSE);
}

static void
sluice_devices_button_dispose (GObject *object)
{
  SluiceDevicesButton *self = SLUICE_DEVICES_BUTTON (object);
  g_clear_pointer ((GtkWidget **) &self->button, gtk_widget_unparent);
  g_clear_pointer (&self->cells, g_ptr_array_unref);
  G_OBJECT_CLASS (sluice_devices_button_parent_class)->dispose (object);
}

static void
sluice_devices_button_class_init (SluiceDevicesButtonClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_devices_button_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

/* It is there whole, or the next shorter one is. */
static GtkLabel *
add_label (AdwSqueezer *squeezer)
{
  GtkWidget *label = gtk_label_new (NULL);
  gtk_widget_add_css_class (label, "numeric");
  gtk_widget_add_css_class (label, "dim-label");
  adw_squeezer_add (squeezer, label);
  return GTK_LABEL (label);
}

static void
sluice_devices_button_init (SluiceDevicesButton *self)
{
  GtkWidget *popover = gtk_popover_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8);
  GtkWidget *title = gtk_label_new (_ ("Memory of the devices"));
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_add_css_class (title, "heading");
  self->cells = g_ptr_array_new ();
  self->table = GTK_GRID (gtk_grid_new ());
  gtk_grid_set_column_spacing (self->table, 16);
  gtk_grid_set_row_spacing (self->table, 4);
  add_head (self);
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->table));
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_widget_add_css_class (popover, "status-devices-table");

  GtkWidget *squeezer = adw_squeezer_new ();
  adw_squeezer_set_homogeneous (ADW_SQUEEZER (squeezer), FALSE);
  self->label = add_label (ADW_SQUEEZER (squeezer));
  self->sum = add_label (ADW_SQUEEZER (squeezer));
  self->button = GTK_MENU_BUTTON (gtk_menu_button_new ());
  gtk_menu_button_set_child (self->button, squeezer);
  gtk_menu_button_set_popover (self->button, popover);
  gtk_menu_button_set_direction (self->button, GTK_ARROW_UP);
  gtk_menu_button_set_has_frame (self->button, FALSE);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->button), _ ("Memory of the devices"));
  gtk_widget_add_css_class (GTK_WIDGET (self->button), "status-devices");
  gtk_widget_set_parent (GTK_WIDGET (self->button), GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
