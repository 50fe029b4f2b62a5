/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "api/session.h"

#include "api/attrs.h"
#include "api/sluice-private.h"
#include "engine/base/error.h"
#include "engine/runtime/session/options.h"

/* ---- options ---- */

static gboolean
read_option (SluiceSessionOptions *options, const char *name, GVariant *boxed, GError **error)
{
  const SluiceOption *option = sluice_options_find (name);
  if (option == NULL || !(option->flags & SLUICE_OPTION_API))
    {
      const char *hint = sluice_options_suggest_key (name, SLUICE_OPTION_API);
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "there is no option '%s' of a session%s%s%s", name,
                          hint ? "; did you mean '" : "", hint ? hint : "", hint ? "'?" : "");
    }
  if (options->like && !(option->flags & SLUICE_OPTION_OWN))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "option %s of a session: the plans that it shares are made for the other "
                        "session's; leave it out, or open a session of its own",
                        name);
  const gboolean is_bool = option->type == SLUICE_OPTION_BOOL;
  const SluiceAttrDef def = { .kind = is_bool ? SLUICE_ATTR_BOOL : SLUICE_ATTR_INT };
  SluiceAttrValue value;
  if (sluice_attr_value_from_variant (&def, boxed, &value, error)
      && sluice_option_set (option, options, is_bool ? value.b : value.i, error))
    return TRUE;
  g_autofree char *shown = g_variant_print (boxed, FALSE);
  g_prefix_error (error, "option %s=%s of a session: ", name, shown);
  return FALSE;
}

static gboolean
read_options (SluiceSessionOptions *options, GVariant *variant, GError **error)
{
  if (variant == NULL)
    return TRUE;
  if (!g_variant_is_of_type (variant, G_VARIANT_TYPE_VARDICT))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "options of type '%s': a dictionary a{sv} is wanted",
                        g_variant_get_type_string (variant));
  GVariantIter iter;
  const char *name;
  GVariant *boxed;
  g_variant_iter_init (&iter, variant);
  while (g_variant_iter_next (&iter, "{&sv}", &name, &boxed))
    {
      g_autoptr (GVariant) value = boxed;
      if (!read_option (options, name, value, error))
        return FALSE;
    }
  return TRUE;
}

/* given: what no option says. Another thread of the program's may begin a run any time, so that a
 * run that waits alone is no error unless the program says so. */
static SluiceSession *
open_session (SluiceSessionOptions given, GVariant *options, GError **error)
{
  given.keep_waiting = TRUE;
  g_autoptr (GVariant) held = options != NULL ? g_variant_ref_sink (options) : NULL;
  if (!read_options (&given, held, error))
    return NULL;
  sluice_api_begin_graphs ();
  return sluice_session_new (&given, error);
}

SluiceSession *
sluice_session_open (GVariant *options, GError **error)
{
  return open_session ((SluiceSessionOptions){ 0 }, options, error);
}

/* ---- steps ---- */

/* g_object_new() of a binding makes a session without devices. */
static gboolean
check_open (SluiceSession *self, GError **error)
{
  return sluice_session_get_n_devices (self) > 0
         || sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                         "the session has no devices: make it with sluice_session_open()");
}

static SluiceSession *
open_with (SluiceSession *other, SluiceSessionOptions given, GVariant *options, GError **error)
{
  if (check_open (other, error))
    return open_session (given, options, error);
  if (options != NULL)
    g_variant_unref (g_variant_ref_sink (options));
  return NULL;
}

SluiceSession *
sluice_session_open_beside (SluiceSession *other, GVariant *options, GError **error)
{
  SluiceSessionOptions given = { .resources = sluice_session_get_resources (other) };
  return open_with (other, given, options, error);
}

SluiceSession *
sluice_session_open_like (SluiceSession *other, GVariant *options, GError **error)
{
  return open_with (other, (SluiceSessionOptions){ .like = other }, options, error);
}

gboolean
sluice_session_add_graph (SluiceSession *self, SluiceGraph *graph, GError **error)
{
  g_return_val_if_fail (graph != NULL, FALSE);
  return check_open (self, error) && sluice_session_extend (self, graph, error);
}

