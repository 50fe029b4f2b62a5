/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/chunks.h"
#include "engine/store/event-view.h"
#include "engine/store/import.h"
#include "engine/store/kind-private.h"

/* ---- what there is to read: import-find.c ---- */

typedef struct
{
  char *name; /* in the source's folder; its key in the database */
  char *path;
  gboolean is_fact; /* says something of the run, and has no points */
} ImportPath;

typedef struct _ImportFormat ImportFormat;

/* A folder with event files, or one file; or what another format says is a run. */
typedef struct
{
  char *source;     /* its canonical path; of one of several runs of a file, with its part */
  char *folder;     /* that the files lie in */
  char *name;       /* of the run to be */
  GPtrArray *files; /* of ImportPath, in the order in which they are read */
  const ImportFormat *format; /* (nullable): event files */
  char *part;                 /* (nullable): which of the runs of its file */
  GArray *spans; /* (nullable): of ImportSpan: where these lie, in its file as it was */
  gint64 spans_mtime, spans_size;
} ImportSource;

typedef struct
{
  gsize from, to;
} ImportSpan;

ImportSource *sluice_import_source_new (const char *source, const char *folder, char *take_name);
ImportPath *sluice_import_source_add (ImportSource *self, const char *name);
void sluice_import_source_free (gpointer data);
/* Appends the sources (of ImportSource) below a path, and the folders that were seen (filenames).
 * FALSE with NOT_FOUND and the like: there is nothing. */
gboolean
sluice_import_find (const char *path, GPtrArray *sources, GPtrArray *folders, GError **error);
/* The name of a file that is a run by itself. (transfer full) */
char *sluice_import_name_file (const char *basename);

/* ---- a run that is read: what of it waits to be written ---- */

typedef struct
{
  gint64 id; /* 0: not in the database yet */
  char *name;
  gint64 size, inode, mtime; /* as they were when it was read to its end */
  guint64 offset;
  guint32 mark;
  gboolean is_changed; /* since the last commit */
  guint64 committed;   /* the offset that the database has */
} ImportFile;

typedef struct
{
  gint64 id; /* 0: it has no row yet */
  char *tag;
  const SluiceKind *kind;
  guint index;
  gboolean is_old; /* it may have points or records in the database */
  gint64 segment;  /* the newest */
  gint64 greatest; /* no step lies above it; G_MININT64: it has none */
  /* Of records, in that segment: */
  gboolean knows_last;
  gboolean has_last;
  gint64 last_step;
} ImportSeries;

/* Of a tag in the files. */
typedef struct _ImportTag ImportTag;
struct _ImportTag
{
  guint8 *raw; /* as it stands there */
  gsize length;
  char *text;                               /* the same as UTF-8 */
  GBytes *metadata;                         /* (nullable): SummaryMetadata as it came first */
  Sluice__Event__SummaryMetadata *unpacked; /* (nullable) */
  gboolean is_written;                      /* the metadata are in the database */
  gboolean is_scalars;                      /* of that plugin */
  ImportSeries *points;                     /* (nullable) */
  GPtrArray *series;                        /* of ImportSeries: all that its values went to */
  ImportTag *next;                          /* (nullable): that came after it lately */
};

/* A point; or, where is_cut, what the series has from that step on is taken back. */
typedef struct
{
  guint32 series; /* index */
  guint32 is_cut;
  gint64 step;
  double wall;
  double value;
} ImportPoint;

typedef struct
{
  ImportSeries *series;
  SluiceRecord *record; /* NULL: is_cut, from step on */
  gint64 step;
} ImportRecord;

/* Flushed before it holds more. */
#define IMPORT_MOST_POINTS (1 << 20)
#define IMPORT_MANY_POINTS (1 << 17)
#define IMPORT_MOST_BYTES  ((gsize) 64 << 20) /* of records */

