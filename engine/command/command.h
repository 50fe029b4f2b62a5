/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph-text.h"

/*
 * The command language in which a graph is edited: `sluice edit` reads scripts of it, the window's
 * stack holds commands of it, and so does the journal. Everything that a person can do to a graph
 * is a line, everything that a line does is one transaction (engine/graph/edit.h).
 */

/* A key of a command: KEY=VALUE. */
typedef struct
{
  const char *name;      /* NULL: any name, of an attribute or a parameter */
  const char *arguments; /* "X", "SCOPE": as help shows it */
  gboolean is_needed;
} SluiceCommandKey;

typedef struct _SluiceCommandCall SluiceCommandCall;

/* A row of the table. Help, the manual's page and the man page are made from it. */
typedef struct
{
  const char *name;
  const char *arguments; /* "EDGE NODE:K" */
  const char *summary;   /* N_(): one sentence */
  const char *words; /* (nullable): N_(): what a menu says behind Undo: $1 is the first argument,
                        $* all from the second on. NULL: there is nothing to undo */
  guint n_least, n_most;        /* arguments that are no KEY=VALUE */
  const SluiceCommandKey *keys; /* (nullable) */
  guint n_keys;
  gboolean (*run) (SluiceCommandCall *call, GError **error);
} SluiceEditCommand;

/* Of a node that is muted: who read it. */
#define SLUICE_MUTED_ATTR "_sluice_muted"

extern const SluiceEditCommand sluice_commands[];
extern const guint sluice_n_commands;

/* (nullable): with NOT_FOUND, which says the nearest one. */
const SluiceEditCommand *sluice_command_find (const char *name, GError **error);

/* What an error of a command says behind the names of the commands that it begins with, "together:
 * layer: ": for who did not write them. (transfer none) */
const char *sluice_command_skip_names (const char *message);

/* The command that makes a change of the graph's text (engine/graph/graph-text.h). layout:
 * (nullable): a command that is part of it, where it renames. (transfer full) (nullable): NULL:
 * nothing changes in the graph */
char *sluice_command_dup_text_line (const SluiceTextChange *change, const char *layout);

/* Writes a graph whole or not at all, where a link leads to, and the file's mode stays; as text
 * where the name ends in .pbtxt or .txt. */
gboolean sluice_command_write (SluiceGraph *graph, const char *path, GError **error);
gboolean
sluice_command_write_as (SluiceGraph *graph, const char *path, gboolean is_text, GError **error);
gboolean sluice_command_write_bytes (GBytes *bytes, const char *path, GError **error);
gboolean sluice_command_is_text_name (const char *path);
/* Of a file that may have any name. */
gboolean sluice_command_is_text (const char *data, gsize length);
