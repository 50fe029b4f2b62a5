/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/search/hit.h"

struct _SluiceHit
{
  GObject parent;
  GWeakRef owner;
  char *title, *detail;
  const char *icon;
};

G_DEFINE_FINAL_TYPE (SluiceHit, sluice_hit, G_TYPE_OBJECT)

enum
{
  PROP_TITLE = 1,
  PROP_DETAIL,
  PROP_ICON,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];

SluiceHit *
sluice_hit_new (GObject *owner, const char *icon, const char *title, const char *detail)
{
  SluiceHit *self = g_object_new (SLUICE_TYPE_HIT, NULL);
  g_weak_ref_init (&self->owner, owner);
  self->icon = g_intern_string (icon);
  self->title = g_strdup (title);
  self->detail = g_strdup (detail);
  return self;
}

GObject *
sluice_hit_dup_owner (SluiceHit *self)
{
  return g_weak_ref_get (&self->owner);
}

const char *
sluice_hit_get_title (SluiceHit *self)
{
  return self->title;
}

void
sluice_hits_add (
    SluiceHits *self, GObject *owner, const char *icon, const char *title, const char *detail)
{
  if (self->n++ >= SLUICE_MAX_HITS)
    return;
  g_ptr_array_add (self->found, sluice_hit_new (owner, icon, title, detail));
}

static void
sluice_hit_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  SluiceHit *self = SLUICE_HIT (object);
  const char *texts[N_PROPS] = {
    [PROP_TITLE] = self->title, [PROP_DETAIL] = self->detail, [PROP_ICON] = self->icon
  };
  g_value_set_string (value, texts[id]);
}

static void
sluice_hit_finalize (GObject *object)
{
  SluiceHit *self = SLUICE_HIT (object);
  g_weak_ref_clear (&self->owner);
  g_free (self->title);
  g_free (self->detail);
  G_OBJECT_CLASS (sluice_hit_parent_class)->finalize (object);
}

static void
sluice_hit_class_init (SluiceHitClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  object_class->get_property = sluice_hit_get_property;
  object_class->finalize = sluice_hit_finalize;
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  properties[PROP_DETAIL] = g_param_spec_string ("detail", NULL, NULL, NULL, flags);
  properties[PROP_ICON] = g_param_spec_string ("icon", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
sluice_hit_init (SluiceHit *self)
{
}
