/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * run-cases [OPTION...] FILE...: runs conformance case files, a line a failure, then "N passed, N
 * failed". A passed or failed thing is a step, a gradient check, or the shapes of a file's graph.
 * With several numbers of threads or several seeds each file runs in every combination, and what
 * comes out must be the same to the bit in all of them. With --bits each file runs on the CPU
 * first, and how many values of the device have the same bits is told; with --same-bits all must.
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/pool.h"
#include "engine/device/plugin.h"
#include "engine/grad/grad.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "engine/runtime/session/session.h"
#include "kernels/registry.h"
#include "tests/conformance/case-file.h"
#include "tests/conformance/compare.h"
#include "engine/passes/spread.h"
#include "tests/remove-tree.h"

#define MAX_WAYS   16
#define MAX_DEVICE 63

typedef struct
{
  const char *path; /* as given, for messages */
  guint n_threads;
  guint64 spread;
  const char *directory; /* of what the cases write */
  GHashTable *seen; /* (nullable): "STEP EDGE" → SluiceTensor: what came out the first time */
  SluiceGraph *graph;
  CaseFile *cases;
  guint n_passed, n_failed;
  guint n_other_bits; /* values, with --bits */
  guint n_gradients;  /* makes scopes of gradient nodes unique */
} Runner;

static guint64 threads[MAX_WAYS] = { 1 }, spreads[MAX_WAYS] = { 0 };
static guint n_threads = 1, n_spreads = 1;
static gboolean tap;
static gboolean skip_shapes, reference_kernels, recompute, soft_placement, count_bits, same_bits;
static guint n_equal, n_unequal; /* values, with --bits */
static char *device_type;        /* (nullable): all nodes stand there … */
static guint device_index;
static char **over; /* what --spread spreads nodes over */
static char *device_options;

static void G_GNUC_PRINTF (3, 4) report (Runner *r, const char *where, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  printf ("%sFAIL %s %s: %s", tap ? "# " : "", r->path, where, text);
  if (r->seen != NULL || r->spread != 0)
    printf (" (threads %u, spread %" G_GUINT64_FORMAT ")", r->n_threads, r->spread);
  printf ("\n");
  r->n_failed++;
}

/* What is wrong with a value; NULL: nothing. (transfer full) */
static char *
check_value (Runner *r,
             const char *where,
             const char *edge,
             SluiceTensor *got,
             const SluiceTensor *want,
             double rtol,
             double atol)
{
  char *difference = compare_tensors (got, want, rtol, atol);
  if (r->seen == NULL || difference != NULL)
    return difference;
  g_autofree char *key = g_strconcat (where, " ", edge, NULL);
  const SluiceTensor *first = g_hash_table_lookup (r->seen, key);
  if (first == NULL)
    g_hash_table_insert (r->seen, g_steal_pointer (&key), sluice_tensor_ref (got));
  else if (count_bits)
    {
      g_autofree char *other = compare_tensors (got, first, 0, 0);
      gboolean equal = other == NULL || sluice_tensor_identical (got, first);
      *(equal ? &n_equal : &n_unequal) += 1;
      r->n_other_bits += !equal;
      if (!equal && same_bits)
        difference = g_strdup_printf ("not the bits of the CPU: %s", other);
    }
  else if ((difference = compare_tensors (got, first, 0, 0)) != NULL)
    {
      g_autofree char *old = difference;
      difference = g_strdup_printf ("not the bits of threads %" G_GUINT64_FORMAT
                                    ", spread %" G_GUINT64_FORMAT ": %s",
                                    threads[0], spreads[0], old);
    }
  return difference;
}

/* ---- the @TMP@ rule ---- */

static SluiceTensor *
with_directory (SluiceTensor *tensor, const char *directory)
{
  static const char mark[] = "@TMP@/";
  if (tensor->dtype != SLUICE_STRING)
    return sluice_tensor_ref (tensor);
  SluiceTensor *copy = sluice_tensor_dup (tensor, NULL, SLUICE_OWNER_NONE);
  SluiceString *strings = copy->data;
  for (gint64 i = 0; i < copy->n_elements; i++)
    if (strings[i].length >= sizeof mark - 1
        && memcmp (strings[i].data, mark, sizeof mark - 1) == 0)
      {
        GString *text = g_string_new (directory);
        g_string_append_len (text, strings[i].data + 5, strings[i].length - 5);
        gsize length = text->len;
        sluice_string_take (&strings[i], g_string_free (text, FALSE), length);
      }
  return copy;
}

/* ---- one step ---- */

