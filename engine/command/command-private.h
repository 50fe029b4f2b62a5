/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/error.h"
#include "engine/command/command.h"
#include "engine/command/line.h"
#include "engine/command/stack.h"
#include "engine/graph/edit.h"
#include "engine/graph/rewrite.h"

/* A training that was taken away, to be made again. */
typedef struct _SluiceTrainingAway SluiceTrainingAway;

/* A command that is being done. */
struct _SluiceCommandCall
{
  SluiceCommandStack *stack;
  SluiceGraph *graph; /* in an open transaction, where the command has words */
  const SluiceEditCommand *command;
  char **arguments; /* those without a key; the list ends with NULL */
  guint n_arguments;
  const SluiceWord **values; /* those with one */
  guint n_values;
  GString *said;
  char *text;          /* (nullable): blocks that are to stand in the graph's text as they are */
  char *words;         /* (nullable): what it is called behind Undo, once it was done */
  GPtrArray *arranged; /* (nullable): lines of the layout that come and go */
  SluiceTrainingAway
      *training; /* (nullable): to be made again when what was done has been judged */
};

/* (nullable): the value of a key, as it was written. */
const char *sluice_command_get_value (const SluiceCommandCall *call, const char *key);
gboolean sluice_command_get_number (const SluiceCommandCall *call,
                                    const char *key,
                                    double *number, /* as it was where the key is not there */
                                    GError **error);

/* With NOT_FOUND and the nearest name. (nullable) */
SluiceNode *
sluice_command_find_node (const SluiceCommandCall *call, const char *name, GError **error);
gboolean sluice_command_find_edge (const SluiceCommandCall *call,
                                   const char *text,
                                   SluiceEdge *edge,
                                   GError **error);
/* The node of that name and those below it, in the graph's order. (transfer full) (nullable):
 * NOT_FOUND */
GPtrArray *sluice_command_collect (const SluiceCommandCall *call, const char *name, GError **error);

/* command-nodes.c */
gboolean sluice_command_add (SluiceCommandCall *call, GError **error);
gboolean sluice_command_insert (SluiceCommandCall *call, GError **error);
gboolean sluice_command_set (SluiceCommandCall *call, GError **error);
gboolean sluice_command_device (SluiceCommandCall *call, GError **error);
gboolean sluice_command_colocate (SluiceCommandCall *call, GError **error);
/* command-edges.c */
gboolean sluice_command_connect (SluiceCommandCall *call, GError **error);
gboolean sluice_command_disconnect (SluiceCommandCall *call, GError **error);
gboolean sluice_command_control (SluiceCommandCall *call, GError **error);
gboolean sluice_command_uncontrol (SluiceCommandCall *call, GError **error);
/* One more input, of an argument that stands for several, the op's last. */
gboolean
sluice_command_append_input (SluiceGraph *graph, SluiceNode *node, SluiceEdge edge, GError **error);
/* command-names.c */
gboolean sluice_command_rename (SluiceCommandCall *call, GError **error);
gboolean sluice_command_delete (SluiceCommandCall *call, GError **error);
gboolean sluice_command_duplicate (SluiceCommandCall *call, GError **error);
gboolean sluice_command_group (SluiceCommandCall *call, GError **error);
gboolean sluice_command_ungroup (SluiceCommandCall *call, GError **error);
/* command-layout.c */
gboolean sluice_command_layout (SluiceCommandCall *call, GError **error);
/* What takes them back. */
void sluice_layout_lines_invert (GPtrArray *lines);
/* command-mute.c */
gboolean sluice_command_mute (SluiceCommandCall *call, GError **error);
gboolean sluice_command_unmute (SluiceCommandCall *call, GError **error);
/* Are all of them? */
gboolean sluice_command_is_muted (const GPtrArray *nodes);
/* Names of those that what is muted remembers follow: all nodes are looked through, once for n
 * scopes or nodes that were renamed. */
gboolean sluice_command_rename_in_muted (
    SluiceCommandCall *call, char *const *from, char *const *to, guint n, GError **error);
/* command-layer.c */
gboolean sluice_command_layer (SluiceCommandCall *call, GError **error);
gboolean sluice_command_unlayer (SluiceCommandCall *call, GError **error);
gboolean sluice_command_is_layer (const SluiceCommandCall *call, const char *name);
/* Makes the layer that the first argument names again, with the values as its parameters. */
gboolean sluice_command_set_layer (SluiceCommandCall *call, GError **error);
/* command-again.c: nodes that go, and come again under their names, among them those of a training
 */
/* Takes nodes away, and remembers who reads them. (transfer full) (nullable) */
GArray *sluice_command_take_away (SluiceCommandCall *call, const GPtrArray *nodes, GError **error);
/* Connects those to what has come; a reader of what has not is left with an open input. */
gboolean sluice_command_give_back (SluiceCommandCall *call, const GArray *readers, GError **error);
void sluice_training_away_free (SluiceTrainingAway *self);
/* Takes the training away, into the call, where it reads one of the nodes. FAILED_PRECONDITION: one
 * does that is not by train. */
gboolean
sluice_command_take_training (SluiceCommandCall *call, const GPtrArray *nodes, GError **error);
/* The same of any training that the command train has made. */
gboolean sluice_command_take_whole_training (SluiceCommandCall *call, GError **error);
gboolean sluice_command_train_again (SluiceCommandCall *call,
                                     const SluiceTrainingAway *away,
                                     GError **error);
/* Of a training that was made just now: by which command, and which nodes are its own, those from
 * the n-th on. */
gboolean sluice_command_remember_training (SluiceCommandCall *call, guint n, GError **error);
/* Names of what a training has in mind follow. */
gboolean sluice_command_rename_in_training (SluiceCommandCall *call,
                                            const char *from,
                                            const char *to,
                                            GError **error);
gboolean sluice_command_untrain (SluiceCommandCall *call, GError **error);
/* command-block.c */
gboolean sluice_command_block (SluiceCommandCall *call, GError **error);
gboolean sluice_command_instance (SluiceCommandCall *call, GError **error);
gboolean sluice_command_apply (SluiceCommandCall *call, GError **error);
gboolean sluice_command_unblock (SluiceCommandCall *call, GError **error);
/* command-train.c */
gboolean sluice_command_train (SluiceCommandCall *call, GError **error);
gboolean sluice_command_summary (SluiceCommandCall *call, GError **error);
/* command-together.c */
gboolean sluice_command_together (SluiceCommandCall *call, GError **error);
/* command-text.c */
gboolean sluice_command_text (SluiceCommandCall *call, GError **error);
gboolean sluice_command_paste (SluiceCommandCall *call, GError **error);
/* Behind Undo. (transfer full) (nullable): ALREADY_EXISTS: something was there */
char *sluice_command_dup_paste_words (const SluiceRewritten *done, GError **error);
/* command-file.c */
gboolean sluice_command_check (SluiceCommandCall *call, GError **error);
gboolean sluice_command_merge (SluiceCommandCall *call, GError **error);
gboolean sluice_command_save (SluiceCommandCall *call, GError **error);
