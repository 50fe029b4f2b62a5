/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* protobuf's text format, read by the descriptors of protobuf-c. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/graph/text-format.h"
#include "engine/graph/wire.h"

typedef struct
{
  const char *at, *end;
  const char *line_begin;
  guint line;
  SluiceArena *arena;
  GError **error;
} Parser;

static gboolean G_GNUC_PRINTF (3, 4) complain (Parser *p, const char *at, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return sluice_fail (p->error, SLUICE_ERROR_INVALID_ARGUMENT, "%u:%zu: %s", p->line,
                      (gsize) (MAX (at, p->line_begin) - p->line_begin) + 1, what);
}

/* Blanks and comments. */
static void
skip (Parser *p)
{
  for (; p->at < p->end; p->at++)
    if (*p->at == '#')
      {
        const char *newline = memchr (p->at, '\n', p->end - p->at);
        p->at = (newline != NULL ? newline : p->end) - 1;
      }
    else if (*p->at == '\n')
      {
        p->line++;
        p->line_begin = p->at + 1;
      }
    else if (!g_ascii_isspace (*p->at))
      return;
}

static gboolean
accept (Parser *p, char c)
{
  skip (p);
  if (p->at == p->end || *p->at != c)
    return FALSE;
  p->at++;
  return TRUE;
}

/* "the end of the file" or "'x'", for messages. */
static const char *
describe_next (Parser *p, char buffer[8])
{
  if (p->at >= p->end)
    return "the file ends";
  guchar c = (guchar) *p->at;
  g_snprintf (buffer, 8, c >= ' ' && c < 0x7f ? "'%c'" : "0x%02x", c);
  return buffer;
}

/* Letters, digits and '_'; the empty text where there is no word. */
static char *
read_word (Parser *p)
{
  skip (p);
  const char *begin = p->at;
  while (p->at < p->end && (g_ascii_isalnum (*p->at) || *p->at == '_'))
    p->at++;
  gsize length = p->at - begin;
  char *word = sluice_arena_alloc0 (p->arena, length + 1);
  memcpy (word, begin, length);
  return word;
}

/* ---- strings ---- */

static gboolean
read_hex (Parser *p, guint max_digits, guint32 *value)
{
  guint n = 0;
  for (*value = 0; n < max_digits && p->at < p->end && g_ascii_isxdigit (*p->at); n++)
    *value = *value * 16 + (guint32) g_ascii_xdigit_value (*p->at++);
  return n > 0;
}

static gboolean
read_escape (Parser *p, GString *text)
{
  static const char names[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"?";
  const char *begin = p->at - 1;
  if (p->at == p->end)
    return complain (p, begin, "the file ends within a string");
  char c = *p->at++;
  const char *name = strchr (names, c);
  guint32 value = 0;
  if (c != '\0' && name != NULL)
    g_string_append_c (text, values[name - names]);
  else if (c >= '0' && c <= '7')
    {
      p->at--;
      for (guint i = 0; i < 3 && p->at < p->end && *p->at >= '0' && *p->at <= '7'; i++)
        value = value * 8 + (guint32) (*p->at++ - '0');
      g_string_append_c (text, (char) (value & 0xff));
    }
  else if (c == 'x' || c == 'X')
    {
      if (!read_hex (p, 2, &value))
        return complain (p, begin, "\\x needs hexadecimal digits");
      g_string_append_c (text, (char) value);
    }
  else if (c == 'u' || c == 'U')
    {
      if (!read_hex (p, c == 'u' ? 4 : 8, &value) || !g_unichar_validate (value))
        return complain (p, begin, "\\%c needs the number of a character", c);
      g_string_append_unichar (text, value);
    }
  else
    return complain (p, begin, "unknown escape in a string");
  return TRUE;
}

/* One or more quoted pieces, joined. */
static gboolean
read_string (Parser *p, ProtobufCBinaryData *out)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char buffer[8];
  skip (p);
  if (p->at == p->end || (*p->at != '"' && *p->at != '\''))
    return complain (p, p->at, "a quoted string is expected, not %s", describe_next (p, buffer));
  while (p->at < p->end && (*p->at == '"' || *p->at == '\''))
    {
      const char *begin = p->at;
      char quote = *p->at++;
      while (p->at < p->end && *p->at != quote && *p->at != '\n')
        {
          char c = *p->at++;
          if (c != '\\')
            g_string_append_c (text, c);
          else if (!read_escape (p, text))
            return FALSE;
        }
      if (p->at == p->end || *p->at != quote)
        return complain (p, begin, "a string is not closed on its line");
      p->at++;
      skip (p);
    }
  out->len = text->len;
  out->data = sluice_arena_try_alloc (p->arena, text->len + 1);
  if (out->data == NULL)
    return complain (p, p->at, "no memory for a string of %zu bytes", text->len);
  memcpy (out->data, text->str, text->len + 1);
  return TRUE;
}

