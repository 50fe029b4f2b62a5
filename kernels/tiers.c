/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/tiers.h"

#include <string.h>

/*
 * The ops of sixteen real TensorFlow 1 training graphs, counted by node: tier 1 is 93 % of their
 * nodes, with tier 2 it is 99.4 %, and tier 3 is the tail and what else TensorFlow 1 graphs use.
 * Ops stand here whether or not they are defined: what is wanted and not there can be told.
 */
// clang-format off
static const char tier_1[] =
  "Abs Add AddN AddV2 All ApplyAdam ApplyGradientDescent ApplyMomentum ArgMax Assign AssignAdd "
  "AssignAddVariableOp AssignSub AssignVariableOp AvgPool AvgPoolGrad BatchMatMul BiasAdd "
  "BiasAddGrad BroadcastGradientArgs Cast ConcatOffset ConcatV2 Const Conv2D "
  "Conv2DBackpropFilter Conv2DBackpropInput Div DynamicStitch Equal Exp ExpandDims Fill Floor "
  "FloorDiv FloorMod FusedBatchNorm FusedBatchNormGrad Gather GatherV2 Greater GreaterEqual "
  "Identity InvertPermutation IsVariableInitialized L2Loss LRN LRNGrad Less LessEqual Log Log1p "
  "LogSoftmax LogicalAnd LogicalNot MatMul Max MaxPool MaxPoolGrad Maximum Mean Min Minimum Mul "
  "Neg NoOp NotEqual OneHot Pack Pad Placeholder PlaceholderWithDefault Pow PreventGradient "
  "Prod RandomStandardNormal RandomUniform Range Rank ReadVariableOp RealDiv Reciprocal Relu "
  "Relu6 Relu6Grad ReluGrad Reshape ResourceApplyAdam ResourceApplyGradientDescent "
  "ResourceApplyMomentum Rsqrt RsqrtGrad Select Shape ShapeN Sigmoid SigmoidGrad Sign Size "
  "Slice Softmax SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits Split Sqrt "
  "SqrtGrad Square SquaredDifference Squeeze StopGradient StridedSlice StridedSliceGrad Sub Sum "
  "Tanh TanhGrad Tile Transpose TruncatedNormal Unpack VarHandleOp VarIsInitializedOp "
  "VariableV2 Where ZerosLike";

static const char tier_2[] =
  "Abort AccumulatorApplyGradient AccumulatorNumAccumulated AccumulatorSetGlobalStep "
  "AccumulatorTakeGradient Any ApplyAdadelta ApplyAdagrad ApplyCenteredRMSProp ApplyFtrl "
  "ApplyRMSProp Assert AssignSubVariableOp AudioSummary Barrier BarrierInsertMany "
  "BarrierTakeMany CheckNumerics ConditionalAccumulator ConsumeMutexLock ControlTrigger Cos "
  "DecodeCSV DecodeJpeg DecodePng DecodeRaw DestroyTemporaryVariable Elu EluGrad EncodePng "
  "Enter Exit FIFOQueue FIFOQueueV2 FixedLengthRecordReaderV2 HistogramSummary IdentityReaderV2 "
  "ImageSummary InTopK LogicalOr LoopCond MatchingFiles Merge MergeSummary MergeV2Checkpoints "
  "MutexLock MutexV2 NextIteration PaddingFIFOQueueV2 ParseExample ParseSingleExample Print "
  "PriorityQueueV2 QueueClose QueueCloseV2 QueueDequeue QueueDequeueMany QueueDequeueManyV2 "
  "QueueDequeueUpToV2 QueueDequeueV2 QueueEnqueue QueueEnqueueMany QueueEnqueueManyV2 "
  "QueueEnqueueV2 QueueIsClosedV2 QueueSize QueueSizeV2 RandomShuffle RandomShuffleQueue "
  "RandomShuffleQueueV2 RandomUniformInt ReadFile ReaderNumRecordsProducedV2 ReaderReadUpToV2 "
  "ReaderReadV2 ReaderResetV2 RefEnter RefExit RefIdentity RefMerge RefNextIteration RefSwitch "
  "ResizeArea ResizeBilinear ResizeBilinearGrad ResizeNearestNeighbor ResourceApplyAdagrad "
  "ResourceApplyFtrl ResourceApplyRMSProp ResourceGather ResourceScatterAdd Restore "
  "RestoreSlice RestoreV2 ReverseSequence ReverseV2 Save SaveSlices SaveV2 ScalarSummary "
  "ScatterAdd ScatterSub ScatterUpdate SegmentSum ShardedFilename ShardedFilespec Sin Softplus "
  "SoftplusGrad SparseApplyAdagrad SparseApplyFtrl SparseApplyMomentum SparseToDense Stack "
  "StackCloseV2 StackPop StackPopV2 StackPush StackPushV2 StackV2 StringJoin StringToNumber "
  "Switch TFRecordReaderV2 TemporaryVariable TensorArrayCloseV3 TensorArrayConcatV3 "
  "TensorArrayGatherV3 TensorArrayGradV3 TensorArrayReadV3 TensorArrayScatterV3 "
  "TensorArraySizeV3 TensorArraySplitV3 TensorArrayV3 TensorArrayWriteV3 TensorSummaryV2 "
  "TextLineReaderV2 TopKV2 UnsortedSegmentSum Variable WholeFileReaderV2 WriteFile _Arg "
  "_HostCast _HostRecv _HostSend _Recv _Retval _Send";

