/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gstdio.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/train/project.h"
#include "tests/engine/train/folder.h"

static const char whole[] = "[project]\nname=A name\ngraph=model.pbtxt\ninit=a;b\ntrain=step\n"
                            "loss=loss:0\nsummaries=\nfetches=accuracy:acc:0;norm:n:1\n"
                            "[train]\nsteps=100\nbatch=8\nseed=18446744073709551615\n"
                            "[data]\nsource=csv\ntrain-x=sub/x.csv\ny-column=2\nscale=0.1\n"
                            "shape=2;3\nshuffle=true\nx=x:0\ny=y:0\n"
                            "[evaluate]\nfetches=accuracy:acc:0\n"
                            "[parameters]\nrate=learning/rate:0\ndecay=learning/decay:0\n";

static void
set_up (Folder *f, gconstpointer unused)
{
  folder_init (f);
  folder_write (f, "project.ini", whole, -1);
  folder_write (f, "model.pbtxt", "node { name: \"a\" op: \"NoOp\" }", -1);
}

static void
tear_down (Folder *f, gconstpointer unused)
{
  folder_clear (f);
}

static SluiceProject *
load (const char *folder)
{
  g_autoptr (GError) error = NULL;
  SluiceProject *project = sluice_project_load (folder, &error);
  g_assert_no_error (error);
  return project;
}

static void
check_whole (const SluiceProject *p)
{
  g_assert_cmpstr (p->name, ==, "A name");
  g_assert_true (g_path_is_absolute (p->graph_path));
  g_assert_cmpuint (g_strv_length (p->init), ==, 2);
  g_assert_cmpstr (p->init[1], ==, "b");
  g_assert_null (p->summaries);
  g_assert_cmpuint (p->fetches->len, ==, 2);
  g_assert_cmpstr (g_array_index (p->fetches, SluiceNamedEdge, 1).name, ==, "norm");
  g_assert_cmpstr (g_array_index (p->fetches, SluiceNamedEdge, 1).target, ==, "n:1");
  g_assert_cmpint (p->n_steps, ==, 100);
  g_assert_cmpuint (p->seed, ==, G_MAXUINT64);
  g_assert_true (g_str_has_suffix (p->train_x, "/sub/x.csv"));
  g_assert_null (p->train_y);
  g_assert_cmpfloat (p->scale, ==, 0.1);
  g_assert_cmpuint (p->n_shape, ==, 2);
  g_assert_cmpint (p->shape[1], ==, 3);
  g_assert_true (p->shuffle);
  g_assert_cmpuint (p->parameters->len, ==, 2);
}

static void
test_load (Folder *f, gconstpointer unused)
{
  g_autoptr (SluiceProject) p = load (f->path);
  check_whole (p);
  g_assert_cmpint (p->checkpoint_every, ==, 500);
}

/* What is frozen is read back the same, overrides and all. */
static void
test_round_trip (Folder *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceProject) p = load (f->path);
  g_assert_true (sluice_project_set (p, "rate=0.1", &error));
  g_assert_true (sluice_project_set (p, "rate=0.30000000000000004", &error));
  g_assert_true (sluice_project_set (p, "decay=1e-300", &error));
  g_assert_true (sluice_project_set (p, "batch=16", &error));
  g_assert_true (sluice_project_set (p, "evaluate.batch=7", &error));
  g_assert_no_error (error);
  g_autofree char *frozen = folder_dup_path (f, "frozen");
  g_mkdir (frozen, 0777);
  g_assert_true (sluice_project_save (p, frozen, &error));
  g_autoptr (SluiceProject) q = load (frozen);
  check_whole (q);
  g_assert_cmpint (q->batch, ==, 16);
  g_assert_cmpint (q->evaluate_batch, ==, 7);
  g_assert_cmpstr (p->train_x, ==, q->train_x);
  g_assert_cmpuint (q->overrides->len, ==, 2);
  const SluiceOverride *rate = &g_array_index (q->overrides, SluiceOverride, 0);
  g_assert_cmpstr (rate->edge, ==, "learning/rate:0");
  g_assert_cmpfloat (rate->value, ==, 0.30000000000000004);
  g_assert_cmpfloat (g_array_index (q->overrides, SluiceOverride, 1).value, ==, 1e-300);

  /* Again into its own folder, as a resumed run does: the graph is not lost. */
  g_autofree char *ini = g_build_filename (frozen, "project.ini", NULL);
  g_autofree char *before = NULL, *after = NULL;
  g_file_get_contents (ini, &before, NULL, NULL);
  g_assert_true (sluice_project_save (q, frozen, &error));
  g_file_get_contents (ini, &after, NULL, NULL);
  g_assert_cmpstr (before, ==, after);
  g_autofree char *graph = NULL;
  g_assert_true (g_file_get_contents (q->graph_path, &graph, NULL, NULL));
  g_assert_nonnull (strstr (graph, "NoOp"));
}

