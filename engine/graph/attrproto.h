/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/wire.h"

/* AttrValue. Only for files of graph/. */

/* proto: may point to a SluiceRawAttr; where the short way cannot read that it is unpacked into the
 * arena and takes its place, or is set to NULL where it is damaged: DATA_LOSS.
 * lossy: set where the value has parts that SluiceAttrValue cannot hold (names of dimensions). */
gboolean sluice_attr_unpack (Tensorflow__AttrValue **proto,
                             SluiceArena *arena,
                             SluiceAttrValue *value,
                             gint64 *budget,
                             gboolean *lossy,
                             GError **error);
Tensorflow__AttrValue *
sluice_attr_pack (const SluiceAttrValue *value, SluiceArena *arena, gboolean readable);
