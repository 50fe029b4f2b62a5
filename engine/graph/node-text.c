/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/node-text.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/attrproto.h"
#include "engine/graph/graphdef-private.h"
#include "engine/graph/text-format.h"

#define WIDTH  76 /* of a line, where it can be broken */
#define INDENT 4  /* of what an attribute is */

/* ---- a new block ---- */

/* The one field that is set of a NodeDef. */
static void
write_one (GString *out, const Tensorflow__NodeDef *one)
{
  sluice_text_write_short (out, &one->base, INDENT, WIDTH);
}

static void
write_value (GString *out, const Tensorflow__AttrValue *value)
{
  sluice_text_write_short (out, &value->base, INDENT + 2, WIDTH);
}

static void
write_attr (GString *out, const Tensorflow__AttrEntry *entry)
{
  Tensorflow__AttrEntry key = *entry;
  key.value = NULL;
  g_string_append (out, "attr { ");
  sluice_text_write_short (out, &key.base, INDENT, G_MAXUINT);
  g_string_append_printf (out, " value {\n%*s", INDENT, "");
  write_value (out, entry->value);
  g_string_append (out, " } }");
}

static Tensorflow__NodeDef
empty_def (void)
{
  return (Tensorflow__NodeDef) TENSORFLOW__NODE_DEF__INIT;
}

static void
begin_line (GString *out, const Tensorflow__NodeDef *one)
{
  g_string_append (out, "  ");
  write_one (out, one);
  g_string_append_c (out, '\n');
}

static void
write_rest (GString *out, const Tensorflow__NodeDef *def)
{
  Tensorflow__NodeDef rest = empty_def ();
  rest.experimental_debug_info = def->experimental_debug_info;
  rest.experimental_type = def->experimental_type;
  if (rest.experimental_debug_info != NULL || rest.experimental_type != NULL)
    begin_line (out, &rest);
}

static void
write_def (GString *out, const Tensorflow__NodeDef *def)
{
  Tensorflow__NodeDef one = empty_def ();
  g_string_append (out, "node {\n");
  one.name = def->name;
  begin_line (out, &one);
  one = empty_def ();
  one.op = def->op;
  begin_line (out, &one);
  for (gsize i = 0; i < def->n_input; i++)
    {
      one = empty_def ();
      one.n_input = 1;
      one.input = &def->input[i];
      begin_line (out, &one);
    }
  one = empty_def ();
  one.device = def->device;
  if (*def->device != '\0')
    begin_line (out, &one);
  for (gsize i = 0; i < def->n_attr; i++)
    if (def->attr[i]->value != NULL)
      {
        g_string_append (out, "  ");
        write_attr (out, def->attr[i]);
        g_string_append_c (out, '\n');
      }
  write_rest (out, def);
  g_string_append (out, "}\n");
}

void
sluice_node_text_write (GString *out, const SluiceNode *node)
{
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  write_def (out, sluice_graph_write_node (
                      &arena, SLUICE_EXPORT_TEXT | SLUICE_EXPORT_STRIP_DEFAULTS, node));
}

/* ---- the fields of a block ---- */

static void
field_clear (gpointer data)
{
  g_free (((SluiceNodeField *) data)->attr);
}

/* The key of an attribute; NULL where it has none that could be read. */
static char *
dup_key (const char *text, const SluiceTextField *field)
{
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  const Tensorflow__AttrEntry *entry =
      field->is_message
          ? sluice_text_parse (&arena, &tensorflow__attr_entry__descriptor, text + field->value,
                               field->value_end - field->value, NULL)
          : NULL;
  return entry != NULL ? g_strdup (entry->key) : NULL;
}

/* How many inputs it names: `input: "a"`, `input: ["a", "b"]`. */
static guint
count_inputs (const char *text, const SluiceTextField *field)
{
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  const Tensorflow__NodeDef *def =
      sluice_text_parse (&arena, &tensorflow__node_def__descriptor, text + field->begin,
                         field->end - field->begin, NULL);
  return def != NULL ? (guint) def->n_input : 1;
}

