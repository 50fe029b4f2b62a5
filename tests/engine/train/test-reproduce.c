/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/checkpoint.h"
#include "engine/train/example-sums.h"
#include "engine/train/preflight.h"
#include "engine/train/reproduce.h"
#include "engine/train/run-file.h"
#include "engine/train/start-from.h"
#include "kernels/registry.h"
#include "tests/engine/train/trained.h"

static const char *const settings[] = { "steps=12", "checkpoint-every=4", "keep-last=0", NULL };

static SluiceReproduction *
reproduce (Fixture *f, const char *run, gint64 from)
{
  g_autoptr (GError) error = NULL;
  const SluiceReproduceOptions options = { .from = from };
  SluiceReproduction *found = sluice_reproduce (f->store, run, &options, &error);
  g_assert_no_error (error);
  return found;
}

static SluiceRunFile *
read_file (Fixture *f, const char *run)
{
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (f->store, run, NULL);
  g_autofree char *folder = sluice_store_dup_run_folder (f->store, info->id);
  return sluice_run_file_read (folder);
}

static void
test_equal (Fixture *f, gconstpointer unused)
{
  g_autofree char *run = train (f, NULL, settings);
  g_autoptr (SluiceReproduction) found = reproduce (f, run, -1);
  g_assert_true (found->equal);
  g_assert_null (found->parting);
  g_assert_cmpint (found->from, ==, 0);
  g_assert_cmpint (found->to, ==, 12);
  g_assert_cmpuint (found->n_values, >=, 12);
  g_assert_cmpuint (found->n_checkpoints, ==, 3);
  g_autoptr (SluiceRunFile) file = read_file (f, run);
  g_autofree char *badge = sluice_run_proof_dup_badge (file->proof);
  g_assert_true (g_str_has_prefix (badge, "bit-equal to step 12 on "));
  /* A part of it says less than is known. */
  g_autoptr (SluiceReproduction) part = reproduce (f, run, 8);
  g_assert_true (part->equal);
  g_autoptr (SluiceRunFile) after = read_file (f, run);
  g_assert_cmpint (after->proof->from, ==, 0);
}

/* One bit of one variable, with a checksum that fits. Returns its name. */
static char *
flip_bit (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *state = NULL;
  g_autoptr (GArray) tensors = sluice_safetensors_read (path, &state, &error);
  g_assert_no_error (error);
  const SluiceNamedTensor *named = &g_array_index (tensors, SluiceNamedTensor, 0);
  ((guint8 *) named->tensor->data)[0] ^= 1;
  char *name = g_strdup (named->name);
  g_assert_true (sluice_safetensors_write (path, tensors, state, &error));
  g_assert_no_error (error);
  return name;
}

static void
test_variable (Fixture *f, gconstpointer unused)
{
  g_autofree char *run = train (f, NULL, settings);
  g_autofree char *path = checkpoint_path (f, run, 8);
  g_autofree char *name = flip_bit (path);
  const gint64 from[] = { -1, 8 };
  for (guint i = 0; i < G_N_ELEMENTS (from); i++)
    {
      g_autoptr (SluiceReproduction) found = reproduce (f, run, from[i]);
      g_assert_false (found->equal);
      g_assert_cmpint (found->parting->step, ==, 8);
      g_assert_cmpstr (found->parting->tensor, ==, name);
      g_assert_cmpint (found->parting->element, ==, 0);
      g_assert_cmpstr (found->parting->was, !=, found->parting->is);
      g_assert_cmpint (found->parting->cause, ==, SLUICE_PARTING_VARIABLE);
      g_assert_nonnull (strstr (found->parting->because, "the file was changed later"));
    }
  g_autoptr (SluiceRunFile) file = read_file (f, run);
  g_autofree char *badge = sluice_run_proof_dup_badge (file->proof);
  g_assert_true (g_str_has_prefix (badge, "parted at step 8 ("));
}

static void
test_data (Fixture *f, gconstpointer unused)
{
  g_autofree char *run = train (f, NULL, settings);
  g_autofree char *path = folder_dup_path (&f->folder, "y.csv");
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_free (lines[20]);
  lines[20] = g_strdup ("1000");
  g_autofree char *changed = g_strjoinv ("\n", lines);
  g_assert_true (g_file_set_contents (path, changed, -1, NULL));
  g_autoptr (SluiceReproduction) found = reproduce (f, run, -1);
  g_assert_false (found->equal);
  g_assert_cmpint (found->parting->cause, ==, SLUICE_PARTING_DATA);
  g_assert_nonnull (strstr (found->parting->because, "train-y is another one now"));
}

