/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/allocator.h"
#include "engine/base/error.h"
#include "engine/base/tensor.h"
#include "engine/device/cluster.h"
#include "engine/device/device-thread.h"
#include "engine/device/swap.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/*
 * A device. Everything that differs between kinds of device stands in the vtable; a CPU, a device
 * that computes nothing, one that is simulated, and a GPU in a module loaded at run time are four
 * tables.
 */
typedef struct _SluiceDevice SluiceDevice;

/*
 * What a device with memory and queues of its own does in order: kernels, and copies to and from
 * the host, which run beside them. White paper, section 3.2.
 */
typedef enum
{
  SLUICE_QUEUE_COMPUTE,
  SLUICE_QUEUE_IN,
  SLUICE_QUEUE_OUT,
  SLUICE_N_QUEUE_KINDS
} SluiceQueueKind;

/* The end of what a queue was given until then. number 0: always passed. */
typedef struct
{
  gpointer queue;
  guint64 number;
} SluiceDeviceEvent;

typedef enum
{
  SLUICE_COPY_IN,    /* from host memory */
  SLUICE_COPY_OUT,   /* to host memory */
  SLUICE_COPY_WITHIN /* the device's memory */
} SluiceCopyKind;

/*
 * All of them may be called from any thread. What returns a gboolean may fail: a device that was
 * lost takes nothing any more, and a copy may find an error of the link. What goes wrong in the
 * others shows in what is enqueued next.
 */
typedef struct
{
  /* func runs in its queue's order: now, where all that it does is to enlist work of the device, or
   * later, on the device's own thread. FALSE: it never runs. */
  gboolean (*enqueue) (SluiceDevice *self,
                       SluiceQueueKind kind,
                       SluiceQueuedFunc func,
                       gpointer data);
  /* func is called once all that stands in the queue is done, on a thread that may call nothing of
   * the device. FALSE: it is never called. */
  gboolean (*notify) (SluiceDevice *self,
                      SluiceQueueKind kind,
                      SluiceQueuedFunc func,
                      gpointer data);
  /* In the queue's order, from a function that runs there. FALSE: what lies there now is anything.
   */
  gboolean (*copy) (SluiceDevice *self,
                    SluiceQueueKind kind,
                    SluiceCopyKind direction,
                    void *to,
                    const void *from,
                    gsize bytes);
  /* Between devices of the type, in the order of a queue of self. */
  gboolean (*copy_across) (SluiceDevice *self,
                           SluiceQueueKind kind,
                           void *to,
                           SluiceDevice *from_device,
                           const void *from,
                           gsize bytes);
  SluiceDeviceEvent (*record) (SluiceDevice *self, SluiceQueueKind kind);
  gboolean (*has_passed) (SluiceDevice *self, SluiceDeviceEvent event);
  /* The calling thread: until it has passed, or never will. */
  void (*wait) (SluiceDevice *self, SluiceDeviceEvent event);
  /* What the queue is given from now on begins after an event, which may be another device's of
   * the same type. */
  void (*wait_in_queue) (SluiceDevice *self, SluiceQueueKind kind, SluiceDeviceEvent event);
  /* Until nothing in its queues runs or will run. FALSE with why: the device is lost; nothing of it
   * can be used any more */
  gboolean (*synchronize) (SluiceDevice *self, GError **error);
  /* (nullable): by who runs in the queue, when a kernel's work is done and before its end counts: a
   * device that is slower than what it is made of takes its time there. */
  void (*pace) (SluiceDevice *self);
} SluiceDeviceQueues;

typedef struct
{
  const char *type;        /* "CPU", "NULL" */
  const char *kernel_type; /* kernels register for it; NULL: for the same */
  gboolean computes; /* FALSE: kernels are not called, outputs are only allocated and the schedule
                        recorded */
  const SluiceDeviceQueues *queues; /* NULL: kernels are done when they return, in host memory */
  void (*finalize) (SluiceDevice *self); /* (nullable) */
} SluiceDeviceClass;

typedef struct _SluiceSentValues SluiceSentValues;

struct _SluiceDevice
{
  const SluiceDeviceClass *klass;
  char *name;             /* "/job:localhost/replica:0/task:0/device:CPU:0" */
  const char *short_name; /* "CPU:0": the end of it */
  guint index;
  guint64 incarnation; /* another one after a restart: in keys of transfers */
  SluiceAllocator *allocator;
  SluiceResidency *residency; /* (nullable): the allocator's; what is not in use leaves it */
  gpointer data;              /* of the memory's source, and its class */
  SluiceSwap *swap;           /* (nullable): where there is a limit */
  SluiceSentValues *sent;     /* sent.h; NULL: it has no queues */
};

/*
 * A kind of device that a plugin brings: its class, how many there are, and where their tensors
 * lie.
 */
