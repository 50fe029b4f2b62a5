/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * SavedModel: a folder with saved_model.pb (or saved_model.pbtxt), which holds a MetaGraphDef for
 * each set of tags, the variables' values as a checkpoint in variables/, and files in assets/. A
 * graph that came out of one keeps what the MetaGraphDef says beside its nodes; so does one that
 * came as a MetaGraphDef alone.
 */

/* The tags that are wanted where nobody says which. */
#define SLUICE_TAG_SERVE "serve"
#define SLUICE_TAG_TRAIN "train"

/* Is that such a folder, or the file in it? */
gboolean sluice_saved_model_exists (const char *path);
/* (transfer full): the folder of either. */
char *sluice_saved_model_dup_folder (const char *path);
/* "FOLDER/variables/variables" (transfer full) */
char *sluice_saved_model_dup_variables (const char *folder);

/* (transfer full) (nullable) (element-type GStrv): the tags of each MetaGraph of a SavedModel. */
GPtrArray *sluice_saved_model_list_tags (const char *path, GError **error);

typedef struct
{
  char *name; /* in the signature; of a sparse tensor "NAME/values", "NAME/indices",
                 "NAME/dense_shape", of a composite one "NAME/0", … */
  char *edge; /* "node:port" */
  SluiceDType dtype;
  SluiceShape shape;
} SluiceSavedTensor;

typedef struct
{
  char *name;
  char *method;             /* "tensorflow/serving/predict"; "" */
  GArray *inputs, *outputs; /* of SluiceSavedTensor, by name */
} SluiceSavedSignature;

#define SLUICE_DEFAULT_SIGNATURE "serving_default"

/**
 * sluice_graph_dup_signatures:
 *
 * Returns: (transfer full) (nullable) (element-type SluiceSavedSignature): by name, without those
 * that initialise; empty where the graph came without. INVALID_ARGUMENT names the signature and the
 * node that the graph lacks, DATA_LOSS what is damaged
 */
GPtrArray *sluice_graph_dup_signatures (SluiceGraph *self, GError **error);
/* (nullable) (transfer none): NULL with NOT_FOUND that lists those there are. */
const SluiceSavedSignature *
sluice_signatures_find (const GPtrArray *self, const char *name, GError **error);
/* tensors: of a signature. (nullable) (transfer none) */
const SluiceSavedTensor *sluice_signature_find (const GArray *tensors, const char *name);
/* "x (float [?,3]), n (int32 [])" (transfer full) */
char *sluice_signature_describe (const GArray *tensors);

typedef struct
{
  char *edge; /* that the file's path is fed to */
  char *file; /* in assets/ */
} SluiceAsset;

/* How such a graph gets its state: what TensorFlow's loader runs. */
typedef struct
{
  char *restore;    /* (nullable): target that restores the variables … */
  char *checkpoint; /* (nullable): … and the edge that is fed the checkpoint's path */
  char *init;       /* (nullable): target that fills tables and the like, afterwards */
  GArray *assets;   /* of SluiceAsset */
  char **tags;
  char *producer; /* "2.21.0", the TensorFlow that wrote it; "" */
} SluiceSavedState;

/* (transfer full) (nullable): of a graph without a MetaGraphDef with nothing in it. Errors as
 * sluice_graph_dup_signatures(); an asset's name that leads out of assets/ is one. */
SluiceSavedState *sluice_graph_dup_saved_state (SluiceGraph *self, GError **error);
void sluice_saved_state_free (SluiceSavedState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceSavedState, sluice_saved_state_free)

typedef struct
{
  char *name;    /* by attributes from the root: "f", "encoder.__call__" */
  char **traces; /* names in the library, one for each signature it was called with */
} SluiceSavedFunction;

/* (transfer full) (nullable) (element-type SluiceSavedFunction): what Python called the functions,
 * by name; empty where it says nothing. DATA_LOSS. */
GPtrArray *sluice_graph_dup_saved_functions (SluiceGraph *self, GError **error);
