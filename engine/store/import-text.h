/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/import-private.h"
#include "engine/store/kinds/hparams.h"

/*
 * Runs of formats that are no event files: files that only grow, whose points are taken from where
 * reading ended before, and small ones that say something of the run and are read as a whole
 * whenever one of them has changed. What was read, and how far, is committed as that of event files
 * is.
 */

/* Files that are read as a whole: no larger one is. */
#define IMPORT_MOST_TEXT ((guint64) 2 << 30)
#define IMPORT_MOST_FACT ((guint64) 16 << 20)
/* At the begin, and before the offset up to which a file was read, by which it is known again. */
#define IMPORT_MARK_BYTES 64

/* What there is of a file, or a part of that. Offsets are the file's. */
typedef struct
{
  const char *bytes; /* from base on; 0 of a file that is read as a whole */
  gsize base, length;
  gsize from;     /* what is new of it begins there */
  gboolean ends;  /* nothing comes behind it */
  gint64 n_lines; /* that end before it */
  const char *head;
  gsize head_length; /* of the file's begin */
  double wall;       /* of points that come without: when the file was last written */
} ImportText;

struct _ImportFormat
{
  gboolean is_binary; /* a line's end is no place like others */
  gboolean in_parts;  /* takes one part after the other, each from where the last one was taken */
  /* (nullable): reads the files that are facts. FALSE: error is set. */
  gboolean (*take_facts) (ImportReading *reading, GError **error);
  /* Takes points. *taken: (inout): from where on it is not; may be set, and what waits committed,
   * as often as one likes. FALSE: error is set. */
  gboolean (*take) (ImportReading *reading,
                    const ImportPath *path,
                    const ImportText *text,
                    gsize *taken,
                    GError **error);
};

/* A file of points, unpacked. (transfer full) (nullable) */
GBytes *sluice_import_read_text (const char *path, GError **error);

gboolean sluice_import_texts_read (ImportReading *reading, GError **error);

/* ---- for formats ---- */

/* Commits what waits when it is much; now and then looks whether to go on. */
gboolean sluice_import_text_taken (ImportReading *reading,
                                   const ImportPath *path,
                                   const ImportText *text,
                                   gsize taken,
                                   GError **error);
void sluice_import_text_add_point (
    ImportReading *reading, const char *tag, gint64 step, double wall, double value);
/* Widens the time from the run's begin to its end; 0: none. */
void sluice_import_text_note_time (ImportReading *reading, double wall);
/* What the run began with. settings: (element-type SluiceSetting) */
void sluice_import_text_set_settings (ImportReading *reading, GPtrArray *settings);
/* (transfer full): a number where the text is one, and not quoted. */
SluiceSetting *sluice_import_setting_new (const char *name, const char *value, gboolean is_text);
/* A tag that a person may have given the new run. */
void sluice_import_text_add_tag (ImportReading *reading, const char *tag);

/* A fact as text, NUL behind it. (transfer full) (nullable): it is not there, or cannot be read,
 * which is told. */
GBytes *sluice_import_read_fact (ImportReading *reading, const ImportPath *path);

/* A whole text that is a number, in the C locale; also "nan", "inf", "Infinity". */
gboolean sluice_import_parse_double (const char *text, double *value);
gboolean sluice_import_parse_int (const char *text, gint64 *value);
/* Seconds since 1970 of a number (of milliseconds, where it is large) or an ISO 8601 time; 0: it is
 * none. */
double sluice_import_parse_time (const char *text);
/* Damage at a line. */
void sluice_import_add_line_damage (ImportReading *reading,
                                    const ImportPath *path,
                                    gsize offset,
                                    gint64 line,
                                    const char *column,
                                    const char *what);
typedef struct
{
  const char *begin, *end; /* without its newline */
  gsize next;              /* where the one behind it begins */
  gboolean is_whole;       /* it has its newline */
} ImportLine;
/* The line that begins at an offset. FALSE: there is none, or it may be written just now. */
gboolean sluice_import_get_line (ImportReading *reading,
                                 const ImportText *text,
                                 gsize from,
                                 ImportLine *line);
/* Lines that end between two offsets of it. */
gint64 sluice_import_count_lines (const ImportText *text, gsize from, gsize to);
