/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

/* What calls of a workspace take as dictionaries a{sv}, in one table. */
typedef enum
{
  SLUICE_WORKSPACE_LAUNCH = 1 << 0,
  SLUICE_WORKSPACE_SWEEP = 1 << 1,
  SLUICE_WORKSPACE_FORK = 1 << 2,
} SluiceWorkspaceCalls;

/* What was not given is NULL, 0 or as below. */
typedef struct
{
  GVariant *held; /* (nullable): what texts point into */
  const char *name, *group, *after, *method, *metric, *direction;
  gint64 n_trials;
  gint64 seed; /* 1 */
  gint64 one_of, first_rung;
  gboolean accept_changed_data;
} SluiceWorkspaceOptions;

/**
 * sluice_workspace_options_read:
 * @options: (nullable) (transfer floating)
 * @call: one of SluiceWorkspaceCalls
 *
 * Returns: %FALSE with INVALID_ARGUMENT for an option that the call has not (and the nearest that
 * it has), or a value of another kind or out of range
 */
gboolean sluice_workspace_options_read (SluiceWorkspaceOptions *self,
                                        GVariant *options,
                                        guint call,
                                        GError **error);
void sluice_workspace_options_clear (SluiceWorkspaceOptions *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SluiceWorkspaceOptions, sluice_workspace_options_clear)
