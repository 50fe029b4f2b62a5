/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Stands before the C library (LD_PRELOAD) and makes a machine odd, as the environment says:
 *
 *   SLUICE_ODD_ROOM=BYTES    regular files may grow by so much altogether, then the disk is full
 *   SLUICE_ODD_SLOW=MS       a write takes so long, a sync ten times that
 *   SLUICE_ODD_CLOCK=SECONDS the wall clock jumps so far ahead every 64th time that it is read, and
 *                            back again the next time
 */

/* With it "pwrite" is another name of "pwrite64"; here both are meant. */
#undef _FILE_OFFSET_BITS

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define JUMP_EVERY 64

static long long room = -1; /* -1: no limit */
static long slow_ms, jump_seconds;
static atomic_llong grown;
static atomic_uint n_reads;

__attribute__ ((constructor)) static void
read_environment (void)
{
  const char *text;
  if ((text = getenv ("SLUICE_ODD_ROOM")) != NULL)
    room = atoll (text);
  if ((text = getenv ("SLUICE_ODD_SLOW")) != NULL)
    slow_ms = atol (text);
  if ((text = getenv ("SLUICE_ODD_CLOCK")) != NULL)
    jump_seconds = atol (text);
}

static void
take_time (long ms)
{
  const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
  if (ms > 0)
    nanosleep (&time, NULL);
}

/* Is there room for what makes a file so long? 0, or -1 with errno. */
static int
grow (int fd, off_t end)
{
  struct stat info;
  if (room < 0 || fstat (fd, &info) != 0 || !S_ISREG (info.st_mode) || end <= info.st_size)
    return 0;
  if (atomic_fetch_add (&grown, end - info.st_size) + end - info.st_size <= room)
    return 0;
  errno = ENOSPC;
  return -1;
}

#pragma GCC visibility push(default)

#define REAL(name) ((__typeof__ (&name)) dlsym (RTLD_NEXT, #name))

ssize_t
write (int fd, const void *bytes, size_t n)
{
  struct stat info;
  if (fstat (fd, &info) == 0 && S_ISREG (info.st_mode))
    {
      take_time (slow_ms);
      if (grow (fd, lseek (fd, 0, SEEK_CUR) + (off_t) n) != 0)
        return -1;
    }
  return REAL (write) (fd, bytes, n);
}

ssize_t
pwrite64 (int fd, const void *bytes, size_t n, off64_t at)
{
  take_time (slow_ms);
  return grow (fd, at + (off_t) n) == 0 ? REAL (pwrite64) (fd, bytes, n, at) : -1;
}

ssize_t
pwrite (int fd, const void *bytes, size_t n, off_t at)
{
  return pwrite64 (fd, bytes, n, at);
}

int
ftruncate64 (int fd, off64_t length)
{
  return grow (fd, length) == 0 ? REAL (ftruncate64) (fd, length) : -1;
}

int
ftruncate (int fd, off_t length)
{
  return ftruncate64 (fd, length);
}

int
posix_fallocate64 (int fd, off64_t at, off64_t n)
{
  return grow (fd, at + n) == 0 ? REAL (posix_fallocate64) (fd, at, n) : ENOSPC;
}

int
posix_fallocate (int fd, off_t at, off_t n)
{
  return posix_fallocate64 (fd, at, n);
}

int
fsync (int fd)
{
  take_time (10 * slow_ms);
  return REAL (fsync) (fd);
}

int
fdatasync (int fd)
{
  take_time (10 * slow_ms);
  return REAL (fdatasync) (fd);
}

static long
jump (void)
{
  return jump_seconds != 0 && atomic_fetch_add (&n_reads, 1) % JUMP_EVERY == JUMP_EVERY - 1
             ? jump_seconds
             : 0;
}

int
clock_gettime (clockid_t clock, struct timespec *time)
{
  int result = REAL (clock_gettime) (clock, time);
  if (clock == CLOCK_REALTIME)
    time->tv_sec += jump ();
  return result;
}

int
gettimeofday (struct timeval *time, void *zone)
{
  int result = REAL (gettimeofday) (time, zone);
  time->tv_sec += jump ();
  return result;
}

#pragma GCC visibility pop
