/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/picture.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/launch/preflight-card.h"
#include "engine/store/file.h"

/* A machine on which a page takes longer has a problem to show. */
#define PATIENCE_US (60 * G_USEC_PER_SEC)
/* Between two looks at whether the page still changes; several frames. */
#define LOOK_MS 100
/* More than any page needs until nothing moves. */
#define MOST_LAYOUTS 4
/* Styles are found by frames, of which a display that nobody watches has one a second: one may be
 * under way already when something has changed. */
#define STYLED_FRAMES 2
/* Of the user's runtime folder: a display's socket is there after some 50 ms. */
#define DISPLAY_WAIT_US (2 * G_USEC_PER_SEC)

static gboolean is_unwatched; /* the display is one that this program has begun */

/* ---- before the toolkit ---- */

static gboolean
is_wanted (int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (g_str_has_prefix (argv[i], "--screenshot"))
      return TRUE;
  return FALSE;
}

/* Where the display of this process is met. (transfer full) */
static char *
dup_socket (int display)
{
  return g_strdup_printf ("%s/broadway%d.socket", g_get_user_runtime_dir (), display + 1);
}

static int
get_display (void)
{
  return 1000 + (int) (getpid () % 30000);
}

static GSubprocess *
start_display (void)
{
  g_autofree char *display = g_strdup_printf (":%d", get_display ());
  g_autofree char *socket = dup_socket (get_display ());
  /* Nobody watches: it need not listen on the network. */
  g_autofree char *watchers = g_strconcat (socket, ".http", NULL);
  g_unlink (socket); /* of a process of this number that was killed */
  g_unlink (watchers);
  GSubprocess *server =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, NULL,
                        "gtk4-broadwayd", "--unixsocket", watchers, display, NULL);
  if (server == NULL)
    return NULL;
  gint64 end = g_get_monotonic_time () + DISPLAY_WAIT_US;
  while (!g_file_test (socket, G_FILE_TEST_EXISTS) && g_get_monotonic_time () < end)
    g_usleep (10000);
  is_unwatched = TRUE;
  g_setenv ("GDK_BACKEND", "broadway", TRUE);
  g_setenv ("BROADWAY_DISPLAY", display, TRUE);
  return server;
}

void
sluice_picture_end_display (GSubprocess *take_server)
{
  g_autofree char *socket = dup_socket (get_display ());
  g_autofree char *watchers = g_strconcat (socket, ".http", NULL);
  g_subprocess_force_exit (take_server);
  g_unlink (socket);
  g_unlink (watchers);
  g_object_unref (take_server);
}

GSubprocess *
sluice_picture_prepare (int argc, char **argv)
{
  if (!is_wanted (argc, argv))
    return NULL;
  sluice_preflight_cards_set_still (TRUE);
  g_setenv ("GSETTINGS_BACKEND", "memory", TRUE);
  g_setenv ("GDK_SCALE", "1", TRUE);
  g_setenv ("GSK_RENDERER", "cairo", TRUE);
  g_setenv ("GTK_A11Y", "none", TRUE); /* which wants a session bus */
  g_unsetenv ("GTK_THEME");
  if (g_getenv ("DISPLAY") != NULL || g_getenv ("WAYLAND_DISPLAY") != NULL)
    return NULL;
  return start_display ();
}

/* ---- taking it ---- */

typedef struct
{
  SluiceWindow *window;
  GtkWidget *content; /* (nullable): of that window, as long as it is there */
  guint ticks;        /* of the content */
  char *path;
  int width, height;
  char **actions; /* (nullable) */
  guint n_done;   /* of these */
  guint n_frames; /* since the last one of them, or the beginning */
  gint64 deadline;
  cairo_surface_t *last; /* (nullable): how the page looked before */
  void (*done) (const char *failure, gpointer data);
  gpointer data;
} Picture;

