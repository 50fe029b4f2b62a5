/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/base/error.h"
#include "engine/device/kernel.h"

static char *
dtypes_text (SluiceDTypeSet set)
{
  GString *text = g_string_new (NULL);
  for (guint d = 1; d < SLUICE_N_DTYPES; d++)
    if (set & SLUICE_SET (d))
      g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", sluice_dtype_name (d));
  return g_string_free (text, FALSE);
}

/* The dtypes of a kernel's first constraint; empty where it takes any. */
static char *
kernel_dtypes (const SluiceKernel *kernel)
{
  return kernel->where[0].attr != NULL ? dtypes_text (kernel->where[0].types) : g_strdup ("");
}

static gboolean
has_gradient (const SluiceOp *op)
{
  return op->def->gradient != NULL;
}

static void
add_json (JsonBuilder *b, const SluiceOp *op)
{
  guint n;
  const SluiceKernel *const *kernels = sluice_kernel_list (op->name, &n);
  json_builder_begin_object (b);
  cli_json_string (b, "name", op->name);
  cli_json_string (b, "summary", op->def->summary);
  cli_json_string (b, "signature", op->def->signature);
  cli_json_string (b, "attributes", op->def->attrs);
  cli_json_bool (b, "stateful", op->def->flags & SLUICE_OP_STATEFUL);
  cli_json_bool (b, "gradient", has_gradient (op));
  json_builder_set_member_name (b, "kernels");
  json_builder_begin_array (b);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *dtypes = kernel_dtypes (kernels[i]);
      json_builder_begin_object (b);
      cli_json_string (b, "device", kernels[i]->device);
      cli_json_int (b, "rank", kernels[i]->rank);
      cli_json_string (b, "dtypes", dtypes);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  json_builder_end_object (b);
}

static void
print_op (const SluiceOp *op)
{
  guint n;
  const SluiceKernel *const *kernels = sluice_kernel_list (op->name, &n);
  printf ("%s\n  %s\n\n  %s\n", op->name, _ (op->def->summary), op->def->signature);
  g_auto (GStrv) attrs = g_strsplit (op->def->attrs != NULL ? op->def->attrs : "", ";", 0);
  for (guint i = 0; attrs[i] != NULL; i++)
    printf ("    %s\n", g_strstrip (attrs[i]));
  printf (_ ("\n  gradient: %s\n"), has_gradient (op) ? _ ("yes") : _ ("no"));
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *dtypes = kernel_dtypes (kernels[i]);
      printf (_ ("  kernel: %s, rank %d%s%s\n"), kernels[i]->device, kernels[i]->rank,
              *dtypes != '\0' ? ": " : "", dtypes);
    }
}

static int
show_one (const char *name, GError **error)
{
  const SluiceOp *op = sluice_registry_find (name);
  if (op == NULL)
    {
      const char *near = sluice_registry_near_name (name);
      sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is no op '%s'%s%s%s", name,
                   near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "");
      return EXIT_FAILED;
    }
  if (!cli_json)
    {
      print_op (op);
      return EXIT_OK;
    }
  JsonBuilder *b = json_builder_new ();
  add_json (b, op);
  cli_print_json (b);
  return EXIT_OK;
}

static int
ops (char **arguments, GError **error)
{
  if (arguments[0] != NULL && arguments[1] != NULL)
    return cli_usage (error, "give one NAME or none");
  if (arguments[0] != NULL)
    return show_one (arguments[0], error);
  guint n;
  const SluiceOp *const *all = sluice_registry_list (&n);
  JsonBuilder *b = json_builder_new ();
  json_builder_begin_array (b);
  for (guint i = 0; i < n; i++)
    if (cli_json)
      add_json (b, all[i]);
    else
      printf ("%-36s %s\n", all[i]->name, _ (all[i]->def->summary));
  json_builder_end_array (b);
  if (cli_json)
    cli_print_json (b);
  else
    g_object_unref (b);
  return EXIT_OK;
}

const Verb verb_ops = {
  .name = "ops",
  .arguments = "[NAME]",
  .summary = N_ ("List the ops, or tell all about one"),
  .run = ops,
};
