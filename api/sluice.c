/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "api/sluice.h"

#include <glib/gi18n-lib.h>
#include <stdatomic.h>

#include "api/sluice-private.h"
#include "engine/base/pool.h"
#include "engine/device/plugin.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"

G_DEFINE_BOXED_TYPE (SluiceOp, sluice_op, sluice_op_share, sluice_op_release)

/* Was a graph or a session made? Then the registry is read, perhaps by several threads. */
static _Atomic int has_graphs;

void
sluice_init (void)
{
  static gsize done;
  if (g_once_init_enter (&done))
    {
      bindtextdomain (GETTEXT_PACKAGE, SLUICE_LOCALE_DIR);
      bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
      sluice_registry_init (sluice_kernel_modules ());
      sluice_passes_init ();
      g_once_init_leave (&done, 1);
    }
}

void
sluice_api_begin_graphs (void)
{
  sluice_init ();
  atomic_store_explicit (&has_graphs, 1, memory_order_relaxed);
}

const char *
sluice_get_version (void)
{
  return SLUICE_VERSION;
}

void
sluice_set_threads (guint n)
{
  sluice_pool_set_threads (n);
}

gboolean
sluice_load_plugin (const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, FALSE);
  sluice_init ();
  if (atomic_load_explicit (&has_graphs, memory_order_relaxed))
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "plugin '%s': plugins are loaded before the first graph or session is made",
                        path);
  return sluice_plugin_load (path, error);
}

SluiceOp *
sluice_op_share (SluiceOp *self)
{
  return self;
}

void
sluice_op_release (SluiceOp *self)
{
}

char **
sluice_list_ops (void)
{
  sluice_init ();
  guint n;
  const SluiceOp *const *ops = sluice_registry_list (&n);
  char **names = g_new (char *, n + 1);
  for (guint i = 0; i < n; i++)
    names[i] = g_strdup (ops[i]->name);
  names[n] = NULL;
  return names;
}

SluiceOp *
sluice_find_op (const char *name, GError **error)
{
  g_return_val_if_fail (name != NULL, NULL);
  sluice_init ();
  const SluiceOp *op = sluice_registry_find (name);
  if (op == NULL)
    {
      const char *hint = sluice_registry_suggest_name (name);
      sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is no op '%s'%s%s%s", name,
                   hint != NULL ? "; did you mean '" : "", hint != NULL ? hint : "",
                   hint != NULL ? "'?" : "");
    }
  return (SluiceOp *) op;
}

const char *
sluice_op_get_name (SluiceOp *self)
{
  return self->name;
}

const char *
sluice_op_get_summary (SluiceOp *self)
{
  return _ (self->def->summary);
}

const char *
sluice_op_get_signature (SluiceOp *self)
{
  return self->def->signature;
}

const char *
sluice_op_get_attrs (SluiceOp *self)
{
  return self->def->attrs != NULL ? self->def->attrs : "";
}

gboolean
sluice_op_is_stateful (SluiceOp *self)
{
  return (self->def->flags & SLUICE_OP_STATEFUL) != 0;
}

gboolean
sluice_op_has_gradient (SluiceOp *self)
{
  return self->def->gradient != NULL;
}
