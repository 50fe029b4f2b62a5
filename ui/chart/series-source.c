/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/series-source.h"

void
sluice_series_source_init (SluiceSeriesSource *self, const SluiceSeriesSourceClass *klass)
{
  self->klass = klass;
  self->ref_count = 1;
}

SluiceSeriesSource *
sluice_series_source_ref (SluiceSeriesSource *self)
{
  g_return_val_if_fail (self != NULL && self->ref_count > 0, NULL);

  self->ref_count++;
  return self;
}

void
sluice_series_source_unref (SluiceSeriesSource *self)
{
  g_return_if_fail (self != NULL && self->ref_count > 0);

  if (--self->ref_count == 0)
    self->klass->finalize (self);
}

void
sluice_series_source_get_extent (SluiceSeriesSource *self, SluiceXAxis axis, SluiceExtent *extent)
{
  g_return_if_fail (self != NULL && extent != NULL);

  self->klass->get_extent (self, axis, extent);
}

gboolean
sluice_series_source_prepare (SluiceSeriesSource *self, double smoothing, gint64 budget_us)
{
  g_return_val_if_fail (self != NULL, TRUE);

  return self->klass->prepare (self, CLAMP (smoothing, 0, 1), budget_us);
}

void
sluice_series_source_read_columns (SluiceSeriesSource *self,
                                   SluiceXAxis axis,
                                   double x0,
                                   double x1,
                                   guint n_columns,
                                   SluiceColumn *columns,
                                   SluiceEdges *edges)
{
  g_return_if_fail (self != NULL && x0 < x1 && columns != NULL && edges != NULL);

  self->klass->read_columns (self, axis, x0, x1, n_columns, columns, edges);
}

gboolean
sluice_series_source_lookup (SluiceSeriesSource *self,
                             SluiceXAxis axis,
                             double x,
                             SluiceSeriesSample *sample)
{
  g_return_val_if_fail (self != NULL && sample != NULL, FALSE);

  return self->klass->lookup (self, axis, x, sample);
}

guint
sluice_series_source_read_samples (
    SluiceSeriesSource *self, SluiceXAxis axis, guint64 first, guint n, SluiceSeriesSample *samples)
{
  g_return_val_if_fail (self != NULL && (n == 0 || samples != NULL), 0);

  return self->klass->read_samples (self, axis, first, n, samples);
}

gboolean
sluice_series_source_refine (SluiceSeriesSource *self, gint64 budget_us)
{
  g_return_val_if_fail (self != NULL, TRUE);

  return self->klass->refine (self, budget_us);
}

guint64
sluice_series_source_get_serial (SluiceSeriesSource *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->klass->get_serial (self);
}

const SluicePauses *
sluice_series_source_get_pauses (SluiceSeriesSource *self)
{
  return self->klass->get_pauses != NULL ? self->klass->get_pauses (self) : NULL;
}

gboolean
sluice_series_source_measure (SluiceSeriesSource *self,
                              SluiceXAxis axis,
                              double x,
                              SluiceMeasure *measure)
{
  g_return_val_if_fail (self != NULL && measure != NULL, FALSE);

  *measure = (SluiceMeasure){ 0 };
  return self->klass->measure != NULL && self->klass->measure (self, axis, x, measure);
}

SluiceSeriesSource *
sluice_series_source_get_member (SluiceSeriesSource *self, guint i, const char **name)
{
  g_return_val_if_fail (self != NULL && name != NULL, NULL);

  return self->klass->get_member != NULL ? self->klass->get_member (self, i, name) : NULL;
}
