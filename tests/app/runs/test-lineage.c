/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Which runs came of which, and how that is told. */

#include "app/runs/lineage.h"
#include "engine/store/kinds/event.h"

#include <string.h>

#include "tests/remove-tree.h"

static const struct
{
  gint64 id, parent, parent_step, step;
  SluiceRunState state;
} cases[] = {
  { 6, 4, 5, 6, SLUICE_RUN_RUNNING },   { 5, 9, 1, 4, SLUICE_RUN_FINISHED }, /* 9 is gone */
  { 4, 1, 10, 20, SLUICE_RUN_STOPPED }, { 3, 1, 10, 30, SLUICE_RUN_FINISHED },
  { 2, 0, 0, 7, SLUICE_RUN_FINISHED },  { 1, 0, 0, 16, SLUICE_RUN_STOPPED },
};

static GPtrArray *
list_infos (void)
{
  GPtrArray *infos = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_info_free);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SluiceRunInfo *info = g_new0 (SluiceRunInfo, 1);
      *info = (SluiceRunInfo){ .id = cases[i].id,
                               .name = g_strdup_printf ("run-%d", (int) cases[i].id),
                               .state = cases[i].state,
                               .step = cases[i].step,
                               .n_steps = 50,
                               .parent = cases[i].parent,
                               .parent_step = cases[i].parent_step };
      g_ptr_array_add (infos, info);
    }
  return infos;
}

static void
assert_lines (const SluiceLineage *self, const char *wanted)
{
  g_autoptr (GString) lines = g_string_new (NULL);
  for (guint i = 0; i < self->lines->len; i++)
    {
      const SluiceLineageLine *line = self->lines->pdata[i];
      g_string_append_printf (lines, "%s%d<%d", i > 0 ? " " : "", (int) line->run, line->parent);
    }
  g_assert_cmpstr (lines->str, ==, wanted);
}

static SluiceLineage *
trace (gint64 run, guint most)
{
  g_autoptr (GPtrArray) infos = list_infos ();
  g_autoptr (GArray) wanted = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_val (wanted, run);
  return sluice_lineage_new (infos, wanted, most);
}

/* Whichever of a family is asked for, all of it is told, a parent before its children. */
static void
test_family (void)
{
  for (gint64 run = 1; run <= 6; run++)
    {
      g_autoptr (SluiceLineage) self = trace (run, 10);
      assert_lines (self, run == 2 ? "2<-1" : run == 5 ? "5<-1" : "1<-1 3<0 4<0 6<2");
    }
  g_autoptr (SluiceLineage) few = trace (1, 2);
  assert_lines (few, "1<-1 3<0");
  g_assert_cmpuint (few->n_left_out, ==, 1);
  g_autoptr (SluiceLineage) none = trace (77, 10);
  assert_lines (none, "");
}

/* One that runs still has its way to go, and the axis reaches as far. */
static void
test_steps (void)
{
  g_autoptr (SluiceLineage) self = trace (6, 10);
  const SluiceLineageLine *line = self->lines->pdata[3];
  g_assert_cmpint (line->from, ==, 5);
  g_assert_cmpint (line->to, ==, 6);
  g_assert_cmpint (line->end, ==, 50);
  g_assert_cmpint (self->last_step, ==, 50);
  g_assert_cmpint (((SluiceLineageLine *) self->lines->pdata[1])->end, ==, 0);
  g_autofree char *words = sluice_lineage_dup_words (self, 1);
  g_assert_cmpstr (words, ==, "run-3, from run-1 at step 10, finished at step 30");
}