typedef struct
{
  SluiceStore *store;
  char *source;          /* its canonical path */
  SluiceRunInfo info;    /* id 0: not in the database yet */
  gint64 import;         /* row of imports; 0 the same */
  gint64 file_version;   /* 0: none was told */
  gint64 last_step;      /* of the newest event that did not go back, of files of version 1 */
  gint64 graph;          /* IMPORT_GRAPH_... */
  GHashTable *files;     /* name -> ImportFile */
  GHashTable *tags;      /* set of ImportTag by tag */
  ImportTag *last_tag;   /* (nullable): the last that was asked for */
  GHashTable *series;    /* tag -> ImportSeries */
  GPtrArray *all_series; /* the same by index */
  /* What waits: */
  GArray *points;    /* of ImportPoint */
  gboolean has_room; /* it has memory for as many as ever wait */
  GArray *records;   /* of ImportRecord */
  gsize n_bytes;     /* of records */
} ImportRun;

enum
{
  IMPORT_GRAPH_NONE,
  IMPORT_GRAPH_OF_META, /* out of a MetaGraphDef: one by itself is preferred */
  IMPORT_GRAPH_OWN,
};

ImportRun *sluice_import_run_new (SluiceStore *store, const char *source);
void sluice_import_run_free (gpointer data);
/* What there is from the database; whether it knows the source: import != 0. */
gboolean sluice_import_run_load (ImportRun *self, GError **error);
/* Forgets all that was read of it, here and in the database. */
gboolean sluice_import_run_reset (ImportRun *self, GError **error);
ImportFile *sluice_import_run_get_file (ImportRun *self, const char *name);
ImportSeries *
sluice_import_run_get_series (ImportRun *self, const char *tag, const SluiceKind *kind);
ImportTag *sluice_import_run_get_tag (ImportRun *self, const guint8 *raw, gsize length);
/* FALSE: they are no SummaryMetadata, or there is no memory for them. */
gboolean
sluice_import_tag_set_metadata (ImportTag *self, const guint8 *bytes, gsize length, GError **error);
/* What waits until the next commit. */
void sluice_import_run_add_point (
    ImportRun *self, ImportSeries *series, gint64 step, double wall, double value);
void sluice_import_run_add_record (ImportRun *self, ImportSeries *series, SluiceRecord *take);
/* Takes back what a series has from a step on. */
void sluice_import_run_cut_series (ImportRun *self, ImportSeries *series, gint64 step);
gboolean sluice_import_run_is_full (const ImportRun *self);
/* One transaction: what waits, and how far the files were read. FALSE: nothing of it. */
gboolean sluice_import_run_commit (ImportRun *self, GError **error);

/* ---- a run that is being read: import.c ---- */

typedef struct
{
  SluiceImporter *importer;
  ImportRun *run;
  const ImportSource *source;
  SluiceImportedRun *counts;
} ImportReading;

/* Of a file, at a byte of it. */
void sluice_import_add_damage (ImportReading *reading,
                               const ImportPath *path,
                               guint64 offset,
                               char *take_what);
/* Does somebody call again, to read what is not whole yet? */
gboolean sluice_import_follows (const ImportReading *reading);
/* Now and then: FALSE with CANCELLED. */
gboolean sluice_import_go_on (ImportReading *reading, guint64 position, GError **error);
/* As the file is now; FALSE: it is not there any more. */
gboolean sluice_import_look_at (const ImportPath *path, ImportFile *now);
/* Of two looks at a file. */
gboolean sluice_import_is_same_file (const ImportFile *a, const ImportFile *b);

/* ---- events: import-event.c ---- */

typedef enum
{
  IMPORT_TAKEN,
  IMPORT_DAMAGED, /* what says why; the rest of the event was taken */
  IMPORT_FAILED,  /* error is set */
} ImportResult;

/* what: (out) (transfer full) */
ImportResult sluice_import_event (ImportRun *run,
                                  SluiceOverlaps overlaps,
                                  const guint8 *bytes,
                                  gsize length,
                                  SluiceImportedRun *counts,
                                  char **what,
                                  GError **error);

/* ---- in a transaction ---- */

/* Of a run that is deleted: how far its files were read. */
gboolean sluice_import_forget (sqlite3 *db, gint64 run, GError **error);
