/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/charts/card-order.h"
#include "app/charts/card-grid.h"
#include "app/charts/step-sort.h"
#include "tests/remove-tree.h"

#define N_TAGS 3000

/* ---- sorting ---- */

static int
compare_tens (gconstpointer a, gconstpointer b)
{
  guint x = GPOINTER_TO_UINT (*(const gpointer *) a) / 10;
  guint y = GPOINTER_TO_UINT (*(const gpointer *) b) / 10;
  return x < y ? -1 : x > y;
}

static void
test_sort (void)
{
  static const guint lengths[] = { 0, 1, 2, 3, 64, 1000 };
  for (guint k = 0; k < G_N_ELEMENTS (lengths); k++)
    {
      guint n = lengths[k], budget = 7;
      g_autoptr (GPtrArray) items = g_ptr_array_new ();
      for (guint i = 0; i < n; i++)
        g_ptr_array_add (items, GUINT_TO_POINTER (i * 7919 % 1000 / 10 * 10 + i % 10));
      g_autoptr (GPtrArray) expected = g_ptr_array_copy (items, NULL, NULL);
      g_ptr_array_sort (expected, compare_tens); /* stable */
      SluiceStepSort *sort = sluice_step_sort_new (items, compare_tens);
      while (!sluice_step_sort_step (sort, &budget))
        {
          g_assert_cmpuint (budget, ==, 0);
          budget = 7;
        }
      for (guint i = 0; i < n; i++)
        g_assert_true (items->pdata[i] == expected->pdata[i]);
      sluice_step_sort_free (sort);
    }
}

/* ---- cards ---- */

typedef struct
{
  char *folder;
  SluiceWorkspace *workspace;
  SluiceRun *run;
  SluiceChartChoice choice;
  SluiceCardMemory memory;
  SluiceCardOrder *order;
  guint n_arranged, n_placed;
} Fixture;

static void
log_tags (const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceStore) store = sluice_store_open (folder, &error);
  SluiceRunInfo info = { .name = g_strdup ("run"), .state = SLUICE_RUN_FINISHED };
  g_assert_true (sluice_store_add_run (store, &info, &error));
  g_free (info.name);
  SluiceRunLog *log = sluice_store_open_log (store, info.id, &error);
  for (guint i = 0; i < N_TAGS; i++)
    {
      g_autofree char *tag = g_strdup_printf ("group%u/tag%u", i % 3, i);
      sluice_run_log_series (log, tag, SLUICE_SERIES_SCALAR, &error);
    }
  g_assert_true (sluice_run_log_close (log, &error));
}

static void
arranged_cb (GPtrArray *groups, gpointer data)
{
  Fixture *self = data;
  self->n_arranged++;
  self->n_placed = 0;
  for (guint i = 0; i < groups->len; i++)
    self->n_placed += ((const SluiceCardGroup *) groups->pdata[i])->items->len;
  g_ptr_array_unref (groups);
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("sluice-order-XXXXXX", NULL);
  log_tags (self->folder);
  self->workspace = sluice_workspace_new (self->folder);
  while (!sluice_workspace_is_settled (self->workspace))
    g_main_context_iteration (NULL, TRUE);
  self->run = sluice_workspace_dup_run (self->workspace, 1);
  g_assert_cmpuint (sluice_run_get_n_series (self->run), ==, N_TAGS);
  sluice_card_memory_init (&self->memory);
  self->order = sluice_card_order_new (&(SluiceCardOrderOptions){
      self->workspace, &self->choice, &self->memory, arranged_cb, self });
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  sluice_card_order_free (self->order);
  sluice_card_memory_clear (&self->memory);
  g_clear_object (&self->run);
  g_clear_object (&self->workspace);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  remove_tree (self->folder);
  g_free (self->folder);
}

/* Returns: steps of @units each */
static guint
finish (Fixture *self, guint units)
{
  guint n = 1;
  while (!sluice_card_order_step (self->order, units))
    n++;
  return n;
}

/* However many there are, a step makes no more cards than it may, and what was there stays until
 * all is done. */
static void
test_steps (Fixture *self, gconstpointer data)
{
  guint n_steps = 0, n_before = 0;
  gboolean done = FALSE;
  sluice_card_order_begin (self->order, SLUICE_CARDS_COUNT);
  for (; !done; n_steps++)
    {
      done = sluice_card_order_step (self->order, 400);
      guint n = sluice_card_order_get_n_known (self->order);
      g_assert_cmpuint (n - n_before, <=, 40);
      n_before = n;
      g_assert_cmpuint (sluice_card_order_get_matching (self->order)->len, ==,
                        self->n_arranged > 0 ? N_TAGS : 0);
    }
  g_assert_cmpuint (n_steps, >, N_TAGS / 40);
  g_assert_cmpuint (self->n_arranged, ==, 1);
  g_assert_cmpuint (self->n_placed, ==, N_TAGS);
  GPtrArray *all = sluice_card_order_get_all (self->order);
  for (guint i = 1; i < all->len; i++)
    g_assert_cmpint (sluice_tag_card_compare (all->pdata[i - 1], all->pdata[i]), <, 0);
}

/* One step is enough for some thousand cards: nobody sees it happen. */
static void
test_at_once (Fixture *self, gconstpointer data)
{
  sluice_card_order_begin (self->order, SLUICE_CARDS_FILTER);
  g_assert_cmpuint (finish (self, SLUICE_CARDS_STEP), ==, 1);
  sluice_card_order_begin (self->order, SLUICE_CARDS_COUNT);
  g_assert_cmpuint (finish (self, SLUICE_CARDS_STEP), <=, 3);
}

/* While it is under way: another filter begins that part again, other runs all of it, afterwards.
 */
static void
test_changes (Fixture *self, gconstpointer data)
{
  g_autoptr (SluiceQuery) query = sluice_query_new ("tag17");
  sluice_card_order_begin (self->order, SLUICE_CARDS_COUNT);
  sluice_card_order_step (self->order, 400);
  sluice_card_order_set_filter (self->order, query);
  sluice_card_order_begin (self->order, SLUICE_CARDS_FILTER);
  sluice_card_order_begin (self->order, SLUICE_CARDS_COUNT);
  finish (self, 400);
  g_assert_cmpuint (self->n_arranged, ==, 2);
  g_assert_cmpuint (self->n_placed, ==, 111); /* 17, 170 to 179, 1700 to 1799 */
  sluice_card_order_set_filter (self->order, NULL);
  sluice_card_order_begin (self->order, SLUICE_CARDS_FILTER);
  finish (self, 400);
  g_assert_cmpuint (self->n_placed, ==, N_TAGS);
  sluice_run_set_shown (self->run, FALSE);
  sluice_card_order_begin (self->order, SLUICE_CARDS_COUNT);
  /* Cards go when they are seen no more, also where a filter comes between. */
  while (self->n_placed > 0)
    sluice_card_order_step (self->order, 400);
  sluice_card_order_begin (self->order, SLUICE_CARDS_FILTER);
  finish (self, 400);
  g_assert_cmpuint (sluice_card_order_get_n_known (self->order), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/card-order/sort", test_sort);
#define ADD(name, func) g_test_add ("/card-order/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("steps", test_steps);
  ADD ("at-once", test_at_once);
  ADD ("changes", test_changes);
  return g_test_run ();
}
