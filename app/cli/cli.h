/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

#include "app/cli/json.h"

/* An option of sessions by its key (engine/runtime/session/options.h). */
typedef struct
{
  const char *key;
  const char *help; /* (nullable): what it means here, where that is not what the table says */
} CliRunKey;

/* A verb of the `sluice` command. Help, man page and dispatch are made from the table of these. */
typedef struct
{
  const char *name;
  const char *arguments; /* "PROJECT", "GRAPH [NAME…]" */
  const char *summary;   /* one line, without a full stop */
  const char *details;   /* (nullable): paragraphs for --help and the man page */
  /* Shapes of the lines of --json, one a line: JSON in which a value is the name of its type
   * ("int", "number", "string", "bool", "null", with '|' between where it may be several), an array
   * holds the type of its elements, a name that ends with '?' may be missing, and "*" stands for
   * any names. For the man page and --schemas; the tests hold every verb to it. */
  const char *json;
  const GOptionEntry *options;
  guint run_options; /* SluiceOptionFlags: of run-options.h it has those with one of these */
  const CliRunKey *run_keys; /* (nullable): and these, the last without a key */
  const char *dashed; /* (nullable): where that is among the arguments, words with one '-' before
                         them are no options, and come behind the others */
  /* arguments: NULL-terminated, without the verb. Returns the exit status; an error is printed by
   * the caller. */
  int (*run) (char **arguments, GError **error);
} Verb;

extern const Verb sluice_verb_info, sluice_verb_ops, sluice_verb_check, sluice_verb_run,
    sluice_verb_train, sluice_verb_bench, sluice_verb_draw, sluice_verb_convert, sluice_verb_place,
    sluice_verb_trace, sluice_verb_compare, sluice_verb_log, sluice_verb_sql, sluice_verb_export,
    sluice_verb_reindex, sluice_verb_checkpoints, sluice_verb_import, sluice_verb_runs,
    sluice_verb_diff, sluice_verb_launch, sluice_verb_queue, sluice_verb_sweep, sluice_verb_control,
    sluice_verb_fork, sluice_verb_reproduce, sluice_verb_edit, sluice_verb_promote, sluice_verb_new,
    sluice_verb_merge, sluice_verb_debug;

enum
{
  EXIT_OK = 0,
  EXIT_FAILED = 1, /* what was asked for did not work out */
  EXIT_USAGE = 2,  /* the command line is wrong */
  EXIT_INTERRUPTED = 130,
};

/* "500000", "64M", "2G"; FALSE with a message that begins with the option. */
gboolean sluice_cli_parse_size (const char *option, const char *text, gsize *bytes, GError **error);
/* A number that an option gave; FALSE with a message that names the option and both bounds. */
gboolean sluice_cli_check_count (
    const char *option, gint64 value, gint64 least, gint64 most, GError **error);

/* EXIT_USAGE with a message. */
int sluice_cli_usage (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* --tags of the verbs that read SavedModels. */
#define CLI_TAGS_OPTION                                                                            \
  {                                                                                                \
    "tags", 0, 0, G_OPTION_ARG_STRING, &sluice_cli_tags,                                           \
        N_ ("Of a SavedModel: which MetaGraph, by its tags (serve, or the only one)"),             \
        N_ ("TAG,...")                                                                             \
  }
extern char *sluice_cli_tags;

/* The graph of a project folder, of a SavedModel (by --tags), or a graph file. (transfer full)
 * (nullable) */
typedef struct _SluiceGraph SluiceGraph;
SluiceGraph *sluice_cli_load_graph (const char *path, GError **error);

/* Where the path is a SavedModel's (and no project's): its variables and tables, in a session that
 * holds its graph. */
typedef struct _SluiceSession SluiceSession;
gboolean sluice_cli_restore_saved_model (SluiceSession *session,
                                         SluiceGraph *graph,
                                         const char *path,
                                         GError **error);

/* --workspace, else $XDG_DATA_HOME/sluice. (transfer full) */
char *sluice_cli_dup_workspace (const char *option);
/* A workspace that is there. Nothing is made, and nothing changed. (transfer full) (nullable) */
typedef struct _SluiceStore SluiceStore;
SluiceStore *sluice_cli_open_to_read (const char *workspace, GError **error);
/* To write to it; must_exist: or NOT_FOUND. Standard error says when it is waited for. */
SluiceStore *sluice_cli_open_workspace (const char *workspace, gboolean must_exist, GError **error);
/* Standard error says what the database does not know of, where there is such a thing. */
void sluice_cli_tell_lost_runs (SluiceStore *store);
