/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* protobuf's text format, as TensorFlow writes it. */
#include <math.h>
#include <string.h>

#include "engine/graph/text-format.h"
#include "engine/graph/wire.h"

static void
write_byte (GString *out, guint8 byte)
{
  switch (byte)
    {
    case '\n':
      g_string_append (out, "\\n");
      break;
    case '\r':
      g_string_append (out, "\\r");
      break;
    case '\t':
      g_string_append (out, "\\t");
      break;
    case '"':
    case '\'':
    case '\\':
      g_string_append_c (out, '\\');
      g_string_append_c (out, (char) byte);
      break;
    default:
      if (byte >= ' ' && byte < 0x7f)
        g_string_append_c (out, (char) byte);
      else
        g_string_append_printf (out, "\\%03o", byte);
    }
}

/* Where a line may be broken while it is not: never in a text that is written. */
#define MAY_BREAK '\x01'

/* piece: bytes after which the string may go on as another one. */
static void
write_bytes (GString *out, const guint8 *bytes, gsize length, gsize piece)
{
  g_string_append_c (out, '"');
  for (gsize i = 0, begin = out->len; i < length; i++)
    {
      if (out->len - begin >= piece)
        {
          g_string_append_printf (out, "\"%c\"", MAY_BREAK);
          begin = out->len;
        }
      write_byte (out, bytes[i]);
    }
  g_string_append_c (out, '"');
}

/* The shortest text that reads back as the same bits. */
static void
write_number (GString *out, double value, gboolean is_float)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (isnan (value))
    g_string_append (out, "nan");
  else if (isinf (value))
    g_string_append (out, value < 0 ? "-inf" : "inf");
  else
    {
      for (int digits = is_float ? 6 : 15; digits <= (is_float ? 9 : 17); digits++)
        {
          char format[] = "%.00g";
          format[2] = (char) ('0' + digits / 10);
          format[3] = (char) ('0' + digits % 10);
          g_ascii_formatd (text, sizeof text, format, value);
          double back = g_ascii_strtod (text, NULL);
          if (is_float ? (float) back == (float) value : back == value)
            break;
        }
      g_string_append (out, text);
    }
}

/* One value at `at`, of a field that is no message. */
static void
write_scalar (GString *out, const ProtobufCFieldDescriptor *field, const void *at, gsize piece)
{
  const ProtobufCEnumValue *name;
  const ProtobufCBinaryData *bytes;
  switch (field->type)
    {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
      g_string_append_printf (out, "%d", *(const gint32 *) at);
      break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
      g_string_append_printf (out, "%u", *(const guint32 *) at);
      break;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
      g_string_append_printf (out, "%" G_GINT64_FORMAT, *(const gint64 *) at);
      break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
      g_string_append_printf (out, "%" G_GUINT64_FORMAT, *(const guint64 *) at);
      break;
    case PROTOBUF_C_TYPE_FLOAT:
      write_number (out, *(const float *) at, TRUE);
      break;
    case PROTOBUF_C_TYPE_DOUBLE:
      write_number (out, *(const double *) at, FALSE);
      break;
    case PROTOBUF_C_TYPE_BOOL:
      g_string_append (out, *(const protobuf_c_boolean *) at ? "true" : "false");
      break;
    case PROTOBUF_C_TYPE_ENUM:
      name = protobuf_c_enum_descriptor_get_value (field->descriptor, *(const int *) at);
      if (name != NULL)
        g_string_append (out, name->name);
      else
        g_string_append_printf (out, "%d", *(const int *) at);
      break;
    case PROTOBUF_C_TYPE_STRING:
      write_bytes (out, *(const guint8 *const *) at, strlen (*(const char *const *) at), piece);
      break;
    default: /* bytes */
      bytes = at;
      write_bytes (out, bytes->data, bytes->len, piece);
      break;
    }
}

/* proto3: a field at its default is not written. */
static gboolean
is_set (const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, const void *at)
{
  static const guint8 zeros[8];
  if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
    return *(const guint32 *) ((const guint8 *) message + field->quantifier_offset) == field->id;
  switch (field->type)
    {
    case PROTOBUF_C_TYPE_MESSAGE:
      return *(void *const *) at != NULL;
    case PROTOBUF_C_TYPE_STRING:
      return *(const char *const *) at != NULL && **(const char *const *) at != '\0';
    case PROTOBUF_C_TYPE_BYTES:
      return ((const ProtobufCBinaryData *) at)->len > 0;
    default:
      return memcmp (at, zeros, sluice_wire_size_of (field->type)) != 0;
    }
}

