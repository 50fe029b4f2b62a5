/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/transfer.h"

#include <string.h>

#include "engine/graph/name-hash.h"
#include "engine/graph/node-error.h"

#define N_PARTS 5 /* of a key */

SluiceTransfer *
sluice_transfer_ref (SluiceTransfer *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_transfer_unref (SluiceTransfer *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) == 1)
    g_free (self);
}

gboolean
sluice_transfer_equal (const SluiceTransfer *a, const SluiceTransfer *b)
{
  return a == b || (a->hash == b->hash && strcmp (a->text, b->text) == 0);
}

/* One block: the parts lie behind the struct, and behind them the text. */
static SluiceTransfer *
make (const char *send_device, guint64 incarnation, const char *recv_device, const char *edge)
{
  const char *parts[] = { send_device, recv_device, edge };
  gsize sizes[G_N_ELEMENTS (parts)], total = 0;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    total += sizes[i] = strlen (parts[i]) + 1;
  const gsize text_size = total + 16 + 1; /* the incarnation and what separates it */
  SluiceTransfer *self = g_malloc (sizeof *self + total + text_size);
  char *at = (char *) (self + 1), *kept[G_N_ELEMENTS (parts)];
  for (guint i = 0; i < G_N_ELEMENTS (parts); at += sizes[i++])
    kept[i] = memcpy (at, parts[i], sizes[i]);
  int length = g_snprintf (at, (gulong) text_size, "%s;%016" G_GINT64_MODIFIER "x;%s;%s",
                           send_device, incarnation, recv_device, edge);
  *self = (SluiceTransfer){ .incarnation = incarnation,
                            .send_device = kept[0],
                            .recv_device = kept[1],
                            .edge = kept[2],
                            .text = at,
                            .hash = sluice_name_hash (at, (gsize) length) };
  atomic_init (&self->ref_count, 1);
  return self;
}

/* A device of a key; what: as the message begins. */
static gboolean
check_device (const char *what, const char *text, GError **error)
{
  SluiceDeviceSpec spec;
  g_autoptr (GError) reason = NULL;
  if (!sluice_device_spec_parse (&spec, text, &reason))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s: %s", what, reason->message);
  sluice_device_spec_clear (&spec);
  return TRUE;
}

static gboolean
check_edge (const char *what, const char *text, GError **error)
{
  if (*text == '\0')
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s is empty; name what is sent, with the same name on both sides", what);
  if (strchr (text, ';') != NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s, '%s', holds a ';', which ends a part of a key; leave it out", what,
                        text);
  return TRUE;
}

SluiceTransfer *
sluice_transfer_new (const char *send_device,
                     guint64 incarnation,
                     const char *recv_device,
                     const char *edge,
                     GError **error)
{
  if (!check_device ("send_device", send_device, error)
      || !check_device ("recv_device", recv_device, error)
      || !check_edge ("tensor_name", edge, error))
    return NULL;
  return make (send_device, incarnation, recv_device, edge);
}

SluiceTransfer *
sluice_transfer_new_between (const SluiceDevice *from, const SluiceDevice *to, const char *edge)
{
  return make (from->name, from->incarnation, to->name, edge);
}

/* ---- of a node ---- */

/* (transfer full) (nullable): it holds a zero byte */
static char *
dup_attr (const SluiceNode *node, const char *name, GError **error)
{
  const SluiceString *value = &sluice_node_get_attr (node, name)->s;
  if (memchr (value->data, '\0', value->length) == NULL)
    return g_strndup (value->data, value->length);
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
               "%s holds a zero byte, with which no key can be written", name);
  return NULL;
}

static SluiceTransfer *
read_node (const SluiceNode *node, GError **error)
{
  g_autofree char *from = dup_attr (node, "send_device", error);
  g_autofree char *to = from != NULL ? dup_attr (node, "recv_device", error) : NULL;
  g_autofree char *edge = to != NULL ? dup_attr (node, "tensor_name", error) : NULL;
  if (edge == NULL)
    return NULL;
  guint64 incarnation = (guint64) sluice_node_get_int (node, "send_device_incarnation");
  return sluice_transfer_new (from, incarnation, to, edge, error);
}

