/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/op-ports.h"

#include <math.h>

#include "app/cli/describe-op.h"
#include "ui/canvas/port-look.h"
#include "ui/common/widget.h"

/* Pixels at the usual size of text */
#define RADIUS 5.0  /* of a port */
#define CORNER 9.0  /* of the box */
#define PAD    10.0 /* between the box and its words */
#define LINE   6.0  /* between lines */
#define APART  24.0 /* at least, between an input's words and an output's */

struct _SluiceOpPorts
{
  GtkWidget parent;
  const SluiceOp *op;
  PangoLayout *title;
  GPtrArray *inputs, *outputs; /* PangoLayout */
};

G_DEFINE_FINAL_TYPE (SluiceOpPorts, sluice_op_ports, GTK_TYPE_WIDGET)

/* ---- what a port is of ---- */

static const char *
get_dtype_of_set (SluiceDTypeSet set)
{
  const char *found = NULL;
  for (guint d = 1; d < SLUICE_N_DTYPES; d++)
    {
      const char *name = set & SLUICE_SET (d) ? sluice_dtype_name (d) : NULL;
      if (name != NULL && found != NULL
          && sluice_port_get_look (name) != sluice_port_get_look (found))
        return NULL;
      found = name != NULL ? name : found;
    }
  return found;
}

const char *
sluice_op_ports_get_dtype (const SluiceOp *op, const SluiceArg *arg)
{
  if (arg->type != SLUICE_INVALID)
    return sluice_dtype_name (arg->type);
  const char *name = arg->type_attr != NULL ? arg->type_attr : arg->list_attr;
  const SluiceAttrDef *attr = name != NULL ? sluice_op_find_attr (op, name) : NULL;
  return attr != NULL ? get_dtype_of_set (attr->allowed_types) : NULL;
}

/* ---- words ---- */

/* The name, and its type dim. */
static PangoLayout *
new_words (SluiceOpPorts *self, const SluiceArg *arg)
{
  g_autofree char *type = sluice_describe_arg_type (arg);
  g_autofree char *markup =
      g_markup_printf_escaped ("%s  <span alpha=\"70%%\">%s</span>", arg->name, type);
  PangoLayout *layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), NULL);
  pango_layout_set_markup (layout, markup, -1);
  pango_layout_set_auto_dir (layout, FALSE); /* names are no words of the language */
  return layout;
}

static void
add_words (SluiceOpPorts *self, GPtrArray *layouts, const SluiceArg *args, guint n)
{
  g_ptr_array_set_size (layouts, 0);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (layouts, new_words (self, &args[i]));
}

/* Again where the style has another font. */
static void
make_words (SluiceOpPorts *self)
{
  PangoAttrList *bold = pango_attr_list_new ();
  pango_attr_list_insert (bold, pango_attr_weight_new (PANGO_WEIGHT_BOLD));
  g_clear_object (&self->title);
  self->title = gtk_widget_create_pango_layout (GTK_WIDGET (self), self->op->name);
  pango_layout_set_attributes (self->title, bold);
  pango_layout_set_alignment (self->title, PANGO_ALIGN_CENTER);
  pango_layout_set_wrap (self->title, PANGO_WRAP_CHAR);
  pango_attr_list_unref (bold);
  add_words (self, self->inputs, self->op->inputs, self->op->n_inputs);
  add_words (self, self->outputs, self->op->outputs, self->op->n_outputs);
}

static int
get_width (PangoLayout *layout)
{
  int width;
  pango_layout_get_pixel_size (layout, &width, NULL);
  return width;
}

static int
get_height (PangoLayout *layout)
{
  int height;
  pango_layout_get_pixel_size (layout, NULL, &height);
  return height;
}

/* ---- where ---- */

static double
scale_of (SluiceOpPorts *self)
{
  return sluice_widget_get_text_scale (GTK_WIDGET (self));
}

/* The widest words of inputs, of outputs, and of a line with both. */
static void
get_widths (SluiceOpPorts *self, int *of_one, int *of_both)
{
  *of_one = *of_both = 0;
  for (guint i = 0; i < MAX (self->inputs->len, self->outputs->len); i++)
    {
      int in = i < self->inputs->len ? get_width (self->inputs->pdata[i]) : 0;
      int out = i < self->outputs->len ? get_width (self->outputs->pdata[i]) : 0;
      double apart = in > 0 && out > 0 ? APART * scale_of (self) : 0;
      *of_one = MAX (*of_one, MAX (in, out));
      *of_both = MAX (*of_both, in + out + (int) ceil (apart));
    }
}

/* Between the widget's edge and the words. */
static double
get_margin (SluiceOpPorts *self)
{
  return (RADIUS + 1 + PAD) * scale_of (self);
}

/* Where there is no room for both in a line, outputs stand below the inputs. */
static gboolean
is_stacked (SluiceOpPorts *self, double width)
{
  int of_one, of_both;
  get_widths (self, &of_one, &of_both);
  return of_both + 2 * get_margin (self) > width;
}

static double
get_line_height (SluiceOpPorts *self)
{
  GPtrArray *any = self->inputs->len > 0 ? self->inputs : self->outputs;
  return any->len > 0 ? get_height (any->pdata[0]) + LINE * scale_of (self) : 0;
}

static double
place_title (SluiceOpPorts *self, double width)
{
  pango_layout_set_width (self->title, (int) ((width - 2 * get_margin (self)) * PANGO_SCALE));
  return get_height (self->title) + 2 * LINE * scale_of (self);
}