/* Is it a device that a module brought, and there, or must it be? */
static gboolean
is_of_plugin (void)
{
  const SluiceDeviceKind *kind =
      device_type != NULL ? sluice_device_find_kind (device_type, NULL) : NULL;
  return kind != NULL && (!soft_placement || device_index < kind->count ());
}

/* Where --device or --spread want the nodes from the first on. */
static void
place_nodes (Runner *r, guint first)
{
  if (device_type != NULL)
    sluice_put_nodes (r->graph, first, device_type, device_index);
  else
    sluice_spread_nodes (r->graph, first, r->spread, (const char *const *) over,
                         g_strv_length (over));
}

static gboolean
run (SluiceSession *session,
     const CaseStep *step,
     const char *const *fetches,
     guint n_fetches,
     gboolean with_targets,
     const char *directory,
     SluiceTensor **outputs,
     GError **error)
{
  g_autofree SluiceFeed *feeds = g_new0 (SluiceFeed, step->feeds->len + 1);
  for (guint i = 0; i < step->feeds->len; i++)
    {
      CaseFeed *feed = &g_array_index (step->feeds, CaseFeed, i);
      feeds[i] = (SluiceFeed){ feed->edge, with_directory (feed->value, directory) };
    }
  gboolean ok =
      sluice_session_run (session,
                          &(SluiceStepNames){ .feeds = feeds,
                                              .fetches = fetches,
                                              .targets = (const char *const *) step->targets->pdata,
                                              .n_feeds = step->feeds->len,
                                              .n_fetches = n_fetches,
                                              .n_targets = with_targets ? step->targets->len : 0 },
                          outputs, NULL, error);
  for (guint i = 0; i < step->feeds->len; i++)
    sluice_tensor_unref (feeds[i].tensor);
  return ok;
}

static gboolean
build_gradient (Runner *r, const CaseGrad *grad, SluiceGrad *dx, GError **error)
{
  g_autofree SluiceEdge *ys = g_new0 (SluiceEdge, grad->ys->len);
  g_autofree SluiceEdge *dys = g_new0 (SluiceEdge, grad->ys->len);
  g_autofree char *scope = g_strdup_printf ("gradients_%u", r->n_gradients++);
  SluiceBuilder b;
  SluiceEdge x;
  guint n_before = sluice_graph_get_n_nodes (r->graph);
  sluice_builder_init (&b, r->graph, scope);
  if (!sluice_graph_parse_edge (r->graph, grad->xs, &x, error))
    return FALSE;
  for (guint i = 0; i < grad->ys->len; i++)
    {
      SluiceTensor *dy = g_hash_table_lookup (grad->dys, grad->ys->pdata[i]);
      if (!sluice_graph_parse_edge (r->graph, grad->ys->pdata[i], &ys[i], error))
        return FALSE;
      if (dy != NULL)
        dys[i] = sluice_builder_const (&b, sluice_tensor_ref (dy));
    }
  if (!sluice_builder_finish (&b, error)
      || !sluice_gradients (r->graph, scope, ys, grad->ys->len, dys, &x, 1, dx, error))
    return FALSE;
  if (dx->values.node == NULL)
    return sluice_fail (error, SLUICE_ERROR_INTERNAL, "no gradient reaches %s", grad->xs);
  sluice_builder_init (&b, r->graph, scope);
  *dx = (SluiceGrad){ .values = sluice_grad_to_dense (&b, dx) };
  place_nodes (r, n_before);
  return sluice_builder_finish (&b, error);
}

static void
check_gradient (Runner *r,
                SluiceSession *session,
                const CaseStep *step,
                const CaseGrad *grad,
                const char *directory)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) got = NULL;
  SluiceGrad dx;
  if (!build_gradient (r, grad, &dx, &error) || !sluice_session_extend (session, r->graph, &error))
    {
      report (r, grad->node, "gradient to %s not built: %s", grad->xs, error->message);
      return;
    }
  g_autofree char *fetch = g_strdup_printf ("%s:%d", dx.values.node->name, dx.values.port);
  if (!run (session, step, (const char *[]){ fetch }, 1, FALSE, directory, &got, &error))
    {
      report (r, grad->node, "gradient to %s: %s", grad->xs, error->message);
      return;
    }
  g_autofree char *difference =
      check_value (r, grad->node, "", got, grad->value, grad->rtol, grad->atol);
  if (difference != NULL)
    report (r, grad->node, "gradient to %s: %s", grad->xs, difference);
  else
    r->n_passed++;
}

