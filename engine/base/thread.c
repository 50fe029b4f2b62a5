/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/thread.h"

#include "engine/base/error.h"

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
