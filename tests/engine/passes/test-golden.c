/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * test-golden [--write] FILE...: graphs in, work graphs out. A file has cases:
 *
 *   == what it shows
 *   x = Placeholder {dtype=float; shape=[2]}
 *   c = Const int32 [1,2] ^x                 a number, a list, or dtype and either; float without
 *   s = AddV2 (x, other:1) ^before @/cpu:1 {attributes as samples of ops have them}
 *   i = Identity (s) _class=x                no other attributes then
 *   loop:1 <- next                           input 1 of the Merge `loop` is given later
 *   feed x          fetch s          target t
 *   partial                                  a partial run
 *   seed 7                                   of an order by lot
 *   limit                                    of every device's memory
 *   pass fold merge                          the last one is what the case shows
 *   --
 *   the work graph after them, as engine/passes/text.h writes it, or "error: …"
 *
 * Besides prune, which always comes first, passes run that bring about what the named ones require.
 * After each pass what analysis.h would give must be what is so. --write, which no build calls,
 * replaces the outcomes by what comes out: read the difference before it is committed.
 */
#include <stdio.h>
#include <string.h>

#include "engine/passes/analysis.h"
#include "engine/passes/passes.h"
#include "engine/passes/text.h"
#include "kernels/registry.h"

#define N_DEVICES 3

typedef struct
{
  const char *path;
  char *title;
  GPtrArray *input;  /* lines */
  GString *expected; /* lines */
  GString *found;
} Case;

typedef struct
{
  SluiceGraph *graph;
  GArray *feeds, *fetches; /* of SluiceEdge */
  GPtrArray *targets;
  gboolean is_partial, has_limit;
  guint64 seed;
  char **passes;
} Program;

/* ---- the notation ---- */

static G_GNUC_NORETURN void
fail (const Case *c, const char *line, const char *what)
{
  g_error ("%s, \"%s\": %s: %s", c->path, c->title, line, what);
}

static SluiceEdge
edge_of (const Case *c, Program *p, const char *text)
{
  g_autoptr (GError) error = NULL;
  SluiceEdge edge;
  if (!sluice_graph_parse_edge (p->graph, text, &edge, &error))
    fail (c, text, error->message);
  return edge;
}

static SluiceNode *
node_of (const Case *c, Program *p, const char *name)
{
  SluiceNode *node = sluice_graph_find (p->graph, name);
  if (!node)
    fail (c, name, "there is no such node");
  return node;
}

/* "float 7", "[1,2]", "int32 [0]", "bool true": the attributes of a Const. */
static guint
parse_const (const Case *c, const char *text, SluiceAttr *attrs)
{
  g_auto (GStrv) words = g_strsplit (text, " ", 2);
  gboolean has_dtype = words[0] && words[1];
  SluiceDType dtype = has_dtype ? sluice_dtype_from_name (words[0]) : SLUICE_FLOAT;
  char *values = words[has_dtype];
  SluiceShape shape = SLUICE_SHAPE_SCALAR;
  gboolean is_list = *values == '[';
  if (is_list)
    {
      values[strlen (values) - 1] = '\0';
      values++;
    }
  g_auto (GStrv) numbers = g_strsplit (values, ",", -1);
  guint n = g_strv_length (numbers);
  if (is_list)
    shape = (SluiceShape){ .rank = 1, .dim = { n } };
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new (NULL, dtype, &shape, (SluiceOwner){ 0 });
  for (guint i = 0; i < n; i++)
    if (dtype == SLUICE_FLOAT)
      ((float *) tensor->data)[i] = (float) g_ascii_strtod (numbers[i], NULL);
    else if (dtype == SLUICE_INT32)
      ((gint32 *) tensor->data)[i] = (gint32) g_ascii_strtoll (numbers[i], NULL, 10);
    else if (dtype == SLUICE_BOOL)
      ((guint8 *) tensor->data)[i] = strcmp (numbers[i], "true") == 0;
    else
      fail (c, text, "float, int32 and bool are what constants may be");
  attrs[0] = sluice_attr_type ("dtype", dtype);
  attrs[1] = sluice_attr_tensor ("value", g_steal_pointer (&tensor));
  return 2;
}

/* What stands between `open` and `close`, which are blanked. (transfer full) (nullable) */
static char *
take_out (char *line, char open, char close)
{
  char *from = strchr (line, open), *to = from ? strrchr (from, close) : NULL;
  if (!to)
    return NULL;
  char *text = g_strndup (from + 1, (gsize) (to - from - 1));
  memset (from, ' ', (gsize) (to - from + 1));
  return text;
}