/* ---- numbers ---- */

/* A number or word with its sign, as it stands. */
static gboolean
read_token (Parser *p, char token[64])
{
  gsize n = 0;
  char buffer[8];
  gboolean negative = accept (p, '-');
  skip (p);
  if (negative)
    token[n++] = '-';
  const char *begin = p->at;
  while (p->at < p->end
         && (g_ascii_isalnum (*p->at) || *p->at == '.' || *p->at == '_'
             || ((*p->at == '+' || *p->at == '-') && p->at > begin
                 && (p->at[-1] == 'e' || p->at[-1] == 'E'))))
    {
      if (n == 63)
        return complain (p, begin, "a number of over 60 characters");
      token[n++] = *p->at++;
    }
  token[n] = '\0';
  return p->at > begin
         || complain (p, p->at, "a value is expected, not %s", describe_next (p, buffer));
}

static gboolean
read_integer (Parser *p, gint64 min, guint64 max, gint64 *value)
{
  char token[64], *end;
  skip (p);
  const char *begin = p->at;
  if (!read_token (p, token))
    return FALSE;
  gboolean negative = token[0] == '-';
  const char *digits = token + negative;
  int base =
      digits[0] == '0' && digits[1] != '\0' ? (g_ascii_tolower (digits[1]) == 'x' ? 16 : 8) : 10;
  errno = 0;
  guint64 magnitude = g_ascii_strtoull (digits, &end, base);
  if (!g_ascii_isdigit (digits[0]) || *end != '\0')
    return complain (p, begin, "'%s' is no whole number", token);
  guint64 limit = negative ? (min < 0 ? (guint64) - (min + 1) + 1 : 0) : max;
  if (errno == ERANGE || magnitude > limit)
    return complain (p, begin, "%s is out of range", token);
  *value = negative ? (gint64) (0 - magnitude) : (gint64) magnitude;
  return TRUE;
}

static gboolean
read_number (Parser *p, double *value)
{
  char token[64], *end;
  skip (p);
  const char *begin = p->at;
  if (!read_token (p, token))
    return FALSE;
  gboolean negative = token[0] == '-';
  const char *digits = token + negative;
  gsize length = strlen (digits);
  if (g_ascii_strcasecmp (digits, "inf") == 0 || g_ascii_strcasecmp (digits, "infinity") == 0
      || g_ascii_strcasecmp (digits, "inff") == 0)
    *value = INFINITY;
  else if (g_ascii_strcasecmp (digits, "nan") == 0)
    *value = NAN;
  else if (!g_ascii_isdigit (digits[0]) && digits[0] != '.')
    return complain (p, begin, "'%s' is no number", token);
  else
    {
      gboolean hex = digits[0] == '0' && g_ascii_tolower (digits[1]) == 'x';
      if (!hex && (digits[length - 1] == 'f' || digits[length - 1] == 'F'))
        token[negative + length - 1] = '\0';
      *value = g_ascii_strtod (digits, &end);
      if (*end != '\0' || end == digits)
        return complain (p, begin, "'%s' is no number", token);
    }
  if (negative)
    *value = -*value;
  return TRUE;
}