static void
write_field (GString *out, const ProtobufCFieldDescriptor *field, const void *at, guint indent)
{
  g_string_append_printf (out, "%*s%s", (int) indent, "", field->name);
  if (field->type == PROTOBUF_C_TYPE_MESSAGE)
    {
      g_string_append (out, " {\n");
      sluice_text_write (out, *(const ProtobufCMessage *const *) at, indent + 2);
      g_string_append_printf (out, "%*s}\n", (int) indent, "");
      return;
    }
  g_string_append (out, ": ");
  write_scalar (out, field, at, G_MAXSIZE);
  g_string_append_c (out, '\n');
}

void
sluice_text_write (GString *out, const ProtobufCMessage *message, guint indent)
{
  for (unsigned i = 0; i < message->descriptor->n_fields; i++)
    {
      const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
      const guint8 *at = (const guint8 *) message + field->offset;
      if (field->label == PROTOBUF_C_LABEL_REPEATED)
        {
          gsize n = *(const size_t *) ((const guint8 *) message + field->quantifier_offset);
          const guint8 *items = *(const guint8 *const *) at;
          for (gsize k = 0; k < n; k++)
            write_field (out, field, items + k * sluice_wire_size_of (field->type), indent);
        }
      else if (is_set (message, field, at))
        write_field (out, field, at, indent);
    }
  /* Readers refuse fields without a name, so these can only be told of. */
  for (unsigned i = 0; i < message->n_unknown_fields; i++)
    g_string_append_printf (out, "%*s# field %u of %zu bytes has no name here and is left out\n",
                            (int) indent, "", message->unknown_fields[i].tag,
                            message->unknown_fields[i].len);
}

/* ---- in a line, or as few as it takes ---- */

#define PIECE 56 /* bytes of a long string in a line */

static void write_short (GString *out, const ProtobufCMessage *message);

static void
write_short_value (GString *out, const ProtobufCFieldDescriptor *field, const void *at)
{
  if (field->type != PROTOBUF_C_TYPE_MESSAGE)
    {
      write_scalar (out, field, at, PIECE);
      return;
    }
  g_string_append_printf (out, "{%c", MAY_BREAK);
  write_short (out, *(const ProtobufCMessage *const *) at);
  g_string_append_c (out, '}');
}

static void
write_short_list (GString *out, const ProtobufCFieldDescriptor *field, const guint8 *items, gsize n)
{
  gsize size = sluice_wire_size_of (field->type);
  gboolean is_message = field->type == PROTOBUF_C_TYPE_MESSAGE;
  if (n > 0 && !is_message)
    g_string_append_printf (out, "%s:%c%s", field->name, MAY_BREAK, n > 1 ? "[" : "");
  for (gsize k = 0; k < n; k++)
    {
      if (is_message)
        g_string_append_printf (out, "%s ", field->name);
      write_short_value (out, field, items + k * size);
      if (k + 1 < n)
        g_string_append_printf (out, "%s%c", is_message ? "" : ",", MAY_BREAK);
    }
  if (n > 0)
    g_string_append_printf (out, "%s%c", n > 1 && !is_message ? "]" : "", MAY_BREAK);
}

/* Each field with a MAY_BREAK behind. */
static void
write_short (GString *out, const ProtobufCMessage *message)
{
  for (unsigned i = 0; i < message->descriptor->n_fields; i++)
    {
      const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
      const guint8 *at = (const guint8 *) message + field->offset;
      if (field->label == PROTOBUF_C_LABEL_REPEATED)
        write_short_list (out, field, *(const guint8 *const *) at,
                          *(const size_t *) ((const guint8 *) message + field->quantifier_offset));
      else if (is_set (message, field, at))
        {
          g_string_append_printf (out, "%s%s", field->name,
                                  field->type == PROTOBUF_C_TYPE_MESSAGE ? " " : ": ");
          write_short_value (out, field, at);
          g_string_append_c (out, MAY_BREAK);
        }
    }
}

void
sluice_text_write_short (GString *out, const ProtobufCMessage *message, guint indent, guint width)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const char *newline = memrchr (out->str, '\n', out->len); /* from the end of a long text */
  gsize column = out->len - (newline != NULL ? (gsize) (newline + 1 - out->str) : 0);
  write_short (text, message);
  for (char *word = text->str, *end; *word != '\0'; word = end + 1)
    {
      end = strchr (word, MAY_BREAK);
      gsize length = (gsize) (end - word);
      if (column + length > width && column > indent)
        {
          while (out->len > 0 && out->str[out->len - 1] == ' ')
            g_string_truncate (out, out->len - 1);
          g_string_append_printf (out, "\n%*s", (int) indent, "");
          column = indent;
        }
      g_string_append_len (out, word, (gssize) length);
      g_string_append_c (out, ' ');
      column += length + 1;
    }
  if (text->len > 0)
    g_string_truncate (out, out->len - 1);
}