/* An attribute of its own: nodes that stand together have no others here. */
static SluiceAttr
colocate (const char *with)
{
  char *text = g_strconcat ("loc:@", with, NULL);
  SluiceAttrValue *item = g_new0 (SluiceAttrValue, 1);
  *item = (SluiceAttrValue){ SLUICE_ATTR_STRING, .s = { text, strlen (text) } };
  return (SluiceAttr){ sluice_intern ("_class"),
                       { SLUICE_ATTR_LIST, .list = { .items = item, .n = 1 } } };
}

/* Words behind the inputs: control inputs, the device, _class, which goes to @together. */
static void
parse_words (const Case *c,
             Program *p,
             const char *text,
             SluiceNodeSpec *spec,
             SluiceAttr *together,
             GPtrArray *before)
{
  g_auto (GStrv) words = g_strsplit_set (text, " ", -1);
  for (guint i = 0; words[i]; i++)
    if (words[i][0] == '^')
      g_ptr_array_add (before, node_of (c, p, words[i] + 1));
    else if (g_str_has_prefix (words[i], "_class="))
      {
        *together = colocate (words[i] + strlen ("_class="));
        spec->attrs = together;
      }
    else if (words[i][0] == '@')
      spec->device = sluice_intern (words[i] + 1);
    else if (words[i][0])
      fail (c, words[i], "is no control input and no device");
}

static void
parse_inputs (const Case *c, Program *p, const char *text, GArray *inputs)
{
  g_auto (GStrv) names = g_strsplit (text ? text : "", ",", -1);
  for (guint i = 0; names[i]; i++)
    {
      SluiceEdge edge = edge_of (c, p, g_strstrip (names[i]));
      g_array_append_val (inputs, edge);
    }
}

/* "name = Op (inputs) ^before @device {attributes}" */
static void
parse_node (const Case *c, Program *p, const char *line)
{
  g_auto (GStrv) sides = g_strsplit (line, " = ", 2);
  g_auto (GStrv) words = g_strsplit (sides[1], " ", 2);
  g_autofree char *rest = g_strdup (words[1] ? words[1] : "");
  g_autofree char *given = take_out (rest, '{', '}');
  g_autofree char *from = take_out (rest, '(', ')');
  const SluiceOp *op = sluice_registry_find (words[0]);
  SluiceAttr constant[2], together, *attrs = constant;
  g_autofree SluiceAttr *parsed = NULL;
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (SluiceEdge));
  g_autoptr (GPtrArray) before = g_ptr_array_new ();
  SluiceNodeSpec spec = { .name = sides[0], .op = words[0] };
  if (!op)
    fail (c, line, "there is no such op");
  parse_inputs (c, p, from, inputs);
  if (op->def->role == SLUICE_ROLE_CONST)
    {
      char *end = strpbrk (rest, "^@");
      g_autofree char *value =
          g_strstrip (end ? g_strndup (rest, (gsize) (end - rest)) : g_strdup (rest));
      spec.n_attrs = parse_const (c, value, constant);
      memset (rest, ' ', end ? (gsize) (end - rest) : strlen (rest));
    }
  else
    attrs = parsed = sluice_op_parse_sample (op, given, &spec.n_attrs);
  parse_words (c, p, rest, &spec, &together, before);
  spec.inputs = (const SluiceEdge *) inputs->data;
  spec.n_inputs = inputs->len;
  spec.control_inputs = (SluiceNode *const *) before->pdata;
  spec.n_control_inputs = before->len;
  if (spec.attrs == &together)
    {
      g_assert (spec.n_attrs == 0);
      attrs = &together;
      spec.n_attrs = 1;
    }
  spec.attrs = attrs;
  g_autoptr (GError) error = NULL;
  if (!sluice_graph_add (p->graph, &spec, &error))
    fail (c, line, error->message);
  for (guint i = 0; i < spec.n_attrs; i++)
    sluice_attr_value_clear (&attrs[i].value);
}

/* "merge:1 <- next" */
static void
parse_back_edge (const Case *c, Program *p, const char *line)
{
  g_auto (GStrv) sides = g_strsplit (line, " <- ", 2);
  char *colon = strchr (sides[0], ':');
  guint input = (guint) g_ascii_strtoull (colon + 1, NULL, 10);
  *colon = '\0';
  g_autoptr (GError) error = NULL;
  if (!sluice_graph_set_input (p->graph, node_of (c, p, sides[0]), input, edge_of (c, p, sides[1]),
                               &error))
    fail (c, line, error->message);
}

