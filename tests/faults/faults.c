/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
/* With 32-bit offsets a name is the function's own, and both of each pair can be defined. */
#undef _FILE_OFFSET_BITS
#include "tests/faults/faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const fault_names[] = { "memory", "write", "sync", "rename", "thread" };

static atomic_int armed = -1;          /* a FaultKind */
static _Atomic gint64 n_armed, n_left; /* before a refusal: at first, still */
static atomic_bool persists, has_fired;

static gboolean
is_refused (FaultKind kind)
{
  if (atomic_load (&armed) != (int) kind)
    return FALSE;
  gint64 left = atomic_fetch_sub (&n_left, 1);
  if (left > 0 || (left < 0 && !atomic_load (&persists)))
    return FALSE;
  atomic_store (&has_fired, TRUE);
  return TRUE;
}

void
faults_arm (FaultKind kind, gint64 n, gboolean for_good)
{
  atomic_store (&n_armed, n);
  atomic_store (&n_left, n);
  atomic_store (&persists, for_good);
  atomic_store (&has_fired, FALSE);
  atomic_store (&armed, kind);
}

gboolean
faults_disarm (void)
{
  atomic_store (&armed, -1);
  return atomic_load (&has_fired);
}

gint64
faults_get_n_requests (void)
{
  return atomic_load (&n_armed) - atomic_load (&n_left);
}

/* A new one gets the lowest number that is free. */
guint
faults_count_files (void)
{
  int fd = open ("/", O_RDONLY | O_CLOEXEC);
  g_assert_cmpint (fd, >=, 0);
  close (fd);
  return (guint) fd;
}

/* ---- in front of the libraries ---- */

/* clang-format off */
#define NEXT(name, type, ...)                                                                      \
  static type (*next) (__VA_ARGS__);                                                               \
  if (next == NULL)                                                                                \
    next = (type (*) (__VA_ARGS__)) dlsym (RTLD_NEXT, #name)
/* clang-format on */

#define EXPORT __attribute__ ((visibility ("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#undef g_try_malloc
#undef g_try_malloc0
#undef g_try_malloc_n
#undef g_try_malloc0_n
#undef g_try_realloc
#undef g_try_realloc_n

EXPORT gpointer
g_try_malloc (gsize n)
{
  NEXT (g_try_malloc, gpointer, gsize);
  return is_refused (FAULT_MEMORY) ? NULL : next (n);
}

EXPORT gpointer
g_try_malloc0 (gsize n)
{
  NEXT (g_try_malloc0, gpointer, gsize);
  return is_refused (FAULT_MEMORY) ? NULL : next (n);
}

EXPORT gpointer
g_try_malloc_n (gsize n, gsize size)
{
  NEXT (g_try_malloc_n, gpointer, gsize, gsize);
  return is_refused (FAULT_MEMORY) ? NULL : next (n, size);
}

EXPORT gpointer
g_try_malloc0_n (gsize n, gsize size)
{
  NEXT (g_try_malloc0_n, gpointer, gsize, gsize);
  return is_refused (FAULT_MEMORY) ? NULL : next (n, size);
}

EXPORT gpointer
g_try_realloc (gpointer block, gsize n)
{
  NEXT (g_try_realloc, gpointer, gpointer, gsize);
  return is_refused (FAULT_MEMORY) ? NULL : next (block, n);
}

EXPORT gpointer
g_try_realloc_n (gpointer block, gsize n, gsize size)
{
  NEXT (g_try_realloc_n, gpointer, gpointer, gsize, gsize);
  return is_refused (FAULT_MEMORY) ? NULL : next (block, n, size);
}

/* GLib's own requests of this kind are those of g_aligned_alloc(), which may not fail. */
static gboolean
comes_from_glib (const void *caller)
{
  Dl_info info;
  return atomic_load (&armed) == FAULT_MEMORY && dladdr (caller, &info) != 0
         && info.dli_fname != NULL && strstr (info.dli_fname, "libglib") != NULL;
}

EXPORT int
posix_memalign (void **block, size_t alignment, size_t n)
{
  NEXT (posix_memalign, int, void **, size_t, size_t);
  return !comes_from_glib (__builtin_return_address (0)) && is_refused (FAULT_MEMORY)
             ? ENOMEM
             : next (block, alignment, n);
}

EXPORT void *
mmap (void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
  NEXT (mmap, void *, void *, size_t, int, int, int, off_t);
  if (is_refused (FAULT_MEMORY))
    {
      errno = ENOMEM;
      return MAP_FAILED;
    }
  return next (at, n, protection, flags, fd, offset);
}

EXPORT void *
mmap64 (void *at, size_t n, int protection, int flags, int fd, off64_t offset)
{
  NEXT (mmap64, void *, void *, size_t, int, int, int, off64_t);
  if (is_refused (FAULT_MEMORY))
    {
      errno = ENOMEM;
      return MAP_FAILED;
    }
  return next (at, n, protection, flags, fd, offset);
}

/* Others are the program's own pipes and events. */
static gboolean
refuses_write (int fd)
{
  struct stat info;
  if (atomic_load (&armed) != FAULT_WRITE || fstat (fd, &info) != 0 || !S_ISREG (info.st_mode)
      || !is_refused (FAULT_WRITE))
    return FALSE;
  errno = ENOSPC;
  return TRUE;
}

EXPORT ssize_t
write (int fd, const void *data, size_t n)
{
  NEXT (write, ssize_t, int, const void *, size_t);
  return refuses_write (fd) ? -1 : next (fd, data, n);
}

EXPORT ssize_t
pwrite (int fd, const void *data, size_t n, off_t offset)
{
  NEXT (pwrite, ssize_t, int, const void *, size_t, off_t);
  return refuses_write (fd) ? -1 : next (fd, data, n, offset);
}

EXPORT ssize_t
pwrite64 (int fd, const void *data, size_t n, off64_t offset)
{
  NEXT (pwrite64, ssize_t, int, const void *, size_t, off64_t);
  return refuses_write (fd) ? -1 : next (fd, data, n, offset);
}

EXPORT int
ftruncate (int fd, off_t n)
{
  NEXT (ftruncate, int, int, off_t);
  return refuses_write (fd) ? -1 : next (fd, n);
}

EXPORT int
ftruncate64 (int fd, off64_t n)
{
  NEXT (ftruncate64, int, int, off64_t);
  return refuses_write (fd) ? -1 : next (fd, n);
}

static gboolean
refuses (FaultKind kind)
{
  if (!is_refused (kind))
    return FALSE;
  errno = EIO;
  return TRUE;
}

EXPORT int
fsync (int fd)
{
  NEXT (fsync, int, int);
  return refuses (FAULT_SYNC) ? -1 : next (fd);
}

EXPORT int
fdatasync (int fd)
{
  NEXT (fdatasync, int, int);
  return refuses (FAULT_SYNC) ? -1 : next (fd);
}

EXPORT int
rename (const char *from, const char *to)
{
  NEXT (rename, int, const char *, const char *);
  return refuses (FAULT_RENAME) ? -1 : next (from, to);
}

EXPORT int
link (const char *from, const char *to)
{
  NEXT (link, int, const char *, const char *);
  return refuses (FAULT_RENAME) ? -1 : next (from, to);
}

EXPORT int
linkat (int from_fd, const char *from, int to_fd, const char *to, int flags)
{
  NEXT (linkat, int, int, const char *, int, const char *, int);
  return refuses (FAULT_RENAME) ? -1 : next (from_fd, from, to_fd, to, flags);
}

EXPORT int
pthread_create (pthread_t *thread, const pthread_attr_t *attr, void *(*m) (void *), void *d)
{
  NEXT (pthread_create, int, pthread_t *, const pthread_attr_t *, void *(*) (void *), void *);
  return is_refused (FAULT_THREAD) ? EAGAIN : next (thread, attr, m, d);
}

/* ---- libraries that tell what malloc() refuses them ---- */

static const char *const telling[] = { "/libz.so", "/libzip.so", "/libprotobuf-c.so" };
static struct
{
  guintptr from, to; /* where the library's code lies */
} code[G_N_ELEMENTS (telling)];

static int
find_code (struct dl_phdr_info *info, size_t size, void *unused)
{
  for (guint i = 0; i < G_N_ELEMENTS (telling); i++)
    for (guint k = 0; strstr (info->dlpi_name, telling[i]) != NULL && k < info->dlpi_phnum; k++)
      if (info->dlpi_phdr[k].p_type == PT_LOAD && (info->dlpi_phdr[k].p_flags & PF_X) != 0)
        {
          code[i].from = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
          code[i].to = code[i].from + info->dlpi_phdr[k].p_memsz;
        }
  return 0;
}

static gboolean
refuses_block (const void *caller)
{
  if (atomic_load_explicit (&armed, memory_order_relaxed) != FAULT_MEMORY)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (code); i++)
    if ((guintptr) caller >= code[i].from && (guintptr) caller < code[i].to
        && is_refused (FAULT_MEMORY))
      {
        errno = ENOMEM;
        return TRUE;
      }
  return FALSE;
}
#define REFUSED refuses_block (__builtin_return_address (0))

