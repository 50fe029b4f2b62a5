/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "engine/graph/graphdef.h"
#include "tests/bench/truth-subject.h"
#include "tests/conformance/case-file.h"

/* A step, as it is prepared or run. */
static void
fill_step (TruthSubject *self, const CaseStep *step)
{
  g_array_set_size (self->feeds, 0);
  g_ptr_array_set_size (self->fetches, 0);
  g_ptr_array_set_size (self->targets, 0);
  for (guint i = 0; i < step->feeds->len; i++)
    {
      const CaseFeed *from = &g_array_index (step->feeds, CaseFeed, i);
      const SluiceFeed feed = { g_strdup (from->edge), sluice_tensor_ref (from->value) };
      g_array_append_val (self->feeds, feed);
    }
  for (guint i = 0; i < step->expects->len; i++)
    g_ptr_array_add (self->fetches, g_strdup (g_array_index (step->expects, CaseExpect, i).edge));
  for (guint i = 0; i < step->targets->len; i++)
    g_ptr_array_add (self->targets, g_strdup (step->targets->pdata[i]));
}

static gboolean
prepare (TruthSubject *self)
{
  const SluiceStepNames names = {
    .feeds = (const SluiceFeed *) self->feeds->data,
    .n_feeds = self->feeds->len,
    .fetches = (const char *const *) self->fetches->pdata,
    .n_fetches = self->fetches->len,
    .targets = (const char *const *) self->targets->pdata,
    .n_targets = self->targets->len,
  };
  g_clear_pointer (&self->step, sluice_callable_unref);
  if (self->feeds->len > TRUTH_MOST || self->fetches->len > TRUTH_MOST)
    return FALSE;
  self->step = sluice_session_prepare (self->session, &names, NULL);
  return self->step != NULL;
}

/* FALSE: it fails, or means to. */
static gboolean
run (TruthSubject *self, const CaseStep *step)
{
  SluiceTensor *values[TRUTH_MOST], *outputs[TRUTH_MOST] = { NULL };
  if (step->error != NULL || step->unreadable != NULL || step->grads->len > 0)
    return FALSE;
  fill_step (self, step);
  if (!prepare (self))
    return FALSE;
  for (guint i = 0; i < self->feeds->len; i++)
    values[i] = g_array_index (self->feeds, SluiceFeed, i).tensor;
  gboolean ok = sluice_callable_run (self->step, values, outputs, NULL, NULL);
  for (guint i = 0; i < TRUTH_MOST; i++)
    g_clear_pointer (&outputs[i], sluice_tensor_unref);
  return ok;
}

TruthSubject *
truth_subject_load_case (const char *path)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (path, NULL);
  g_autoptr (CaseFile) file = graph != NULL ? case_file_read (graph) : NULL;
  const SluiceSessionOptions options = { .seed = 1 };
  if (file == NULL || file->cases->len == 0)
    return NULL;
  const Case *first = file->cases->pdata[0];
  guint64 n_most = 0;
  TruthSubject *self = g_new0 (TruthSubject, 1);
  self->name = g_path_get_basename (path);
  *strchr (self->name, '.') = '\0';
  self->batch = 32;
  self->feeds = g_array_new (FALSE, FALSE, sizeof (SluiceFeed));
  g_array_set_clear_func (self->feeds, truth_feed_clear);
  self->fetches = g_ptr_array_new_with_free_func (g_free);
  self->targets = g_ptr_array_new_with_free_func (g_free);
  self->session = sluice_session_new (&options, NULL);
  gboolean ok = self->session != NULL && first->steps->len > 0
                && sluice_session_extend (self->session, graph, NULL);
  const CaseStep *most = NULL;
  for (guint i = 0; ok && i < first->steps->len; i++)
    {
      SluiceSessionStats before, after;
      sluice_session_get_stats (self->session, &before);
      ok = run (self, first->steps->pdata[i]);
      sluice_session_get_stats (self->session, &after);
      if (after.n_nodes_run - before.n_nodes_run >= n_most)
        most = first->steps->pdata[i];
      n_most = MAX (n_most, after.n_nodes_run - before.n_nodes_run);
    }
  /* Twice more: it may wait for what comes once, or end an input. */
  for (guint i = 0; ok && i < 2; i++)
    ok = run (self, most);
  if (ok)
    return self;
  truth_subject_free (self);
  return NULL;
}