static gboolean
read_bool (Parser *p, protobuf_c_boolean *value)
{
  char token[64];
  skip (p);
  const char *begin = p->at;
  if (!read_token (p, token))
    return FALSE;
  *value = strcmp (token, "true") == 0 || strcmp (token, "True") == 0 || strcmp (token, "t") == 0
           || strcmp (token, "1") == 0;
  return *value || strcmp (token, "false") == 0 || strcmp (token, "False") == 0
         || strcmp (token, "f") == 0 || strcmp (token, "0") == 0
         || complain (p, begin, "'%s' is neither true nor false", token);
}

static gboolean
read_enum (Parser *p, const ProtobufCEnumDescriptor *descriptor, int *value)
{
  skip (p);
  if (p->at < p->end && (g_ascii_isdigit (*p->at) || *p->at == '-'))
    {
      gint64 number;
      if (!read_integer (p, G_MININT32, G_MAXINT32, &number))
        return FALSE;
      *value = (int) number;
      return TRUE;
    }
  const char *begin = p->at;
  char buffer[8];
  const char *word = read_word (p);
  if (*word == '\0')
    return complain (p, begin, "a value of %s is expected, not %s", descriptor->short_name,
                     describe_next (p, buffer));
  const ProtobufCEnumValue *known = protobuf_c_enum_descriptor_get_value_by_name (descriptor, word);
  if (known == NULL)
    return complain (p, begin, "%s has no value '%.64s'", descriptor->short_name, word);
  *value = known->value;
  return TRUE;
}

/* ---- fields ---- */

static gboolean read_message (Parser *p, ProtobufCMessage *message, char close, guint depth);

static gboolean
read_text_scalar (Parser *p, const ProtobufCFieldDescriptor *field, void *to)
{
  ProtobufCBinaryData bytes;
  skip (p);
  const char *begin = p->at;
  if (!read_string (p, &bytes))
    return FALSE;
  if (field->type == PROTOBUF_C_TYPE_BYTES)
    *(ProtobufCBinaryData *) to = bytes;
  else if (!g_utf8_validate_len ((const char *) bytes.data, bytes.len, NULL))
    return complain (p, begin, "field '%s' must be UTF-8 text", field->name);
  else
    *(char **) to = (char *) bytes.data;
  return TRUE;
}

static gboolean
read_scalar (Parser *p, const ProtobufCFieldDescriptor *field, void *to)
{
  gint64 integer;
  double number;
  switch (field->type)
    {
    case PROTOBUF_C_TYPE_INT32:
      if (!read_integer (p, G_MININT32, G_MAXINT32, &integer))
        return FALSE;
      *(gint32 *) to = (gint32) integer;
      return TRUE;
    case PROTOBUF_C_TYPE_UINT32:
      if (!read_integer (p, 0, G_MAXUINT32, &integer))
        return FALSE;
      *(guint32 *) to = (guint32) integer;
      return TRUE;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
      return read_integer (p, G_MININT64, G_MAXINT64, to);
    case PROTOBUF_C_TYPE_UINT64:
      return read_integer (p, 0, G_MAXUINT64, to);
    case PROTOBUF_C_TYPE_FLOAT:
      if (!read_number (p, &number))
        return FALSE;
      *(float *) to = (float) number;
      return TRUE;
    case PROTOBUF_C_TYPE_DOUBLE:
      return read_number (p, to);
    case PROTOBUF_C_TYPE_BOOL:
      return read_bool (p, to);
    case PROTOBUF_C_TYPE_ENUM:
      return read_enum (p, field->descriptor, to);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
      return read_text_scalar (p, field, to);
    default: /* the messages of graph files have no other types */
      return complain (p, p->at, "field '%s' cannot be read from text", field->name);
    }
}

