/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A run goes on with another graph: what keeps its value keeps it to the last bit, what is new
 * begins as the graph makes it, and taking it back leaves no trace in what follows. */
#include "engine/train/run-edit.h"

#include <string.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/command/stack.h"
#include "engine/graph/graphdef.h"
#include "engine/store/kinds/event.h"
#include "engine/train/reproduce.h"
#include "kernels/registry.h"
#include "tests/engine/train/trained.h"
#include "tests/lib/killed.h"

#define TWELVE                                                                                     \
  (const char *const[])                                                                            \
  {                                                                                                \
    "steps=12", "checkpoint-every=4", NULL                                                         \
  }

/* The project's graph after a script of commands. */
static GBytes *
edited_graph (Fixture *f, const char *script)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = folder_dup_path (&f->folder, "model.pbtxt");
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (path, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  sluice_command_stack_run (stack, script, FALSE, NULL, NULL, &error);
  g_assert_no_error (error);
  GBytes *bytes = sluice_command_stack_export (stack, TRUE, &error);
  g_assert_no_error (error);
  return bytes;
}

static SluiceRunInfo *
get_run (Fixture *f, const char *name)
{
  g_autoptr (GError) error = NULL;
  SluiceRunInfo *info = sluice_store_dup_run (f->store, name, &error);
  g_assert_no_error (error);
  return info;
}

static SluiceGraphEdited
edit_run (Fixture *f, const char *name, gint64 step, const char *script)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) info = get_run (f, name);
  g_autoptr (GBytes) graph = edited_graph (f, script);
  SluiceGraphEdited edited;
  sluice_run_edit (f->store, info,
                   &(SluiceGraphEdit){ .graph = graph, .words = "said so", .step = step }, &edited,
                   &error);
  g_assert_no_error (error);
  return edited;
}

static gint64
take_back (Fixture *f, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) info = get_run (f, name);
  g_autoptr (GBytes) graph = NULL;
  gint64 step;
  sluice_run_take_back_edit (f->store, info, &step, &graph, &error);
  g_assert_no_error (error);
  g_autofree char *path = folder_dup_path (&f->folder, "model.pbtxt");
  g_autofree char *text = NULL;
  gsize length;
  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  g_assert_cmpmem (g_bytes_get_data (graph, NULL), g_bytes_get_size (graph), text, length);
  return step;
}

static const SluiceEvent *
find_event (const GPtrArray *events, const char *kind)
{
  for (guint i = 0; i < events->len; i++)
    if (strcmp (((SluiceEvent *) events->pdata[i])->kind, kind) == 0)
      return events->pdata[i];
  return NULL;
}

/* A node that changes no number changes none, with its variables, slots and random streams; the
 * event says what was done, and that the run goes on is no event of its own. */
static void
test_same_bits (Fixture *f, gconstpointer unused)
{
  g_autofree char *alone = train (f, &(SluiceTrainerOptions){ .run_name = "alone" }, TWELVE);
  stop_at (f, "edited", 6);
  SluiceGraphEdited edited = edit_run (f, "edited", -1, "insert Identity between predict:0");
  g_assert_cmpint (edited.step, ==, 6);
  g_assert_false (edited.is_same);
  g_assert_cmpuint (edited.n_kept, >=, 1);
  g_assert_cmpuint (edited.n_new, ==, 0);
  g_assert_cmpuint (edited.n_dropped, ==, 0);
  g_autofree char *resumed = train (f, &(SluiceTrainerOptions){ .resume = "edited" }, TWELVE);
  assert_same_series (f, "alone", "edited", "loss", 12);
  g_autoptr (SluiceRunInfo) was = get_run (f, "alone");
  g_autoptr (SluiceRunInfo) is = get_run (f, "edited");
  g_assert_cmpstr (was->graph_hash, !=, is->graph_hash);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) events = sluice_store_read_events (f->store, is->id, &error);
  g_assert_no_error (error);
  const SluiceEvent *event = find_event (events, "edit");
  g_assert_nonnull (event);
  g_assert_cmpint (event->base.step, ==, 6);
  g_assert_cmpstr (event->text, ==, "said so");
  g_assert_null (find_event (events, "resume"));
}