static void
check_outputs (Runner *r,
               const char *where,
               const CaseStep *step,
               SluiceTensor **outputs,
               const char *directory)
{
  g_autoptr (GString) differences = g_string_new (NULL);
  for (guint i = 0; i < step->expects->len; i++)
    {
      CaseExpect *expect = &g_array_index (step->expects, CaseExpect, i);
      g_autoptr (SluiceTensor) got = outputs[i];
      g_autoptr (SluiceTensor) want = with_directory (expect->value, directory);
      g_autofree char *difference =
          check_value (r, where, expect->edge, got, want, expect->rtol, expect->atol);
      if (difference != NULL)
        g_string_append_printf (differences, "%s%s: %s", differences->len > 0 ? "; " : "",
                                expect->edge, difference);
    }
  if (differences->len > 0)
    report (r, where, "%s", differences->str);
  else
    r->n_passed++;
}

/* Soft placement lets through what TensorFlow refused for a device that is not there. */
static gboolean
moves_nodes (SluiceSession *session)
{
  g_autofree char *moved = soft_placement ? sluice_session_dup_moved (session) : NULL;
  return moved != NULL;
}

static void
check_step (Runner *r,
            SluiceSession *session,
            const char *where,
            const CaseStep *step,
            const char *directory)
{
  g_autoptr (GError) error = NULL;
  if (step->unreadable != NULL)
    {
      report (r, where, "not run: %s", step->unreadable->error->message);
      return;
    }
  for (guint i = 0; i < step->grads->len; i++)
    check_gradient (r, session, step, step->grads->pdata[i], directory);

  guint n = step->expects->len;
  g_autofree SluiceTensor **outputs = g_new0 (SluiceTensor *, n + 1);
  g_autofree const char **fetches = g_new0 (const char *, n + 1);
  for (guint i = 0; i < n; i++)
    fetches[i] = g_array_index (step->expects, CaseExpect, i).edge;
  gboolean ok = run (session, step, fetches, n, TRUE, directory, outputs, &error);
  if (ok && step->error == NULL)
    {
      check_outputs (r, where, step, outputs, directory);
      return;
    }
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&outputs[i], sluice_tensor_unref);
  if (ok && moves_nodes (session))
    r->n_passed++;
  else if (ok)
    report (r, where, "succeeded, must fail with %s", step->error);
  else if (step->error == NULL)
    report (r, where, "%s: %s", sluice_error_code_name (error->code), error->message);
  else if (strcmp (step->error, sluice_error_code_name (error->code)) != 0)
    report (r, where, "failed with %s, must fail with %s: %s", sluice_error_code_name (error->code),
            step->error, error->message);
  else
    r->n_passed++;
}

/* So that there are all devices that nodes are spread over. */
static void
want_devices (SluiceSessionOptions *options)
{
  for (guint i = 0; over[i] != NULL; i++)
    {
      guint index = (guint) g_ascii_strtoull (strchr (over[i], ':') + 1, NULL, 10);
      if (g_str_has_prefix (over[i], "CPU:"))
        options->n_cpus = MAX (options->n_cpus, index + 1);
      else
        options->device = over[i]; /* and those of lower numbers */
    }
}

static void
run_case (Runner *r, const Case *c)
{
  g_autoptr (GError) error = NULL;
  /* The explicit permission that a case needs for its @TMP@, and no more. */
  g_autoptr (SluiceFileAccess) files = sluice_file_access_new ();
  sluice_file_access_allow (files, r->directory, SLUICE_FILE_WRITE);
  sluice_file_access_allow (files, "/nonexistent", SLUICE_FILE_WRITE); /* what is not there */
  SluiceSessionOptions options = { .files = files,
                                   .n_cpus = 1,
                                   .device_options = device_options,
                                   .seed = 1,
                                   .strict_devices = !soft_placement,
                                   .reference_kernels = reference_kernels,
                                   .recompute = recompute };
  g_autofree char *device =
      device_type != NULL ? g_strdup_printf ("%s:%u", device_type, device_index) : NULL;
  if (r->spread != 0)
    want_devices (&options);
  if (is_of_plugin ())
    options.device = device;
  else if (device_type != NULL)
    options.n_cpus = MAX (options.n_cpus, device_index + 1);
  for (guint i = 0; i < c->steps->len; i++)
    options.n_cpus = MAX (options.n_cpus, ((CaseStep *) c->steps->pdata[i])->n_cpus);
  g_autoptr (SluiceSession) session = sluice_session_new (&options, &error);
  if (session == NULL || !sluice_session_extend (session, r->graph, &error))
    {
      report (r, c->name, "no session: %s", error->message);
      return;
    }
  g_autofree char *directory = g_build_filename (r->directory, "case", NULL);
  if (g_mkdir (directory, 0700) != 0)
    {
      report (r, c->name, "no directory %s: %s", directory, g_strerror (errno));
      return;
    }
  for (guint i = 0; i < c->steps->len; i++)
    {
      const CaseStep *step = c->steps->pdata[i];
      g_autofree char *where = g_strdup_printf ("%s step %" G_GINT64_FORMAT, c->name, step->number);
      check_step (r, session, where, step, directory);
    }
  remove_tree (directory);
}

