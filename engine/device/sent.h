/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/device.h"

/*
 * Host values that are on their way to a device before a kernel there asks for them: the copy runs
 * in the queue beside its kernels', once for all who read the value. White paper, section 3.2.2.
 */

/* Values that were sent, with their devices: who holds the array holds them there. Free with
 * g_array_unref() before the devices. */
GArray *sluice_sent_new (void);
/**
 * sluice_sent_add:
 * @device: one with queues
 * @node: id of whom its memory there is told to be held by
 * @needs_now: its queue goes on once the value is there
 *
 * Without memory for it (what is not needed now leaves the room of the largest step so far) nothing
 * is sent, and who needs the value copies it as any other.
 */
void sluice_sent_add (
    GArray *sent, SluiceDevice *device, SluiceTensor *tensor, guint32 node, gboolean needs_now);

/* Of who runs in the queue of a device that was to wait for it. (transfer full) (nullable): it was
 * not sent */
SluiceTensor *sluice_device_dup_sent (SluiceDevice *self, const SluiceTensor *tensor);

/* ---- constants: copied when a kernel first asks, and kept for the next ---- */

/* (transfer full) (nullable): nobody has asked yet */
SluiceTensor *sluice_device_dup_constant (SluiceDevice *self, SluiceTensor *constant);
/* far: (transfer full): its copy there. Returns: (transfer full): the one that is kept, which
 * another thread may have brought before */
SluiceTensor *
sluice_device_keep_constant (SluiceDevice *self, SluiceTensor *constant, SluiceTensor *far);
/* Their copies go. */
void sluice_device_forget_constants (SluiceDevice *self, SluiceTensor *const *constants, guint n);

/* ---- of device.c ---- */

SluiceSentValues *sluice_sent_values_new (void);
/* After the device's queues have ended. */
void sluice_sent_values_free (SluiceSentValues *self);