static SluiceNodeFieldKind
kind_of (const char *text, const SluiceTextField *field)
{
  static const struct
  {
    const char *name;
    SluiceNodeFieldKind kind;
  } kinds[] = {
    { "name", SLUICE_NODE_FIELD_NAME },   { "op", SLUICE_NODE_FIELD_OP },
    { "input", SLUICE_NODE_FIELD_INPUT }, { "device", SLUICE_NODE_FIELD_DEVICE },
    { "attr", SLUICE_NODE_FIELD_ATTR },
  };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (sluice_text_field_is (field, text, kinds[i].name))
      return kinds[i].kind;
  return SLUICE_NODE_FIELD_NONE;
}

/* What is in the braces of the block, from the text's beginning. (nullable) */
static GArray *
scan_inside (const char *text, SluiceTextField *block, GError **error)
{
  g_autoptr (GArray) top = sluice_text_scan (text, strlen (text), error);
  guint at = top != NULL ? sluice_text_find_field (top, text, "node") : G_MAXUINT;
  if (at == G_MAXUINT)
    return NULL;
  *block = g_array_index (top, SluiceTextField, at);
  GArray *inside = sluice_text_scan (text + block->value, block->value_end - block->value, error);
  for (guint i = 0; inside != NULL && i < inside->len; i++)
    {
      SluiceTextField *field = &g_array_index (inside, SluiceTextField, i);
      field->begin += block->value;
      field->end += block->value;
      field->name_end += block->value;
      field->value += block->value;
      field->value_end += block->value;
    }
  return inside;
}

GArray *
sluice_node_text_scan (const char *text, GError **error)
{
  SluiceTextField block;
  guint n_inputs = 0;
  g_autoptr (GArray) inside = scan_inside (text, &block, error);
  if (inside == NULL)
    return NULL;
  GArray *fields = g_array_new (FALSE, FALSE, sizeof (SluiceNodeField));
  g_array_set_clear_func (fields, field_clear);
  for (guint i = 0; i < inside->len; i++)
    {
      const SluiceTextField *at = &g_array_index (inside, SluiceTextField, i);
      SluiceNodeField field = { kind_of (text, at), at->begin, at->end, n_inputs, NULL };
      if (field.kind == SLUICE_NODE_FIELD_INPUT)
        n_inputs += count_inputs (text, at);
      else if (field.kind == SLUICE_NODE_FIELD_ATTR)
        field.attr = dup_key (text, at);
      g_array_append_val (fields, field);
    }
  return fields;
}

const SluiceNodeField *
sluice_node_text_find (const GArray *fields,
                       SluiceNodeFieldKind kind,
                       const char *attr,
                       guint input)
{
  const SluiceNodeField *found = NULL;
  for (guint i = 0; i < fields->len; i++)
    {
      const SluiceNodeField *field = &g_array_index (fields, SluiceNodeField, i);
      if (field->kind != kind)
        continue;
      if (kind == SLUICE_NODE_FIELD_INPUT && field->input <= input)
        found = field; /* the last one that does not begin behind it */
      else if (kind != SLUICE_NODE_FIELD_INPUT
               && (kind != SLUICE_NODE_FIELD_ATTR || g_strcmp0 (field->attr, attr) == 0))
        found = field; /* of two of a name the last one counts */
    }
  return found;
}

/* ---- a block that is there ---- */

typedef struct
{
  gsize begin, end;
  char *text;
} Edit;

typedef struct
{
  const char *text;
  const SluiceNode *node;
  SluiceArena arena;
  SluiceTextField block;
  GArray *fields;                  /* of SluiceNodeField */
  const Tensorflow__NodeDef *said; /* by the block */
  const Tensorflow__NodeDef *is;   /* with all attributes */
  GHashTable *not_default;         /* keys of attributes that a block needs */
  GArray *edits;                   /* of Edit */
  gboolean is_odd;                 /* written in a way that is not changed field by field */
} Update;

static void
edit_clear (gpointer data)
{
  g_free (((Edit *) data)->text);
}

static void
add_edit (Update *u, gsize begin, gsize end, char *take_text)
{
  Edit edit = { begin, end, take_text };
  g_array_append_val (u->edits, edit);
}

static char *
dup_one (const Tensorflow__NodeDef *one)
{
  GString *text = g_string_new (NULL);
  write_one (text, one);
  return g_string_free (text, FALSE);
}

