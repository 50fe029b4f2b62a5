/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <string.h>

/*
 * A fuzzer is one file with LLVMFuzzerTestOneInput(). Built with -Dlibfuzzer=true it is a libFuzzer
 * program; else fuzz-driver.c makes a test of it, which runs the committed seeds and so many random
 * mutations of them. In the environment SLUICE_FUZZ_RUNS says how many; SLUICE_FUZZ_LAST names a
 * file that always holds the input that is being run, and SLUICE_FUZZ_INPUT one that is run instead
 * of everything else: together they bring a crash back.
 */
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* The seeds of this fuzzer; the driver mutates them. (transfer full) (element-type GBytes) */
GPtrArray *fuzz_seeds (void);
/* Of texts that outlive them. */
static inline GPtrArray *
fuzz_texts (const char *const *texts, guint n)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (list, g_bytes_new_static (texts[i], strlen (texts[i])));
  return list;
}
/* Once, before anything else. */
void fuzz_init (void);
/* Where a fuzzer has it: after everything else, fails where something was never met. */
void fuzz_check_met (void) __attribute__ ((weak));
