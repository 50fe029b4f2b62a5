/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/op-pages.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <utime.h>

#include "app/cli/describe-op.h"
#include "app/op-example.h"
#include "engine/base/error.h"
#include "kernels/tiers.h"

static void
append_attributes (GString *page, const SluiceOp *op)
{
  g_string_append_printf (page, "\n## %s\n\n", _ ("Attributes"));
  if (op->n_attrs == 0)
    g_string_append_printf (page, "%s\n", _ ("None."));
  else
    g_string_append_printf (page, "| %s | %s | %s | %s |\n|---|---|---|---|\n", _ ("name"),
                            _ ("type"), _ ("allowed"), _ ("default"));
  for (guint i = 0; i < op->n_attrs; i++)
    {
      const SluiceAttrDef *attr = &op->attrs[i];
      g_autofree char *type = sluice_describe_attr_type (attr),
                      *initial = sluice_describe_attr_default (attr);
      g_auto (GStrv) allowed = sluice_describe_attr_allowed (attr);
      g_autofree char *list = allowed != NULL ? g_strjoinv (", ", allowed) : g_strdup (_ ("any"));
      g_string_append_printf (page, "| `%s` | %s | %s", attr->name, type, list);
      if (attr->has_minimum)
        g_string_append_printf (page,
                                attr->kind == SLUICE_ATTR_LIST
                                    ? _ (", at least %" PRId64 " of them")
                                    : _ (", at least %" PRId64),
                                attr->minimum);
      if (initial != NULL)
        g_string_append_printf (page, " | `%s` |\n", initial);
      else
        g_string_append_printf (page, " | %s |\n", _ ("must be given, or follows from an input"));
    }
}

static void
append_shapes (GString *page, const SluiceOp *op)
{
  g_autofree char *example = sluice_describe_example (op);
  g_string_append_printf (page, "\n## %s\n\n", _ ("Shapes"));
  if (op->n_outputs == 0)
    g_string_append_printf (page, "%s\n", _ ("The op has no outputs."));
  else if (op->def->shape == NULL)
    g_string_append_printf (page, "%s\n", _ ("They are known when the op has run."));
  else
    g_string_append_printf (page, "%s\n",
                            _ ("They follow from the inputs while the graph is built, as far as "
                               "the inputs' are known; what cannot fit is an error there."));
  if (example != NULL)
    g_string_append_printf (page, "\n    %s\n", example);
}

static void
append_kernels (GString *page, const SluiceOp *op)
{
  guint n;
  const SluiceKernel *const *kernels = sluice_kernel_list (op->name, &n);
  g_string_append_printf (page, "\n## %s\n\n", _ ("Kernels"));
  if (n == 0)
    g_string_append_printf (page, "%s\n", _ ("None: the op is loaded and drawn, but not run yet."));
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (page, "- %s, %s %d", kernels[i]->device, _ ("rank"),
                              kernels[i]->rank);
      const char *before = ": ";
      for (guint k = 0; k < op->n_attrs; k++)
        if (op->attrs[k].kind == SLUICE_ATTR_TYPE)
          {
            SluiceDTypeSet set = sluice_describe_kernel_dtypes (kernels[i], &op->attrs[k]);
            g_auto (GStrv) names = sluice_describe_dtypes (set);
            g_autofree char *list = set != 0 ? g_strjoinv (", ", names) : g_strdup (_ ("any"));
            g_string_append_printf (page, "%s`%s`: %s", before, op->attrs[k].name, list);
            before = "; ";
          }
      g_string_append_c (page, '\n');
    }
}

/* why: (nullable): there is none */
static void
append_example (GString *page, const SluiceOp *op, const SluiceOpExample *example, const char *why)
{
  g_string_append_printf (page, "\n## %s\n\n", _ ("Example"));
  if (example == NULL)
    {
      g_string_append_printf (page, "%s.\n", why);
      return;
    }
  g_string_append_printf (page, "![%s](%s.example)\n\n", _ ("The graph of the example"), op->name);
  g_autofree char *text = sluice_op_example_dup_text (example);
  g_auto (GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    g_string_append_printf (page, "    %s\n", lines[i]);
  g_string_append_c (page, '\n');
  g_string_append_printf (page, _ ("`sluice ops %s --example` writes its graph and runs it."),
                          op->name);
  g_string_append_c (page, '\n');
}

char *
sluice_op_page_dup (const SluiceOp *op)
{
  const SluiceOpDef *def = op->def;
  GString *page = g_string_new (NULL);
  g_autoptr (GError) why = NULL;
  g_autoptr (SluiceOpExample) example = sluice_op_example_new (op, &why);
  g_autofree char *ports = sluice_describe_ports (op);
  int tier = sluice_op_tier (op->name);
  g_string_append_printf (page, "# %s\n\n%s.\n\n## %s\n\n    %s\n", op->name, _ (def->summary),
                          _ ("Signature"), def->signature);
  /* The window draws it when it shows the page. */
  g_string_append_printf (page, "\n![%s](%s.ports)\n", ports, op->name);
  append_attributes (page, op);
  append_shapes (page, op);
  append_example (page, op, example, why != NULL ? why->message : NULL);
  g_string_append_printf (page, "\n## %s\n\n%s.\n", _ ("Gradient"), sluice_describe_gradient (def));
  append_kernels (page, op);
  g_string_append_printf (page, "\n## %s\n\n- %s: %s\n", _ ("Kind"), _ ("stateful"),
                          def->flags & SLUICE_OP_STATEFUL ? _ ("yes") : _ ("no"));
  if (tier > 0)
    g_string_append_printf (page, "- %s: %d\n", _ ("tier"), tier);
  return g_string_free (page, FALSE);
}

/* ---- a folder of them ---- */

static gboolean
write_page (const char *folder, const char *name, const char *text, GError **error)
{
  g_autofree char *file = g_strconcat (name, ".md", NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  return g_file_set_contents_full (
      path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0666, error);
}

/* Pages of ops that are no more. */
static void
remove_pages (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".md"))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);
        g_remove (path);
      }
}

gboolean
sluice_op_pages_write (const char *folder, GError **error)
{
  if (g_mkdir_with_parents (folder, 0777) != 0)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, "cannot make folder '%s': %s",
                        folder, g_strerror (errno));
  remove_pages (folder);
  g_autoptr (GString) index = g_string_new (NULL);
  g_string_append_printf (index, "# %s\n\n", _ ("Ops"));
  guint n;
  const SluiceOp *const *all = sluice_registry_list (&n);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *page = sluice_op_page_dup (all[i]);
      if (!write_page (folder, all[i]->name, page, error))
        return FALSE;
      g_string_append_printf (index, "- [%s](%s.md): %s\n", all[i]->name, all[i]->name,
                              _ (all[i]->def->summary));
    }
  if (!write_page (folder, "index", index->str, error))
    return FALSE;
  /* A build asks the folder how old it is. */
  utime (folder, NULL);
  return TRUE;
}
