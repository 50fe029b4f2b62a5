/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/fuzz/fuzz-driver.h"

int LLVMFuzzerInitialize (int *argc, char ***argv);

/* libFuzzer reads its corpus after this: it begins from our seeds, and not from nothing. */
static void
write_seeds (const char *corpus)
{
  g_autoptr (GPtrArray) seeds = fuzz_seeds ();
  for (guint i = 0; i < seeds->len; i++)
    {
      g_autofree char *name = g_strdup_printf ("seed-%05u", i);
      g_autofree char *path = g_build_filename (corpus, name, NULL);
      g_autoptr (GError) error = NULL;
      gsize size;
      const char *data = g_bytes_get_data (g_ptr_array_index (seeds, i), &size);
      if (!g_file_set_contents (path, data, (gssize) size, &error))
        g_error ("%s", error->message);
    }
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  fuzz_init ();
  const char *last = (*argv)[*argc - 1];
  if (*argc > 1 && g_file_test (last, G_FILE_TEST_IS_DIR))
    write_seeds (last);
  return 0;
}