static void
parse_line (const Case *c, Program *p, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", 0);
  if (strstr (line, " = "))
    parse_node (c, p, line);
  else if (strstr (line, " <- "))
    parse_back_edge (c, p, line);
  else if (strcmp (words[0], "feed") == 0 || strcmp (words[0], "fetch") == 0)
    for (guint i = 1; words[i]; i++)
      {
        SluiceEdge edge = edge_of (c, p, words[i]);
        g_array_append_val (words[0][2] == 'e' ? p->feeds : p->fetches, edge);
      }
  else if (strcmp (words[0], "target") == 0)
    for (guint i = 1; words[i]; i++)
      g_ptr_array_add (p->targets, node_of (c, p, words[i]));
  else if (strcmp (words[0], "partial") == 0)
    p->is_partial = TRUE;
  else if (strcmp (words[0], "limit") == 0)
    p->has_limit = TRUE;
  else if (strcmp (words[0], "seed") == 0)
    p->seed = g_ascii_strtoull (words[1], NULL, 10);
  else if (strcmp (words[0], "pass") == 0)
    p->passes = g_strdupv (words + 1);
  else
    fail (c, line, "is nothing that a case may have");
}

/* ---- passes ---- */

static guint
number_of (const Case *c, const char *name)
{
  guint n;
  const SluicePass *const *passes = sluice_passes_list (&n);
  for (guint i = 0; i < n; i++)
    if (strcmp (passes[i]->name, name) == 0)
      return i;
  fail (c, name, "there is no such pass");
}

/* Marks what a pass requires, directly or not. */
static void
mark_required (guint at, guint8 *runs)
{
  guint n, needed;
  const SluicePass *const *passes = sluice_passes_list (&n);
  needed = passes[at]->requires;
  for (guint i = at; i-- > 0;)
    if (passes[i]->provides & needed)
      {
        runs[i] = 1;
        needed |= passes[i]->requires;
      }
}

static void
assert_same (const char *pass, const void *kept, const void *fresh, gsize bytes)
{
  if (memcmp (kept, fresh, bytes) != 0)
    g_error ("the pass '%s' has changed edges without sluice_work_touch()", pass);
}

/* What was found out before the pass is not given as true behind it. */
static void
check_analysis (const char *pass, SluiceWork *work)
{
  guint n = work->nodes->len;
  const SluiceUses *kept = sluice_analysis_get_uses (work);
  SluiceUses *fresh = sluice_uses_new (work);
  for (guint i = 0; i < n; i++)
    g_assert_cmpuint (((SluiceWorkNode *) work->nodes->pdata[i])->index, ==, i);
  g_assert_cmpuint (kept->n, ==, n);
  assert_same (pass, kept->first, fresh->first, (n + 1) * sizeof *fresh->first);
  assert_same (pass, kept->users, fresh->users, fresh->first[n] * sizeof *fresh->users);
  assert_same (pass, kept->is_back, fresh->is_back, n);
  assert_same (pass, kept->is_wanted, fresh->is_wanted, n);
  sluice_uses_free (fresh);
}

static SluiceWork *
run_passes (const Case *c, Program *p, const SluicePassOptions *options, GError **error)
{
  guint n;
  const SluicePass *const *passes = sluice_passes_list (&n);
  g_autofree guint8 *runs = g_new0 (guint8, n);
  g_autoptr (SluiceWork) work = sluice_work_new (options->devices, options->max_rank);
  runs[number_of (c, "prune")] = 1;
  for (guint i = 0; p->passes && p->passes[i]; i++)
    {
      guint at = number_of (c, p->passes[i]);
      runs[at] = 1;
      mark_required (at, runs);
    }
  for (guint i = 0; i < n; i++)
    {
      if (!runs[i])
        continue;
      if (!sluice_pass_run (passes[i], work, options, error))
        return NULL;
      check_analysis (passes[i]->name, work);
    }
  return g_steal_pointer (&work);
}

static void
run_program (Case *c, Program *p)
{
  g_autoptr (GPtrArray) devices =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_device_free);
  g_autoptr (SluicePlacements) placements = sluice_placements_new ();
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < N_DEVICES; i++)
    g_ptr_array_add (devices, sluice_device_new_cpu (NULL, i, p->has_limit ? 1 << 20 : 0, NULL));
  SluiceSignature signature = { (const SluiceEdge *) p->feeds->data,
                                p->feeds->len,
                                (const SluiceEdge *) p->fetches->data,
                                p->fetches->len,
                                (SluiceNode *const *) p->targets->pdata,
                                p->targets->len,
                                p->is_partial };
  SluicePassOptions options = { .signature = &signature,
                                .placements = placements,
                                .devices = (SluiceDevice *const *) devices->pdata,
                                .max_rank = G_MAXINT,
                                .order_seed = p->seed };
  sluice_place (p->graph, options.devices, N_DEVICES, 0, FALSE, NULL, placements);
  g_autoptr (SluiceWork) work = run_passes (c, p, &options, &error);
  g_autoptr (SluiceWorkText) text = work ? sluice_work_text_new (work) : NULL;
  g_autofree char *lines = text ? sluice_work_text_dup (text) : NULL;
  c->found = g_string_new (lines);
  if (!work)
    g_string_append_printf (c->found, "error: %s\n", error->message);
}