/* Room for one more item. Lists grow to 4, 8, 16 …, so their length tells when they are full. */
static void *
append_item (Parser *p, ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
  size_t *n = (size_t *) ((guint8 *) message + field->quantifier_offset);
  guint8 **items = (guint8 **) ((guint8 *) message + field->offset);
  gsize size = sluice_wire_size_of (field->type);
  if (*n == 0 || (*n >= 4 && (*n & (*n - 1)) == 0))
    {
      guint8 *larger = sluice_arena_try_alloc (p->arena, MAX (*n * 2, 4) * size);
      if (larger == NULL)
        {
          complain (p, p->at, "no memory for a list of %zu", *n);
          return NULL;
        }
      if (*n > 0)
        memcpy (larger, *items, *n * size);
      *items = larger;
    }
  return memset (*items + (*n)++ * size, 0, size);
}

static gboolean
read_value (Parser *p, const ProtobufCFieldDescriptor *field, void *to, guint depth)
{
  char buffer[8];
  if (field->type != PROTOBUF_C_TYPE_MESSAGE)
    return read_scalar (p, field, to);
  char close = accept (p, '{') ? '}' : accept (p, '<') ? '>' : '\0';
  if (close == '\0')
    return complain (p, p->at, "'{' is expected after '%s', not %s", field->name,
                     describe_next (p, buffer));
  ProtobufCMessage *child = sluice_wire_new (p->arena, field->descriptor);
  *(ProtobufCMessage **) to = child;
  return read_message (p, child, close, depth + 1);
}

static gboolean
read_repeated (Parser *p,
               ProtobufCMessage *message,
               const ProtobufCFieldDescriptor *field,
               guint depth)
{
  gboolean list = accept (p, '[');
  char buffer[8];
  if (list && accept (p, ']'))
    return TRUE;
  do
    {
      void *item = append_item (p, message, field);
      if (item == NULL || !read_value (p, field, item, depth))
        return FALSE;
    }
  while (list && accept (p, ','));
  return !list || accept (p, ']')
         || complain (p, p->at, "',' or ']' is expected in the list, not %s",
                      describe_next (p, buffer));
}

static gboolean
read_single (Parser *p,
             ProtobufCMessage *message,
             const ProtobufCFieldDescriptor *field,
             guint64 *seen,
             const char *begin,
             guint depth)
{
  guint64 bit = (guint64) 1 << (field - message->descriptor->fields);
  if (*seen & bit)
    return complain (p, begin, "field '%s' is given twice", field->name);
  *seen |= bit;
  if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
    {
      guint32 *which = (guint32 *) ((guint8 *) message + field->quantifier_offset);
      if (*which != 0)
        return complain (
            p, begin, "field '%s' is given beside '%s'; only one of them may be", field->name,
            protobuf_c_message_descriptor_get_field (message->descriptor, *which)->name);
      if (!read_value (p, field, (guint8 *) message + field->offset, depth))
        return FALSE;
      *which = field->id;
      return TRUE;
    }
  return read_value (p, field, (guint8 *) message + field->offset, depth);
}

static gboolean
fail_unknown_field (Parser *p,
                    const ProtobufCMessageDescriptor *descriptor,
                    const char *begin,
                    const char *name)
{
  g_autofree const char **names = g_new (const char *, descriptor->n_fields);
  for (unsigned i = 0; i < descriptor->n_fields; i++)
    names[i] = descriptor->fields[i].name;
  const char *hint =
      strlen (name) <= 64 ? sluice_suggest_name (name, names, descriptor->n_fields) : NULL;
  return complain (p, begin, "%s has no field '%.64s'%s%s%s", descriptor->short_name, name,
                   hint ? "; did you mean '" : "", hint ? hint : "", hint ? "'?" : "");
}

