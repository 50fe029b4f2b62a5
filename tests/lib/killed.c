/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "tests/lib/killed.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
  CANNOT = 77, /* exit status of a child that may not be traced */
};

/* Not a pipe, an event, a socket. */
static gboolean
is_file (pid_t process, guint64 fd)
{
  g_autofree char *link = g_strdup_printf ("/proc/%d/fd/%d", process, (int) fd);
  g_autofree char *path = g_file_read_link (link, NULL);
  return path != NULL && *path == '/' && !g_str_has_prefix (path, "/dev/")
         && !g_str_has_prefix (path, "/proc/");
}

static gboolean
changes_disk (pid_t process, const struct __ptrace_syscall_info *call)
{
  switch ((long) call->entry.nr)
    {
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_ftruncate:
    case SYS_fallocate:
      return is_file (process, call->entry.args[0]);
    case SYS_openat:
      return (call->entry.args[2] & (O_CREAT | O_TMPFILE)) != 0;
    case SYS_renameat2:
    case SYS_renameat:
    case SYS_unlinkat:
    case SYS_mkdirat:
    case SYS_linkat:
#ifdef SYS_rename
    case SYS_rename:
    case SYS_unlink:
    case SYS_rmdir:
    case SYS_mkdir:
    case SYS_link:
#endif
      return TRUE;
    default:
      return FALSE;
    }
}

static pid_t
begin (const char *const *arguments)
{
  pid_t child = fork ();
  int status;
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      if (ptrace (PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit (CANNOT);
      execv (arguments[0], (char *const *) arguments);
      _exit (1);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  if (WIFEXITED (status) && WEXITSTATUS (status) == CANNOT)
    return 0;
  g_assert_true (WIFSTOPPED (status)); /* at the program's first instruction */
  const intptr_t options = PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
  g_assert_cmpint (ptrace (PTRACE_SETOPTIONS, child, NULL, (void *) options), ==, 0);
  ptrace (PTRACE_SYSCALL, child, NULL, NULL);
  return child;
}

/* A thread that stands at a call, begins, or has got a signal. TRUE: it is about to change
 * something. *deliver: the signal that it is to have when it goes on; 0: none */
static gboolean
look (pid_t thread, int status, intptr_t *deliver)
{
  struct __ptrace_syscall_info call;
  int signal = WSTOPSIG (status);
  *deliver = 0;
  if (signal == (SIGTRAP | 0x80))
    return ptrace (PTRACE_GET_SYSCALL_INFO, thread, (void *) sizeof call, &call) > 0
           && call.op == PTRACE_SYSCALL_INFO_ENTRY && changes_disk (thread, &call);
  if (signal != SIGTRAP && signal != SIGSTOP)
    *deliver = signal;
  return FALSE;
}

Killed
killed_at (const char *const *arguments, guint n)
{
  pid_t child = begin (arguments), thread;
  int status;
  if (child == 0)
    return KILLED_CANNOT;
  while ((thread = waitpid (-1, &status, __WALL)) > 0)
    {
      intptr_t deliver;
      if (thread == child && !WIFSTOPPED (status))
        {
          g_assert_true (WIFSIGNALED (status) || WEXITSTATUS (status) == 0);
          g_assert_true (WIFEXITED (status) || WTERMSIG (status) == SIGKILL);
          return WIFEXITED (status) ? KILLED_NOT : KILLED;
        }
      if (!WIFSTOPPED (status))
        continue;
      if (look (thread, status, &deliver) && --n == 0)
        kill (child, SIGKILL);
      ptrace (PTRACE_SYSCALL, thread, NULL, (void *) deliver);
    }
  g_assert_not_reached ();
}
