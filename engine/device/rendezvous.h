/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"
#include "engine/device/transfer.h"

SLUICE_PUBLIC_BEGIN

/*
 * Where values meet whoever waits for them: a sender and a receiver know nothing of each other but
 * the key. White paper, section 3.2.2.
 *
 * Inside a process the transfers between devices of a plan have no need of it: they are numbered
 * when the plan is compiled, and lie in slots of the step. What goes through it are _Send and _Recv
 * that stand in a graph, and what goes to another process; a table of functions is what differs.
 *
 * Everything belongs to an epoch. To abort one ends all that waits in it and in those before, and
 * whatever comes later of them: a value that was on its way when its step failed meets nobody. The
 * epochs of a step's own rendezvous are its runs, one after another; those of several machines are
 * counted by who leads them.
 *
 * Any thread may call; no call waits.
 */
typedef struct _SluiceRendezvous SluiceRendezvous;
typedef struct _SluiceReceive SluiceReceive;

/* Of one execution of a transfer. */
typedef struct
{
  const SluiceTransfer *transfer;
  guint64 frame, iteration;
} SluiceTransferKey;

/* Once, on whatever thread it comes to pass: that which receives, sends or aborts. self is the
 * caller's again. Without an error and without a tensor: what was sent is dead. (transfer full)
 * (nullable) both */
typedef void (*SluiceReceived) (SluiceReceive *self, SluiceTensor *take, GError *take_error);

/* A receive under way; of the caller, and part of what the caller needs. */
struct _SluiceReceive
{
  SluiceReceived received;
  SluiceReceive *next; /* the rendezvous's */
  GError *take_error;  /* the rendezvous's */
};

typedef struct
{
  gboolean (*send) (SluiceRendezvous *self,
                    guint64 epoch,
                    const SluiceTransferKey *key,
                    SluiceTensor *tensor,
                    GError **error);
  void (*receive) (SluiceRendezvous *self,
                   guint64 epoch,
                   const SluiceTransferKey *key,
                   SluiceReceive *receive);
  void (*abort) (SluiceRendezvous *self, guint64 epoch, const GError *status);
  char *(*describe_wait) (SluiceRendezvous *self, guint64 epoch, const SluiceTransferKey *key);
  void (*finalize) (SluiceRendezvous *self);
} SluiceRendezvousClass;

struct _SluiceRendezvous
{
  const SluiceRendezvousClass *klass;
  _Atomic int ref_count;
};

/* Within the process. */
SluiceRendezvous *sluice_rendezvous_new_local (void);
SluiceRendezvous *sluice_rendezvous_ref (SluiceRendezvous *self);
/* Nobody waits in it when the last reference goes: abort comes first. */
void sluice_rendezvous_unref (SluiceRendezvous *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceRendezvous, sluice_rendezvous_unref)

/**
 * sluice_rendezvous_send:
 * @tensor: (nullable): NULL: dead. It is shared with the receiver and changes no more
 *
 * Returns: %FALSE with ALREADY_EXISTS where a value of that key waits to be received, or with what
 * the epoch was aborted with
 */
gboolean sluice_rendezvous_send (SluiceRendezvous *self,
                                 guint64 epoch,
                                 const SluiceTransferKey *key,
                                 SluiceTensor *tensor,
                                 GError **error);

/* The value under a key, now or once it comes; ALREADY_EXISTS where another receive of that key
 * waits. */
void sluice_rendezvous_receive (SluiceRendezvous *self,
                                guint64 epoch,
                                const SluiceTransferKey *key,
                                SluiceReceive *receive);

/* Ends what waits in an epoch or in one before, and what will come of them: receives and sends end
 * with status, and values go. Of an epoch that was aborted already nothing changes. */
void sluice_rendezvous_abort (SluiceRendezvous *self, guint64 epoch, const GError *status);

/* What who receives the key waits for, in words that follow "waits for": the key, and what was sent
 * and nobody has received, which may be it under another name. (transfer full) (nullable): nobody
 * waits for it */
char *sluice_rendezvous_describe_wait (SluiceRendezvous *self,
                                       guint64 epoch,
                                       const SluiceTransferKey *key);

SLUICE_PUBLIC_END