/* Where the line begins, and its blanks end. */
static gsize
begin_of_line (const char *text, gsize at, gsize *blanks)
{
  gsize begin = at;
  while (begin > 0 && text[begin - 1] != '\n')
    begin--;
  *blanks = begin + strspn (text + begin, " \t");
  return begin;
}

/* The field goes, and its line, where it stands there alone. */
static void
remove_field (Update *u, const SluiceNodeField *field)
{
  gsize blanks, begin = begin_of_line (u->text, field->begin, &blanks);
  gsize end = field->end + strspn (u->text + field->end, " \t,;");
  if (blanks == field->begin && u->text[end] == '\n')
    add_edit (u, begin, end + 1, g_strdup (""));
  else
    add_edit (u, field->begin, end, g_strdup (""));
}

/* Behind the anchor's line, or behind it where more stands there. anchor NULL: first of all. */
static void
insert_field (Update *u, const SluiceNodeField *anchor, char *take_text)
{
  g_autofree char *text = take_text;
  gsize length = u->block.end, blanks, at = anchor != NULL ? anchor->end : u->block.value;
  at += strspn (u->text + at, ",;");
  gsize begin = begin_of_line (u->text, anchor != NULL ? anchor->begin : at, &blanks);
  gsize line = sluice_text_end_of_line (u->text, length, at);
  gboolean is_own_line = line > at && u->text[line - 1] == '\n';
  g_autofree char *indent = anchor != NULL && blanks == anchor->begin
                                ? g_strndup (u->text + begin, blanks - begin)
                                : g_strdup ("  ");
  if (is_own_line)
    add_edit (u, line, line, g_strdup_printf ("%s%s\n", indent, text));
  else
    add_edit (u, at, at, g_strdup_printf (" %s%s", text, u->text[at] == ' ' ? "" : " "));
}

/* The last field of a kind up to this one, in the order in which blocks are written. */
static const SluiceNodeField *
find_anchor (const Update *u, SluiceNodeFieldKind kind, const char *attr)
{
  const SluiceNodeField *anchor = NULL;
  for (guint i = 0; i < u->fields->len; i++)
    {
      const SluiceNodeField *field = &g_array_index (u->fields, SluiceNodeField, i);
      gboolean is_before =
          field->kind != SLUICE_NODE_FIELD_NONE && field->kind <= kind
          && (field->kind != SLUICE_NODE_FIELD_ATTR || g_strcmp0 (field->attr, attr) < 0);
      if (is_before && (anchor == NULL || field->kind >= anchor->kind))
        anchor = field;
    }
  return anchor;
}

/* One of name, op and device. */
static void
update_text (Update *u,
             SluiceNodeFieldKind kind,
             const char *said,
             const char *is,
             const Tensorflow__NodeDef *one)
{
  const SluiceNodeField *field = sluice_node_text_find (u->fields, kind, NULL, 0);
  if (g_str_equal (said, is))
    return;
  if (field == NULL)
    insert_field (u, find_anchor (u, kind, NULL), dup_one (one));
  else if (*is == '\0')
    remove_field (u, field);
  else
    add_edit (u, field->begin, field->end, dup_one (one));
}

static void
update_texts (Update *u)
{
  Tensorflow__NodeDef one = empty_def ();
  one.name = u->is->name;
  update_text (u, SLUICE_NODE_FIELD_NAME, u->said->name, u->is->name, &one);
  one = empty_def ();
  one.op = u->is->op;
  update_text (u, SLUICE_NODE_FIELD_OP, u->said->op, u->is->op, &one);
  one = empty_def ();
  one.device = u->is->device;
  update_text (u, SLUICE_NODE_FIELD_DEVICE, u->said->device, u->is->device, &one);
}

/* "a" and "a:0" are the same. */
static gboolean
is_same_input (const char *a, const char *b)
{
  gsize x = strlen (a), y = strlen (b);
  x -= g_str_has_suffix (a, ":0") ? 2 : 0;
  y -= g_str_has_suffix (b, ":0") ? 2 : 0;
  return x == y && memcmp (a, b, x) == 0;
}

static char *
dup_input (const Update *u, gsize i)
{
  Tensorflow__NodeDef one = empty_def ();
  one.n_input = 1;
  one.input = &u->is->input[i];
  return dup_one (&one);
}

