/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What changes each string by itself: case, white space at the ends. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/string/text.h"

/* ---- case ---- */

typedef struct
{
  gboolean utf8, up;
} Case;

static gpointer
case_prepare (const SluiceNode *node, GError **error)
{
  gboolean utf8 = sluice_node_string_is (node, "encoding", "utf-8");
  if (!utf8 && sluice_node_get_string (node, "encoding")->length > 0)
    {
      g_autofree char *encoding = sluice_node_dup_text (node, "encoding");
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "encoding must be 'utf-8' or '' (bytes, ASCII), not '%s'", encoding);
      return NULL;
    }
  Case *self = g_new (Case, 1);
  *self = (Case){ utf8, g_str_equal (node->op_name, "StringUpper") };
  return self;
}

enum
{
  CAPITAL_SIGMA = 0x3a3,
  FINAL_SIGMA = 0x3c2,
  SMALL_SIGMA = 0x3c3
};

/* Unicode's "case-ignorable": what may stand within a word. */
static gboolean
is_ignorable (gunichar c)
{
  switch (g_unichar_type (c))
    {
    case G_UNICODE_NON_SPACING_MARK:
    case G_UNICODE_ENCLOSING_MARK:
    case G_UNICODE_FORMAT:
    case G_UNICODE_MODIFIER_LETTER:
    case G_UNICODE_MODIFIER_SYMBOL:
      return TRUE;
    default:
      return c == '\'' || c == '.' || c == ':' || c == 0xb7 || c == 0x2018 || c == 0x2019
             || c == 0x2024 || c == 0x2027;
    }
}

/* Does a letter with a case stand next, in the direction of step? */
static gboolean
has_cased (const char *text, const char *at, int step)
{
  for (;;)
    {
      if (step < 0 ? at == text : *at == '\0')
        return FALSE;
      at = step < 0 ? g_utf8_prev_char (at) : at;
      gunichar c = g_utf8_get_char (at);
      if (!is_ignorable (c))
        return g_unichar_islower (c) || g_unichar_isupper (c) || g_unichar_istitle (c);
      at = step < 0 ? at : g_utf8_next_char (at);
    }
}

/* A sigma at the end of a word has a small form of its own, which GLib gives to others too. */
static char *
lower_sigmas (const char *text)
{
  GString *out = g_string_new (NULL);
  for (const char *at = text; *at; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      if (c == CAPITAL_SIGMA)
        c = has_cased (text, at, -1) && !has_cased (text, g_utf8_next_char (at), 1) ? FINAL_SIGMA
                                                                                    : SMALL_SIGMA;
      g_string_append_unichar (out, c);
    }
  return g_string_free (out, FALSE);
}

/* Valid UTF-8 up to the first NUL, as TensorFlow hands it to ICU. (transfer full) */
static char *
dup_valid (const SluiceString *text)
{
  GString *valid = g_string_new (NULL);
  const guint8 *at = (const guint8 *) text->data, *end = text->length ? at + text->length : at;
  while (at < end && *at != '\0')
    {
      gint32 c = sluice_utf8_next (&at, end);
      g_string_append_unichar (valid, c < 0 ? 0xfffd : (gunichar) c);
    }
  return g_string_free (valid, FALSE);
}

static gboolean
change_case (gpointer data, gint64 i, GError **error)
{
  const SluiceTextMap *map = data;
  const Case *self = map->state;
  const SluiceString *from = &map->in[i];
  SluiceString *to = sluice_tensor_get_string (map->out, i);
  if (self->utf8)
    {
      g_autofree char *valid = dup_valid (from);
      g_autofree char *ready = self->up ? NULL : lower_sigmas (valid);
      char *changed = self->up ? g_utf8_strup (valid, -1) : g_utf8_strdown (ready, -1);
      sluice_string_take (to, changed, strlen (changed));
      return TRUE;
    }
  sluice_string_set (to, from->data, from->length);
  for (gsize k = 0; k < to->length; k++)
    to->data[k] = self->up ? g_ascii_toupper (to->data[k]) : g_ascii_tolower (to->data[k]);
  return TRUE;
}

static gboolean
case_compute (SluiceKernelCall *call)
{
  return sluice_call_map_text (call, call->state, 100, change_case);
}

/* ---- white space ---- */

static gboolean
strip (gpointer data, gint64 i, GError **error)
{
  const SluiceTextMap *map = data;
  const char *at = map->in[i].data;
  gsize length = map->in[i].length;
  while (length > 0 && sluice_is_space (at[length - 1]))
    length--;
  for (; length > 0 && sluice_is_space (*at); length--)
    at++;
  sluice_string_set (sluice_tensor_get_string (map->out, i), at, length);
  return TRUE;
}

static gboolean
strip_compute (SluiceKernelCall *call)
{
  return sluice_call_map_text (call, NULL, 50, strip);
}

/* ---- definitions ---- */

#define RECIPE(id, ...)                                                                            \
  static const SluiceSample id##_samples[] = { __VA_ARGS__ };                                      \
  static const SluiceRecipe id##_recipe = { .samples = id##_samples,                               \
                                            .n_samples = G_N_ELEMENTS (id##_samples) }
#define EDIT_OP(id, op_name, recipe_id, op_attrs, text)                                            \
  SLUICE_OP_DEF (id##_op, op_name, "input: string -> output: string", op_attrs,                    \
                 SLUICE_OP_NOT_DIFFERENTIABLE, sluice_shape_unchanged, &recipe_id##_recipe, text)

RECIPE (case,
        { "", "string[3]={'aBc','','ÀÉx'}" },
        { "encoding='utf-8'", "string[2]={'ÀÉxß',''}" },
        { "", "string[0]={}" });
RECIPE (strip, { "", "string[2,2]={' a ','','b','  '}" });

EDIT_OP (strip, "StringStrip", strip, NULL, N_ ("Strings without white space at their ends"));
EDIT_OP (lower, "StringLower", case, "encoding: string = ''", N_ ("Strings in lower case"));
EDIT_OP (upper, "StringUpper", case, "encoding: string = ''", N_ ("Strings in upper case"));

static const SluiceOpDef *const ops[] = {
  &strip_op,
  &lower_op,
  &upper_op,
};

#define KERNEL(name, ...)                                                                          \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS, .free_state = g_free,     \
    __VA_ARGS__                                                                                    \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("StringLower", .prepare = case_prepare, .compute = case_compute),
  KERNEL ("StringUpper", .prepare = case_prepare, .compute = case_compute),
  KERNEL ("StringStrip", .compute = strip_compute),
};

const SluiceKernelModule sluice_module_string_edit = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