/* ---- shapes: ours must be TensorFlow's or more exact ---- */

static gboolean
at_least_as_exact (const SluiceShape *ours, const SluiceShape *theirs)
{
  if (!sluice_shape_compatible (ours, theirs))
    return FALSE;
  if (theirs->rank == SLUICE_UNKNOWN_RANK)
    return TRUE;
  if (ours->rank == SLUICE_UNKNOWN_RANK)
    return FALSE;
  for (int i = 0; i < theirs->rank; i++)
    if (theirs->dim[i] >= 0 && ours->dim[i] < 0)
      return FALSE;
  return TRUE;
}

static void
check_shapes (Runner *r)
{
  guint n_before = r->n_failed;
  for (guint k = 0; k < r->cases->nodes->len; k++)
    {
      const SluiceNode *node = r->cases->nodes->pdata[k];
      const SluiceAttrValue *theirs = sluice_node_get_attr (node, "_output_shapes");
      if (theirs == NULL || node->error != NULL)
        continue;
      for (guint i = 0; i < theirs->list.n && i < node->n_outputs; i++)
        if (!at_least_as_exact (&node->outputs[i].shape, &theirs->list.items[i].shape))
          {
            char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
            report (r, node->name, "%s output %u: shape %s, TensorFlow has %s", node->op_name, i,
                    sluice_shape_str (&node->outputs[i].shape, a),
                    sluice_shape_str (&theirs->list.items[i].shape, b));
          }
    }
  if (r->n_failed == n_before)
    r->n_passed++;
}

static void
run_way (Runner *r, gboolean with_shapes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (r->path, &error);
  if (graph == NULL)
    {
      g_autofree char *code = case_file_dup_load_error (r->path);
      if (g_strcmp0 (code, sluice_error_code_name (error->code)) == 0)
        r->n_passed++;
      else
        report (r, "load", "%s: %s", sluice_error_code_name (error->code), error->message);
      return;
    }
  g_autoptr (CaseFile) cases = case_file_read (graph);
  r->graph = graph;
  r->cases = cases;
  r->n_gradients = 0;
  if (with_shapes)
    check_shapes (r);
  place_nodes (r, 0);
  for (guint i = 0; i < cases->cases->len; i++)
    run_case (r, cases->cases->pdata[i]);
  if (cases->cases->len == 0)
    report (r, "load", "the file holds no case");
}

/* What comes out is only kept. */
static void
run_on_cpu (Runner *r)
{
  char *type = device_type;
  device_type = NULL;
  r->n_threads = (guint) threads[0];
  run_way (r, FALSE);
  device_type = type;
  r->n_passed = 0;
}

static void
run_file (Runner *r)
{
  g_autoptr (GHashTable) seen =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) sluice_tensor_unref);
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp ("sluice-case-XXXXXX", &error);
  if (directory == NULL)
    {
      report (r, "load", "no directory: %s", error->message);
      return;
    }
  r->directory = directory;
  if (n_threads * n_spreads > 1 || count_bits)
    r->seen = seen;
  if (count_bits)
    run_on_cpu (r);
  for (guint i = 0; i < n_threads; i++)
    {
      r->n_threads = (guint) threads[i];
      sluice_pool_set_threads (r->n_threads);
      for (guint k = 0; k < n_spreads; k++)
        {
          r->spread = spreads[k];
          run_way (r, !skip_shapes && i + k == 0);
        }
    }
  remove_tree (directory);
}

/* "1,2,4" */
static gboolean
parse_list (const char *text, guint64 *values, guint *n, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", MAX_WAYS);
  for (*n = 0; parts[*n] != NULL; (*n)++)
    if (!g_ascii_string_to_unsigned (parts[*n], 10, 0, G_MAXUINT32, &values[*n], error))
      return FALSE;
  return TRUE;
}

static gboolean
parse_threads (const char *name, const char *text, gpointer data, GError **error)
{
  return parse_list (text, threads, &n_threads, error);
}

static gboolean
parse_spreads (const char *name, const char *text, gpointer data, GError **error)
{
  return parse_list (text, spreads, &n_spreads, error);
}

