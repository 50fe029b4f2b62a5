/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "tests/conformance/case-file.h"

#include <string.h>
#include <zlib.h>

#include "engine/graph/tensorflow.pb-c.h"

static void
grad_free (gpointer data)
{
  CaseGrad *grad = data;
  g_ptr_array_unref (grad->ys);
  g_hash_table_unref (grad->dys);
  g_free (grad);
}

static void
step_free (gpointer data)
{
  CaseStep *step = data;
  g_ptr_array_unref (step->targets);
  g_array_unref (step->feeds);
  g_array_unref (step->expects);
  g_ptr_array_unref (step->grads);
  g_free (step);
}

static void
case_free (gpointer data)
{
  Case *c = data;
  g_ptr_array_unref (c->steps);
  g_free (c);
}

void
case_file_free (CaseFile *self)
{
  g_ptr_array_unref (self->cases);
  g_ptr_array_unref (self->nodes);
  g_string_chunk_free (self->strings);
  g_free (self);
}

/* CASE/KIND/REST with exactly three parts, and an attr _step. */
static gboolean
is_test_node (const SluiceNode *node, char **case_name, char **kind)
{
  g_auto (GStrv) parts = g_strsplit (node->name, "/", 0);
  if (g_strv_length (parts) != 3 || sluice_node_get_attr (node, "_step") == NULL
      || !g_strv_contains ((const char *[]){ "run", "feed", "expect", "grad", "dy", NULL },
                           parts[1]))
    return FALSE;
  *case_name = g_strdup (parts[0]);
  *kind = g_strdup (parts[1]);
  return TRUE;
}

static Case *
get_case (CaseFile *self, const char *name)
{
  for (guint i = self->cases->len; i-- > 0;)
    if (strcmp (((Case *) self->cases->pdata[i])->name, name) == 0)
      return self->cases->pdata[i];
  Case *c = g_new0 (Case, 1);
  c->name = g_string_chunk_insert_const (self->strings, name);
  c->steps = g_ptr_array_new_with_free_func (step_free);
  g_ptr_array_add (self->cases, c);
  return c;
}

static CaseStep *
get_step (Case *c, gint64 number)
{
  for (guint i = 0; i < c->steps->len; i++)
    if (((CaseStep *) c->steps->pdata[i])->number == number)
      return c->steps->pdata[i];
  CaseStep *step = g_new0 (CaseStep, 1);
  step->number = number;
  step->n_cpus = 1;
  step->targets = g_ptr_array_new ();
  step->feeds = g_array_new (FALSE, TRUE, sizeof (CaseFeed));
  step->expects = g_array_new (FALSE, TRUE, sizeof (CaseExpect));
  step->grads = g_ptr_array_new_with_free_func (grad_free);
  g_ptr_array_add (c->steps, step);
  return step;
}

static const char *
string_attr (CaseFile *self, const SluiceNode *node, const char *name)
{
  const SluiceAttrValue *value = sluice_node_get_attr (node, name);
  if (value == NULL || value->kind != SLUICE_ATTR_STRING || value->s.length == 0)
    return NULL;
  g_autofree char *text = g_strndup (value->s.data, value->s.length);
  return g_string_chunk_insert_const (self->strings, text);
}

static double
float_attr (const SluiceNode *node, const char *name)
{
  const SluiceAttrValue *value = sluice_node_get_attr (node, name);
  return value != NULL ? value->f : 0;
}

static void
strings_attr (CaseFile *self, const SluiceNode *node, const char *name, GPtrArray *into)
{
  const SluiceAttrValue *value = sluice_node_get_attr (node, name);
  for (guint i = 0; value != NULL && i < value->list.n; i++)
    {
      const SluiceString *s = &value->list.items[i].s;
      g_autofree char *text = g_strndup (s->data, s->length);
      g_ptr_array_add (into, g_string_chunk_insert_const (self->strings, text));
    }
}

static SluiceTensor *
tensor_attr (const SluiceNode *node)
{
  const SluiceAttrValue *value = sluice_node_get_attr (node, "value");
  return value != NULL && value->kind == SLUICE_ATTR_TENSOR ? value->tensor : NULL;
}

/* dy nodes are named CASE/dy/K_J after their CASE/grad/K. */
static CaseGrad *
get_grad (CaseFile *self, CaseStep *step, const char *name)
{
  for (guint i = 0; i < step->grads->len; i++)
    if (strcmp (((CaseGrad *) step->grads->pdata[i])->node, name) == 0)
      return step->grads->pdata[i];
  CaseGrad *grad = g_new0 (CaseGrad, 1);
  grad->node = g_string_chunk_insert_const (self->strings, name);
  grad->ys = g_ptr_array_new ();
  grad->dys = g_hash_table_new (g_str_hash, g_str_equal);
  g_ptr_array_add (step->grads, grad);
  return grad;
}

