/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Files of other people, read as a whole: of the kind, the size and the packing that one expects.
 * A pipe may never end, and a few megabytes of gzip may be terabytes of zeros.
 */
typedef struct
{
  gboolean special_files; /* pipes, devices and sockets are read too, and waited for */
  guint64 unpacked_bytes; /* what a compressed file may hold, however small it is; 0: up to 256 MiB,
                             or 100 times its size */
} SluiceReadOptions;

/* Of the process; before the first file is read. */
void sluice_read_set_options (const SluiceReadOptions *options);

/**
 * sluice_read_check_kind:
 * @fd: opened with O_NONBLOCK, so that opening does not wait for a pipe's other end
 *
 * Returns: %FALSE with FAILED_PRECONDITION of a folder, INVALID_ARGUMENT of what else is no regular
 * file, naming the option that allows it; where it is allowed, @fd waits from now on
 */
gboolean sluice_read_check_kind (int fd, const char *what, const char *path, GError **error);

/* The file that is open, mapped; what truncates it meanwhile ends us. */
GMappedFile *sluice_read_map (int fd, const char *what, const char *path, GError **error);

typedef enum
{
  SLUICE_READ_PLAIN,
  SLUICE_READ_MAPPED, /* a regular file is mapped, not copied: who truncates it meanwhile ends us */
} SluiceReadMode;

/**
 * sluice_read_file:
 * @what: "graph", for messages
 * @max_bytes: that the format can have
 *
 * Returns: (transfer full): %NULL with NOT_FOUND and the like, RESOURCE_EXHAUSTED where it is
 * larger or there is no memory for it, or as sluice_read_check_kind()
 */
GBytes *sluice_read_file (
    const char *what, const char *path, SluiceReadMode mode, guint64 max_bytes, GError **error);

/* Does it begin as gzip does? */
gboolean sluice_read_is_gzip (GBytes *bytes);

/**
 * sluice_read_unzip:
 * @packed: one gzip member, or several in a row
 * @max_bytes: that the format can have
 *
 * Returns: (transfer full): %NULL with DATA_LOSS, or RESOURCE_EXHAUSTED where it unpacks to more
 * than max_bytes or than SluiceReadOptions allow
 */
GBytes *sluice_read_unzip (GBytes *packed, guint64 max_bytes, GError **error);

/* How much of a compressed file of that size may come out. */
guint64 sluice_read_get_unpacked_limit (guint64 packed_bytes);
/* Fails because more than that would come out; names the option that lifts it. */
gboolean sluice_read_fail_unpacked (guint64 limit, GError **error);