/* What is written in a form has its way to go, and has come nowhere. */
static void
test_draft (void)
{
  g_autoptr (GPtrArray) infos = list_infos ();
  g_autoptr (GArray) wanted = g_array_new (FALSE, FALSE, sizeof (gint64));
  SluiceRunInfo *info = infos->pdata[3];
  info->state = SLUICE_RUN_DRAFT;
  info->step = 0;
  g_array_append_val (wanted, info->id);
  g_autoptr (SluiceLineage) self = sluice_lineage_new (infos, wanted, 10);
  SluiceLineageLine *line = self->lines->pdata[1];
  g_assert_cmpint (line->run, ==, 3);
  g_assert_cmpint (line->to, ==, 10);
  g_assert_cmpint (line->end, ==, 50);
  g_autofree char *one = sluice_lineage_dup_words (self, 1);
  g_assert_cmpstr (one, ==, "run-3, from run-1 at step 10, draft");
  line->plan = g_strdup ("6 runs");
  g_autofree char *several = sluice_lineage_dup_words (self, 1);
  g_assert_cmpstr (several, ==, "run-3, from run-1 at step 10, draft, 6 runs");
}

/* A ring of parents, as no program makes it, ends somewhere. */
static void
test_ring (void)
{
  g_autoptr (GPtrArray) infos = list_infos ();
  g_autoptr (GArray) wanted = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 run = 6;
  ((SluiceRunInfo *) infos->pdata[5])->parent = 6; /* run 1 */
  g_array_append_val (wanted, run);
  g_autoptr (SluiceLineage) self = sluice_lineage_new (infos, wanted, 20);
  g_assert_cmpuint (self->lines->len, <=, 20);
}

static void
test_checkpoints (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("sluice-lineage-XXXXXX", &error);
  SluiceStore *store = sluice_store_open (folder, &error);
  g_assert_no_error (error);
  SluiceRunInfo info = { .name = g_strdup ("run"), .project = (char *) "p" };
  g_assert_true (sluice_store_add_run (store, &info, &error));
  SluiceRunLog *log = sluice_store_open_log (store, info.id, &error);
  g_assert_true (sluice_run_log_publish_checkpoint (log, 100, "a", 1, NULL, &error));
  g_assert_true (sluice_run_log_publish_checkpoint (log, 1200, "b", 1, NULL, &error));
  g_autofree char *dropped = sluice_event_dup_dropped_text (100, 1500);
  g_assert_null (sluice_event_dup_dropped_text (100, 100));
  sluice_run_log_event (log, 100, 1, "resume", dropped);
  sluice_run_log_event (log, 1200, 1, "resume", NULL);
  g_assert_true (sluice_run_log_close (log, &error));
  g_autoptr (GPtrArray) infos = sluice_store_dup_runs (store, &error);
  g_autoptr (GArray) wanted = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_val (wanted, info.id);
  g_autoptr (SluiceLineage) self = sluice_lineage_new (infos, wanted, 10);
  g_assert_true (sluice_lineage_read (self, store, &error));
  const SluiceLineageLine *line = self->lines->pdata[0];
  g_assert_cmpuint (line->checkpoints->len, ==, 2);
  g_assert_cmpint (g_array_index (line->checkpoints, gint64, 1), ==, 1200);
  g_assert_cmpuint (line->tails->len, ==, 2);
  g_assert_cmpint (g_array_index (line->tails, SluiceLineageTail, 0).to, ==, 1500);
  g_assert_cmpint (g_array_index (line->tails, SluiceLineageTail, 1).to, ==, 1200);
  g_assert_cmpint (self->last_step, ==, 1500);
  g_autofree char *words = sluice_lineage_dup_words (self, 0);
  g_assert_true (g_str_has_suffix (words, ", checkpoints at 100, 1\u202f200, went on at step 100 "
                                          "and dropped what came up to 1\u202f500"));
  g_object_unref (store);
  remove_tree (folder);
  g_free (folder);
  g_free (info.name);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/lineage/family", test_family);
  g_test_add_func ("/app/lineage/steps", test_steps);
  g_test_add_func ("/app/lineage/draft", test_draft);
  g_test_add_func ("/app/lineage/ring", test_ring);
  g_test_add_func ("/app/lineage/checkpoints", test_checkpoints);
  return g_test_run ();
}
