/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"

/*
 * What a person may choose of a session, in one table: the programming interface, the command line,
 * project.ini and forms read it. A new option is a field of SluiceSessionOptions, a row here, and
 * whoever acts on it.
 */
typedef enum
{
  SLUICE_OPTION_BOOL,
  SLUICE_OPTION_COUNT,
  SLUICE_OPTION_BYTES, /* as text "500000", "64M", "2G" */
  SLUICE_OPTION_PATH,  /* a borrowed text; without numbers */
} SluiceOptionType;

/* Where an option can be given. */
typedef enum
{
  SLUICE_OPTION_API = 1 << 0,
  SLUICE_OPTION_CLI = 1 << 1,
  SLUICE_OPTION_PROJECT = 1 << 2, /* in [train] */
  /* No plan depends on it: sessions that share plans may differ. */
  SLUICE_OPTION_OWN = 1 << 3,
  /* Says something of the machine, not of the work: where it is given to a run it is not kept with
   * that. A project may say what else holds. */
  SLUICE_OPTION_MACHINE = 1 << 4,
} SluiceOptionFlags;

typedef struct
{
  const char *key; /* "memory-limit" */
  SluiceOptionType type;
  guint flags;          /* SluiceOptionFlags */
  gint64 default_value; /* of a BOOL 0 or 1 */
  gint64 minimum;       /* of a COUNT or BYTES, default_value apart */
  gint64 maximum;
  const char *cli_name; /* (nullable): key; of a BOOL that is on by default "no-" and key */
  const char *unit;     /* (nullable) N_(): "N" for help */
  const char *help; /* N_(): one line; of a BOOL that is on by default what turning it off does */
  gsize offset;     /* in SluiceSessionOptions */
  gsize size;       /* of the field */
  gboolean is_inverted; /* the field says no */
} SluiceOption;

const SluiceOption *sluice_options_list (guint *n);        /* (array length=n) */
const SluiceOption *sluice_options_find (const char *key); /* (nullable) */
/* One that can be given in such a place; "did you mean" for others. flag: SluiceOptionFlags */
const char *sluice_options_suggest_key (const char *key, guint flag); /* (nullable) */

/* Of all but a PATH. */
gint64 sluice_option_get (const SluiceOption *self, const SluiceSessionOptions *options);

/* Of all but a PATH. FALSE with INVALID_ARGUMENT where the value is out of range; the message,
 * which goes behind the option and the value, says what it must be. */
gboolean sluice_option_set (const SluiceOption *self,
                            SluiceSessionOptions *options,
                            gint64 value,
                            GError **error);
/* The same of a text: "true", "false", a whole number, bytes with K, M, G or T behind, a path,
 * which is borrowed. */
gboolean sluice_option_parse (const SluiceOption *self,
                              SluiceSessionOptions *options,
                              const char *text,
                              GError **error);
/* What sluice_option_parse() takes; of a PATH that is not set "". (transfer full) */
char *sluice_option_to_text (const SluiceOption *self, const SluiceSessionOptions *options);

/* What each device may hold: memory_limit or fit, whichever is less; 0: neither is set. */
gsize sluice_options_get_limit (const SluiceSessionOptions *options);

/* Takes over the options that have one of these flags, but for texts that are not set. */
void sluice_options_copy (SluiceSessionOptions *to, const SluiceSessionOptions *from, guint flags);
