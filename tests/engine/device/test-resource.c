/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "engine/device/resource.h"

static SluiceResource *
make_variable (gpointer data, GError **error)
{
  return &sluice_variable_new (data, SLUICE_FLOAT, &SLUICE_SHAPE (2))->parent;
}

static SluiceResource *
make_nothing (gpointer data, GError **error)
{
  sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no more");
  return NULL;
}

static const SluiceResourceType other_type = { "Queue", NULL };

static SluiceResource *
get (SluiceResources *resources, const char *container, const char *name, GError **error)
{
  return sluice_resources_get (resources, container, name, &sluice_variable_type, NULL, NULL,
                               error);
}

static void
test_get (void)
{
  g_autoptr (SluiceResources) resources = sluice_resources_new ();
  g_autoptr (GError) error = NULL;
  g_assert_null (get (resources, NULL, "w", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_clear_error (&error);

  g_assert_null (sluice_resources_get (resources, NULL, "w", &sluice_variable_type, make_nothing,
                                       NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_clear_error (&error);

  SluiceResource *w = sluice_resources_get (resources, "", "w", &sluice_variable_type,
                                            make_variable, (gpointer) "w", &error);
  SluiceResource *again = get (resources, NULL, "w", &error);
  g_assert_true (w == again);
  g_assert_null (get (resources, "other", "w", &error));
  g_clear_error (&error);

  g_assert_null (sluice_resources_get (resources, NULL, "w", &other_type, NULL, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "Variable"));
  g_assert_nonnull (strstr (error->message, "Queue"));
  sluice_resource_unref (w);
  sluice_resource_unref (again);
}

static void
note_name (const char *container, const char *name, SluiceResource *resource, gpointer data)
{
  g_string_append_printf (data, "%s:%s ", container, name);
}

static void
test_containers (void)
{
  g_autoptr (SluiceResources) resources = sluice_resources_new ();
  const char *const names[][2] = { { "b", "y" }, { "", "z" }, { "b", "x" }, { "", "a" } };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    sluice_resource_unref (sluice_resources_get (resources, names[i][0], names[i][1],
                                                 &sluice_variable_type, make_variable,
                                                 (gpointer) names[i][1], NULL));
  g_autoptr (GString) seen = g_string_new (NULL);
  sluice_resources_foreach (resources, note_name, seen);
  g_assert_cmpstr (seen->str, ==, ":a :z b:x b:y ");

  SluiceResource *kept = get (resources, "b", "x", NULL);
  sluice_resources_reset (resources, "b");
  g_string_truncate (seen, 0);
  sluice_resources_foreach (resources, note_name, seen);
  g_assert_cmpstr (seen->str, ==, ":a :z ");
  g_assert_cmpstr (((SluiceVariable *) kept)->name, ==, "x"); /* its holder keeps it */
  sluice_resource_unref (kept);
  sluice_resources_reset (resources, NULL);
  g_assert_null (get (resources, "", "a", NULL));
}

static SluiceResource *
behind (const SluiceTensor *handle)
{
  return *(SluiceResource *const *) handle->data;
}

/* Who asks by a key gets what the name stands for now, never what it stood for before. */
static void
test_handles (void)
{
  g_autoptr (SluiceResources) resources = sluice_resources_new (), others = sluice_resources_new ();
  SluiceResourceKey *key = sluice_resource_key_new ("b", "x");
  g_autoptr (GError) error = NULL;
  g_assert_null (
      sluice_resources_get_handle (resources, key, &sluice_variable_type, NULL, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_clear_error (&error);

  SluiceTensor *handles[4];
  for (guint i = 0; i < G_N_ELEMENTS (handles); i++)
    {
      if (i == 2)
        sluice_resources_reset (resources, "b");
      handles[i] =
          sluice_resources_get_handle (i == 3 ? others : resources, key, &sluice_variable_type,
                                       make_variable, (gpointer) "x", NULL);
    }
  g_assert_true (handles[0] == handles[1]);
  g_assert_false (sluice_tensor_is_exclusive (handles[2])); /* nobody may write into it */
  g_assert_true (behind (handles[0]) != behind (handles[2]));
  g_assert_true (behind (handles[2]) != behind (handles[3]));
  g_assert_cmpstr (((SluiceVariable *) behind (handles[0]))->name, ==, "x"); /* its holder's */
  g_assert_cmpint (behind (handles[0])->ref_count, ==, 1);

  SluiceResource *by_name = get (resources, "b", "x", NULL);
  SluiceResource *by_key =
      sluice_resources_get_by_key (resources, key, &sluice_variable_type, NULL, NULL, NULL);
  g_assert_true (by_name == behind (handles[2]));
  g_assert_true (by_key == by_name);
  g_assert_null (sluice_resources_get_handle (resources, key, &other_type, NULL, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  sluice_resource_unref (by_name);
  sluice_resource_unref (by_key);
  for (guint i = 0; i < G_N_ELEMENTS (handles); i++)
    sluice_tensor_unref (handles[i]);
  sluice_resource_key_free (key);
}

/* What counts who is active must stay one and the same for all sessions. */
static void
test_own (void)
{
  g_autoptr (SluiceResources) resources = sluice_resources_new ();
  SluiceResource *first = sluice_resources_get_own (resources, make_variable);
  sluice_resources_reset (resources, NULL);
  SluiceResource *second = sluice_resources_get_own (resources, make_variable);
  g_assert_true (first == second);
  g_autoptr (GString) seen = g_string_new (NULL);
  sluice_resources_foreach (resources, note_name, seen);
  g_assert_cmpstr (seen->str, ==, "");
  sluice_resource_unref (first);
  sluice_resource_unref (second);
}

static void
test_variable (void)
{
  SluiceVariable *variable = sluice_variable_new ("w", SLUICE_FLOAT, &SLUICE_SHAPE (-1));
  g_assert_null (sluice_variable_dup_tensor (variable));
  sluice_variable_take_tensor (variable, sluice_tensor_new_float (1));
  g_autoptr (SluiceTensor) first = sluice_variable_dup_tensor (variable);
  sluice_variable_take_tensor (variable, sluice_tensor_new_float (2));
  g_autoptr (SluiceTensor) second = sluice_variable_dup_tensor (variable);
  g_assert_cmpfloat (*(float *) first->data, ==, 1);
  g_assert_cmpfloat (*(float *) second->data, ==, 2);
  sluice_resource_unref (&variable->parent);
}

typedef struct
{
  SluiceResources *resources;
  SluiceResourceKey *key;
  atomic_int n_made;
} Race;

static SluiceResource *
make_counted (gpointer data, GError **error)
{
  atomic_fetch_add (&((Race *) data)->n_made, 1);
  return make_variable ((gpointer) "v", error);
}

static void *
race_main (void *data)
{
  Race *race = data;
  for (guint i = 0; i < 1000; i++)
    {
      SluiceResource *resource = sluice_resources_get (
          race->resources, NULL, "v", &sluice_variable_type, make_counted, race, NULL);
      SluiceVariable *variable = (SluiceVariable *) resource;
      sluice_variable_take_tensor (variable, sluice_tensor_new_float (i));
      SluiceTensor *value = sluice_variable_dup_tensor (variable);
      g_assert_cmpfloat (*(float *) value->data, <, 1000);
      SluiceTensor *handle = sluice_resources_get_handle (
          race->resources, race->key, &sluice_variable_type, make_counted, race, NULL);
      g_assert_true (behind (handle) == resource);
      sluice_tensor_unref (handle);
      sluice_tensor_unref (value);
      sluice_resource_unref (resource);
    }
  return NULL;
}

static void
test_race (void)
{
  g_autoptr (SluiceResources) resources = sluice_resources_new ();
  Race race = { resources, sluice_resource_key_new (NULL, "v"), 0 };
  pthread_t threads[4];
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_create (&threads[i], NULL, race_main, &race);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_join (threads[i], NULL);
  g_assert_cmpint (race.n_made, ==, 1);
  sluice_resource_key_free (race.key);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/resources/get", test_get);
  g_test_add_func ("/device/resources/containers", test_containers);
  g_test_add_func ("/device/resources/handles", test_handles);
  g_test_add_func ("/device/resources/own", test_own);
  g_test_add_func ("/device/resources/variable", test_variable);
  g_test_add_func ("/device/resources/race", test_race);
  return g_test_run ();
}
