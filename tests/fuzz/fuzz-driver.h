/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * A fuzzer is one file with LLVMFuzzerTestOneInput(). Built with -Dlibfuzzer=true it is a libFuzzer
 * program; else fuzz-driver.c makes a test of it, which runs the committed seeds and so many random
 * mutations of them: SLUICE_FUZZ_RUNS in the environment says how many.
 */
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* The seeds of this fuzzer; the driver mutates them. (transfer full) (element-type GBytes) */
GPtrArray *fuzz_seeds (void);
/* Once, before anything else. */
void fuzz_init (void);
