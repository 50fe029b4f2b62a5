/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

/*
 * Templates: what layers, summaries and optimizers are made of, as data (data/layers/, one file
 * each; the program carries them). A file says what the template is, then its parameters, then the
 * commands that it stands for, in sections:
 *
 *   layer "A dense layer"
 *   parameter units int "How many values it makes" least=1
 *   parameter activation none|relu "What follows" default=none
 *   do
 *   add MatMul $name/product $input $name/kernel/read
 *   when $activation = relu add Relu $name/output $name/product
 *
 * $NAME is the text of a parameter, $(...) what an expression of numbers comes to. Of a parameter
 * that is an edge there are $NAME.node, .dtype, .shape, .rank, .0 (the length of dimension 0) and
 * so on, .last (that of the last one), .size (of an example: all dimensions but the first), .axes
 * (all of them), .before-last (all but the last) and .inner (all but the first and the last).
 *
 * `use TEMPLATE KEY=VALUE...` stands for another template, `append NAME TEXT` makes a parameter
 * longer, `when A = B COMMAND` and `when A != B COMMAND` depend, one within another if need be,
 * `for EACH in NAME COMMAND` does one command with each of several edges, $i being its number,
 * `need A = B TEXT` fails.
 *
 * A layer's outcome is its node NAME/output, which remembers the layer.
 */
typedef enum
{
  SLUICE_TEMPLATE_INT,
  SLUICE_TEMPLATE_FLOAT,
  SLUICE_TEMPLATE_TEXT, /* as it is written: a shape, a quoted text */
  SLUICE_TEMPLATE_EDGE,
  SLUICE_TEMPLATE_EDGES, /* [EDGE,EDGE] */
  SLUICE_TEMPLATE_CHOICE,
} SluiceTemplateKind;

typedef struct
{
  char *name;
  SluiceTemplateKind kind;
  char *words; /* of the kind, for people: "int", "none|relu" */
  char *help;
  char *value;        /* (nullable): the default; NULL: it must be given */
  double least, most; /* of a number */
} SluiceTemplateParameter;

typedef struct
{
  char *name;           /* "dense" */
  char *family;         /* a name of sluice_template_families */
  char *summary;        /* to be translated, like a parameter's help */
  GArray *parameters;   /* of SluiceTemplateParameter */
  GHashTable *sections; /* name -> GPtrArray of lines */
} SluiceTemplate;

/* What the program carries of data/layers. (transfer none) */
GResource *sluice_template_get_resource (void);
/* A row of the table. */
typedef struct
{
  const char *name;
  const char *title; /* N_(): of those that people choose from; (nullable): nobody sees it */
  gboolean is_layer; /* `layer` makes a scope of it */
} SluiceTemplateFamily;

extern const SluiceTemplateFamily sluice_template_families[];
extern const guint sluice_template_n_families;

/* "[a,b]" one by one. (transfer full) */
char **sluice_template_split_edges (const char *text);

/* All of a family, by name. (transfer container) (element-type SluiceTemplate) */
GPtrArray *sluice_template_list (const char *family);
/* family: "layer" stands for all that `layer` takes. (nullable): with NOT_FOUND and the nearest
 * name
 */
const SluiceTemplate *sluice_template_find (const char *family, const char *name, GError **error);

/* (transfer full) (nullable): INVALID_ARGUMENT with the line. For the files and for tests. */
SluiceTemplate *sluice_template_parse (const char *name, const char *text, GError **error);
void sluice_template_free (SluiceTemplate *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTemplate, sluice_template_free)
