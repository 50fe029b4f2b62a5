/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A canvas in a window with an editor without an engine, and what is done to it. */
#pragma once

#include "tests/ui/canvas/fake-editor.h"

typedef struct
{
  GtkWidget *window;
  SluiceCanvas *canvas;
  FakeEditor *editor;
} EditFixture;

void edit_set_up (EditFixture *f, gconstpointer data);
void edit_tear_down (EditFixture *f, gconstpointer data);
/* For g_timeout_add_seconds(): a wait that would never end. */
gboolean edit_expired_cb (gpointer data);
void edit_settle (EditFixture *f);
gboolean edit_has_state (EditFixture *f, const char *part);
void edit_wait_for_state (EditFixture *f, const char *part);
void edit_assert_log (EditFixture *f, const char *wanted);
void edit_assert_inputs (EditFixture *f, const char *node, const char *wanted);
GtkEventController *edit_controller_of (EditFixture *f, GType type);
/* Pixels of a port that is in view. */
SluicePoint edit_port_at (EditFixture *f, const char *node, guint index, gboolean is_output);
/* Pixels of a box that is in view. */
SluiceRect edit_box_of (EditFixture *f, const char *name);
void edit_press (EditFixture *f, SluicePoint at);
void edit_drag (EditFixture *f, SluicePoint from, SluicePoint to);
void edit_let_go (EditFixture *f, SluicePoint from, SluicePoint to);
void edit_drag_all (EditFixture *f, SluicePoint from, SluicePoint to);
gboolean edit_key (EditFixture *f, guint keyval, GdkModifierType modifiers);
void edit_act (EditFixture *f, const char *action);
gboolean edit_is_said (EditFixture *f, const char *text);
GtkEditable *edit_rename_entry (EditFixture *f);