static void
test_sums (Fixture *f, gconstpointer unused)
{
  const float values[] = { 1, 2, 3, 4, 5, 6 }, others[] = { 1, 2, 3, 4, 5, 7 };
  g_autoptr (GError) error = NULL;
  g_autofree char *hash = NULL;
  g_autoptr (SluiceTensor) a = sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (3, 2), values);
  g_autoptr (SluiceTensor) b = sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (3, 2), others);
  g_autoptr (SluiceExampleSums) before = sluice_example_sums_new (a);
  g_autoptr (SluiceExampleSums) now = sluice_example_sums_new (b);
  g_autoptr (GArray) changed = sluice_example_sums_compare (before, now);
  g_assert_cmpuint (changed->len, ==, 1);
  g_assert_cmpint (g_array_index (changed, gint64, 0), ==, 2);
  g_assert_true (sluice_example_sums_write (before, f->folder.path, &hash, &error));
  g_assert_no_error (error);
  g_autoptr (SluiceExampleSums) read = sluice_example_sums_read (f->folder.path, hash);
  g_autoptr (GArray) none = sluice_example_sums_compare (before, read);
  g_assert_cmpuint (none->len, ==, 0);
  /* What is damaged or gone is not there. */
  g_autofree char *path = g_build_filename (f->folder.path, "examples", hash, NULL);
  g_assert_true (g_file_set_contents (path, "no sums", 8, NULL));
  g_assert_null (sluice_example_sums_read (f->folder.path, hash));
  g_assert_null (sluice_example_sums_read (f->folder.path, "gone"));
}

/* ---- cancelled, and told of ---- */

static void
cancel_at_once (gint64 step, gint64 to, gpointer cancellable)
{
  g_assert_cmpint (step, ==, 1);
  g_assert_cmpint (to, ==, 12);
  g_cancellable_cancel (cancellable);
}

static void
test_cancel (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autofree char *run = train (f, NULL, settings);
  const SluiceReproduceOptions options = {
    .from = -1, .cancellable = cancellable, .progress = cancel_at_once, .progress_data = cancellable
  };
  g_assert_null (sluice_reproduce (f->store, run, &options, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_autoptr (SluiceRunFile) file = read_file (f, run);
  g_assert_null (file->proof);
}

static void
count_progress (double part, const char *what, gpointer last)
{
  g_assert_cmpfloat (part, >=, *(double *) last);
  g_assert_nonnull (what);
  *(double *) last = part;
}

static const SluicePreflightItem *
find_item (const SluicePreflight *card, const char *what)
{
  for (guint i = 0; i < card->items->len; i++)
    if (strcmp (((SluicePreflightItem *) card->items->pdata[i])->what, what) == 0)
      return card->items->pdata[i];
  g_assert_not_reached ();
}

static void
test_preflight (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (SluiceProject) project = load_project (f->folder.path, settings);
  double last = 0;
  SluicePreflightOptions options = {
    .seconds = 0.01, .progress = count_progress, .progress_data = &last, .cancellable = cancellable
  };
  g_autoptr (SluicePreflight) card = sluice_preflight (project, &options, &error);
  g_assert_no_error (error);
  g_assert_true (card->ok);
  g_assert_cmpfloat (last, ==, 1);
  g_assert_cmpfloat (find_item (card, "step_us")->value, >, 0);
  g_assert_cmpfloat (find_item (card, "step_us")->plus_minus, >, 0);
  g_assert_cmpfloat (find_item (card, "resume_exact")->value, ==, 1);
  g_assert_true (isfinite (find_item (card, "first_loss")->value));
  g_cancellable_cancel (cancellable);
  options.progress = NULL;
  g_assert_null (sluice_preflight (project, &options, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* ---- values of another graph ---- */

static void
write_foreign (Fixture *f, const char *path)
{
  const float w[] = { 1, 2, 3, 4 }, b[] = { 5 };
  SluiceNamedTensor named[] = {
    { g_strdup ("model/w"), sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (4, 1), w) },
    { g_strdup ("b"), sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (1, 1), b) },
  };
  g_autoptr (GArray) tensors = g_array_new (FALSE, FALSE, sizeof (SluiceNamedTensor));
  g_array_append_vals (tensors, named, G_N_ELEMENTS (named));
  g_assert_true (sluice_safetensors_write (path, tensors, NULL, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (named); i++)
    {
      g_free (named[i].name);
      sluice_tensor_unref (named[i].tensor);
    }
}

static void
test_start (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = folder_dup_path (&f->folder, "foreign.safetensors");
  g_autoptr (SluiceProject) project = load_project (f->folder.path, settings);
  g_autoptr (SluiceExamples) examples = NULL, test = NULL;
  g_assert_true (sluice_examples_load_all (project, &examples, &test, &error));
  SluiceReplica *replica = sluice_replica_new (project, examples, test, 0, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (sluice_replica_initialize (replica, &error));
  write_foreign (f, path);
  g_autoptr (SluiceStartTable) table = sluice_start_table_new (replica, path, &error);
  g_assert_no_error (error);
  const SluiceStartRow *w = table->rows->pdata[0], *b = table->unused->pdata[0];
  g_assert_cmpstr (w->name, ==, "w");
  g_assert_cmpint (w->fit, ==, SLUICE_START_MISSING);
  g_assert_cmpstr (w->suggestion, ==, "model/w");
  g_assert_cmpstr (b->name, ==, "b");
  g_assert_cmpint (b->fit, ==, SLUICE_START_UNUSED);
  g_assert_cmpuint (table->unused->len, ==, 2);
  g_assert_cmpuint (table->n_fit, ==, 0);
  sluice_replica_free (replica);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  const struct
  {
    const char *path;
    void (*test) (Fixture *f, gconstpointer unused);
  } tests[] = {
    { "/train/reproduce/equal", test_equal },
    { "/train/reproduce/variable", test_variable },
    { "/train/reproduce/data", test_data },
    { "/train/reproduce/sums", test_sums },
    { "/train/reproduce/cancel", test_cancel },
    { "/train/preflight", test_preflight },
    { "/train/start", test_start },
  };
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  return g_test_run ();
}
