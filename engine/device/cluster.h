/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <stdatomic.h>

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/*
 * Which processes work together and which of them this one is: the one place that the names of job,
 * replica and task come from. TensorFlow's ClusterSpec: jobs of tasks, each task at an address. It
 * connects nothing. Never changes once it is made; counted. White paper, sections 2 and 3.3.
 */
typedef struct
{
  char *name;
  char **addresses; /* "host:port", by task; NULL: there is no such task, or it has none */
  guint n_tasks;    /* one more than the highest number */
} SluiceJob;

typedef struct
{
  _Atomic int ref_count;
  SluiceJob *jobs; /* in the order in which they were given; at least one */
  guint n_jobs;
  guint own_job, own_task; /* this process */
  guint64 incarnation;     /* of it: another one after a restart */
} SluiceCluster;

#define SLUICE_MAX_TASKS 65536 /* of all jobs */

/* This process alone, /job:localhost/replica:0/task:0, without an address. (transfer none) */
SluiceCluster *sluice_cluster_get_local (void);

/**
 * sluice_cluster_parse:
 * @text: "worker=a:2222,b:2222;ps=c:2222"; nothing between two commas: there is no such task
 * @own: "worker:1" or "/job:worker/task:1": which of them this process is
 *
 * Returns: (transfer full) (nullable): INVALID_ARGUMENT, which says what is wrong and where
 */
SluiceCluster *sluice_cluster_parse (const char *text, const char *own, GError **error);

/**
 * sluice_cluster_parse_tf_config:
 * @json: what TensorFlow's programs find in the environment's TF_CONFIG:
 *   {"cluster": {"worker": ["a:2222", "b:2222"], "ps": {"1": "c:2222"}},
 *    "task": {"type": "worker", "index": 1}}
 *
 * Without a cluster in it this process is alone, as in TensorFlow. What else stands in it is left
 * alone.
 *
 * Returns: (transfer full) (nullable): INVALID_ARGUMENT
 */
SluiceCluster *sluice_cluster_parse_tf_config (const char *json, GError **error);

SluiceCluster *sluice_cluster_ref (SluiceCluster *self);
void sluice_cluster_unref (SluiceCluster *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceCluster, sluice_cluster_unref)

/* (transfer none) (nullable): NOT_FOUND, which names the jobs that there are */
const SluiceJob *
sluice_cluster_find_job (const SluiceCluster *self, const char *name, GError **error);

/* As sluice_cluster_parse() takes it. (transfer full) */
char *sluice_cluster_to_text (const SluiceCluster *self);
/* "/job:worker/replica:0/task:1" of this process: what the names of its devices begin with.
 * (transfer full) */
char *sluice_cluster_dup_own_name (const SluiceCluster *self);

SLUICE_PUBLIC_END
