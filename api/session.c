/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "api/session.h"

#include "api/private.h"
#include "engine/base/error.h"
#include "engine/base/near.h"
#include "engine/runtime/session/session.h"

/* ---- options ---- */

typedef enum
{
  OPTION_CPUS,
  OPTION_NULLS,
  OPTION_MEMORY_LIMIT,
  OPTION_SEED,
  OPTION_MAX_ITERATIONS,
  OPTION_SOFT_PLACEMENT,
  OPTION_REFERENCE_KERNELS,
  OPTION_NAN_GUARD,
  OPTION_OPTIMIZE,
  OPTION_KEEP_WAITING,
  OPTION_TRUNCATE_TRANSFERS,
  OPTION_ORDERED,
  OPTION_RECOMPUTE,
  N_OPTIONS
} Option;

#define MAX_DEVICES 64 /* of a kind: far more than they are good for, and cheap */

static const char *const option_names[N_OPTIONS] = {
  "cpus",           "nulls",          "memory-limit",       "seed",
  "max-iterations", "soft-placement", "reference-kernels",  "nan-guard",
  "optimize",       "keep-waiting",   "truncate-transfers", "ordered",
  "recompute",
};

static void
set_option (SluiceSessionOptions *options, Option option, const SluiceAttrValue *value)
{
  switch (option)
    {
    case OPTION_CPUS:
      options->n_cpus = (guint) value->i;
      break;
    case OPTION_NULLS:
      options->n_nulls = (guint) value->i;
      break;
    case OPTION_MEMORY_LIMIT:
      options->memory_limit = (gsize) value->i;
      break;
    case OPTION_SEED:
      options->seed = (guint64) value->i;
      break;
    case OPTION_MAX_ITERATIONS:
      options->max_iterations = (guint64) value->i;
      break;
    case OPTION_SOFT_PLACEMENT:
      options->strict_devices = !value->b;
      break;
    case OPTION_REFERENCE_KERNELS:
      options->reference_kernels = value->b;
      break;
    case OPTION_NAN_GUARD:
      options->nan_guard = value->b;
      break;
    case OPTION_OPTIMIZE:
      options->no_optimize = !value->b;
      break;
    case OPTION_KEEP_WAITING:
      options->keep_waiting = value->b;
      break;
    case OPTION_TRUNCATE_TRANSFERS:
      options->truncate_transfers = value->b;
      break;
    case OPTION_ORDERED:
      options->ordered = value->b;
      break;
    case OPTION_RECOMPUTE:
      options->recompute = value->b;
      break;
    case N_OPTIONS:
      break;
    }
}

/* What a session that has another's plans chooses itself. */
static gboolean
is_own (Option option)
{
  return option == OPTION_SEED || option == OPTION_MAX_ITERATIONS || option == OPTION_KEEP_WAITING;
}

static gboolean
read_option (SluiceSessionOptions *options, const char *name, GVariant *boxed, GError **error)
{
  Option option = 0;
  while (option < N_OPTIONS && !g_str_equal (option_names[option], name))
    option++;
  if (option == N_OPTIONS)
    {
      const char *near = sluice_near_name (name, option_names, N_OPTIONS);
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "there is no option '%s' of a session%s%s%s", name,
                          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
  if (options->like && !is_own (option))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "option %s of a session: the plans that it shares are made for the other "
                        "session's; leave it out, or open a session of its own",
                        name);
  gboolean is_number = option < OPTION_SOFT_PLACEMENT;
  gint64 highest = option <= OPTION_NULLS ? MAX_DEVICES : G_MAXINT64;
  SluiceAttrDef def = { .kind = is_number ? SLUICE_ATTR_INT : SLUICE_ATTR_BOOL };
  SluiceAttrValue value;
  if (!sluice_attr_value_from_variant (&def, boxed, &value, error))
    {
      g_prefix_error (error, "option %s of a session: ", name);
      return FALSE;
    }
  if (is_number && (value.i < 0 || value.i > highest))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "option %s of a session: %" G_GINT64_FORMAT
                        " is not between 0 and %" G_GINT64_FORMAT,
                        name, value.i, highest);
  set_option (options, option, &value);
  return TRUE;
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

/* given: what no option says. */
static SluiceSession *
open_session (SluiceSessionOptions given, GVariant *options, GError **error)
{
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
  if (!sluice_session_run (self, pairs, n_feeds, fetches, n_fetches, targets, count (targets),
                           outputs, &options, error))
    return NULL;
  *n_outputs = n_fetches;
  return g_steal_pointer (&outputs);
}

/* ---- steps in parts ---- */

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
  return sluice_session_set_up_partial (self, feeds, count (feeds), fetches, count (fetches),
                                        targets, count (targets), &options, error);
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
  if (!sluice_partial_run_part (self, pairs, n_feeds, fetches, n_fetches, outputs, error))
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