static void
update_inputs (Update *u)
{
  const Tensorflow__NodeDef *said = u->said, *is = u->is;
  const SluiceNodeField *last = find_anchor (u, SLUICE_NODE_FIELD_INPUT, NULL);
  guint n_fields = 0;
  for (guint i = 0; i < u->fields->len; i++)
    n_fields += g_array_index (u->fields, SluiceNodeField, i).kind == SLUICE_NODE_FIELD_INPUT;
  for (gsize i = 0; i < MAX (said->n_input, is->n_input); i++)
    {
      if (i < said->n_input && i < is->n_input && is_same_input (said->input[i], is->input[i]))
        continue;
      u->is_odd |= n_fields != said->n_input; /* several in a list */
      const SluiceNodeField *field =
          i < said->n_input
              ? sluice_node_text_find (u->fields, SLUICE_NODE_FIELD_INPUT, NULL, (guint) i)
              : NULL;
      if (i >= is->n_input)
        remove_field (u, field);
      else if (field == NULL)
        insert_field (u, last, dup_input (u, i));
      else
        add_edit (u, field->begin, field->end, dup_input (u, i));
    }
}

/* ---- attributes ---- */

static const Tensorflow__AttrEntry *
find_entry (const Tensorflow__NodeDef *def, const char *key)
{
  const Tensorflow__AttrEntry *found = NULL;
  for (gsize i = 0; i < def->n_attr; i++)
    if (g_str_equal (def->attr[i]->key, key))
      found = def->attr[i];
  return found;
}

static gboolean
is_same_bytes (const Tensorflow__AttrValue *a, const Tensorflow__AttrValue *b)
{
  g_autoptr (GBytes) x = sluice_wire_pack (a, NULL), y = sluice_wire_pack (b, NULL);
  return x != NULL && y != NULL && g_bytes_equal (x, y);
}

static gboolean
is_same_value (Update *u, const char *key, Tensorflow__AttrValue *said, Tensorflow__AttrValue *is)
{
  const SluiceAttrValue *value = sluice_node_get_attr (u->node, key);
  SluiceAttrValue read = { 0 };
  gint64 budget = G_MAXINT32;
  gboolean lossy = FALSE, same = FALSE;
  if (said == NULL || is == NULL)
    return said == is;
  if (value != NULL && sluice_attr_unpack (&said, &u->arena, &read, &budget, &lossy, NULL))
    same = !lossy && sluice_attr_value_equal (value, &read);
  sluice_attr_value_clear (&read);
  return same || is_same_bytes (said, is);
}

/* What is within the braces of its value is another one. */
static void
replace_value (Update *u, const SluiceNodeField *attr, const Tensorflow__AttrEntry *is)
{
  const char *text = u->text + attr->begin;
  g_autoptr (GArray) outer = sluice_text_scan (text, attr->end - attr->begin, NULL);
  const SluiceTextField *entry = &g_array_index (outer, SluiceTextField, 0);
  const char *inside = text + entry->value;
  g_autoptr (GArray) parts = sluice_text_scan (inside, entry->value_end - entry->value, NULL);
  guint at = parts != NULL ? sluice_text_find_field (parts, inside, "value") : G_MAXUINT;
  const SluiceTextField *value =
      at != G_MAXUINT ? &g_array_index (parts, SluiceTextField, at) : NULL;
  if (value == NULL || !value->is_message)
    {
      u->is_odd = TRUE;
      return;
    }
  gsize base = (gsize) (inside - u->text) + value->value;
  g_autoptr (GArray) kinds =
      sluice_text_scan (u->text + base, value->value_end - value->value, NULL);
  gsize begin = 0, end = value->value_end - value->value;
  if (kinds != NULL && kinds->len > 0)
    {
      begin = g_array_index (kinds, SluiceTextField, 0).begin;
      end = g_array_index (kinds, SluiceTextField, kinds->len - 1).end;
    }
  GString *now = g_string_new (NULL);
  write_value (now, is->value);
  add_edit (u, base + begin, base + end, g_string_free (now, FALSE));
}

