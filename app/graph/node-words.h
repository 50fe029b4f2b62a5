/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/* What is known of nodes in the words of the window. All texts are (transfer full). */

/* "64×10", "scalar"; NULL where not even the rank is known. */
char *sluice_words_shape (const SluiceShape *shape);
/* "f32", "i64", "bool". */
char *sluice_words_type (SluiceDType dtype);
/* "64×10 f32", "any shape, of any type". */
char *sluice_words_output (const SluiceOutput *output);
/* "832", "803 k", "25.6 M". */
char *sluice_words_count (double n);
/* "0.8 MFLOP". */
char *sluice_words_work (double flops);
/* "0.42 ms", "3.1 µs", "2.4 s"; negative: "–". */
char *sluice_words_duration (double us);
/* "0.15 ± 0.09 ms": both in the unit of the first. Without the second where it is not finite. */
char *sluice_words_spread (double us, double plus_minus);
/* Of an element, three digits: "−0.427", "12 345", "1.5e+09". */
char *sluice_words_number (double value);
/* "39 %"; no less than "0.01 %" of what is there at all, no "100 %" of what is not all. */
char *sluice_words_share (gint64 part, gint64 whole);

/* "Transpose a" of "transpose_a", "Type" of "T". */
char *sluice_words_attr_name (const char *name);
/* "f32", "1, 2, 2, 1", "yes". */
char *sluice_words_attr_value (const SluiceAttrValue *value);
/* Is it for people? Not what importers and optimizers keep in a node for themselves. */
gboolean sluice_words_attr_is_shown (const SluiceAttr *attr);
/* "lstm/steps" of a loop's frame "lstm/steps/while_context". */
char *sluice_words_loop (const char *frame);