/* ---- blocks ---- */

static _Atomic gint64 n_blocks;

void *__libc_malloc (size_t n);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *block, size_t n);
void *__libc_memalign (size_t alignment, size_t n);
void __libc_free (void *block);

gint64
faults_count_blocks (void)
{
  return atomic_load (&n_blocks);
}

static void *
counted (void *block)
{
  if (block != NULL)
    atomic_fetch_add_explicit (&n_blocks, 1, memory_order_relaxed);
  return block;
}

EXPORT void *
malloc (size_t n)
{
  return REFUSED ? NULL : counted (__libc_malloc (n));
}

EXPORT void *
calloc (size_t n, size_t size)
{
  return REFUSED ? NULL : counted (__libc_calloc (n, size));
}

EXPORT void *
realloc (void *block, size_t n)
{
  if (REFUSED)
    return NULL;
  if (block == NULL)
    return counted (__libc_realloc (NULL, n));
  void *moved = __libc_realloc (block, n);
  if (moved == NULL && n == 0)
    atomic_fetch_sub_explicit (&n_blocks, 1, memory_order_relaxed);
  return moved;
}

EXPORT void
free (void *block)
{
  if (block != NULL)
    atomic_fetch_sub_explicit (&n_blocks, 1, memory_order_relaxed);
  __libc_free (block);
}

/* ---- SQLite ---- */

static sqlite3_mem_methods sqlite_memory;

static void *
sqlite_malloc (int n)
{
  return is_refused (FAULT_MEMORY) ? NULL : sqlite_memory.xMalloc (n);
}

static void *
sqlite_realloc (void *block, int n)
{
  return is_refused (FAULT_MEMORY) ? NULL : sqlite_memory.xRealloc (block, n);
}

void
faults_init (void)
{
  dl_iterate_phdr (find_code, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (code); i++)
    g_assert_cmpuint (code[i].from, <, code[i].to);
  sqlite3_config (SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3_config (SQLITE_CONFIG_GETMALLOC, &sqlite_memory);
  sqlite3_mem_methods refusing = sqlite_memory;
  refusing.xMalloc = sqlite_malloc;
  refusing.xRealloc = sqlite_realloc;
  g_assert_cmpint (sqlite3_config (SQLITE_CONFIG_MALLOC, &refusing), ==, SQLITE_OK);
}
