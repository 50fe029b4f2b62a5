/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/event-words.h"
#include "engine/store/kind.h"

/* Takes text. */
static void
assert_words (gint64 step, const char *kind, char *text, const char *wanted)
{
  SluiceRecord *record = &sluice_event_new (step, 1, kind, text)->base;
  g_autofree char *words = sluice_event_words ((const SluiceEvent *) record);
  g_assert_cmpstr (words, ==, wanted);
  sluice_record_free (record);
  g_free (text);
}

/* What the engine writes in one language is read from the events' parts, and said in the user's. */
static void
test_words (void)
{
  assert_words (40, "set", sluice_event_dup_change_text ("learning-rate", "0.1", "1e-2"),
                "learning-rate: 0.1 → 0.01");
  assert_words (40, "set", sluice_event_dup_change_text ("keep", NULL, "0.5"),
                "keep: as the graph computes it → 0.5");
  assert_words (40, "resume", sluice_event_dup_dropped_text (40, 1640),
                "what came after it was dropped, up to step 1\u202f640");
  assert_words (40, "resume", NULL, NULL);
  assert_words (40, "trace", g_strdup ("slow step-0000000040.sltrace 9 ms, usual are 2 ms"),
                "a slow step: 9 ms, usual are 2 ms");
  assert_words (40, "trace", g_strdup ("end step-0000000040.sltrace"), "the end of the run");
}

/* Others' events, and those of another version, stay as they are. */
static void
test_others (void)
{
  assert_words (1, "set", g_strdup ("nothing of ours"), "nothing of ours");
  assert_words (1, "set", g_strdup ("one"), "one");
  assert_words (1, "failed", g_strdup ("a b to c"), "a b to c");
  assert_words (1, "trace", g_strdup ("nothing"), "nothing");
  assert_words (9, "resume", g_strdup ("after lunch"), "after lunch");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/event-words/ours", test_words);
  g_test_add_func ("/event-words/others", test_others);
  return g_test_run ();
}