static const char tier_3[] =
  "AccumulateNV2 Acos Acosh AdjustContrast AdjustContrastv2 AdjustHue AdjustSaturation "
  "AllCandidateSampler Angle ApplyAdaMax ApplyAdagradDA ApplyAdagradV2 ApplyAddSign ApplyFtrlV2 "
  "ApplyPowerSign ApplyProximalAdagrad ApplyProximalGradientDescent ApproximateEqual ArgMin "
  "AsString Asin Asinh Atan Atan2 Atanh AudioSpectrogram AudioSummaryV2 AvgPool3D AvgPool3DGrad "
  "BarrierClose BarrierIncompleteSize BarrierReadySize BatchCholesky BatchDataset "
  "BatchDatasetV2 BatchMatMulV2 BatchMatrixInverse BatchNormWithGlobalNormalization "
  "BatchNormWithGlobalNormalizationGrad BatchSelfAdjointEig BatchToSpace BatchToSpaceND Betainc "
  "BiasAddV1 Bincount Bitcast BitwiseAnd BitwiseOr BitwiseXor BlockLSTM BlockLSTMGrad "
  "BroadcastArgs BroadcastTo CTCBeamSearchDecoder CTCGreedyDecoder CTCLoss CacheDataset Case "
  "Ceil Cholesky CholeskyGrad ClipByValue Complex ComplexAbs ComputeAccidentalHits Concat Conj "
  "Conv3D Conv3DBackpropFilterV2 Conv3DBackpropInputV2 Cosh CountUpTo CropAndResize "
  "CropAndResizeGradBoxes CropAndResizeGradImage Cross CudnnRNN Cumprod Cumsum DataFormatDimMap "
  "DataFormatVecPermute DecodeAndCropJpeg DecodeBase64 DecodeBmp DecodeCompressed DecodeGif "
  "DecodeJSONExample DecodeWav DeepCopy DepthToSpace DepthwiseConv2dNative "
  "DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput DeserializeManySparse "
  "DestroyResourceOp Diag DiagPart Digamma Dilation2D DivNoNan DrawBoundingBoxes "
  "DynamicPartition EagerPyFunc EditDistance EmptyTensorList EncodeBase64 EncodeJpeg EncodeWav "
  "Erf Erfc EuclideanNorm Expm1 ExtractGlimpse ExtractImagePatches ExtractJpegShape FFT FFT2D "
  "FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsGradient "
  "FilterDataset FixedLengthRecordDataset FixedLengthRecordReader FixedUnigramCandidateSampler "
  "FlatMapDataset For FractionalAvgPool FractionalMaxPool FusedBatchNormGradV2 "
  "FusedBatchNormGradV3 FusedBatchNormV2 FusedBatchNormV3 FusedPadConv2D GRUBlockCell "
  "GRUBlockCellGrad GatherNd GetSessionHandle GetSessionTensor GuaranteeConst HSVToRGB "
  "HashTable HashTableV2 HistogramFixedWidth IFFT IFFT2D IRFFT IdentityN IdentityReader If "
  "Igamma Igammac Imag InTopKV2 InitializeTableFromTextFileV2 InitializeTableV2 "
  "InterleaveDataset Inv InvGrad Invert IsFinite IsInf IsNan Iterator IteratorFromStringHandle "
  "IteratorGetNext IteratorToStringHandle IteratorV2 LSTMBlockCell LSTMBlockCellGrad LeakyRelu "
  "LeakyReluGrad LearnedUnigramCandidateSampler LeftShift Lgamma ListDiff LogMatrixDeterminant "
  "LogUniformCandidateSampler LookupTableExportV2 LookupTableFind LookupTableFindV2 "
  "LookupTableInsertV2 LookupTableSizeV2 LowerBound MakeIterator MapDataset MapStage "
  "MatrixBandPart MatrixDeterminant MatrixDiag MatrixDiagPart MatrixInverse MatrixSetDiag "
  "MatrixSolve MatrixSolveLs MatrixTriangularSolve MaxPool3D MaxPool3DGrad MaxPoolGradGrad "
  "MaxPoolGradV2 MaxPoolGradWithArgmax MaxPoolV2 MaxPoolWithArgmax Mfcc MirrorPad MirrorPadGrad "
  "Mod MulNoNan Multinomial MutableDenseHashTableV2 MutableHashTableV2 NextAfter "
  "NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NthElement OneShotIterator "
  "OnesLike PadV2 PaddedBatchDataset PaddingFIFOQueue ParallelMapDataset "
  "ParameterizedTruncatedNormal ParseSingleSequenceExample ParseTensor PartitionedCall "
  "PlaceholderV2 Polygamma PrefetchDataset PriorityQueue PyFunc PyFuncStateless Qr "
  "QuantizeAndDequantizeV2 RFFT RGBToHSV RandomCrop RandomGamma RandomPoisson RandomPoissonV2 "
  "RangeDataset ReaderRead ReaderReset Real ReciprocalGrad ReduceJoin RegexReplace RemoteCall "
  "RepeatDataset ResizeBicubic ResizeNearestNeighborGrad ResourceApplyAdaMax "
  "ResourceApplyAdadelta ResourceApplyAdagradV2 ResourceApplyAdamWithAmsgrad "
  "ResourceApplyCenteredRMSProp ResourceApplyFtrlV2 ResourceApplyKerasMomentum "
  "ResourceScatterNdAdd ResourceScatterNdUpdate ResourceScatterSub ResourceScatterUpdate "
  "ResourceSparseApplyAdagrad ResourceSparseApplyFtrl ResourceSparseApplyMomentum "
  "ResourceSparseApplyRMSProp ResourceStridedSliceAssign Reverse RightShift Rint Roll Round "
  "SampleDistortedBoundingBox SampleDistortedBoundingBoxV2 ScatterDiv ScatterMax ScatterMin "
  "ScatterMul ScatterNd ScatterNdAdd ScatterNdNonAliasingAdd ScatterNdSub ScatterNdUpdate "
  "SegmentMax SegmentMean SegmentMin SegmentProd SelectV2 SelfAdjointEigV2 Selu SeluGrad "
  "SerializeSparse SerializeTensor ShuffleDataset Sinh SkipDataset Snapshot Softsign "
  "SoftsignGrad SpaceToBatch SpaceToBatchND SpaceToDepth SparseAccumulatorApplyGradient "
  "SparseAccumulatorTakeGradient SparseAdd SparseApplyAdadelta SparseApplyProximalAdagrad "
  "SparseApplyRMSProp SparseConcat SparseConditionalAccumulator SparseCross SparseFillEmptyRows "
  "SparseFillEmptyRowsGrad SparseMatMul SparseReduceSum SparseReorder SparseReshape "
  "SparseSegmentMean SparseSegmentMeanGrad SparseSegmentSqrtN SparseSegmentSqrtNGrad "
  "SparseSegmentSum SparseSlice SparseSoftmax SparseSplit SparseTensorDenseAdd "
  "SparseTensorDenseMatMul SplitV Stage StatefulPartitionedCall StatelessIf "
  "StatelessRandomNormal StatelessRandomUniform StatelessTruncatedNormal StatelessWhile "
  "StaticRegexReplace StridedSliceAssign StringLength StringLower StringSplit StringSplitV2 "
  "StringStrip StringToHashBucket StringToHashBucketFast StringToHashBucketStrong Substr Svd "
  "SymbolicGradient TFRecordDataset TFRecordReader TakeDataset Tan TensorArray TensorArrayV2 "
  "TensorDataset TensorListFromTensor TensorListGetItem TensorListPopBack TensorListPushBack "
  "TensorListReserve TensorListSetItem TensorListStack TensorScatterAdd TensorScatterSub "
  "TensorScatterUpdate TensorSliceDataset TensorSummary TextLineDataset TextLineReader "
  "Timestamp TopK TruncateDiv TruncateMod UnicodeDecode UniformCandidateSampler Unique UniqueV2 "
  "UniqueWithCounts UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd Unstage "
  "UpperBound VariableShape While WholeFileReader Xdivy Xlogy Zeta ZipDataset";

// clang-format on

const char *const *
sluice_tier_names (int tier)
{
  static const char *const texts[SLUICE_N_TIERS] = { tier_1, tier_2, tier_3 };
  static char **names[SLUICE_N_TIERS];
  static gsize once;
  g_return_val_if_fail (tier >= 1 && tier <= SLUICE_N_TIERS, NULL);
  if (g_once_init_enter (&once))
    {
      for (int i = 0; i < SLUICE_N_TIERS; i++)
        names[i] = g_strsplit (texts[i], " ", 0);
      g_once_init_leave (&once, 1);
    }
  return (const char *const *) names[tier - 1];
}

int
sluice_op_tier (const char *op)
{
  for (int tier = 1; tier <= SLUICE_N_TIERS; tier++)
    if (g_strv_contains (sluice_tier_names (tier), op))
      return tier;
  return 0;
}
