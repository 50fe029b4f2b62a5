/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/show-parameters.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cli.h"
#include "engine/train/parameters.h"

/* What a group of variables comes to. Sums in double stay exact up to 2^53 and cannot overflow. */
typedef struct
{
  guint n, n_unknown; /* n_unknown: without a known shape, not in the sums */
  double n_elements, n_bytes;
} Sum;

static const char *const kind_names[] = { "trained", "slot", "other" };
static const char *const kind_texts[] = { N_ ("trained"), N_ ("state of optimizers"),
                                          N_ ("other") };

static double
count_bytes (const SluiceParameter *parameter)
{
  return (double) parameter->n_elements * (double) sluice_dtype_size (parameter->dtype);
}

static void
add_to_sum (Sum *sum, const SluiceParameter *parameter)
{
  sum->n++;
  if (parameter->n_elements < 0)
    {
      sum->n_unknown++;
      return;
    }
  sum->n_elements += (double) parameter->n_elements;
  sum->n_bytes += count_bytes (parameter);
}

/* "a/b" of "a/b/c"; "" at the top. (transfer full) */
static char *
dup_scope (const char *name)
{
  const char *slash = strrchr (name, '/');
  return g_strndup (name, slash != NULL ? (gsize) (slash - name) : 0);
}

/* By kind, scope and name. */
static int
compare_parameters (gconstpointer a, gconstpointer b)
{
  const SluiceParameter *x = a, *y = b;
  g_autofree char *p = dup_scope (x->node->name), *q = dup_scope (y->node->name);
  int scopes = strcmp (p, q);
  if (x->kind != y->kind)
    return (int) x->kind - (int) y->kind;
  return scopes != 0 ? scopes : strcmp (x->node->name, y->node->name);
}

/* The rows from @from on that are of its kind and, where @scope is given, directly in that scope.
 * Returns the row behind them. */
static guint
sum_up (const GArray *rows, guint from, const char *scope, Sum *sum)
{
  const SluiceParameter *first = &g_array_index (rows, SluiceParameter, from);
  guint i = from;
  *sum = (Sum){ 0 };
  for (; i < rows->len; i++)
    {
      const SluiceParameter *row = &g_array_index (rows, SluiceParameter, i);
      g_autofree char *its = dup_scope (row->node->name);
      if (row->kind != first->kind || (scope != NULL && strcmp (its, scope) != 0))
        break;
      add_to_sum (sum, row);
    }
  return i;
}

/* ---- text ---- */

static void
print_line (const char *name, const char *dtype, const char *shape, const Sum *sum)
{
  printf ("%-44s %-10s %-18s ", name, dtype, shape);
  if (sum->n_unknown == sum->n)
    printf ("%14s %16s\n", "?", "?");
  else
    printf ("%14.0f %16.0f\n", sum->n_elements, sum->n_bytes);
}

static void
print_group (const char *indent, const char *name, const Sum *sum)
{
  g_autofree char *text = g_strconcat (indent, name, NULL);
  g_autofree char *count = g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE, "%u variable", "%u variables", sum->n), sum->n);
  print_line (text, "", count, sum);
  if (sum->n_unknown > 0 && sum->n_unknown < sum->n)
    printf (_ ("%swithout those of unknown shape: %u\n"), indent, sum->n_unknown);
}

static void
print_variable (const SluiceParameter *row)
{
  char shape[SLUICE_SHAPE_STR];
  const char *slash = strrchr (row->node->name, '/');
  g_autofree char *text = g_strconcat ("    ", slash != NULL ? slash + 1 : row->node->name, NULL);
  Sum sum = { 0 };
  add_to_sum (&sum, row);
  print_line (text, sluice_dtype_name (row->dtype), sluice_shape_str (&row->shape, shape), &sum);
}

static void
print_variables (const GArray *rows)
{
  Sum sum;
  for (guint i = 0, end = 0; i < rows->len; i = end)
    {
      SluiceParameterKind kind = g_array_index (rows, SluiceParameter, i).kind;
      end = sum_up (rows, i, NULL, &sum);
      print_group ("", _ (kind_texts[kind]), &sum);
      for (guint k = i, scope_end = i; k < end; k = scope_end)
        {
          g_autofree char *scope = dup_scope (g_array_index (rows, SluiceParameter, k).node->name);
          scope_end = sum_up (rows, k, scope, &sum);
          print_group ("  ", *scope != '\0' ? scope : _ ("(no scope)"), &sum);
          for (guint row = k; row < scope_end; row++)
            print_variable (&g_array_index (rows, SluiceParameter, row));
        }
    }
  sum = (Sum){ 0 };
  for (guint i = 0; i < rows->len; i++)
    add_to_sum (&sum, &g_array_index (rows, SluiceParameter, i));
  print_group ("", _ ("all"), &sum);
}