static guint
count (const char *const *names)
{
  return names != NULL ? g_strv_length ((char **) names) : 0;
}

/* (transfer full) (nullable) */
static SluiceFeed *
pair_feeds (const char *const *feeds,
            guint n_feeds,
            SluiceTensor *const *values,
            gsize n_values,
            GError **error)
{
  if (n_values != n_feeds)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "%" G_GSIZE_FORMAT " values for %u feeds: give one a feed", n_values, n_feeds);
      return NULL;
    }
  SluiceFeed *pairs = g_new (SluiceFeed, n_feeds + 1);
  for (guint i = 0; i < n_feeds; i++)
    pairs[i] = (SluiceFeed){ feeds[i], values[i] };
  return pairs;
}

SluiceTensor **
sluice_session_run_step (SluiceSession *self,
                         const char *const *feeds,
                         SluiceTensor *const *values,
                         gsize n_values,
                         const char *const *fetches,
                         const char *const *targets,
                         GCancellable *cancellable,
                         gsize *n_outputs,
                         GError **error)
{
  guint n_feeds = count (feeds), n_fetches = count (fetches);
  *n_outputs = 0;
  if (!check_open (self, error))
    return NULL;
  g_autofree SluiceFeed *pairs = pair_feeds (feeds, n_feeds, values, n_values, error);
  if (pairs == NULL)
    return NULL;
  g_autofree SluiceTensor **outputs = g_new0 (SluiceTensor *, n_fetches + 1);
  SluiceRunOptions options = { .cancellable = cancellable };
  const SluiceStepNames names = { .feeds = pairs,
                                  .fetches = fetches,
                                  .targets = targets,
                                  .n_feeds = n_feeds,
                                  .n_fetches = n_fetches,
                                  .n_targets = count (targets) };
  if (!sluice_session_run (self, &names, outputs, &options, error))
    return NULL;
  *n_outputs = n_fetches;
  return g_steal_pointer (&outputs);
}

/* ---- partial runs ---- */

G_DEFINE_BOXED_TYPE (SluicePartialRun,
                     sluice_partial_run,
                     sluice_partial_run_ref,
                     sluice_partial_run_unref)

SluicePartialRun *
sluice_session_begin_partial_run (SluiceSession *self,
                                  const char *const *feeds,
                                  const char *const *fetches,
                                  const char *const *targets,
                                  GCancellable *cancellable,
                                  GError **error)
{
  SluiceRunOptions options = { .cancellable = cancellable };
  if (!check_open (self, error))
    return NULL;
  g_autofree SluiceFeed *fed = sluice_feeds_new (feeds, count (feeds));
  const SluiceStepNames names = { .feeds = fed,
                                  .fetches = fetches,
                                  .targets = targets,
                                  .n_feeds = count (feeds),
                                  .n_fetches = count (fetches),
                                  .n_targets = count (targets) };
  return sluice_session_set_up_partial (self, &names, &options, error);
}

SluiceTensor **
sluice_partial_run_part_step (SluicePartialRun *self,
                              const char *const *feeds,
                              SluiceTensor *const *values,
                              gsize n_values,
                              const char *const *fetches,
                              gsize *n_outputs,
                              GError **error)
{
  guint n_feeds = count (feeds), n_fetches = count (fetches);
  *n_outputs = 0;
  g_autofree SluiceFeed *pairs = pair_feeds (feeds, n_feeds, values, n_values, error);
  if (pairs == NULL)
    return NULL;
  g_autofree SluiceTensor **outputs = g_new0 (SluiceTensor *, n_fetches + 1);
  if (!sluice_partial_run_part (
          self,
          &(SluiceStepNames){
              .feeds = pairs, .fetches = fetches, .n_feeds = n_feeds, .n_fetches = n_fetches },
          outputs, error))
    return NULL;
  *n_outputs = n_fetches;
  return g_steal_pointer (&outputs);
}

char *
sluice_session_dup_placement (SluiceSession *self, const char *node, char **reason)
{
  g_return_val_if_fail (node != NULL, NULL);
  const char *why = NULL;
  const char *device = sluice_session_get_placement (self, node, &why);
  if (reason != NULL)
    *reason = g_strdup (why);
  return g_strdup (device);
}
