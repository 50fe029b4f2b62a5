/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"
#include "engine/store/event.pb-c.h"
#include "engine/store/kind.h"

/* TensorFlow's Summary.Value, to records and from them. */

/* Takes a record of the series with this tag. */
typedef gboolean (*SluiceRecordSink) (SluiceRecord *take,
                                      const char *tag,
                                      gpointer data,
                                      GError **error);

/* A value on its way in: what says of which kind it is is its case, or the plugin's name in the
 * metadata that its tag came with first. */
typedef struct
{
  const Sluice__Event__Value *value;
  const Sluice__Event__SummaryMetadata *metadata; /* (nullable) */
  gint64 step;
  double wall;
  SluiceRecordSink sink;
  gpointer sink_data;
} SluiceValueIn;

typedef enum
{
  SLUICE_VALUE_TAKEN,
  SLUICE_VALUE_NOT_MINE,
  SLUICE_VALUE_FAILED, /* error is set */
} SluiceValueResult;

/**
 * sluice_summary_value_take:
 *
 * Hands the records that the value holds to its sink: mostly one, several where a tensor holds
 * several pictures or clips (their tags end in /0, /1 ...). Every kind is asked; a tensor that no
 * kind knows is a record of kind tensor.
 *
 * Returns: %FALSE with DATA_LOSS (tag named), or the sink's error
 */
gboolean sluice_summary_value_take (const SluiceValueIn *in, GError **error);

/* (nullable): "images": from the metadata. */
const char *sluice_summary_value_get_plugin (const SluiceValueIn *in);
/* Has the plugin's name and a tensor. */
gboolean sluice_summary_value_is_tensor_of (const SluiceValueIn *in, const char *plugin);
/* NULL with DATA_LOSS. */
SluiceTensor *sluice_summary_value_dup_tensor (const SluiceValueIn *in, GError **error);
/* DATA_LOSS that names the tag. */
SluiceValueResult
sluice_summary_value_fail (const SluiceValueIn *in, GError **error, const char *what);
/* Buckets or thresholds: a tensor of one repeated number says any number of them in a few
 * bytes, and TensorBoard's own writers give hundreds. */
#define SLUICE_VALUE_MOST_ROWS 4194304
/* Hands a record on; suffix: (nullable): behind the value's tag. */
SluiceValueResult sluice_summary_value_sink (const SluiceValueIn *in,
                                             gpointer take_record,
                                             const char *suffix,
                                             GError **error);

/* An Event on its way out: its step and wall time are written. */
typedef struct
{
  GByteArray *event;
  const char *tag;
  GBytes *metadata; /* (nullable): the SummaryMetadata that the series was logged with */
  gboolean first;   /* of its tag: metadata goes with it */
  GError **error;   /* of what could not be put: the first that is set counts */
  /* (nullable): the plugin that its metadata name. Values of TensorFlow 2's writers come with it,
   * as tensors, and go out so */
  const char *plugin;
} SluiceEventOut;

gboolean sluice_event_out_is_tensor (const SluiceEventOut *out, const char *plugin);
/* Of a SummaryMetadata. (transfer full) (nullable) */
char *sluice_summary_metadata_dup_plugin (GBytes *metadata);

/* What a plugin of TensorBoard knows a tag by. */
typedef struct
{
  const char *name;
  int data_class;      /* SLUICE_CLASS_... */
  GByteArray *content; /* (nullable) */
} SluicePluginOut;

/* A Summary with one Value: message is its field, and is empty afterwards. Metadata goes with the
 * first of a tag: the series' own, else of plugin (nullable). */
void sluice_summary_value_put (const SluiceEventOut *out,
                               guint field,
                               GByteArray *message,
                               const SluicePluginOut *plugin);
/* Strings as a tensor of that shape. */
void sluice_summary_value_put_strings (const SluiceEventOut *out,
                                       const SluiceShape *shape,
                                       GBytes *const *strings,
                                       const SluicePluginOut *plugin);
/* simple_value as such a value. */
void sluice_summary_value_put_simple (const SluiceEventOut *out,
                                      float value,
                                      const SluicePluginOut *plugin);
/* A TensorProto as such a value. tensor: (nullable): there was no memory for it */
void sluice_summary_value_put_tensor (const SluiceEventOut *out,
                                      const SluiceTensor *tensor,
                                      const SluicePluginOut *plugin);

/* Fields of Event, Summary.Value and what is in them; classes of data: TensorFlow's numbers. */
enum
{
  SLUICE_EVENT_WALL_TIME = 1,
  SLUICE_EVENT_STEP = 2,
  SLUICE_EVENT_FILE_VERSION = 3,
  SLUICE_EVENT_GRAPH = 4,
  SLUICE_EVENT_SUMMARY = 5,
  SLUICE_EVENT_LOG_MESSAGE = 6,
  SLUICE_EVENT_SESSION_LOG = 7,
  SLUICE_EVENT_TAGGED_METADATA = 8,
  SLUICE_EVENT_META_GRAPH = 9,
  SLUICE_TAGGED_TAG = 1,
  SLUICE_TAGGED_METADATA = 2,
  SLUICE_VALUE_TAG = 1,
  SLUICE_VALUE_SIMPLE = 2,
  SLUICE_VALUE_IMAGE = 4,
  SLUICE_VALUE_HISTOGRAM = 5,
  SLUICE_VALUE_AUDIO = 6,
  SLUICE_VALUE_NODE_NAME = 7,
  SLUICE_VALUE_TENSOR = 8,
  SLUICE_VALUE_METADATA = 9,
  SLUICE_CLASS_SCALAR = 1,
  SLUICE_CLASS_TENSOR = 2,
  SLUICE_CLASS_BLOBS = 3,
};
