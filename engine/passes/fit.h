/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/cost-model.h"
#include "engine/cost/fit.h"
#include "engine/passes/work.h"

/* What a kernel has been seen to take, in a step without a limit. */
typedef struct
{
  double bytes; /* of its outputs together; in a loop of one iteration */
  double us;    /* in a loop of all iterations */
} SluiceFitSeen;

/* What sizes and times are taken for granted. All borrowed for the call. */
typedef struct _SluiceFitSizes
{
  SluiceGraph *sized; /* (nullable): whose nodes of the same names have the shapes of a step */
  gint64 dim;         /* stands for each dimension that is not known even there */
  SluiceMeasured *measured; /* (nullable) */
  GHashTable *seen; /* (nullable): name of a kernel's node -> SluiceFitSeen: goes before all else */
  const SluiceMachine *machine; /* (nullable): how fast the devices are, by number */
} SluiceFitSizes;

/* A decision in the user's names. */
typedef struct
{
  SluiceFitKind kind;
  char *name;   /* "relu:0" */
  char *reader; /* of the first that gets the copy */
  guint device;
  guint n_again;
  double value_bytes;
  double bytes, us; /* as of SluiceFitDecision */
} SluiceFitLine;

/* What was found, on its own. */
typedef struct _SluiceFitReport
{
  gboolean fits;
  guint n_devices;
  double natural_us, us;
  double *limits, *natural_bytes, *bytes, *held_bytes; /* by device */
  GArray *lines;                                       /* of SluiceFitLine, in order */
  guint64 n_tried;
} SluiceFitReport;

void sluice_fit_report_free (SluiceFitReport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceFitReport, sluice_fit_report_free)

/* A step that is looked at. */
typedef struct _SluiceFitStudy SluiceFitStudy;

/* work: with a schedule and frames, fused or not; borrowed, or (take) its own. Who asks for shapes
 * does so early from now on. */
SluiceFitStudy *sluice_fit_study_new (SluiceWork *work, gboolean take, const SluiceFitSizes *sizes);
void sluice_fit_study_free (SluiceFitStudy *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceFitStudy, sluice_fit_study_free)

SluiceFitter *sluice_fit_study_get_fitter (SluiceFitStudy *self);
guint sluice_fit_study_get_n_devices (const SluiceFitStudy *self);
/* "relu:0" of an output. (transfer full) */
char *sluice_fit_study_dup_name (const SluiceFitStudy *self, guint output);

double sluice_fit_study_get_bytes (const SluiceFitStudy *self, guint output);

/* limits: by device. (transfer full) */
SluiceFit *sluice_fit_study_run (SluiceFitStudy *self, const double *limits);
/* (transfer full) */
SluiceFitReport *
sluice_fit_study_report (const SluiceFitStudy *self, const SluiceFit *fit, const double *limits);

/* Makes the work graph what was decided, and has each device keep to the order. */
void sluice_fit_study_apply (SluiceFitStudy *self, const SluiceFit *fit);
