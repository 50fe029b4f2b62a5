/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/thread.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/error.h"

#define COMPUTING_NICE 5

void
sluice_thread_yield (void)
{
  int nice = MIN (getpriority (PRIO_PROCESS, (id_t) getpid ()) + COMPUTING_NICE, 19);
  setpriority (PRIO_PROCESS, (id_t) syscall (SYS_gettid), nice);
}

gint64
sluice_thread_get_cpu_us (void)
{
  struct timespec t;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * G_USEC_PER_SEC + t.tv_nsec / 1000;
}

gboolean
sluice_thread_start (pthread_t *thread,
                     void *(*main) (void *),
                     gpointer data,
                     const char *what,
                     const char *fewer,
                     GError **error)
{
  int rc = pthread_create (thread, NULL, main, data);
  if (rc == 0)
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                      "%s: the system gives no further thread (%s); allow more (ulimit -u, or "
                      "pids.max of the control group) or more memory for their stacks%s%s",
                      what, g_strerror (rc), fewer != NULL ? ", or " : "",
                      fewer != NULL ? fewer : "");
}