static void
read_dy (CaseFile *self, CaseStep *step, const SluiceNode *node)
{
  const char *last = strrchr (node->name, '/') + 1;
  const char *underscore = strrchr (last, '_');
  g_autofree char *k =
      g_strndup (last, underscore != NULL ? (gsize) (underscore - last) : strlen (last));
  g_autofree char *prefix = g_strndup (node->name, strchr (node->name, '/') - node->name);
  g_autofree char *name = g_strdup_printf ("%s/grad/%s", prefix, k);
  g_hash_table_insert (get_grad (self, step, name)->dys,
                       (gpointer) string_attr (self, node, "_ys_of"), tensor_attr (node));
}

static void
read_test_node (CaseFile *self, CaseStep *step, const SluiceNode *node, const char *kind)
{
  if (node->error != NULL)
    {
      step->unreadable = step->unreadable != NULL ? step->unreadable : node;
      return;
    }
  if (strcmp (kind, "run") == 0)
    {
      const SluiceAttrValue *cpus = sluice_node_get_attr (node, "_cpus");
      step->error = string_attr (self, node, "_error");
      step->n_cpus = cpus != NULL ? (guint) cpus->i : 1;
      strings_attr (self, node, "_targets", step->targets);
    }
  else if (strcmp (kind, "feed") == 0)
    {
      CaseFeed feed = { string_attr (self, node, "_feed"), tensor_attr (node) };
      g_array_append_val (step->feeds, feed);
    }
  else if (strcmp (kind, "expect") == 0)
    {
      CaseExpect expect = { string_attr (self, node, "_fetch"), tensor_attr (node),
                            float_attr (node, "_rtol"), float_attr (node, "_atol") };
      g_array_append_val (step->expects, expect);
    }
  else if (strcmp (kind, "grad") == 0)
    {
      CaseGrad *grad = get_grad (self, step, node->name);
      strings_attr (self, node, "_ys", grad->ys);
      grad->xs = string_attr (self, node, "_xs");
      grad->value = tensor_attr (node);
      grad->rtol = float_attr (node, "_rtol");
      grad->atol = float_attr (node, "_atol");
    }
  else
    read_dy (self, step, node);
}

static gint
by_number (gconstpointer a, gconstpointer b)
{
  gint64 x = (*(CaseStep *const *) a)->number, y = (*(CaseStep *const *) b)->number;
  return x < y ? -1 : x > y;
}

CaseFile *
case_file_read (SluiceGraph *graph)
{
  CaseFile *self = g_new0 (CaseFile, 1);
  self->strings = g_string_chunk_new (4096);
  self->cases = g_ptr_array_new_with_free_func (case_free);
  self->nodes = g_ptr_array_new ();
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (graph, i);
      g_autofree char *case_name = NULL, *kind = NULL;
      if (!is_test_node (node, &case_name, &kind))
        {
          g_ptr_array_add (self->nodes, node);
          continue;
        }
      gint64 number = sluice_node_get_attr (node, "_step")->i;
      read_test_node (self, get_step (get_case (self, case_name), number), node, kind);
    }
  for (guint i = 0; i < self->cases->len; i++)
    g_ptr_array_sort (((Case *) self->cases->pdata[i])->steps, by_number);
  return self;
}

static GByteArray *
read_gzip (const char *path)
{
  GByteArray *bytes = g_byte_array_new ();
  gzFile file = gzopen (path, "rb");
  guint8 block[1 << 14];
  int n;
  while (file != NULL && (n = gzread (file, block, sizeof block)) > 0)
    g_byte_array_append (bytes, block, n);
  if (file != NULL)
    gzclose_r (file);
  return bytes;
}

static char *
find_load_error (const Tensorflow__NodeDef *node)
{
  for (size_t i = 0; i < node->n_attr; i++)
    if (strcmp (node->attr[i]->key, "_load_error") == 0 && node->attr[i]->value != NULL)
      return g_strndup ((const char *) node->attr[i]->value->s.data, node->attr[i]->value->s.len);
  return NULL;
}

char *
case_file_dup_load_error (const char *path)
{
  g_autoptr (GByteArray) bytes = read_gzip (path);
  Tensorflow__GraphDef *graph = tensorflow__graph_def__unpack (NULL, bytes->len, bytes->data);
  char *code = NULL;
  for (size_t i = 0; graph != NULL && code == NULL && i < graph->n_node; i++)
    code = find_load_error (graph->node[i]);
  if (graph != NULL)
    tensorflow__graph_def__free_unpacked (graph, NULL);
  return code;
}
