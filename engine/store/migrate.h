/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <sqlite3.h>

/*
 * PRAGMA user_version numbers what a database looks like. Every part of the store (the core, and
 * each kind) says what it adds or changes with which version; the steps of one version are one
 * transaction, so that a program that is killed leaves the old database or the new one. Before the
 * first of them the database is copied: sluice.db.v1 beside sluice.db.
 */
typedef struct
{
  int version;                                                     /* that it leads to */
  const char *sql;                                                 /* (nullable) */
  gboolean (*func) (sqlite3 *db, gpointer unused, GError **error); /* (nullable): after sql */
} SluiceMigration;

/* "SLCE": what a store of version 2 or later has as PRAGMA application_id. */
#define SLUICE_STORE_APPLICATION_ID 0x534c4345

/* (element-type SluiceMigration) (transfer container): what leads to a version from the one before,
 * in the order in which it is done. */
GPtrArray *sluice_store_list_steps (int version);
/* In a transaction. */
gboolean sluice_store_run_step (sqlite3 *db, const SluiceMigration *step, GError **error);

/* The newest version that the parts of the store lead to. */
int sluice_store_get_newest_version (void);
/* The version of a database; -1 with FAILED_PRECONDITION where it is newer than that, or another
 * program's. */
int sluice_store_check_version (sqlite3 *db, const char *path, GError **error);

/**
 * sluice_store_migrate:
 * @db: a connection without a transaction; nobody else has it
 * @path: of its file
 *
 * Makes the tables of a new database, brings an older one up to date, and looks whether all that
 * is expected is there.
 *
 * Returns: %FALSE with FAILED_PRECONDITION (a newer version, or no database of Sluice's), DATA_LOSS
 * (damaged: the copy is named where there is one), RESOURCE_EXHAUSTED …; the database is then as it
 * was
 */
gboolean sluice_store_migrate (sqlite3 *db, const char *path, GError **error);
