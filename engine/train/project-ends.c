/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/train/project-ends.h"

#include "engine/train/attr-parameter.h"

static void
add (GStrvBuilder *names, const char *name)
{
  if (name != NULL)
    g_strv_builder_add (names, name);
}

static void
add_all (GStrvBuilder *names, char **more)
{
  if (more != NULL)
    g_strv_builder_addv (names, (const char **) more);
}

static void
add_edges (GStrvBuilder *names, const GArray *edges)
{
  for (guint i = 0; edges != NULL && i < edges->len; i++)
    g_strv_builder_add (names, g_array_index (edges, SluiceNamedEdge, i).target);
}

static void
add_steps (GStrvBuilder *names, const SluiceProject *project)
{
  add_all (names, project->train);
  add_all (names, project->loss);
  add (names, project->step);
  add (names, project->summaries);
  add_edges (names, project->fetches);
  add_edges (names, project->evaluate);
  add_edges (names, project->texts);
}

char **
sluice_project_dup_step_ends (const SluiceProject *project)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  add_steps (names, project);
  return g_strv_builder_end (names);
}

SluiceProjectEnds *
sluice_project_ends_new (const SluiceProject *project)
{
  g_autoptr (GStrvBuilder) fed = g_strv_builder_new (), run = g_strv_builder_new ();
  add (fed, project->feed_x);
  add (fed, project->feed_y);
  for (guint i = 0; i < project->parameters->len; i++)
    {
      const char *target = g_array_index (project->parameters, SluiceNamedEdge, i).target;
      if (!sluice_parameter_is_attr (target))
        g_strv_builder_add (fed, target);
    }
  add_all (run, project->init);
  add_steps (run, project);
  SluiceProjectEnds *self = g_rc_box_new0 (SluiceProjectEnds);
  self->fed = g_strv_builder_end (fed);
  self->run = g_strv_builder_end (run);
  self->context =
      (SluiceProblemContext){ (const char *const *) self->fed, (const char *const *) self->run };
  return self;
}

SluiceProjectEnds *
sluice_project_ends_ref (SluiceProjectEnds *self)
{
  return self != NULL ? g_rc_box_acquire (self) : NULL;
}

static void
clear (gpointer data)
{
  SluiceProjectEnds *self = data;
  g_strfreev (self->fed);
  g_strfreev (self->run);
}

void
sluice_project_ends_unref (SluiceProjectEnds *self)
{
  g_rc_box_release_full (self, clear);
}

const SluiceProblemContext *
sluice_project_ends_get_context (const SluiceProjectEnds *self)
{
  return self != NULL ? &self->context : NULL;
}