static void
run_case (Case *c)
{
  Program p = { .graph = sluice_graph_new (),
                .feeds = g_array_new (FALSE, FALSE, sizeof (SluiceEdge)),
                .fetches = g_array_new (FALSE, FALSE, sizeof (SluiceEdge)),
                .targets = g_ptr_array_new () };
  for (guint i = 0; i < c->input->len; i++)
    parse_line (c, &p, c->input->pdata[i]);
  run_program (c, &p);
  g_strfreev (p.passes);
  g_array_unref (p.feeds);
  g_array_unref (p.fetches);
  g_ptr_array_unref (p.targets);
  sluice_graph_unref (p.graph);
}

/* ---- files ---- */

static void
case_free (gpointer data)
{
  Case *c = data;
  g_free (c->title);
  g_ptr_array_unref (c->input);
  g_string_free (c->expected, TRUE);
  if (c->found)
    g_string_free (c->found, TRUE);
  g_free (c);
}

/* The lines before the first case go to `head`. */
static GPtrArray *
read_cases (const char *path, GString *head)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  if (!g_file_get_contents (path, &text, NULL, &error))
    g_error ("%s", error->message);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GPtrArray *cases = g_ptr_array_new_with_free_func (case_free);
  Case *c = NULL;
  gboolean is_input = FALSE;
  for (guint i = 0; lines[i]; i++)
    if (g_str_has_prefix (lines[i], "== "))
      {
        c = g_new0 (Case, 1);
        *c = (Case){ path, g_strdup (lines[i] + 3), g_ptr_array_new_with_free_func (g_free),
                     g_string_new (NULL), NULL };
        g_ptr_array_add (cases, c);
        is_input = TRUE;
      }
    else if (!c)
      g_string_append_printf (head, "%s\n", lines[i]);
    else if (strcmp (lines[i], "--") == 0)
      is_input = FALSE;
    else if (lines[i][0] && is_input)
      g_ptr_array_add (c->input, g_strdup (lines[i]));
    else if (lines[i][0])
      g_string_append_printf (c->expected, "%s\n", lines[i]);
  return cases;
}

static void
write_cases (const char *path, const GString *head, const GPtrArray *cases)
{
  g_autoptr (GString) text = g_string_new (head->str);
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < cases->len; i++)
    {
      Case *c = cases->pdata[i];
      run_case (c);
      g_string_append_printf (text, "%s== %s\n", i ? "\n" : "", c->title);
      for (guint k = 0; k < c->input->len; k++)
        g_string_append_printf (text, "%s\n", (const char *) c->input->pdata[k]);
      g_string_append_printf (text, "--\n%s", c->found->str);
    }
  if (!g_file_set_contents (path, text->str, -1, &error))
    g_error ("%s", error->message);
}

static void
test_case (gconstpointer data)
{
  Case *c = (Case *) data;
  run_case (c);
  if (strcmp (c->found->str, c->expected->str) == 0)
    return;
  g_test_message ("%s, \"%s\": expected\n%sfound\n%s", c->path, c->title, c->expected->str,
                  c->found->str);
  g_test_fail ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  gboolean writes = argc > 1 && strcmp (argv[1], "--write") == 0;
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  for (int i = 1 + writes; i < argc; i++)
    {
      g_autoptr (GString) head = g_string_new (NULL);
      g_autofree char *file = g_path_get_basename (argv[i]);
      GPtrArray *cases = read_cases (argv[i], head);
      g_ptr_array_add (files, cases);
      *strrchr (file, '.') = '\0';
      if (writes)
        write_cases (argv[i], head, cases);
      for (guint k = 0; !writes && k < cases->len; k++)
        {
          g_autofree char *path = g_strdup_printf ("/passes/golden/%s/%02u", file, k + 1);
          g_test_add_data_func (path, cases->pdata[k], test_case);
        }
    }
  return writes ? 0 : g_test_run ();
}
