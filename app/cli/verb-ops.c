/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/cli/describe-op.h"
#include "app/cli/op-pages.h"
#include "app/op-example.h"
#include "engine/base/error.h"
#include "kernels/tiers.h"

static gboolean show_tiers, show_example;
static char *pages;

static const GOptionEntry options[] = {
  { "example", 0, 0, G_OPTION_ARG_NONE, &show_example,
    N_ ("Print an example of op NAME as a graph, run it, and print what it gives"), NULL },
  { "tiers", 0, 0, G_OPTION_ARG_NONE, &show_tiers,
    N_ ("Count the ops that real graphs use, by how much they use them, and name those missing"),
    NULL },
  { "pages", 0, 0, G_OPTION_ARG_FILENAME, &pages, N_ ("Write the reference pages into this folder"),
    N_ ("DIR") },
  G_OPTION_ENTRY_NULL,
};

/* ---- JSON ---- */

static void
add_attribute (JsonBuilder *b, const SluiceAttrDef *attr)
{
  g_autofree char *type = sluice_describe_attr_type (attr),
                  *initial = sluice_describe_attr_default (attr);
  g_auto (GStrv) allowed = sluice_describe_attr_allowed (attr);
  json_builder_begin_object (b);
  sluice_cli_json_string (b, "name", attr->name);
  sluice_cli_json_string (b, "type", type);
  sluice_cli_json_strings (b, "allowed", (const char *const *) allowed);
  if (attr->has_minimum)
    sluice_cli_json_int (b, "minimum", attr->minimum);
  sluice_cli_json_string (b, "default", initial);
  json_builder_end_object (b);
}

/* Of each type attribute the dtypes that the kernel takes; null: any. */
static void
add_kernel (JsonBuilder *b, const SluiceOp *op, const SluiceKernel *kernel)
{
  json_builder_begin_object (b);
  sluice_cli_json_string (b, "device", kernel->device);
  sluice_cli_json_int (b, "rank", kernel->rank);
  json_builder_set_member_name (b, "dtypes");
  json_builder_begin_object (b);
  for (guint i = 0; i < op->n_attrs; i++)
    if (op->attrs[i].kind == SLUICE_ATTR_TYPE)
      {
        SluiceDTypeSet set = sluice_describe_kernel_dtypes (kernel, &op->attrs[i]);
        g_auto (GStrv) names = set != 0 ? sluice_describe_dtypes (set) : NULL;
        sluice_cli_json_strings (b, op->attrs[i].name, (const char *const *) names);
      }
  json_builder_end_object (b);
  json_builder_end_object (b);
}

static void
print_json (const SluiceOp *op)
{
  guint n;
  const SluiceKernel *const *kernels = sluice_kernel_list (op->name, &n);
  g_autofree char *example = sluice_describe_example (op);
  int tier = sluice_op_tier (op->name);
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "name", op->name);
  sluice_cli_json_string (b, "summary", op->def->summary);
  sluice_cli_json_string (b, "signature", op->def->signature);
  json_builder_set_member_name (b, "attributes");
  json_builder_begin_array (b);
  for (guint i = 0; i < op->n_attrs; i++)
    add_attribute (b, &op->attrs[i]);
  json_builder_end_array (b);
  sluice_cli_json_string (b, "example", example);
  sluice_cli_json_bool (b, "stateful", op->def->flags & SLUICE_OP_STATEFUL);
  sluice_cli_json_bool (b, "gradient", op->def->gradient != NULL);
  if (tier > 0)
    sluice_cli_json_int (b, "tier", tier);
  else
    sluice_cli_json_null (b, "tier");
  json_builder_set_member_name (b, "kernels");
  json_builder_begin_array (b);
  for (guint i = 0; i < n; i++)
    add_kernel (b, op, kernels[i]);
  json_builder_end_array (b);
  sluice_cli_json_end (b);
}

/* ---- tiers ---- */

