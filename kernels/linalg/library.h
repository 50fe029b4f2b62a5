/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <dnnl.h>
#include <glib.h>

/*
 * oneDNN and OpenBLAS, as this program uses them: single-threaded on the calling thread. The work
 * is cut by us, by shapes, because neither gives the same bits on other numbers of threads.
 */

/**
 * sluice_dnnl_enter:
 *
 * To be called by a thread before it creates or executes anything of oneDNN: primitives keep the
 * number of threads of their creation, and every new thread starts with as many as there are cores.
 *
 * Returns: (transfer none): the thread's stream
 */
dnnl_stream_t sluice_dnnl_enter (void);
dnnl_engine_t sluice_dnnl_get_engine (void);

typedef void (*SluiceSgemm) (int order,
                             int ta,
                             int tb,
                             int m,
                             int n,
                             int k,
                             float alpha,
                             const float *a,
                             int lda,
                             const float *b,
                             int ldb,
                             float beta,
                             float *c,
                             int ldc);
typedef void (*SluiceDgemm) (int order,
                             int ta,
                             int tb,
                             int m,
                             int n,
                             int k,
                             double alpha,
                             const double *a,
                             int lda,
                             const double *b,
                             int ldb,
                             double beta,
                             double *c,
                             int ldc);

/* OpenBLAS, loaded at first use; NULL where it is not installed. */
SluiceSgemm sluice_openblas_get_sgemm (void);
SluiceDgemm sluice_openblas_get_dgemm (void);

/* Any function of OpenBLAS by its symbol; LAPACK's are among them. (nullable) */
void *sluice_openblas_find (const char *symbol);

/* Chooses OpenBLAS' code path where it does not know the CPU. While the program has one thread. */
void sluice_libraries_init (void);

/* "oneDNN 2.6.3, OpenBLAS SkylakeX": for `sluice info`. */
char *sluice_libraries_dup_description (void);
/* "Sluice 0.1, " and the same: what decides which code computes, as runs keep it. (transfer full)
 */
char *sluice_libraries_dup_build (const char *version);