static void
update_attrs (Update *u)
{
  for (gsize i = 0; i < u->is->n_attr; i++)
    {
      const Tensorflow__AttrEntry *is = u->is->attr[i], *said = find_entry (u->said, is->key);
      const SluiceNodeField *field =
          sluice_node_text_find (u->fields, SLUICE_NODE_FIELD_ATTR, is->key, 0);
      if (said == NULL ? !g_hash_table_contains (u->not_default, is->key)
                       : is_same_value (u, is->key, said->value, is->value))
        continue;
      if (said != NULL && (field == NULL || is->value == NULL))
        u->is_odd = TRUE;
      else if (said != NULL)
        replace_value (u, field, is);
      else if (is->value != NULL)
        {
          GString *text = g_string_new (NULL);
          write_attr (text, is);
          insert_field (u, find_anchor (u, SLUICE_NODE_FIELD_ATTR, is->key),
                        g_string_free (text, FALSE));
        }
    }
  for (guint i = 0; i < u->fields->len; i++)
    {
      const SluiceNodeField *field = &g_array_index (u->fields, SluiceNodeField, i);
      if (field->kind == SLUICE_NODE_FIELD_ATTR && field->attr == NULL)
        u->is_odd |= u->edits->len > 0;
      else if (field->kind == SLUICE_NODE_FIELD_ATTR && find_entry (u->is, field->attr) == NULL)
        remove_field (u, field);
    }
}

/* ---- the whole ---- */

static int
compare_edits (gconstpointer a, gconstpointer b)
{
  const Edit *x = a, *y = b;
  return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : 0;
}

static char *
apply_edits (Update *u)
{
  GString *out = g_string_new (NULL);
  gsize at = 0;
  g_array_sort (u->edits, compare_edits); /* stable: what goes to one place stays in order */
  for (guint i = 0; i < u->edits->len; i++)
    {
      const Edit *edit = &g_array_index (u->edits, Edit, i);
      g_string_append_len (out, u->text + at, (gssize) (MAX (edit->begin, at) - at));
      g_string_append (out, edit->text);
      at = MAX (edit->end, at); /* what goes behind a field that goes stands in its blanks */
    }
  g_string_append (out, u->text + at);
  return g_string_free (out, FALSE);
}

static void
note_defaults (Update *u)
{
  const Tensorflow__NodeDef *stripped = sluice_graph_write_node (
      &u->arena, SLUICE_EXPORT_TEXT | SLUICE_EXPORT_STRIP_DEFAULTS, u->node);
  for (gsize i = 0; i < stripped->n_attr; i++)
    g_hash_table_add (u->not_default, stripped->attr[i]->key);
}

/* All of it anew. (transfer full) */
static char *
rewrite (const Update *u)
{
  GString *out = g_string_new (NULL);
  g_string_append_len (out, u->text, (gssize) u->block.begin);
  sluice_node_text_write (out, u->node);
  const char *rest = u->text + u->block.end;
  if (*rest != '\0')
    g_string_truncate (out, out->len - 1);
  g_string_append (out, rest);
  return g_string_free (out, FALSE);
}

static char *
update (Update *u)
{
  u->said = sluice_text_parse (&u->arena, &tensorflow__node_def__descriptor,
                               u->text + u->block.value, u->block.value_end - u->block.value, NULL);
  if (u->said == NULL)
    return rewrite (u);
  u->is = sluice_graph_write_node (&u->arena, SLUICE_EXPORT_TEXT, u->node);
  note_defaults (u);
  update_texts (u);
  update_inputs (u);
  update_attrs (u);
  if (u->is_odd)
    return rewrite (u);
  return u->edits->len > 0 ? apply_edits (u) : NULL;
}

char *
sluice_node_text_update (const char *text, const SluiceNode *node)
{
  Update u = { .text = text, .node = node };
  char *now = NULL;
  sluice_arena_init (&u.arena);
  g_autoptr (GArray) inside = scan_inside (text, &u.block, NULL);
  u.fields = inside != NULL ? sluice_node_text_scan (text, NULL) : NULL;
  u.edits = g_array_new (FALSE, FALSE, sizeof (Edit));
  u.not_default = g_hash_table_new (g_str_hash, g_str_equal);
  g_array_set_clear_func (u.edits, edit_clear);
  if (u.fields != NULL)
    {
      now = update (&u);
      g_array_unref (u.fields);
    }
  g_array_unref (u.edits);
  g_hash_table_unref (u.not_default);
  sluice_arena_clear (&u.arena);
  return now;
}
