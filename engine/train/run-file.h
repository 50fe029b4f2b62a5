/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/run-queue.h"
#include "engine/train/project.h"

/*
 * What a run's folder says of the run beside the project: its name, what people say of it, and
 * which files it was made of. With it a run outlives its workspace's database, and a changed file
 * is noticed.
 */
typedef struct
{
  char *key; /* of project.ini: "train-x", "graph" */
  char *path;
  gint64 bytes, modified, changed, inode; /* times in ns since 1970: of the contents, of anything */
  char *sha256;
} SluiceRunInput;

/* The project, as text, by which the steps after from were made. */
typedef struct
{
  gint64 from;
  char *text;
} SluiceRunSource;

/* What came of it when it was trained again (engine/train/reproduce.h). */
typedef struct
{
  gboolean equal;
  gint64 from, to;       /* steps that were compared; to: where it parted, if it did */
  char *machine, *build; /* that made it again */
  char *where;           /* (nullable): the node where it parted */
  double when;           /* Unix seconds */
} SluiceRunProof;
/* "bit-equal to step 100 on …": (transfer full) */
char *sluice_run_proof_dup_badge (const SluiceRunProof *self);

typedef struct
{
  char *name, *project, *graph_hash; /* (nullable) */
  double created;
  char *notes, *group; /* (nullable) */
  char **tags;         /* (nullable) */
  gboolean is_starred;
  char *color;           /* (nullable) */
  GHashTable *made;      /* text -> text: "build", "machine", "devices", "threads": what it was last
                            trained by; empty where nobody wrote it down */
  GArray *inputs;        /* of SluiceRunInput */
  GHashTable *examples;  /* text -> text: "train-x", …: SluiceExampleSums by their hash */
  GArray *sources;       /* of SluiceRunSource, in order of steps */
  SluiceRunProof *proof; /* (nullable) */
  GHashTable *needs;     /* text -> text: what was said that it needs (queue-needs.h) */
  char *init_from;       /* (nullable): the checkpoint file whose values it began with */
} SluiceRunFile;

/* Tells what runs of this process are trained by, in words: version and libraries. (transfer full):
 * asked when one begins or goes on. Once, at the start of the program. */
void sluice_run_file_set_build (char *(*dup_description) (void) );
/* Notes that the run is trained by this process, on these devices. */
void sluice_run_file_note_made (SluiceRunFile *self, const char *devices);
/* Was it trained last as this process would train it on these devices? */
gboolean sluice_run_file_is_made_here (const SluiceRunFile *self, const char *devices);

/* Notes how the run was asked for. init_from: (nullable) */
void sluice_run_file_note_asked (SluiceRunFile *self,
                                 const SluiceQueueNeeds *needs,
                                 const char *init_from);
/* Notes that the steps after from are made by that project. */
void sluice_run_file_note_source (SluiceRunFile *self, gint64 from, const SluiceProject *project);
/* Takes a copy. */
void sluice_run_file_set_proof (SluiceRunFile *self, const SluiceRunProof *proof);
/* The same in the folder of a run at work, whose project was changed on the way: it has the change
 * in it, with its step. That it cannot be written down ends no run. */
void sluice_run_file_update_source (SluiceStore *store, gint64 run, const SluiceProject *project);
/* What this process is and what it runs on, in words. (transfer full); build: (nullable) */
char *sluice_dup_machine (void);
char *sluice_dup_build (void);

/* Of a run that begins: looks at the files that the project names. */
SluiceRunFile *sluice_run_file_new (const SluiceProject *project, GError **error);
/* (nullable): NULL where the folder has none, which is no error, or one that cannot be read. */
SluiceRunFile *sluice_run_file_read (const char *folder);
void sluice_run_file_free (SluiceRunFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceRunFile, sluice_run_file_free)

/* All but the inputs is taken from info. */
gboolean sluice_run_file_write (const SluiceRunFile *self,
                                const char *folder,
                                const SluiceRunInfo *info,
                                GError **error);

/* Writes what the store says of a run into its folder, where it has one: after people have said
 * something else. */
gboolean sluice_run_file_update (SluiceStore *store, const SluiceRunInfo *info, GError **error);

/**
 * sluice_run_file_compare:
 * @difference: (out) (nullable) (transfer full): which data files are other ones than they were,
 *   and how; %NULL: none. A graph is not told: it has a hash that forgives another way to write it.
 *
 * Looks at the files that the project names now, which become those of @self. A file is read only
 * where it has another time, size or place than it had.
 */
gboolean sluice_run_file_compare (SluiceRunFile *self,
                                  const SluiceProject *project,
                                  char **difference,
                                  GError **error);