/* What an Any may hold, written out. */
static const ProtobufCMessageDescriptor *
find_message (const char *name)
{
  const ProtobufCMessageDescriptor *const known[] = {
    &tensorflow__asset_file_def__descriptor,   &tensorflow__saver_def__descriptor,
    &tensorflow__queue_runner_def__descriptor, &tensorflow__signature_def__descriptor,
    &tensorflow__graph_def__descriptor,        &tensorflow__meta_graph_def__descriptor,
  };
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (known[i]->name, name) == 0)
      return known[i];
  return NULL;
}

/* "[type.googleapis.com/tensorflow.AssetFileDef] { filename: 'a' }" within an Any. */
static gboolean
read_written_out (Parser *p, Tensorflow__Any *any, guint depth)
{
  const char *begin = p->at++;
  const char *end = memchr (p->at, ']', p->end - p->at);
  if (end == NULL || end - p->at > 256)
    return complain (p, begin, "the type in [ ] is not closed");
  char *url = sluice_arena_alloc0 (p->arena, end - p->at + 1);
  memcpy (url, p->at, end - p->at);
  const char *slash = strrchr (url, '/');
  const ProtobufCMessageDescriptor *descriptor =
      slash != NULL && g_utf8_validate (url, -1, NULL) ? find_message (slash + 1) : NULL;
  if (descriptor == NULL)
    return complain (p, begin, "messages of the type in [ ] are not known");
  p->at = end + 1;
  accept (p, ':');
  if (!accept (p, '{'))
    return complain (p, p->at, "'{' is expected behind the type");
  ProtobufCMessage *message = sluice_wire_new (p->arena, descriptor);
  if (!read_message (p, message, '}', depth + 1))
    return FALSE;
  gsize length = protobuf_c_message_get_packed_size (message);
  any->type_url = url;
  any->value.data = sluice_arena_alloc0 (p->arena, length + 1);
  any->value.len = protobuf_c_message_pack (message, any->value.data);
  return TRUE;
}

/* Fields up to the closing character; '\0': up to the end of the file. */
static gboolean
read_message (Parser *p, ProtobufCMessage *message, char close, guint depth)
{
  guint64 seen = 0;
  char buffer[8];
  g_assert (message->descriptor->n_fields <= 64);
  if (depth > SLUICE_MAX_NESTING)
    return complain (p, p->at, "messages are nested over %d deep", SLUICE_MAX_NESTING);
  while (TRUE)
    {
      skip (p);
      if (close != '\0' ? accept (p, close) : p->at == p->end)
        return TRUE;
      const char *begin = p->at;
      if (begin < p->end && *begin == '[' && message->descriptor == &tensorflow__any__descriptor)
        {
          if (!read_written_out (p, (Tensorflow__Any *) message, depth))
            return FALSE;
          continue;
        }
      const char *name = read_word (p);
      if (*name == '\0')
        return complain (p, begin, "a field of %s is expected, not %s",
                         message->descriptor->short_name, describe_next (p, buffer));
      const ProtobufCFieldDescriptor *field =
          protobuf_c_message_descriptor_get_field_by_name (message->descriptor, name);
      if (field == NULL)
        return fail_unknown_field (p, message->descriptor, begin, name);
      if (!accept (p, ':') && field->type != PROTOBUF_C_TYPE_MESSAGE)
        return complain (p, p->at, "':' is expected after '%s', not %s", name,
                         describe_next (p, buffer));
      if (!(field->label == PROTOBUF_C_LABEL_REPEATED
                ? read_repeated (p, message, field, depth)
                : read_single (p, message, field, &seen, begin, depth)))
        return FALSE;
      if (!accept (p, ','))
        accept (p, ';');
    }
}

void *
sluice_text_parse (SluiceArena *arena,
                   const ProtobufCMessageDescriptor *descriptor,
                   const char *text,
                   gsize length,
                   GError **error)
{
  Parser p = {
    .at = text, .end = text + length, .line_begin = text, .line = 1, .arena = arena, .error = error
  };
  ProtobufCMessage *message = sluice_wire_new (arena, descriptor);
  return read_message (&p, message, '\0', 0) ? message : NULL;
}
