/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/**
 * SluiceExportFlags:
 * @SLUICE_EXPORT_BINARY: the wire format
 * @SLUICE_EXPORT_TEXT: the text format
 * @SLUICE_EXPORT_SHAPES: write _output_shapes
 * @SLUICE_EXPORT_STRIP_DEFAULTS: leave out attributes at their default
 * @SLUICE_EXPORT_META_GRAPH: a MetaGraphDef, also where the graph came without one
 * @SLUICE_EXPORT_PLAIN_GRAPH: a GraphDef, also where the graph came in a MetaGraphDef
 *
 * How a graph is written. With neither of the last two it is written as it came.
 */
typedef enum
{
  SLUICE_EXPORT_BINARY = 0,
  SLUICE_EXPORT_TEXT = 1 << 0,
  SLUICE_EXPORT_SHAPES = 1 << 1,
  SLUICE_EXPORT_STRIP_DEFAULTS = 1 << 2,
  SLUICE_EXPORT_META_GRAPH = 1 << 3,
  SLUICE_EXPORT_PLAIN_GRAPH = 1 << 4,
} SluiceExportFlags;