/* Replaces old by new in the project and loads it: FALSE with an error that holds these words. */
static void
check_bad (Folder *f, const char *old, const char *new, const char *word, const char *other)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (whole);
  g_assert_cmpuint (g_string_replace (text, old, new, 1), ==, 1);
  folder_write (f, "project.ini", text->str, -1);
  g_assert_null (sluice_project_load (f->path, &error));
  g_assert_nonnull (error);
  g_assert_cmpint (error->domain, ==, SLUICE_ERROR);
  g_assert_nonnull (strstr (error->message, "project.ini"));
  if (strstr (error->message, word) == NULL || strstr (error->message, other) == NULL)
    g_error ("'%s' or '%s' is not in: %s", word, other, error->message);
}

/* Blanks that belong to a value are escaped; others, around it, mean nothing. */
static void
test_blanks (Folder *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (whole);
  g_string_replace (text, "name=A name\n", "name= \\s A\\tname \\s\t\n", 1);
  g_string_replace (text, "steps=100\n", "steps=\t100 \t\n", 1);
  folder_write (f, "project.ini", text->str, -1);
  g_autoptr (SluiceProject) project = load (f->path);
  g_assert_cmpstr (project->name, ==, "  A\tname  ");
  g_assert_cmpint (project->n_steps, ==, 100);
  static const char *const paths[] = { "data.train-x=/a b ", "data.train-x=/a\t",
                                       "data.train-x= " };
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_assert_true (sluice_project_set (project, paths[i], &error));
      g_assert_true (sluice_project_save (project, f->path, &error));
      g_assert_no_error (error);
      g_autoptr (SluiceProject) again = load (f->path);
      g_assert_cmpstr (again->name, ==, project->name);
      g_assert_cmpstr (again->train_x, ==, project->train_x);
    }
}

static void
test_bad (Folder *f, gconstpointer unused)
{
  check_bad (f, "steps=100", "stpes=100", "'stpes'", "did you mean 'steps'");
  check_bad (f, "shuffle=true", "suffle=true", "'suffle'", "did you mean 'shuffle'");
  check_bad (f, "[evaluate]", "[evalute]", "[evalute]", "did you mean 'evaluate'");
  check_bad (f, "steps=100", "zyxwvut=1", "'zyxwvut'", "[train]");
  check_bad (f, "steps=100\n", "", "'steps'", "missing");
  check_bad (f, "loss=loss:0\n", "", "'loss'", "missing");
  check_bad (f, "loss=loss:0", "loss=", "loss", "empty");
  check_bad (f, "batch=8\n", "", "'batch'", "missing");
  check_bad (f, "train-x=sub/x.csv\n", "", "'train-x'", "missing");
  check_bad (f, "\nx=x:0", "", "'x'", "missing");
  check_bad (f, "train-x=sub/x.csv", "train-x=", "train-x", "empty");
  check_bad (f, "steps=100", "steps=many", "steps=many", "whole number");
  check_bad (f, "steps=100", "steps=0", "steps=0", "above 0");
  check_bad (f, "steps=100", "steps=1e3", "steps=1e3", "whole number");
  check_bad (f, "batch=8", "batch=99999999999999999999", "batch", "whole number");
  check_bad (f, "scale=0.1", "scale=nan", "scale=nan", "number");
  check_bad (f, "scale=0.1", "scale=0.1x", "scale=0.1x", "number");
  check_bad (f, "shuffle=true", "shuffle=yes", "shuffle=yes", "true or false");
  check_bad (f, "shape=2;3", "shape=2;-3", "shape=2;-3", "sizes");
  check_bad (f, "source=csv", "source=cvs", "source=cvs", "idx, csv, npy, text or graph");
  check_bad (f, "norm:n:1", "norm", "fetches", "NAME:EDGE");
  check_bad (f, "[parameters]", "[overrides]\nrate=x\n[parameters]", "rate=x", "number");
  check_bad (f, "A name", "A \\q", "[project] name", "backslash");
  check_bad (f, "learning/rate:0", "learning\\rate\\q", "[parameters] rate", "backslash");
  check_bad (f, "[project]", "[project", "project.ini", "");
  check_bad (f, "name=A name", "name=\xff\xfe", "project.ini", "");
}