static void
sluice_op_ports_measure (GtkWidget *widget,
                         GtkOrientation orientation,
                         int for_size,
                         int *minimum,
                         int *natural,
                         int *minimum_baseline,
                         int *natural_baseline)
{
  SluiceOpPorts *self = SLUICE_OP_PORTS (widget);
  int of_one, of_both;
  get_widths (self, &of_one, &of_both);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      pango_layout_set_width (self->title, -1);
      *minimum = of_one + (int) ceil (2 * get_margin (self));
      *natural = MAX (of_both, get_width (self->title)) + (int) ceil (2 * get_margin (self)) + 1;
      return;
    }
  double width = for_size >= 0 ? for_size : of_both + 2 * get_margin (self);
  guint n_lines = is_stacked (self, width) ? self->inputs->len + self->outputs->len
                                           : MAX (self->inputs->len, self->outputs->len);
  *minimum = *natural =
      (int) ceil (place_title (self, width) + n_lines * get_line_height (self) + 2);
}

/* ---- drawing ---- */

typedef struct
{
  SluiceOpPorts *self;
  cairo_t *cr;
  SluiceTheme theme;
  double width;
  gboolean is_mirrored;
} Drawing;

static void
draw_port (const Drawing *d, const SluiceArg *arg, PangoLayout *words, gboolean is_output, double y)
{
  SluiceOpPorts *self = d->self;
  double scale = scale_of (self), edge = (RADIUS + 1) * scale;
  gboolean is_right = is_output != d->is_mirrored;
  double x = is_right ? d->width - edge : edge;
  double at = is_right ? d->width - get_margin (self) - get_width (words) : get_margin (self);
  sluice_port_draw (d->cr, &d->theme, sluice_op_ports_get_dtype (self->op, arg),
                    (SluicePoint){ x, y + get_height (words) / 2.0 }, RADIUS * scale, scale,
                    !is_output);
  sluice_cairo_set_color (d->cr, d->theme.text);
  cairo_move_to (d->cr, at, y);
  pango_cairo_show_layout (d->cr, words);
}

static void
draw_box (const Drawing *d, double height)
{
  double scale = scale_of (d->self), edge = (RADIUS + 1) * scale;
  SluiceRect box = { edge, 0.5, d->width - 2 * edge, height - 1 };
  sluice_cairo_rounded_rect (d->cr, &box, CORNER * scale);
  sluice_cairo_set_color (d->cr, d->theme.surface);
  cairo_fill_preserve (d->cr);
  sluice_cairo_set_color (d->cr, d->theme.outline);
  cairo_set_line_width (d->cr, d->theme.border_width);
  cairo_stroke (d->cr);
}

static void
draw (const Drawing *d, double height)
{
  SluiceOpPorts *self = d->self;
  double line = get_line_height (self), y = place_title (self, d->width);
  gboolean stacked = is_stacked (self, d->width);
  draw_box (d, height);
  sluice_cairo_set_color (d->cr, d->theme.text);
  cairo_move_to (d->cr, get_margin (self), LINE * scale_of (self));
  pango_cairo_show_layout (d->cr, self->title);
  for (guint i = 0; i < self->inputs->len; i++)
    draw_port (d, &self->op->inputs[i], self->inputs->pdata[i], FALSE, y + i * line);
  y += stacked ? self->inputs->len * line : 0;
  for (guint i = 0; i < self->outputs->len; i++)
    draw_port (d, &self->op->outputs[i], self->outputs->pdata[i], TRUE, y + i * line);
}

static void
sluice_op_ports_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  Drawing d = { .self = SLUICE_OP_PORTS (widget), .width = width };
  sluice_theme_from_widget (&d.theme, widget);
  d.is_mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  d.cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  draw (&d, height);
  cairo_destroy (d.cr);
}

/* ---- the widget ---- */

static GtkSizeRequestMode
sluice_op_ports_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
sluice_op_ports_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (sluice_op_ports_parent_class)->css_changed (widget, change);
  if (SLUICE_OP_PORTS (widget)->op != NULL)
    make_words (SLUICE_OP_PORTS (widget));
  gtk_widget_queue_resize (widget);
}

static void
sluice_op_ports_dispose (GObject *object)
{
  SluiceOpPorts *self = SLUICE_OP_PORTS (object);
  g_clear_object (&self->title);
  g_ptr_array_set_size (self->inputs, 0);
  g_ptr_array_set_size (self->outputs, 0);
  G_OBJECT_CLASS (sluice_op_ports_parent_class)->dispose (object);
}

static void
sluice_op_ports_finalize (GObject *object)
{
  SluiceOpPorts *self = SLUICE_OP_PORTS (object);
  g_ptr_array_unref (self->inputs);
  g_ptr_array_unref (self->outputs);
  G_OBJECT_CLASS (sluice_op_ports_parent_class)->finalize (object);
}

static void
sluice_op_ports_class_init (SluiceOpPortsClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_op_ports_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_op_ports_finalize;
  widget->get_request_mode = sluice_op_ports_get_request_mode;
  widget->measure = sluice_op_ports_measure;
  widget->snapshot = sluice_op_ports_snapshot;
  widget->css_changed = sluice_op_ports_css_changed;
  gtk_widget_class_set_accessible_role (widget, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
sluice_op_ports_init (SluiceOpPorts *self)
{
  self->inputs = g_ptr_array_new_with_free_func (g_object_unref);
  self->outputs = g_ptr_array_new_with_free_func (g_object_unref);
}

GtkWidget *
sluice_op_ports_new (const SluiceOp *op)
{
  SluiceOpPorts *self = g_object_new (SLUICE_TYPE_OP_PORTS, NULL);
  g_autofree char *said = sluice_describe_ports (op);
  self->op = op;
  make_words (self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, said, -1);
  return GTK_WIDGET (self);
}
