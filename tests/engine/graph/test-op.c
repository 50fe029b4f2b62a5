/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/op.h"

#include "engine/base/error.h"
#include "engine/graph/graph.h"

static const SluiceOpDef every_kind = {
  .name = "EveryKind",
  .signature = "a: T, list: N * int32, refs: Ref(N * T), many: Tlist, handle: resource "
               "-> out: Ref(T), each: N * T, all: Tlist, plain: float",
  .attrs = "T: {float, double} = float; N: int >= 2 = 3; Tlist: list(type) >= 1; "
           "mode: {'SAME', 'VALID'} = 'SAME'; rate: float = -0.5; on: bool = true; "
           "shape: shape = [1,?,3]; any_shape: shape = <unknown>; sizes: list(int) = [1, 2, -3]; "
           "names: list(string) = ['a', 'b;c']; value: tensor; f: func; U: number; "
           "only: list({int32, int64}) = []",
  .role = SLUICE_ROLE_NONE,
};
static const SluiceOpDef nothing = { .name = "Nothing", .signature = "->" };
static const SluiceOpDef source = { .name = "Source",
                                    .signature = "-> output: dtype",
                                    .attrs = "dtype: type",
                                    .role = SLUICE_ROLE_PLACEHOLDER };
static const SluiceOpDef *const ops[] = { &every_kind, &nothing, &source };

static const SluiceOp *
op (void)
{
  return sluice_registry_find ("EveryKind");
}

static void
test_signature (void)
{
  const SluiceArg *in = op ()->inputs, *out = op ()->outputs;
  g_assert_cmpuint (op ()->n_inputs, ==, 5);
  g_assert_cmpuint (op ()->n_outputs, ==, 4);
  g_assert_cmpstr (in[0].name, ==, "a");
  g_assert_cmpstr (in[0].type_attr, ==, "T");
  g_assert_cmpint (in[0].type, ==, SLUICE_INVALID);
  g_assert_cmpstr (in[1].number_attr, ==, "N");
  g_assert_cmpint (in[1].type, ==, SLUICE_INT32);
  g_assert_true (in[2].is_ref);
  g_assert_cmpstr (in[2].number_attr, ==, "N");
  g_assert_cmpstr (in[3].list_attr, ==, "Tlist");
  g_assert_cmpint (in[4].type, ==, SLUICE_RESOURCE);
  g_assert_true (out[0].is_ref);
  g_assert_false (out[1].is_ref);
  g_assert_cmpint (out[3].type, ==, SLUICE_FLOAT);
}

static const SluiceAttrDef *
attr (const char *name)
{
  const SluiceAttrDef *def = sluice_op_find_attr (op (), name);
  g_assert_nonnull (def);
  return def;
}

static void
test_attrs (void)
{
  g_assert_cmpuint (op ()->n_attrs, ==, 14);
  g_assert_cmpint (attr ("T")->kind, ==, SLUICE_ATTR_TYPE);
  g_assert_cmpuint (attr ("T")->allowed_types, ==,
                    SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE));
  g_assert_cmpint (attr ("T")->default_value.type, ==, SLUICE_FLOAT);
  g_assert_true (attr ("N")->has_minimum);
  g_assert_cmpint (attr ("N")->minimum, ==, 2);
  g_assert_cmpint (attr ("N")->default_value.i, ==, 3);
  g_assert_cmpint (attr ("Tlist")->list_kind, ==, SLUICE_ATTR_TYPE);
  g_assert_cmpint (attr ("Tlist")->minimum, ==, 1);
  g_assert_false (attr ("Tlist")->has_default);
  g_assert_cmpstr (attr ("mode")->allowed_strings[1], ==, "VALID");
  g_assert_cmpfloat (attr ("rate")->default_value.f, ==, -0.5);
  g_assert_true (attr ("on")->default_value.b);
  g_assert_cmpint (attr ("shape")->default_value.shape.dim[1], ==, -1);
  g_assert_cmpint (attr ("any_shape")->default_value.shape.rank, ==, -1);
  g_assert_cmpuint (attr ("sizes")->default_value.list.n, ==, 3);
  g_assert_cmpint (attr ("sizes")->default_value.list.items[2].i, ==, -3);
  g_assert_cmpstr (attr ("names")->default_value.list.items[1].s.data, ==, "b;c");
  g_assert_cmpint (attr ("value")->kind, ==, SLUICE_ATTR_TENSOR);
  g_assert_cmpint (attr ("f")->kind, ==, SLUICE_ATTR_FUNC);
  g_assert_cmpuint (attr ("U")->allowed_types, ==, SLUICE_SET_NUMBER);
  g_assert_cmpuint (attr ("only")->allowed_types, ==, SLUICE_SET_INDEX);
  g_assert_true (attr ("only")->has_default);
  g_assert_null (sluice_op_find_attr (op (), "absent"));
}

static void
test_registry (void)
{
  guint n;
  const SluiceOp *const *list = sluice_registry_list (&n);
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (ops));
  g_assert_cmpstr (list[0]->name, ==, "EveryKind");
  g_assert_cmpstr (list[2]->name, ==, "Source");
  g_assert_null (sluice_registry_find ("Everykind"));
  g_assert_cmpstr (sluice_registry_suggest_name ("Everykind"), ==, "EveryKind");
  g_assert_cmpstr (sluice_registry_suggest_name ("Surce"), ==, "Source");
  g_assert_null (sluice_registry_suggest_name ("Zebra"));
  g_assert_true (sluice_registry_by_role (SLUICE_ROLE_PLACEHOLDER)->def == &source);
  g_assert_null (sluice_registry_by_role (SLUICE_ROLE_MERGE));
}

static const SluiceOpDef wrong[] = {
  { .name = "NoArrow", .signature = "a: float" },
  { .name = "NoSuchType", .signature = "a: flot ->" },
  { .name = "NoNumber", .signature = "a: N * float ->" },
  { .name = "BadKind", .signature = "->", .attrs = "a: integer" },
  { .name = "BadDefault", .signature = "->", .attrs = "a: int = x" },
  { .name = "TwoOfThem", .signature = "->", .attrs = "a: int; a: int" },
  { .name = "NoSemicolon", .signature = "->", .attrs = "a: int b: int" },
  { .name = "Nothing", .signature = "->" }, /* is there already */
};

/* A definition that does not parse is refused, and the op is named. */
static void
test_wrong (gconstpointer data)
{
  const SluiceOpDef *def = data;
  g_autoptr (GError) error = NULL;
  guint before, after;
  sluice_registry_list (&before);
  g_assert_false (sluice_registry_add_ops (&def, 1, &error));
  g_assert_nonnull (strstr (error->message, def->name));
  sluice_registry_list (&after);
  g_assert_cmpuint (before, ==, after);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autoptr (GError) error = NULL;
  sluice_registry_add_ops (ops, G_N_ELEMENTS (ops), &error);
  g_assert_no_error (error);
  g_test_add_func ("/op/signature", test_signature);
  g_test_add_func ("/op/attrs", test_attrs);
  g_test_add_func ("/op/registry", test_registry);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *path = g_strdup_printf ("/op/wrong/%s", wrong[i].name);
      g_test_add_data_func (path, &wrong[i], test_wrong);
    }
  return g_test_run ();
}
