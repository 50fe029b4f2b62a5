/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * A machine that refuses: the n-th request of a kind fails, or the n-th and all after it. The test
 * program's own functions stand in front of the C library's, GLib's and SQLite's, for the engine
 * and for the libraries that it uses; the product has no hooks.
 *
 * - MEMORY: what is asked for with leave to fail. g_try_malloc() and its kin, posix_memalign() and
 *   mmap() (the devices' allocators, mapped files), all of SQLite's, what zlib, libzip and
 *   protobuf-c ask malloc() for. Not: g_malloc() and its kin, by which GLib ends a program that has
 *   no memory for a small block.
 * - WRITE: write() and pwrite() to regular files, ftruncate() (ENOSPC).
 * - SYNC: fsync(), fdatasync() (EIO).
 * - RENAME: rename(), link(), linkat() (EIO).
 * - THREAD: pthread_create() (EAGAIN).
 */
typedef enum
{
  FAULT_MEMORY,
  FAULT_WRITE,
  FAULT_SYNC,
  FAULT_RENAME,
  FAULT_THREAD,
  N_FAULT_KINDS
} FaultKind;

extern const char *const fault_names[N_FAULT_KINDS];

/* Before anything else of the program. */
void faults_init (void);

/* The n-th request from now on fails, counted from 0; for_good: all after it, too. */
void faults_arm (FaultKind kind, gint64 n, gboolean for_good);
/* How many of the kind there have been since then. */
gint64 faults_get_n_requests (void);
/* All are granted again. TRUE: one was refused. */
gboolean faults_disarm (void);

/* Blocks of malloc() and its kin that are held. */
gint64 faults_count_blocks (void);
/* Descriptors that are open, up to the first gap. */
guint faults_count_files (void);
