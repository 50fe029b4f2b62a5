/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "tests/fuzz/fuzz-driver.h"

/* What both graph fuzzers do with bytes: import, and where that succeeds, write out both ways and
 * read again. Aborts where the second reading differs. */
int fuzz_graph (const guint8 *data, gsize size);
/* Some small conformance files, unzipped; text: written as text. */
GPtrArray *fuzz_graph_seeds (gboolean text);
