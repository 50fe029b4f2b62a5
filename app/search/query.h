/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * What somebody looks for: words that all have to fit.
 *
 *   conv[12]          a regular expression in the last part of a name, or across it, or in the
 *                     name of the op
 *   op:conv2d         in the name of the op
 *   device:gpu:0      in the device asked for
 *   shape:64x?x10     of an output; ? and -1: any size
 *   dtype:float       of an output: "float32", "f32", "DT_FLOAT" …
 *   in:tower_0        below that scope
 *
 * Case does not count but in scopes.
 */
typedef struct _SluiceQuery SluiceQuery;

/* (transfer full): of any text. */
SluiceQuery *sluice_query_new (const char *text);
void sluice_query_free (SluiceQuery *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceQuery, sluice_query_free)

const char *sluice_query_get_text (const SluiceQuery *self); /* valid UTF-8 */
gboolean sluice_query_is_empty (const SluiceQuery *self);
/* (nullable): what in the text is not as it was meant, in words; it is taken as it stands. */
const char *sluice_query_get_problem (const SluiceQuery *self);

gboolean sluice_query_matches_node (const SluiceQuery *self, const SluiceNode *node);
/* A scope, which has nothing but a name, and is found by the last part of it. */
gboolean sluice_query_matches_name (const SluiceQuery *self, const char *name);
/* A tag, a run: found by any part. */
gboolean sluice_query_matches_text (const SluiceQuery *self, const char *text);
