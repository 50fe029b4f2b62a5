/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"
#include "engine/graph/text-scan.h"

/*
 * A node as a block of TensorFlow's text format, `node { name: … }`, as people read and write it:
 * attributes at their default are left out, and what was written by hand stays as it was written.
 */

/* The block, with a newline behind. */
void sluice_node_text_write (GString *out, const SluiceNode *node);

/**
 * sluice_node_text_update:
 * @text: a block of whatever node, with what may stand around it
 *
 * Makes the block say what the node is. Only fields that say something else are written anew;
 * comments, order and blanks stay.
 *
 * Returns: (transfer full) (nullable): the text; %NULL: it says so already
 */
char *sluice_node_text_update (const char *text, const SluiceNode *node);

typedef enum
{
  SLUICE_NODE_FIELD_NONE, /* between fields */
  SLUICE_NODE_FIELD_NAME,
  SLUICE_NODE_FIELD_OP,
  SLUICE_NODE_FIELD_INPUT,
  SLUICE_NODE_FIELD_DEVICE,
  SLUICE_NODE_FIELD_ATTR,
} SluiceNodeFieldKind;

/* A field of a block; bytes of its text. */
typedef struct
{
  SluiceNodeFieldKind kind;
  gsize begin, end;
  guint input; /* of an input: the first that it names, control inputs counted behind the others */
  char *attr;  /* (nullable): of an attribute: its name */
} SluiceNodeField;

/* (transfer full) (nullable) (element-type SluiceNodeField): those of the block in a text, in their
 * order; NULL with an error as of sluice_text_scan() */
GArray *sluice_node_text_scan (const char *text, GError **error);
/* The first of them. attr, input: of those kinds. (nullable) (transfer none) */
const SluiceNodeField *sluice_node_text_find (const GArray *fields,
                                              SluiceNodeFieldKind kind,
                                              const char *attr,
                                              guint input);
