/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"
#include "engine/base/visibility.h"
#include "engine/graph/intern.h"

SLUICE_PUBLIC_BEGIN

/* The kinds of TensorFlow's AttrValue. A list holds items of one of the other kinds. */
typedef enum
{
  SLUICE_ATTR_NONE,
  SLUICE_ATTR_STRING,
  SLUICE_ATTR_INT,
  SLUICE_ATTR_FLOAT,
  SLUICE_ATTR_BOOL,
  SLUICE_ATTR_TYPE,
  SLUICE_ATTR_SHAPE,
  SLUICE_ATTR_TENSOR,
  SLUICE_ATTR_FUNC,
  SLUICE_ATTR_PLACEHOLDER, /* inside function bodies: the name of an attribute of the function */
  SLUICE_ATTR_LIST,
} SluiceAttrKind;

typedef struct _SluiceAttrValue SluiceAttrValue;

/* A function's name and the attributes it is called with. */
typedef struct
{
  char *name;
  struct _SluiceAttr *attrs;
  guint n_attrs;
} SluiceFuncValue;

struct _SluiceAttrValue
{
  SluiceAttrKind kind;
  SluiceAttrKind list_kind; /* of a list: what it holds; NONE where an empty list does not tell */
  union
  {
    SluiceString s; /* STRING, PLACEHOLDER */
    gint64 i;
    float f;
    gboolean b;
    SluiceDType type;
    SluiceShape shape;
    SluiceTensor *tensor;
    SluiceFuncValue *func;
    struct
    {
      SluiceAttrValue *items;
      guint n;
    } list;
  };
};

/* A named value. Names are interned, so they compare by pointer. */
typedef struct _SluiceAttr
{
  const char *name;
  SluiceAttrValue value;
} SluiceAttr;

/*
 * Constructors for builders: SLUICE_ATTRS (sluice_attr_bool ("transpose_a", TRUE), …). Strings,
 * shapes and lists are borrowed until the call returns; the node keeps its own copy.
 */
SluiceAttr sluice_attr_string (const char *name, const char *value);
SluiceAttr sluice_attr_int (const char *name, gint64 value);
SluiceAttr sluice_attr_float (const char *name, float value);
SluiceAttr sluice_attr_bool (const char *name, gboolean value);
SluiceAttr sluice_attr_type (const char *name, SluiceDType value);
SluiceAttr sluice_attr_shape (const char *name, const SluiceShape *value);
SluiceAttr sluice_attr_tensor (const char *name, SluiceTensor *value);
/* A value taken as it stands, say another node's attribute or a list. */
SluiceAttr sluice_attr_value (const char *name, const SluiceAttrValue *value);

void sluice_attr_value_copy (SluiceAttrValue *to, const SluiceAttrValue *from);
void sluice_attr_value_clear (SluiceAttrValue *self);
gboolean sluice_attr_value_equal (const SluiceAttrValue *a, const SluiceAttrValue *b);
guint sluice_attr_value_hash (const SluiceAttrValue *self);
/* As in GraphDef text, shortened: for the inspector and messages. */
char *sluice_attr_value_to_string (const SluiceAttrValue *self);

SLUICE_PUBLIC_END