/* One more variable, and one of another shape. */
static void
test_variables (Fixture *f, gconstpointer unused)
{
  stop_at (f, "edited", 6);
  g_autofree char *before = checkpoint_path (f, "edited", 6);
  g_autofree char *bytes = NULL, *again = NULL;
  gsize length, n;
  g_assert_true (g_file_get_contents (before, &bytes, &length, NULL));
  SluiceGraphEdited edited = edit_run (f, "edited", -1,
                                       "add VarHandleOp more dtype=DT_FLOAT shape=[]\n"
                                       "add Const more/value value=0.5\n"
                                       "add AssignVariableOp more/assign more more/value\n"
                                       "control more/assign init\n");
  g_assert_cmpuint (edited.n_new, ==, 1);
  g_assert_cmpuint (edited.n_dropped, ==, 0);
  g_autofree char *resumed = train (f, &(SluiceTrainerOptions){ .resume = "edited" }, TWELVE);
  /* Back: the checkpoint is the same file again, and what follows is what would have followed. */
  g_assert_cmpint (take_back (f, "edited"), ==, 6);
  g_assert_true (g_file_get_contents (before, &again, &n, NULL));
  g_assert_cmpmem (bytes, length, again, n);
  g_autofree char *alone = train (f, &(SluiceTrainerOptions){ .run_name = "alone" }, TWELVE);
  g_autofree char *back = train (f, &(SluiceTrainerOptions){ .resume = "edited" }, TWELVE);
  assert_same_series (f, "alone", "edited", "loss", 12);
  assert_same_checkpoint (f, "alone", "edited", 12);
}

/* A step that stands at a breakpoint is given up: the run is edited where it stood before it. */
static void
test_in_step (Fixture *f, gconstpointer unused)
{
  g_autofree char *alone = train (f, &(SluiceTrainerOptions){ .run_name = "alone" }, TWELVE);
  g_autoptr (GError) error = NULL;
  {
    g_autoptr (SluiceTrainer) trainer =
        new_trainer (f, &(SluiceTrainerOptions){ .run_name = "edited" }, TWELVE);
    SluiceDebugger *debugger = sluice_trainer_get_debugger (trainer);
    SluiceBreakpoint breakpoint;
    g_assert_true (sluice_breakpoint_parse (&breakpoint, "predict if step >= 7", NULL));
    g_assert_cmpuint (sluice_debugger_add (debugger, &breakpoint, NULL), >, 0);
    sluice_trainer_start (trainer);
    g_assert_true (sluice_debugger_wait (debugger));
    sluice_trainer_give_up_step (trainer);
    g_assert_true (sluice_trainer_wait (trainer, &error));
    g_assert_no_error (error);
  }
  SluiceGraphEdited edited = edit_run (f, "edited", -1, "insert Identity between predict:0");
  g_assert_cmpint (edited.step, ==, 6);
  g_autofree char *resumed = train (f, &(SluiceTrainerOptions){ .resume = "edited" }, TWELVE);
  assert_same_series (f, "alone", "edited", "loss", 12);
}

