/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "engine/device/device.h"

/*
 * The devices that work is placed on, and the links between them: those that are here, or those of
 * a file that describes others ("my lab's 4 GPUs"). White paper, section 3.2.1.
 */
typedef struct
{
  char *name;           /* full: "/job:localhost/replica:0/task:0/device:CPU:0" */
  char *type;           /* "CPU" */
  double flops_per_us;  /* of ops that compute */
  double bytes_per_us;  /* that are read and written */
  double overhead_us;   /* of a node that has nothing to do */
  double memory;        /* bytes; INFINITY: no limit */
  SluiceDevice *device; /* the session's; of one that is not here a stand-in of the machine's, which
                           has a class and names and nothing else */
  gboolean is_here;
} SluiceMachineDevice;

/* One direction. A transfer takes latency_us + bytes / bytes_per_us. */
typedef struct
{
  double latency_us; /* INFINITY: there is no link */
  double bytes_per_us;
} SluiceMachineLink;

typedef struct
{
  SluiceMachineDevice *devices;
  guint n_devices;
  SluiceMachineLink *links; /* [from * n_devices + to] */
  gboolean is_elsewhere;    /* of a file: whatever is said of it is a prediction */
} SluiceMachine;

/**
 * sluice_machine_parse:
 * @text: JSON: {"devices": [{"name", "gflops", "gbps", "memory", "overhead_us"}], "links":
 *   [{"from", "to", "latency_us", "gbps"}]}, gflops and gbps in 10⁹ a second; a link serves both
 *   directions unless the other has an entry of its own. What a device leaves out is 50, 10, no
 *   limit and 0.1; a link's latency is 0. Up to SLUICE_MAX_DEVICES
 * @path: for messages
 *
 * Returns: (transfer full) (nullable): INVALID_ARGUMENT, which says what is wrong where: a device
 * twice, a link to none or to itself, no bandwidth, what is no number
 */
SluiceMachine *
sluice_machine_parse (const char *text, gsize length, const char *path, GError **error);
SluiceMachine *sluice_machine_load (const char *path, GError **error);
/* The devices that are here, as fast as a file that says nothing of their speed has them. The
 * machine borrows them. */
SluiceMachine *sluice_machine_new_here (SluiceDevice *const *devices, guint n);
void sluice_machine_free (SluiceMachine *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceMachine, sluice_machine_free)

/* "CPU:1", "/cpu:1" and the full name mean one device. (transfer full) (nullable):
 * INVALID_ARGUMENT: no name of one device */
char *sluice_machine_dup_device_name (const char *text, GError **error);
/* -1: none has it */
int sluice_machine_find_device (const SluiceMachine *self, const char *name);

/* INFINITY: there is none. */
static inline double
sluice_machine_link_get_us (const SluiceMachineLink *self, double bytes)
{
  return self->latency_us + (bytes > 0 ? bytes / self->bytes_per_us : 0);
}

static inline const SluiceMachineLink *
sluice_machine_get_link (const SluiceMachine *self, guint from, guint to)
{
  return &self->links[from * self->n_devices + to];
}
