/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/linalg/library.h"

#include <dlfcn.h>
#include <pthread.h>

static struct
{
  pthread_once_t once;
  pthread_key_t stream; /* of each thread; destroyed with it */
  dnnl_engine_t engine;
  void (*set_omp_threads) (int n);
} dnnl = { .once = PTHREAD_ONCE_INIT };

static void
destroy_stream (gpointer stream)
{
  dnnl_stream_destroy (stream);
}

static void
start_dnnl (void)
{
  /* AMX code dies with SIGILL under a hypervisor that hides palette 1, and gains nothing for float.
   */
  dnnl_set_max_cpu_isa (dnnl_cpu_isa_avx512_core);
  /* oneDNN brought its OpenMP along; a build of it without OpenMP needs no such call. */
  dnnl.set_omp_threads = (void (*) (int)) dlsym (RTLD_DEFAULT, "omp_set_num_threads");
  if (dnnl.set_omp_threads)
    dnnl.set_omp_threads (1);
  pthread_key_create (&dnnl.stream, destroy_stream);
  if (dnnl_engine_create (&dnnl.engine, dnnl_cpu, 0) != dnnl_success)
    g_error ("oneDNN has no CPU engine");
}

dnnl_engine_t
sluice_dnnl_get_engine (void)
{
  pthread_once (&dnnl.once, start_dnnl);
  return dnnl.engine;
}

dnnl_stream_t
sluice_dnnl_enter (void)
{
  dnnl_engine_t engine = sluice_dnnl_get_engine ();
  dnnl_stream_t stream = pthread_getspecific (dnnl.stream);
  if (dnnl.set_omp_threads)
    dnnl.set_omp_threads (1);
  if (stream == NULL)
    {
      if (dnnl_stream_create (&stream, engine, dnnl_stream_default_flags) != dnnl_success)
        g_error ("oneDNN gives no stream");
      pthread_setspecific (dnnl.stream, stream);
    }
  return stream;
}

static struct
{
  pthread_once_t once;
  SluiceSgemm sgemm;
  SluiceDgemm dgemm;
  const char *core;
  void *module; /* NULL: not to be used */
} openblas = { .once = PTHREAD_ONCE_INIT };

static void
load_openblas (void)
{
  void *module = dlopen ("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (module == NULL)
    return;
  void (*set_threads) (int) = (void (*) (int)) dlsym (module, "openblas_set_num_threads");
  char *(*corename) (void) = (char *(*) (void) ) dlsym (module, "openblas_get_corename");
  openblas.sgemm = (SluiceSgemm) dlsym (module, "cblas_sgemm");
  openblas.dgemm = (SluiceDgemm) dlsym (module, "cblas_dgemm");
  openblas.core = corename ? corename () : "?";
  openblas.module = module;
  if (set_threads)
    set_threads (1);
  else
    openblas.sgemm = NULL, openblas.dgemm = NULL, openblas.module = NULL;
}

SluiceSgemm
sluice_openblas_get_sgemm (void)
{
  pthread_once (&openblas.once, load_openblas);
  return openblas.sgemm;
}

SluiceDgemm
sluice_openblas_get_dgemm (void)
{
  pthread_once (&openblas.once, load_openblas);
  return openblas.dgemm;
}

void *
sluice_openblas_find (const char *symbol)
{
  pthread_once (&openblas.once, load_openblas);
  return openblas.module ? dlsym (openblas.module, symbol) : NULL;
}

/*
 * OpenBLAS 0.3.21 takes CPUs younger than itself for a Prescott and runs SSE3 code, five times too
 * slow. It reads its environment when it is loaded, so the variables must be there before that.
 * A core type that the environment has is replaced: there it is to help other programs out of the
 * same trap, and the table of the fastest libraries (gemm.c) holds for these cores.
 */
void
sluice_libraries_init (void)
{
#if defined(__x86_64__)
  __builtin_cpu_init ();
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512vl"))
    g_setenv ("OPENBLAS_CORETYPE", "SkylakeX", TRUE);
  else if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    g_setenv ("OPENBLAS_CORETYPE", "Haswell", TRUE);
#endif
  /* Its own threads would only be started and never used. */
  g_setenv ("OPENBLAS_NUM_THREADS", "1", FALSE);
}

char *
sluice_libraries_dup_description (void)
{
  const dnnl_version_t *version = dnnl_version ();
  gboolean has_openblas = sluice_openblas_get_sgemm () != NULL;
  return g_strdup_printf ("oneDNN %d.%d.%d, %s%s", version->major, version->minor, version->patch,
                          has_openblas ? "OpenBLAS " : "without OpenBLAS",
                          has_openblas ? openblas.core : "");
}

char *
sluice_libraries_dup_build (const char *version)
{
  g_autofree char *libraries = sluice_libraries_dup_description ();
  return g_strdup_printf ("Sluice %s, %s", version, libraries);
}