static void
print_broadcast (const SluiceDoubleBroadcast *broadcast)
{
  const SluiceNode *node = broadcast->node;
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR], out[SLUICE_SHAPE_STR];
  printf (_ ("suspicious: %s '%s' makes %s of %s and %s, repeating both"), node->op_name,
          node->name, sluice_shape_str (&node->outputs[0].shape, out),
          sluice_shape_str (sluice_edge_shape (node->inputs[0]), a),
          sluice_shape_str (sluice_edge_shape (node->inputs[1]), b));
  if (broadcast->is_initial)
    printf (_ ("; variable '%s' begins with that"), broadcast->variable->name);
  else if (broadcast->variable != NULL)
    printf (_ ("; one of them is variable '%s'"), broadcast->variable->name);
  putchar ('\n');
}

/* ---- JSON ---- */

static void
add_sum (JsonBuilder *b, const Sum *sum)
{
  sluice_cli_json_int (b, "variables", sum->n);
  sluice_cli_json_int (b, "unknown", sum->n_unknown);
  sluice_cli_json_double (b, "elements", sum->n_elements);
  sluice_cli_json_double (b, "bytes", sum->n_bytes);
}

static void
add_variable (JsonBuilder *b, const SluiceParameter *row)
{
  g_autofree char *scope = dup_scope (row->node->name);
  Sum sum = { 0 };
  add_to_sum (&sum, row);
  json_builder_begin_object (b);
  sluice_cli_json_string (b, "name", row->node->name);
  sluice_cli_json_string (b, "scope", scope);
  sluice_cli_json_string (b, "kind", kind_names[row->kind]);
  sluice_cli_json_string (b, "dtype", sluice_dtype_name (row->dtype));
  sluice_cli_json_shape (b, "shape", &row->shape);
  add_sum (b, &sum);
  json_builder_end_object (b);
}

/* Sums by kind, or by kind and scope. */
static void
add_groups (JsonBuilder *b, const char *name, const GArray *rows, gboolean by_scope)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
  for (guint i = 0, end = 0; i < rows->len; i = end)
    {
      const SluiceParameter *row = &g_array_index (rows, SluiceParameter, i);
      g_autofree char *scope = by_scope ? dup_scope (row->node->name) : NULL;
      Sum sum;
      end = sum_up (rows, i, scope, &sum);
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "kind", kind_names[row->kind]);
      if (by_scope)
        sluice_cli_json_string (b, "scope", scope);
      add_sum (b, &sum);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
add_broadcast (JsonBuilder *b, const SluiceDoubleBroadcast *broadcast)
{
  const SluiceNode *node = broadcast->node;
  json_builder_begin_object (b);
  sluice_cli_json_string (b, "node", node->name);
  sluice_cli_json_string (b, "op", node->op_name);
  sluice_cli_json_string (b, "variable",
                          broadcast->variable != NULL ? broadcast->variable->name : NULL);
  sluice_cli_json_bool (b, "initial_value", broadcast->is_initial);
  sluice_cli_json_shape (b, "first", sluice_edge_shape (node->inputs[0]));
  sluice_cli_json_shape (b, "second", sluice_edge_shape (node->inputs[1]));
  sluice_cli_json_shape (b, "result", &node->outputs[0].shape);
  json_builder_end_object (b);
}

static void
print_as_json (const GArray *rows, const GArray *broadcasts)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  json_builder_set_member_name (b, "variables");
  json_builder_begin_array (b);
  for (guint i = 0; i < rows->len; i++)
    add_variable (b, &g_array_index (rows, SluiceParameter, i));
  json_builder_end_array (b);
  add_groups (b, "scopes", rows, TRUE);
  add_groups (b, "kinds", rows, FALSE);
  json_builder_set_member_name (b, "broadcasts");
  json_builder_begin_array (b);
  for (guint i = 0; i < broadcasts->len; i++)
    add_broadcast (b, &g_array_index (broadcasts, SluiceDoubleBroadcast, i));
  json_builder_end_array (b);
  sluice_cli_json_end (b);
}

int
sluice_cli_show_parameters (SluiceGraph *graph, GError **error)
{
  g_autoptr (GArray) rows = sluice_graph_dup_parameters (graph, error);
  if (rows == NULL)
    return EXIT_FAILED;
  g_autoptr (GArray) broadcasts = sluice_graph_dup_broadcasts (graph);
  g_array_sort (rows, compare_parameters);
  if (sluice_cli_json)
    {
      print_as_json (rows, broadcasts);
      return EXIT_OK;
    }
  print_variables (rows);
  for (guint i = 0; i < broadcasts->len; i++)
    print_broadcast (&g_array_index (broadcasts, SluiceDoubleBroadcast, i));
  return EXIT_OK;
}