/* "CPU:3" */
static gboolean
parse_device (const char *name, const char *text, gpointer data, GError **error)
{
  const char *colon = strchr (text, ':');
  guint64 index;
  if (colon == NULL || colon == text
      || !g_ascii_string_to_unsigned (colon + 1, 10, 0, MAX_DEVICE, &index, NULL))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s '%s': must be TYPE:N, N at most %d", name, text, MAX_DEVICE);
  g_autofree char *type = g_strndup (text, colon - text);
  device_type = g_ascii_strup (type, -1);
  device_index = (guint) index;
  return TRUE;
}

/* "CPU:0,SIM:0,SIM:1": of one type beside CPUs, in order */
static gboolean
parse_over (const char *name, const char *text, gpointer data, GError **error)
{
  g_clear_pointer (&over, g_strfreev);
  over = g_strsplit (text, ",", -1);
  for (guint i = 0; over[i] != NULL; i++)
    if (strchr (over[i], ':') == NULL)
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s '%s': must be TYPE:N", name,
                          over[i]);
  return TRUE;
}

/* Loads what brings the device. */
static gboolean
check_device (GError **error)
{
  g_autoptr (GError) missing = NULL;
  if (device_type == NULL || g_str_equal (device_type, "CPU")
      || sluice_plugin_load_device (device_type, &missing))
    return TRUE;
  if (soft_placement)
    {
      g_printerr ("%s\n", missing->message); /* and all stands on the CPU */
      return TRUE;
    }
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "%s; with --soft-placement nodes stand on the CPU instead", missing->message);
}

int
main (int argc, char **argv)
{
  const GOptionEntry entries[] = {
    { "threads", 0, 0, G_OPTION_ARG_CALLBACK, parse_threads, "Threads to run on (1)", "N,N..." },
    { "spread", 0, 0, G_OPTION_ARG_CALLBACK, parse_spreads,
      "Spread the nodes over CPU:0 … CPU:3 by these seeds; 0: as they stand", "SEED,SEED..." },
    { "over", 0, 0, G_OPTION_ARG_CALLBACK, parse_over,
      "Spread them over these devices, those of one type in order", "TYPE:N,TYPE:N..." },
    { "device-options", 0, 0, G_OPTION_ARG_STRING, &device_options,
      "What devices are opened with: latency=500us", "OPTIONS" },
    { "device", 0, 0, G_OPTION_ARG_CALLBACK, parse_device,
      "Put every node that has a kernel there on this device", "TYPE:N" },
    { "soft-placement", 0, 0, G_OPTION_ARG_NONE, &soft_placement,
      "Nodes whose device or kernel is not there stand on the CPU", NULL },
    { "bits", 0, 0, G_OPTION_ARG_NONE, &count_bits,
      "Count the values of the device that have the bits of the CPU's", NULL },
    { "same-bits", 0, 0, G_OPTION_ARG_NONE, &same_bits, "The same, and others are a failure",
      NULL },
    { "tap", 0, 0, G_OPTION_ARG_NONE, &tap, "Report a point a file, as TAP", NULL },
    { "no-shapes", 0, 0, G_OPTION_ARG_NONE, &skip_shapes, "Do not compare inferred shapes", NULL },
    { "reference", 0, 0, G_OPTION_ARG_NONE, &reference_kernels, "Force the reference kernels",
      NULL },
    { "recompute", 0, 0, G_OPTION_ARG_NONE, &recompute,
      "Compute cheap values again instead of keeping them", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new ("FILE...");
  setlocale (LC_ALL, "");
  over = sluice_list_cpus (4);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc < 2)
    {
      g_printerr ("%s\n", error != NULL ? error->message : "run-cases: no case file given");
      return 2;
    }
  sluice_registry_init (sluice_kernel_modules ());
  if (!check_device (&error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  count_bits |= same_bits;
  sluice_passes_init ();
  guint n_passed = 0, n_failed = 0;
  for (int i = 1; i < argc; i++)
    {
      Runner runner = { .path = argv[i] };
      run_file (&runner);
      if (runner.n_other_bits > 0)
        printf ("%s%s: %u values with other bits\n", tap ? "# " : "", argv[i], runner.n_other_bits);
      if (tap)
        printf ("%s %d - %s\n", runner.n_failed == 0 ? "ok" : "not ok", i, argv[i]);
      fflush (stdout);
      n_passed += runner.n_passed;
      n_failed += runner.n_failed;
    }
  if (tap)
    printf ("1..%d\n", argc - 1);
  else
    printf ("%u passed, %u failed\n", n_passed, n_failed);
  if (count_bits && !tap)
    printf ("%u values with equal bits, %u with others\n", n_equal, n_unequal);
  return n_failed == 0 ? 0 : 1;
}
