/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * RegexReplace, RegexFullMatch and their forms whose pattern is an attribute. Patterns follow RE2
 * (kernels/string/regex.h).
 */
#include "kernels/string/regex.h"

#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/string/text.h"

static gboolean
pattern_shape (SluiceShapeContext *c, GError **error)
{
  for (guint i = 1; i < c->n_inputs; i++)
    if (!sluice_shape_context_want_rank (c, i, 0, error))
      return FALSE;
  return sluice_shape_unchanged (c, error);
}

typedef struct
{
  SluiceRegex *regex;     /* (nullable): of the attribute */
  SluiceRegexCache cache; /* of the input; what a call gets does not depend on it */
  SluiceString rewrite;
  gboolean all;
} Static;

static void
static_free (gpointer state)
{
  Static *self = state;
  g_clear_pointer (&self->regex, sluice_regex_unref);
  sluice_regex_cache_clear (&self->cache);
  g_free (self->rewrite.data);
  g_free (self);
}

static gpointer
static_prepare (const SluiceNode *node, GError **error)
{
  Static *self = g_new0 (Static, 1);
  sluice_regex_cache_init (&self->cache);
  if (sluice_op_find_attr (node->op, "replace_global"))
    self->all = sluice_node_get_bool (node, "replace_global");
  if (sluice_op_find_attr (node->op, "rewrite"))
    {
      const SluiceString *rewrite = sluice_node_get_string (node, "rewrite");
      sluice_string_set (&self->rewrite, rewrite->data, rewrite->length);
    }
  if (sluice_op_find_attr (node->op, "pattern") == NULL)
    return self;
  g_autoptr (GError) reason = NULL;
  self->regex = sluice_regex_new (sluice_node_get_string (node, "pattern"), &reason);
  if (self->regex != NULL)
    return self;
  sluice_node_fail (node, error, reason->code, "%s", reason->message);
  static_free (self);
  return NULL;
}

typedef struct
{
  const SluiceRegex *regex;
  const SluiceString *rewrite;
  gboolean all;
  SluiceTextMap map;
} Task;

static gboolean
replace_one (gpointer data, gint64 i, GError **error)
{
  const Task *task = data;
  return sluice_regex_replace (task->regex, &task->map.in[i], task->rewrite, task->all,
                               sluice_tensor_get_string (task->map.out, i), error);
}

static gboolean
match_one (gpointer data, gint64 i, GError **error)
{
  const Task *task = data;
  gboolean matches;
  if (!sluice_regex_match_all (task->regex, &task->map.in[i], &matches, error))
    return FALSE;
  ((guint8 *) task->map.out->data)[i] = matches;
  return TRUE;
}

static gboolean
regex_compute (SluiceKernelCall *call)
{
  Static *self = call->state;
  SluiceTensor *in = sluice_call_input (call, 0);
  g_autoptr (SluiceRegex) given = NULL;
  for (guint i = 1; i < call->n_inputs; i++)
    if (!sluice_call_want_scalar (call, i))
      return FALSE;
  if (self->regex == NULL)
    {
      g_autoptr (GError) error = NULL;
      given = sluice_regex_cache_get (&self->cache, sluice_call_input (call, 1)->data, &error);
      if (given == NULL)
        return sluice_call_fail (call, error->code, "%s", error->message);
    }
  Task task = { given ? given : self->regex,
                call->n_inputs > 2 ? sluice_call_input (call, 2)->data : &self->rewrite,
                self->all,
                { in->data, sluice_call_output (call, 0, &in->shape), NULL } };
  SluiceEachFunc func = (SluiceEachFunc) call->kernel->data;
  return task.map.out != NULL && sluice_call_each (call, in->n_elements, 500, func, &task);
}

#define RECIPE(id, attrs, inputs)                                                                  \
  static const SluiceSample id##_samples[] = {                                                     \
    { attrs, "string[3]={'foo bar','baz','aaa'}" inputs },                                         \
    { attrs, "string[0]={}" inputs },                                                              \
  };                                                                                               \
  static const SluiceRecipe id##_recipe = { .samples = id##_samples,                               \
                                            .n_samples = G_N_ELEMENTS (id##_samples) }
RECIPE (replace, "", "; string[]='(a)[^b]'; string[]='<\\1>'");
RECIPE (static_replace, "pattern='[ao]+'; rewrite='<\\0>'; replace_global=false", "");
RECIPE (match, "", "; string[]='a+|b.*'");
RECIPE (static_match, "pattern='a{3}'", "");

#define REGEX_OP(id, op_name, inputs, output, op_attrs, text)                                      \
  SLUICE_OP_DEF (id##_op, op_name, "input: string" inputs " -> output: " output, op_attrs,         \
                 SLUICE_OP_NOT_DIFFERENTIABLE, pattern_shape, &id##_recipe, text)
#define REPLACE_TEXT N_ ("Strings with what matches a pattern replaced")
#define MATCH_TEXT   N_ ("Which strings match a pattern as a whole")
REGEX_OP (replace,
          "RegexReplace",
          ", pattern: string, rewrite: string",
          "string",
          "replace_global: bool = true",
          REPLACE_TEXT);
REGEX_OP (static_replace,
          "StaticRegexReplace",
          "",
          "string",
          "pattern: string; rewrite: string; replace_global: bool = true",
          REPLACE_TEXT);
REGEX_OP (match, "RegexFullMatch", ", pattern: string", "bool", NULL, MATCH_TEXT);
REGEX_OP (static_match, "StaticRegexFullMatch", "", "bool", "pattern: string", MATCH_TEXT);

static const SluiceOpDef *const ops[] = { &replace_op, &static_replace_op, &match_op,
                                          &static_match_op };

#define KERNEL(name, function)                                                                     \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS,                           \
    .prepare = static_prepare, .free_state = static_free, .compute = regex_compute,                \
    .data = (gpointer) function                                                                    \
  }
static const SluiceKernel kernels[] = {
  KERNEL ("RegexReplace", replace_one),
  KERNEL ("StaticRegexReplace", replace_one),
  KERNEL ("RegexFullMatch", match_one),
  KERNEL ("StaticRegexFullMatch", match_one),
};

const SluiceKernelModule sluice_module_string_regex_ops = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