static void
picture_end (Picture *self, const char *failure)
{
  if (self->content != NULL)
    gtk_widget_remove_tick_callback (self->content, self->ticks);
  g_clear_weak_pointer (&self->content);
  self->done (failure, self->data);
  g_clear_pointer (&self->last, cairo_surface_destroy);
  g_clear_weak_pointer (&self->window);
  g_free (self->path);
  g_strfreev (self->actions);
  g_free (self);
}

/* What the last window that was opened has in it. */
static GtkWidget *
find_content (Picture *self)
{
  GListModel *windows = gtk_window_get_toplevels ();
  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);
      if (window != GTK_WINDOW (self->window) && gtk_widget_get_mapped (GTK_WIDGET (window)))
        {
          GtkWidget *content = gtk_window_get_child (window);
          self->width = gtk_widget_get_width (content);
          self->height = gtk_widget_get_height (content);
          return content;
        }
    }
  return adw_application_window_get_content (ADW_APPLICATION_WINDOW (self->window));
}

/* A display that nobody watches lays out once a second, and a list that is filled wants to be laid
 * out anew each time: what is left of that is done here. */
static void
lay_out (GtkWidget *content)
{
  int width = gtk_widget_get_width (content), height = gtk_widget_get_height (content), least;
  if (width <= 0 || height <= 0)
    return;
  for (guint i = 0; i < MOST_LAYOUTS; i++)
    {
      gtk_widget_measure (content, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
      gtk_widget_measure (content, GTK_ORIENTATION_VERTICAL, width, &least, NULL, NULL, NULL);
      gtk_widget_allocate (content, width, height, -1, NULL);
    }
}

/* What was drawn in another style is kept until somebody says that it is another one. */
static void
draw_anew (GtkWidget *widget)
{
  gtk_widget_queue_draw (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    draw_anew (child);
}

/* (transfer full) (nullable): nothing is drawn yet */
static cairo_surface_t *
draw (Picture *self)
{
  GtkWidget *content = find_content (self);
  if (is_unwatched)
    {
      lay_out (content);
      draw_anew (content);
    }
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  /* A paintable is what the last frame drew: after a layout nothing, until the next one. */
  if (is_unwatched)
    gtk_widget_snapshot_child (gtk_widget_get_parent (content), content, snapshot);
  else
    {
      g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (content);
      gdk_paintable_snapshot (paintable, snapshot, gtk_widget_get_width (content),
                              gtk_widget_get_height (content));
    }
  g_autoptr (GskRenderNode) node = gtk_snapshot_free_to_node (snapshot);
  if (node == NULL)
    return NULL;
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_RGB24, self->width, self->height);
  cairo_t *cr = cairo_create (surface);
  GdkRGBA ground;
  /* Of other windows the ground is not the content's. */
  if (gtk_style_context_lookup_color (gtk_widget_get_style_context (content), "window_bg_color",
                                      &ground))
    {
      gdk_cairo_set_source_rgba (cr, &ground);
      cairo_paint (cr);
    }
  gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

static gboolean
is_same (cairo_surface_t *a, cairo_surface_t *b)
{
  if (cairo_image_surface_get_width (a) != cairo_image_surface_get_width (b)
      || cairo_image_surface_get_height (a) != cairo_image_surface_get_height (b))
    return FALSE;
  gsize bytes = (gsize) cairo_image_surface_get_stride (a) * cairo_image_surface_get_height (a);
  return memcmp (cairo_image_surface_get_data (a), cairo_image_surface_get_data (b), bytes) == 0;
}

static cairo_status_t
append_bytes (void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

/* (transfer full) (nullable): why it could not be. */
static char *
save (Picture *self, cairo_surface_t *surface)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  cairo_status_t status = cairo_surface_write_to_png_stream (surface, append_bytes, bytes);
  if (status == CAIRO_STATUS_SUCCESS
      && sluice_file_put ("picture", self->path, bytes->data, bytes->len, &error))
    return NULL;
  return g_strdup_printf (_ ("“%s” cannot be written: %s. Choose another file with --out"),
                          self->path,
                          error != NULL ? error->message : cairo_status_to_string (status));
}

/* The next action. FALSE with why it is none. */
static gboolean
act (Picture *self, char **failure)
{
  g_autoptr (GVariant) target = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *name = NULL;
  const char *detailed = self->actions[self->n_done++];
  if (g_action_parse_detailed_name (detailed, &name, &target, &error)
      && gtk_widget_activate_action_variant (GTK_WIDGET (self->window), name, target))
    return TRUE;
  *failure = g_strdup_printf (_ ("--act “%s”: there is no such action"), detailed);
  return FALSE;
}

static gboolean
look_cb (gpointer data)
{
  Picture *self = data;
  if (self->window == NULL)
    {
      picture_end (self, _ ("The window was closed before its page was drawn"));
      return G_SOURCE_REMOVE;
    }
  cairo_surface_t *now = sluice_window_is_settled (self->window) ? draw (self) : NULL;
  gboolean stands = now != NULL && self->last != NULL && is_same (now, self->last);
  g_autofree char *failure = NULL;
  gboolean acts = stands && self->actions != NULL && self->actions[self->n_done] != NULL
                  && act (self, &failure);
  if (acts)
    self->n_frames = 0;
  if (failure != NULL || (stands && !acts && self->n_frames >= STYLED_FRAMES))
    {
      if (failure == NULL)
        failure = save (self, now);
      cairo_surface_destroy (now);
      picture_end (self, failure);
      return G_SOURCE_REMOVE;
    }
  g_clear_pointer (&self->last, cairo_surface_destroy);
  self->last = acts ? NULL : now;
  if (acts)
    cairo_surface_destroy (now);
  if (g_get_monotonic_time () < self->deadline)
    return G_SOURCE_CONTINUE;
  picture_end (self, _ ("The page was not ready within a minute"));
  return G_SOURCE_REMOVE;
}

static gboolean
frame_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ((Picture *) data)->n_frames++;
  return G_SOURCE_CONTINUE;
}

static void
begin (Picture *self, GtkWidget *content)
{
  self->deadline = g_get_monotonic_time () + PATIENCE_US;
  g_set_weak_pointer (&self->content, content);
  self->ticks = gtk_widget_add_tick_callback (content, frame_cb, self, NULL);
  g_timeout_add (LOOK_MS, look_cb, self);
}

void
sluice_picture_take_again (SluiceWindow *window,
                           const char *path,
                           void (*done) (const char *failure, gpointer data),
                           gpointer data)
{
  GtkWidget *content = adw_application_window_get_content (ADW_APPLICATION_WINDOW (window));
  Picture *self = g_new0 (Picture, 1);
  g_set_weak_pointer (&self->window, window);
  self->path = g_strdup (path);
  self->width = gtk_widget_get_width (content);
  self->height = gtk_widget_get_height (content);
  self->done = done;
  self->data = data;
  gtk_widget_queue_draw (content);
  begin (self, content);
}

void
sluice_picture_take (SluiceWindow *window,
                     const char *path,
                     int width,
                     int height,
                     double text_scale,
                     char **actions,
                     void (*done) (const char *failure, gpointer data),
                     gpointer data)
{
  Picture *self = g_new0 (Picture, 1);
  g_set_weak_pointer (&self->window, window);
  self->path = g_strdup (path);
  self->width = width;
  self->height = height;
  self->actions = g_strdupv (actions);
  self->done = done;
  self->data = data;
  /* What blinks, moves, or is the frame's is not the page's. Dots an inch are told in 1024ths.
   */
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, "gtk-cursor-blink",
                FALSE, "gtk-xft-dpi", (int) (96 * 1024 * text_scale + 0.5), "gtk-decoration-layout",
                ":", NULL);
  GtkWidget *content = adw_application_window_get_content (ADW_APPLICATION_WINDOW (window));
  gtk_widget_add_css_class (content, "background"); /* the ground that the window draws otherwise */
  sluice_window_set_picture_size (window, width, height);
  gtk_window_set_focus (GTK_WINDOW (window), NULL);
  begin (self, content);
}
