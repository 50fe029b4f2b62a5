/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "tests/engine/train/folder.h"

#include <stdio.h>
#include <string.h>

#include "tests/remove-tree.h"

void
folder_init (Folder *self)
{
  g_autoptr (GError) error = NULL;
  self->path = g_dir_make_tmp ("sluice-train-XXXXXX", &error);
  g_assert_no_error (error);
}

void
folder_clear (Folder *self)
{
  remove_tree (self->path);
  g_clear_pointer (&self->path, g_free);
}

char *
folder_dup_path (const Folder *self, const char *name)
{
  return g_build_filename (self->path, name, NULL);
}

void
folder_write (const Folder *self, const char *name, const void *bytes, gssize length)
{
  g_autofree char *path = folder_dup_path (self, name);
  gsize n = length >= 0 ? (gsize) length : strlen (bytes);
  FILE *file = fopen (path, "wb"); /* g_file_set_contents() would wait for the disk */
  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite (bytes, 1, n, file), ==, n);
  g_assert_cmpint (fclose (file), ==, 0);
}

#define NODE(name, op, rest) "node { name: '" name "' op: '" op "' " rest "}\n"
#define IN(edge)             "input: '" edge "' "
#define TYPE(key, type)      "attr { key: '" key "' value { type: " type " } } "
#define FLOAT(key)           TYPE (key, "DT_FLOAT")
#define INT(key)             TYPE (key, "DT_INT32")
#define SHAPE(dims)          "attr { key: 'shape' value { shape { " dims "} } } "
#define DIM(n)               "dim { size: " n " } "
#define VALUE(dims, type, values)                                                                  \
  "attr { key: 'value' value { tensor { dtype: " type " tensor_shape { " dims "} " values "} } } "
#define CONST_INTS(name, n, values)                                                                \
  NODE (name, "Const", INT ("dtype") VALUE (DIM (n), "DT_INT32", values))

/* The noise gives it a random stream that goes on from step to step. log/loss is the mean of log
   |y|: not finite for a batch with a zero among its y. */
static const char graph[] = NODE ("x", "Placeholder", FLOAT ("dtype") SHAPE (DIM ("-1") DIM ("4")))
    NODE ("y", "Placeholder", FLOAT ("dtype") SHAPE (DIM ("-1"))) NODE (
        "w",
        "VarHandleOp",
        FLOAT ("dtype")
            SHAPE (DIM ("4") DIM ("1"))) CONST_INTS ("w/shape", "2", "int_val: 4 int_val: 1 ")
        NODE ("w/init", "RandomUniform", IN ("w/shape") FLOAT ("dtype") INT ("T")) NODE (
            "w/assign",
            "AssignVariableOp",
            IN ("w") IN ("w/init") FLOAT ("dtype")) NODE ("init", "NoOp", IN ("^w/assign"))
            NODE ("w/read", "ReadVariableOp", IN ("w") FLOAT ("dtype")) NODE (
                "predict",
                "MatMul",
                IN ("x") IN ("w/read") FLOAT (
                    "T")) NODE ("noise/shape", "Shape", IN ("predict") FLOAT ("T") INT ("out_type"))
                NODE ("noise",
                      "RandomStandardNormal",
                      IN ("noise/shape") FLOAT ("dtype")
                          INT ("T")) NODE ("small",
                                           "Const",
                                           FLOAT ("dtype")
                                               VALUE ("", "DT_FLOAT", "float_val: 0.01 "))
                    NODE ("noise/small", "Mul", IN ("noise") IN ("small") FLOAT ("T")) CONST_INTS (
                        "column", "2", "int_val: -1 int_val: 1 ")
                        NODE ("y/column",
                              "Reshape",
                              IN ("y") IN ("column") FLOAT ("T") INT (
                                  "Tshape")) NODE ("noisy",
                                                   "AddV2",
                                                   IN ("predict") IN ("noise/small")
                                                       FLOAT ("T"))
                            NODE ("residual",
                                  "Sub",
                                  IN ("noisy") IN ("y/column")
                                      FLOAT ("T")) NODE ("square",
                                                         "Square",
                                                         IN ("residual")
                                                             FLOAT ("T"))
                                CONST_INTS ("axes", "2", "int_val: 0 int_val: 1 ") NODE (
                                    "loss",
                                    "Mean",
                                    IN ("square")
                                        IN (
                                            "axes") FLOAT ("T") INT ("Tidx"))
                                    NODE ("gradient",
                                          "MatMul",
                                          IN ("x") IN ("residual") FLOAT (
                                              "T") "attr { key: 'transpose_a' value { b: true } } ")
                                        NODE ("rate",
                                              "Const",
                                              FLOAT ("dtype")
                                                  VALUE ("", "DT_FLOAT", "float_val: 0.02 "))
                                            NODE ("train",
                                                  "ResourceApplyGradientDescent",
                                                  IN ("w") IN ("rate") IN ("gradient")
                                                      FLOAT ("T")) NODE ("log/absolute",
                                                                         "Abs",
                                                                         IN ("y") FLOAT ("T"))
                                                NODE ("log/value",
                                                      "Log",
                                                      IN ("log/absolute") FLOAT ("T"))
                                                    CONST_INTS ("axis", "1", "int_val: 0 ") NODE (
                                                        "log/loss",
                                                        "Mean",
                                                        IN ("log/value") IN ("axis") FLOAT ("T")
                                                            INT ("Tidx"))
                                                        NODE ("tag",
                                                              "Const",
                                                              TYPE ("dtype", "DT_STRING")
                                                                  VALUE ("",
                                                                         "DT_STRING",
                                                                         "string_val: 'weights' "))
                                                            NODE ("summary",
                                                                  "HistogramSummary",
                                                                  IN ("tag") IN ("w/read")
                                                                      FLOAT ("T"));

static const char project[] =
    "[project]\nname=Line\ngraph=model.pbtxt\ninit=init\ntrain=train\nloss=loss:0\n"
    "summaries=summary:0\nfetches=again:loss:0\n"
    "[train]\nsteps=40\nbatch=4\nseed=3\ncheckpoint-every=10\nsummary-every=5\nevaluate-every=20\n"
    "[data]\nsource=csv\ntrain-x=x.csv\ntrain-y=y.csv\ntest-x=x.csv\ntest-y=y.csv\nshuffle=true\n"
    "x=x:0\ny=y:0\n[evaluate]\nfetches=loss:loss:0\nbatch=8\n[parameters]\nrate=rate:0\n";

void
folder_write_project (const Folder *self, const char *extra)
{
  g_autofree char *text = g_strconcat (project, extra, NULL);
  folder_write (self, "project.ini", text, -1);
  folder_write (self, "model.pbtxt", graph, -1);
}

void
folder_write_examples (const Folder *self, guint n)
{
  g_autoptr (GString) x = g_string_new (NULL);
  g_autoptr (GString) y = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    {
      int a = i % 5, b = i % 3, c = i % 7, d = i % 2;
      g_string_append_printf (x, "%d,%d,%d,%d\n", a, b, c, d);
      g_string_append_printf (y, "%d\n", a - 2 * b + 3 * c - d + 1);
    }
  folder_write (self, "x.csv", x->str, -1);
  folder_write (self, "y.csv", y->str, -1);
}