static void
assert_refused (Fixture *f, const char *name, const char *script, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) info = get_run (f, name);
  g_autoptr (GBytes) graph = edited_graph (f, script);
  SluiceGraphEdited edited;
  g_assert_false (sluice_run_edit (f->store, info, &(SluiceGraphEdit){ .graph = graph, .step = -1 },
                                   &edited, &error));
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_refused (Fixture *f, gconstpointer unused)
{
  g_autofree char *alone = train (f, &(SluiceTrainerOptions){ .run_name = "alone" }, TWELVE);
  stop_at (f, "edited", 6);
  assert_refused (f, "edited", "delete loss", "loss");
  SluiceGraphEdited edited = edit_run (f, "edited", -1, "");
  g_assert_true (edited.is_same);
  g_autoptr (SluiceRunInfo) info = get_run (f, "edited");
  g_autoptr (GError) error = NULL;
  gint64 step;
  g_assert_false (sluice_run_take_back_edit (f->store, info, &step, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_clear_error (&error);
  {
    g_autoptr (SluiceTrainer) trainer = new_trainer (
        f, &(SluiceTrainerOptions){ .resume = "edited", .start_paused = TRUE }, TWELVE);
    assert_refused (f, "edited", "insert Identity between predict:0", "being trained");
  }
  /* None of that left anything. */
  g_autofree char *resumed = train (f, &(SluiceTrainerOptions){ .resume = "edited" }, TWELVE);
  assert_same_series (f, "alone", "edited", "loss", 12);
  assert_same_checkpoint (f, "alone", "edited", 12);
}

/* What is made again begins behind the edit; before that it was another graph. */
static void
test_reproduce (Fixture *f, gconstpointer unused)
{
  stop_at (f, "edited", 6);
  edit_run (f, "edited", -1, "insert Softsign between predict:0");
  g_autofree char *resumed = train (f, &(SluiceTrainerOptions){ .resume = "edited" }, TWELVE);
  g_autoptr (GError) error = NULL;
  SluiceReproduceOptions options = { .from = -1 };
  SluiceReproduction *made = sluice_reproduce (f->store, "edited", &options, &error);
  g_assert_no_error (error);
  g_assert_null (made->parting);
  g_assert_cmpint (made->from, ==, 6);
  g_assert_cmpint (made->to, ==, 12);
  sluice_reproduction_free (made);
  options.from = 0;
  g_assert_null (sluice_reproduce (f->store, "edited", &options, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
}

/* Forks from before have the graph of before; the way back there is told. */
static void
test_history (Fixture *f, gconstpointer unused)
{
  stop_at (f, "edited", 6);
  edit_run (f, "edited", -1, "insert Softsign between predict:0");
  g_autofree char *resumed = train (f, &(SluiceTrainerOptions){ .resume = "edited" }, TWELVE);
  g_autofree char *alone = train (f, &(SluiceTrainerOptions){ .run_name = "alone" }, TWELVE);
  g_autoptr (SluiceRunInfo) info = get_run (f, "edited");
  g_autoptr (SluiceRunInfo) was = get_run (f, "alone");
  g_autofree char *folder = sluice_store_dup_run_folder (f->store, info->id);
  g_assert_cmpint (sluice_run_edit_get_last (folder), ==, 6);
  g_autofree char *before = sluice_run_edit_dup_folder_at (folder, 5);
  g_autofree char *after = sluice_run_edit_dup_folder_at (folder, 6);
  g_assert_cmpstr (after, ==, folder);
  g_autoptr (SluiceProject) project = load_project (before, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_project_load_graph (project, &error);
  g_assert_no_error (error);
  g_autofree char *hash = sluice_graph_dup_hash (graph, &error);
  g_assert_cmpstr (hash, ==, was->graph_hash);
  SluiceTrainerOptions back = { .resume = "edited", .goes_back = TRUE, .from_step = 4 };
  SluiceTrainer *none = sluice_trainer_new (f->store, load_project (folder, TWELVE), &back, &error);
  g_assert_null (none);
  g_assert_nonnull (strstr (error->message, "edited at step 6"));
}

/* ---- killed over it ---- */

static const char *program;

/* What a program does that is killed. */
static void
edit_and_exit (char *folder, gboolean takes_back)
{
  Fixture f = { .folder.path = folder };
  open_store (&f);
  g_strfreev (sluice_run_mend_edits (f.store));
  if (takes_back)
    take_back (&f, "edited");
  else
    edit_run (&f, "edited", -1, "insert Softsign between predict:0");
  _exit (0);
}

/* As the next program finds it: row, project and checkpoint are all of one graph. Which: the hash.
 * (transfer full) */
static char *
open_whole (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  open_store (f);
  g_auto (GStrv) mended = sluice_run_mend_edits (f->store);
  g_autofree char *marks = folder_dup_path (&f->folder, "workspace/runs/.editing");
  g_autoptr (GDir) dir = g_dir_open (marks, 0, NULL);
  g_assert_null (dir != NULL ? g_dir_read_name (dir) : NULL);
  g_autoptr (SluiceRunInfo) info = get_run (f, "edited");
  g_autofree char *folder = sluice_store_dup_run_folder (f->store, info->id);
  g_autoptr (SluiceProject) project = load_project (folder, NULL);
  g_autoptr (SluiceGraph) graph = sluice_project_load_graph (project, &error);
  g_assert_no_error (error);
  g_autofree char *hash = sluice_graph_dup_hash (graph, &error);
  g_assert_cmpstr (hash, ==, info->graph_hash);
  g_assert_cmpint (info->step, ==, 6);
  return g_steal_pointer (&hash);
}

/* Each time a program is killed the next one finds the run as it was, or as it was to be, and it
 * trains on. Returns how often it was as it was. */
static guint
kill_each (Fixture *f, const char *verb, const char *was, const char *is)
{
  const char *const arguments[] = { program, verb, f->folder.path, NULL };
  guint n_was = 0;
  Killed killed = KILLED;
  for (guint n = 1; killed == KILLED; n++)
    {
      g_clear_object (&f->store);
      killed = killed_at (arguments, n);
      g_autofree char *hash = open_whole (f);
      if (killed == KILLED_CANNOT)
        return 0;
      n_was += strcmp (hash, was) == 0;
      if (strcmp (hash, was) != 0)
        g_assert_cmpstr (hash, ==, is);
      if (killed == KILLED && strcmp (hash, was) != 0)
        break; /* what is left cleans up */
    }
  return n_was;
}

static char *
dup_hash (Fixture *f, const char *name)
{
  g_autoptr (SluiceRunInfo) info = get_run (f, name);
  return g_strdup (info->graph_hash);
}

static void
test_killed (Fixture *f, gconstpointer unused)
{
  g_autofree char *alone = train (f, &(SluiceTrainerOptions){ .run_name = "alone" }, TWELVE);
  stop_at (f, "edited", 6);
  stop_at (f, "other", 6);
  edit_run (f, "other", -1, "insert Softsign between predict:0");
  g_autofree char *was = dup_hash (f, "edited"), *is = dup_hash (f, "other");
  g_assert_cmpstr (was, !=, is);
  guint n_edit = kill_each (f, "--edit", was, is);
  if (n_edit == 0)
    {
      g_test_skip ("programs may not be traced here");
      return;
    }
  guint n_back = kill_each (f, "--back", is, was);
  g_test_message ("killed %u times over the edit, %u times over taking it back", n_edit, n_back);
  g_assert_cmpuint (n_edit, >, 20);
  g_assert_cmpuint (n_back, >, 3);
  g_autofree char *resumed = train (f, &(SluiceTrainerOptions){ .resume = "edited" }, TWELVE);
  assert_same_series (f, "alone", "edited", "loss", 12);
  assert_same_checkpoint (f, "alone", "edited", 12);
}

int
main (int argc, char **argv)
{
  program = argv[0];
  if (argc == 3 && (strcmp (argv[1], "--edit") == 0 || strcmp (argv[1], "--back") == 0))
    {
      sluice_registry_init (sluice_kernel_modules ());
      edit_and_exit (argv[2], strcmp (argv[1], "--back") == 0);
    }
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add ("/train/run-edit/same-bits", Fixture, NULL, set_up, test_same_bits, tear_down);
  g_test_add ("/train/run-edit/variables", Fixture, NULL, set_up, test_variables, tear_down);
  g_test_add ("/train/run-edit/in-step", Fixture, NULL, set_up, test_in_step, tear_down);
  g_test_add ("/train/run-edit/refused", Fixture, NULL, set_up, test_refused, tear_down);
  g_test_add ("/train/run-edit/reproduce", Fixture, NULL, set_up, test_reproduce, tear_down);
  g_test_add ("/train/run-edit/killed", Fixture, NULL, set_up, test_killed, tear_down);
  g_test_add ("/train/run-edit/history", Fixture, NULL, set_up, test_history, tear_down);
  return g_test_run ();
}
