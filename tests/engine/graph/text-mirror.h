/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph-text.h"

/* A text that is told each change of a map, as an editor's is. (transfer full) */
GString *text_mirror_new (SluiceGraphText *map);
/* All is refreshed; the mirror has what the map has, and that reads back as the graph. */
void text_mirror_check (GString *self, SluiceGraphText *map, SluiceGraph *graph);
