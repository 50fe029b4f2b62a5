/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

static _Atomic guint count;
static int event = -1;

static void
on_signal (int number)
{
  int saved = errno;
  guint64 one = 1;
  atomic_fetch_add (&count, 1);
  if (write (event, &one, sizeof one) < 0)
    errno = saved; /* full: it can be read all the same */
  errno = saved;
}

static void
catch_one (int number)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, before;
  sigfillset (&action.sa_mask);
  /* Under nohup a terminal may close. */
  if (number == SIGHUP && sigaction (number, NULL, &before) == 0 && before.sa_handler == SIG_IGN)
    return;
  sigaction (number, &action, NULL);
}

void
sluice_signals_catch (void)
{
  /* All whose default is to end the process, but those that tell of a fault in it. */
  static const int numbers[] = {
    SIGHUP,  SIGINT,    SIGQUIT, SIGTERM, SIGPIPE, SIGALRM, SIGUSR1,
    SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU, SIGIO,   SIGPWR,  SIGSTKFLT
  };
  if (event >= 0)
    return;
  event = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    catch_one (numbers[i]);
  for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
    catch_one (number);
  signal (SIGXFSZ, SIG_IGN);
}

guint
sluice_signals_get_count (void)
{
  return atomic_load (&count);
}

int
sluice_signals_get_fd (void)
{
  return event;
}

void
sluice_signals_clear (void)
{
  guint64 n;
  while (event >= 0 && read (event, &n, sizeof n) > 0)
    ;
}