static int
tiers (void)
{
  for (int tier = 1; tier <= SLUICE_N_TIERS; tier++)
    {
      g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
      const char *const *names = sluice_tier_names (tier);
      for (guint i = 0; names[i] != NULL; i++)
        if (!sluice_describe_is_done (names[i]))
          g_strv_builder_add (builder, names[i]);
      g_auto (GStrv) missing = g_strv_builder_end (builder);
      guint n = g_strv_length ((char **) names), n_missing = g_strv_length (missing);
      g_autofree char *list = g_strjoinv (" ", missing);
      if (!sluice_cli_json)
        printf (_ ("tier %d: %u of %u ops%s%s\n"), tier, n - n_missing, n,
                n_missing > 0 ? _ ("; not yet: ") : "", list);
      JsonBuilder *b = sluice_cli_json_begin ();
      sluice_cli_json_int (b, "tier", tier);
      sluice_cli_json_int (b, "ops", n);
      sluice_cli_json_int (b, "done", n - n_missing);
      sluice_cli_json_strings (b, "missing", (const char *const *) missing);
      sluice_cli_json_end (b);
    }
  return EXIT_OK;
}

/* The graph is text that other verbs read: what it gave stands behind '#'. */
static int
print_example (const SluiceOp *op, GError **error)
{
  g_autoptr (SluiceOpExample) example = sluice_op_example_new (op, error);
  if (example == NULL)
    return EXIT_FAILED;
  g_autofree char *graph = sluice_op_example_dup_graph (example);
  if (!sluice_cli_json)
    {
      g_autofree char *text = sluice_op_example_dup_text (example);
      g_auto (GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1);
      fputs (graph, stdout);
      for (guint i = 0; lines[i] != NULL; i++)
        printf ("# %s\n", lines[i]);
      return EXIT_OK;
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "name", op->name);
  sluice_cli_json_string (b, "graph", graph);
  sluice_cli_json_strings (b, "inputs", (const char *const *) example->inputs);
  sluice_cli_json_strings (b, "results", (const char *const *) example->results);
  sluice_cli_json_end (b);
  return EXIT_OK;
}

static int
show_one (const char *name, GError **error)
{
  const SluiceOp *op = sluice_registry_find (name);
  if (op == NULL)
    {
      const char *hint = sluice_registry_suggest_name (name);
      sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is no op '%s'%s%s%s", name,
                   hint != NULL ? "; did you mean '" : "", hint != NULL ? hint : "",
                   hint != NULL ? "'?" : "");
      return EXIT_FAILED;
    }
  if (show_example)
    return print_example (op, error);
  if (!sluice_cli_json)
    {
      g_autofree char *page = sluice_op_page_dup (op);
      fputs (page, stdout);
      return EXIT_OK;
    }
  print_json (op);
  return EXIT_OK;
}

static int
ops (char **arguments, GError **error)
{
  if (arguments[0] != NULL && arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one NAME or none"));
  if (show_example && arguments[0] == NULL)
    return sluice_cli_usage (error, _ ("--example is of one op: give its NAME"));
  if (arguments[0] != NULL ? show_tiers || pages != NULL : show_tiers && pages != NULL)
    return sluice_cli_usage (error, _ ("give a NAME, --tiers or --pages, one of them"));
  if (show_tiers)
    return tiers ();
  if (pages != NULL)
    return sluice_op_pages_write (pages, error) ? EXIT_OK : EXIT_FAILED;
  if (arguments[0] != NULL)
    return show_one (arguments[0], error);
  guint n;
  const SluiceOp *const *all = sluice_registry_list (&n);
  for (guint i = 0; i < n; i++)
    if (sluice_cli_json)
      print_json (all[i]);
    else
      printf ("%-36s %s\n", all[i]->name, _ (all[i]->def->summary));
  return EXIT_OK;
}

const Verb sluice_verb_ops = {
  .name = "ops",
  .arguments = N_ ("[NAME]"),
  .summary = N_ ("List the ops, or tell all about one"),
  .json = "{\"name\": \"string\", \"summary\": \"string\", \"signature\": \"string\", "
          "\"attributes\": [{\"name\": \"string\", \"type\": \"string\", "
          "\"allowed\": [\"string\"], \"minimum?\": \"int\", \"default\": \"string|null\"}], "
          "\"example\": \"string|null\", \"stateful\": \"bool\", \"gradient\": \"bool\", "
          "\"tier\": \"int|null\", \"kernels\": [{\"device\": \"string\", \"rank\": \"int\", "
          "\"dtypes\": {\"*\": [\"string\"]}}]}\n"
          "{\"tier\": \"int\", \"ops\": \"int\", \"done\": \"int\", \"missing\": [\"string\"]}\n"
          "{\"name\": \"string\", \"graph\": \"string\", \"inputs\": [\"string\"], "
          "\"results\": [\"string\"]}",
  .options = options,
  .run = ops,
};