static void
check_set (SluiceProject *p, const char *assignment, SluiceError code, const char *word)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_project_set (p, assignment, &error));
  g_assert_error (error, SLUICE_ERROR, (int) code);
  if (strstr (error->message, word) == NULL)
    g_error ("'%s' is not in: %s", word, error->message);
}

static void
test_set (Folder *f, gconstpointer unused)
{
  g_autoptr (SluiceProject) p = load (f->path);
  check_set (p, "stpes=1", SLUICE_ERROR_NOT_FOUND, "did you mean 'steps'");
  check_set (p, "trian.steps=1", SLUICE_ERROR_NOT_FOUND, "did you mean 'train.steps'");
  check_set (p, "rat=1", SLUICE_ERROR_NOT_FOUND, "did you mean 'rate'");
  check_set (p, "steps", SLUICE_ERROR_INVALID_ARGUMENT, "KEY=VALUE");
  check_set (p, "rate=fast", SLUICE_ERROR_INVALID_ARGUMENT, "number");
  check_set (p, "steps=-1", SLUICE_ERROR_INVALID_ARGUMENT, "above 0");
  check_set (p, "data.source=tar", SLUICE_ERROR_INVALID_ARGUMENT, "idx, csv, npy, text");
  g_assert_cmpint (p->n_steps, ==, 100);
  g_assert_cmpuint (p->overrides->len, ==, 0);
  g_assert_cmpstr (p->source, ==, "csv");
}

/* Options of sessions are keys of [train], known from their own table, and live through a save. */
static void
test_run_options (Folder *f, gconstpointer unused)
{
  folder_write (f, "project.ini",
                "[project]\nname=A\ngraph=model.pbtxt\ntrain=a\nloss=a:0\n"
                "[train]\nsteps=1\ncpus=4\nfusion=false\n[data]\nsource=graph\n",
                -1);
  g_autoptr (SluiceProject) p = load (f->path);
  g_assert_true (p->session.no_fusion);
  check_set (p, "cpus=1025", SLUICE_ERROR_INVALID_ARGUMENT, "at most 1024");
  check_set (p, "train.recompute=yes", SLUICE_ERROR_INVALID_ARGUMENT, "[train] recompute");
  check_set (p, "train.recomput=true", SLUICE_ERROR_NOT_FOUND, "'train.recompute'");
  check_set (p, "threads=4", SLUICE_ERROR_NOT_FOUND, "threads"); /* the machine's, not a run's */
  g_autoptr (GError) error = NULL;
  sluice_project_set (p, "ordered=true", &error);
  g_assert_no_error (error);
  g_autofree char *saved = folder_dup_path (f, "saved");
  g_mkdir (saved, 0755);
  folder_write (f, "model.pbtxt", "", 0);
  sluice_project_save (p, saved, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceProject) again = load (saved);
  g_assert_cmpuint (again->session.n_cpus, ==, 4);
  g_assert_true (again->session.ordered && again->session.no_fusion);
  g_assert_false (again->session.recompute);
}

/* Where the graph makes its own examples nothing needs to be said of them. */
static void
test_no_data (Folder *f, gconstpointer unused)
{
  folder_write (
      f, "project.ini",
      "[project]\nname=A\ngraph=model.pbtxt\ntrain=a;b\nloss=a:0; b:0\n"
      "[train]\nsteps=1\ncpus=4\nrecompute=true\n[data]\nsource=graph\n[evaluate]\nfetches=a:a:0\n",
      -1);
  g_autoptr (SluiceProject) p = load (f->path);
  g_assert_true (sluice_project_has_own_input (p));
  g_assert_true (sluice_project_evaluates (p));
  g_assert_null (p->feed_x);
  g_assert_cmpint (p->session.n_cpus, ==, 4);
  g_assert_true (p->session.recompute);
  g_assert_cmpuint (g_strv_length (p->train), ==, 2);
  g_assert_cmpstr (p->loss[1], ==, "b:0");
}

static void
test_absent (Folder *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *nowhere = folder_dup_path (f, "nowhere");
  g_assert_null (sluice_project_load (nowhere, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_autofree char *file = folder_dup_path (f, "model.pbtxt");
  g_assert_null (sluice_project_load (file, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add ("/project/" name, Folder, NULL, set_up, func, tear_down)
  ADD ("load", test_load);
  ADD ("round-trip", test_round_trip);
  ADD ("blanks", test_blanks);
  ADD ("bad", test_bad);
  ADD ("set", test_set);
  ADD ("no-data", test_no_data);
  ADD ("run-options", test_run_options);
  ADD ("absent", test_absent);
  return g_test_run ();
}
