/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/saved-state.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/savedmodel.h"
#include "engine/store/bundle.h"
#include "engine/store/file.h"

static SluiceTensor *
make_string (const char *text)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_STRING, &SLUICE_SHAPE_SCALAR);
  sluice_string_set (tensor->data, text, strlen (text));
  return tensor;
}

static void
feed_clear (gpointer data)
{
  g_clear_pointer (&((SluiceFeed *) data)->tensor, sluice_tensor_unref);
}

/* The assets' paths. (transfer full) (nullable) (element-type SluiceFeed): NULL where a file is
 * missing. */
static GArray *
feed_assets (const SluiceSavedState *state, const char *folder, GError **error)
{
  g_autoptr (GArray) feeds = g_array_new (FALSE, TRUE, sizeof (SluiceFeed));
  g_array_set_clear_func (feeds, feed_clear);
  for (guint i = 0; i < state->assets->len; i++)
    {
      const SluiceAsset *asset = &g_array_index (state->assets, SluiceAsset, i);
      g_autofree char *path = g_build_filename (folder, "assets", asset->file, NULL);
      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        {
          sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                       "the SavedModel lacks its asset '%s', which '%s' reads", path, asset->edge);
          return NULL;
        }
      SluiceFeed feed = { asset->edge, make_string (path) };
      g_array_append_val (feeds, feed);
    }
  return g_steal_pointer (&feeds);
}

static gboolean
run_target (SluiceSession *session, const GArray *feeds, const char *target, GError **error)
{
  return sluice_session_run (session,
                             &(SluiceStepNames){ .feeds = (const SluiceFeed *) feeds->data,
                                                 .targets = &target,
                                                 .n_feeds = feeds->len,
                                                 .n_targets = 1 },
                             NULL, NULL, error);
}

static gboolean
restore_variables (SluiceSession *session,
                   const SluiceSavedState *state,
                   GArray *feeds,
                   const char *folder,
                   GError **error)
{
  g_autofree char *prefix = sluice_saved_model_dup_variables (folder);
  if (!sluice_tensor_bundle_exists (prefix))
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                        "the SavedModel lacks the values of its variables: there is no '%s.index'",
                        prefix);
  SluiceFeed path = { state->checkpoint, make_string (prefix) };
  g_array_append_val (feeds, path);
  gboolean ok = run_target (session, feeds, state->restore, error);
  g_array_set_size (feeds, (guint) (feeds->len - 1));
  if (!ok)
    g_prefix_error (error, "restoring the variables of '%s': ", folder);
  return ok;
}

gboolean
sluice_saved_model_restore (SluiceSession *session,
                            SluiceGraph *graph,
                            const char *folder,
                            GError **error)
{
  g_autoptr (SluiceSavedState) state = sluice_graph_dup_saved_state (graph, error);
  g_autoptr (GArray) feeds = state != NULL ? feed_assets (state, folder, error) : NULL;
  if (feeds == NULL)
    return FALSE;
  if (state->restore != NULL && !restore_variables (session, state, feeds, folder, error))
    return FALSE;
  if (state->init == NULL || run_target (session, feeds, state->init, error))
    return TRUE;
  g_prefix_error (error, "initialising '%s': ", folder);
  return FALSE;
}

gboolean
sluice_saved_model_copy (const char *path, const char *to, GError **error)
{
  static const char *const parts[] = { "saved_model.pb", "saved_model.pbtxt", "variables",
                                       "assets" };
  g_autofree char *from = sluice_saved_model_dup_folder (path);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *source = g_build_filename (from, parts[i], NULL);
      g_autofree char *target = g_build_filename (to, parts[i], NULL);
      if (g_file_test (source, G_FILE_TEST_EXISTS)
          && (!sluice_file_make_folder (target, error)
              || !sluice_file_copy_tree ("SavedModel", source, target, error)))
        return FALSE;
    }
  return TRUE;
}