typedef struct
{
  const SluiceDeviceClass *klass;
  guint (*count) (void);
  /* One line for people: of a device what it is; of the number after the last what is there of
   * drivers and libraries, or in one sentence what is missing. (transfer full) */
  char *(*describe) (guint index);
  /* Makes device index ready; where its memory comes from. options (nullable): what the session
   * asks of devices of this type. (nullable): error is set */
  const SluiceMemorySource *(*open) (guint index, const char *options, GError **error);
  gboolean is_simulated; /* there are as many as are asked for: lists name the first one */
} SluiceDeviceKind;

/* "CPU": what the kernels of its devices register for. */
const char *sluice_device_class_get_kernel_type (const SluiceDeviceClass *klass);

/* Of the devices of a type that there are or can be here. (nullable) */
const SluiceDeviceClass *sluice_device_class_find (const char *type);

/* In whose memory the elements lie. (transfer none) (nullable): the host's */
SluiceDevice *sluice_tensor_get_device (const SluiceTensor *tensor);

/**
 * sluice_tensor_dup_near:
 * @to: (nullable): NULL: host memory that is no session's
 *
 * For who reads elements on the host; not on a thread of the device, as it waits for it.
 *
 * Returns: (transfer full) (nullable): the tensor, or a copy in memory that the host reaches;
 * %NULL with RESOURCE_EXHAUSTED
 */
SluiceTensor *sluice_tensor_dup_near (SluiceTensor *tensor, SluiceAllocator *to, GError **error);
/* The other way: a tensor of the device's, whose memory is shared as a variable's. */
SluiceTensor *
sluice_device_copy_in (SluiceDevice *self, SluiceTensor *tensor, SluiceOwner owner, GError **error);

/* For a value like another that is to be copied to the device, before a kernel there uses it. */
SluiceTensor *sluice_device_new_room (SluiceDevice *self,
                                      const SluiceTensor *like,
                                      SluiceOwner owner,
                                      GError **error);

/* From functions that run in a queue of the device's, in its order: wherever the elements of a
 * tensor of its are just then (residency.h). FALSE: the copy has failed. */
gboolean sluice_device_read_out (SluiceDevice *self,
                                 SluiceQueueKind kind,
                                 void *to,
                                 const SluiceTensor *from);
gboolean sluice_device_write_in (SluiceDevice *self,
                                 SluiceQueueKind kind,
                                 const SluiceTensor *to,
                                 const void *from);
/* From one device's memory to that of another of its type, in SLUICE_QUEUE_IN of the latter. */
gboolean
sluice_device_copy_across (SluiceDevice *self, const SluiceTensor *to, const SluiceTensor *from);

/* What a copy that has failed is told as: UNAVAILABLE. Returns FALSE. */
gboolean
sluice_device_fail_copy (SluiceDevice *self, SluiceCopyKind direction, gsize bytes, GError **error);

/* How many of them a list for people names. */
guint sluice_device_kind_count_listed (const SluiceDeviceKind *kind);

/* At start-up only: sluice_plugin_load(). */
void sluice_device_add_kind (const SluiceDeviceKind *kind);
/* (array length=n) */
const SluiceDeviceKind *const *sluice_device_list_kinds (guint *n);
/* That of a type, "CUDA". (nullable): NOT_FOUND, which names those that there are */
const SluiceDeviceKind *sluice_device_find_kind (const char *type, GError **error);

/* Of one session. What is made for all of them takes memory and time by the device, whether or not
 * a node stands there. */
#define SLUICE_MAX_DEVICES 1024

/* Of this process in a cluster (nullable): of a process that is alone. (nullable): no memory for
 * it. memory_limit 0: none. swap_folder (nullable): that of temporary files. */
SluiceDevice *sluice_device_new_cpu (const SluiceCluster *cluster,
                                     guint index,
                                     gsize memory_limit,
                                     const char *swap_folder);
SluiceDevice *sluice_device_new_null (const SluiceCluster *cluster, guint index);
/* (nullable): NOT_FOUND where there are not so many, RESOURCE_EXHAUSTED, or what it cannot do */
SluiceDevice *sluice_device_new_of_kind (const SluiceCluster *cluster,
                                         const SluiceDeviceKind *kind,
                                         guint index,
                                         gsize memory_limit,
                                         const char *options,
                                         GError **error);
void sluice_device_free (SluiceDevice *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceDevice, sluice_device_free)

/* A full or partial device name, parsed: "/job:w/task:3/device:GPU:*", "/cpu:0", "CPU:1", "". */
typedef struct
{
  char *job;                /* (nullable): any */
  char *type;               /* (nullable): any; upper case */
  int replica, task, index; /* -1: any */
} SluiceDeviceSpec;

gboolean sluice_device_spec_parse (SluiceDeviceSpec *self, const char *text, GError **error);
void sluice_device_spec_clear (SluiceDeviceSpec *self);
gboolean sluice_device_spec_matches (const SluiceDeviceSpec *self, const SluiceDevice *device);
/* What both allow; FALSE where they contradict each other. */
gboolean sluice_device_spec_merge (SluiceDeviceSpec *self, const SluiceDeviceSpec *other);

SLUICE_PUBLIC_END