SluiceTransfer *
sluice_transfer_new_of_node (const SluiceNode *node, GError **error)
{
  g_autoptr (GError) reason = NULL;
  SluiceTransfer *self = read_node (node, &reason);
  if (self == NULL)
    sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT, "%s", reason->message);
  return self;
}

/* ---- keys ---- */

char *
sluice_transfer_dup_key (const SluiceTransfer *self, guint64 frame, guint64 iteration)
{
  return g_strdup_printf ("%s;%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, self->text, frame,
                          iteration);
}

/* Exactly 16 digits, as they are written. */
static gboolean
parse_incarnation (const char *text, guint64 *incarnation)
{
  if (strlen (text) != 16 || strspn (text, "0123456789abcdef") != 16)
    return FALSE;
  *incarnation = g_ascii_strtoull (text, NULL, 16);
  return TRUE;
}

/* Digits without a zero before them: a number is written in one way only. */
static gboolean
take_number (const char **text, guint64 *number)
{
  gsize n = strspn (*text, "0123456789");
  char digits[24];
  if (n == 0 || n >= sizeof digits || (n > 1 && **text == '0'))
    return FALSE;
  memcpy (digits, *text, n);
  digits[n] = '\0';
  *text += n;
  return g_ascii_string_to_unsigned (digits, 10, 0, G_MAXUINT64, number, NULL);
}

static gboolean
parse_place (const char *text, guint64 *frame, guint64 *iteration)
{
  return take_number (&text, frame) && *text++ == ':' && take_number (&text, iteration)
         && *text == '\0';
}

SluiceTransfer *
sluice_transfer_parse_key (const char *key, guint64 *frame, guint64 *iteration, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (key, ";", -1);
  g_autoptr (GError) reason = NULL;
  guint64 incarnation = 0;
  SluiceTransfer *self = NULL;
  guint n = g_strv_length (parts);
  if (n != N_PARTS)
    sluice_fail (&reason, SLUICE_ERROR_INVALID_ARGUMENT, "it has %u parts and not %d", n, N_PARTS);
  else if (!parse_incarnation (parts[1], &incarnation))
    sluice_fail (&reason, SLUICE_ERROR_INVALID_ARGUMENT,
                 "the incarnation, '%s', is no 16 hexadecimal digits", parts[1]);
  else if (!parse_place (parts[4], frame, iteration))
    sluice_fail (&reason, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is no frame and iteration",
                 parts[4]);
  else
    self = sluice_transfer_new (parts[0], incarnation, parts[2], parts[3], &reason);
  if (self == NULL)
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                 "'%s' is no key of a transfer: %s; it is written like "
                 "'/job:worker/task:0/device:CPU:0;0000000000000001;/job:ps/task:0/device:CPU:0;"
                 "w:0;0:0'",
                 key, reason->message);
  return self;
}

/* ---- frames ---- */

static guint64
mix (guint64 hash, guint64 word)
{
  hash = (hash ^ word) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
  hash = (hash ^ hash >> 33) * G_GUINT64_CONSTANT (0xc4ceb9fe1a85ec53);
  return hash ^ hash >> 33;
}

guint64
sluice_transfer_number_frame (guint64 parent, guint64 iteration, const char *name)
{
  guint64 hash = mix (mix (G_GUINT64_CONSTANT (0x9e3779b97f4a7c15), parent), iteration);
  gsize length = strlen (name);
  hash = mix (hash, length);
  for (; length > 0;)
    {
      guint64 word = 0;
      gsize n = MIN (length, sizeof word);
      memcpy (&word, name, n);
      hash = mix (hash, GUINT64_FROM_LE (word));
      name += n;
      length -= n;
    }
  return MAX (hash, 1);
}
