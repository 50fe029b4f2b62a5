#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
#
# hardware.sh BUNDLE [OUT]: everything that only a machine with a CUDA device can say, as a short report. BUNDLE is what
# bundle.sh made; OUT is where whole outputs go. A section that fails or takes too long does not end the others.
bundle=$(realpath "$1") out=$(realpath "${2:-${OUT:-/tmp}}")
cd "$(dirname "$0")/../.." || exit 1
root=$(mktemp -d)
for archive in "$bundle"/*.tar.xz; do tar -C "$root" -xf "$archive"; done
start=$(date +%s)
PATH=$PATH:/usr/local/cuda/bin
cuda=$(find /usr /opt -maxdepth 9 \( -name 'libcublas.so.1[0-9]' -o -name 'libcudnn.so.[0-9]' -o -name 'libcuda.so.1' \) -not -path '*/stubs/*' 2>/dev/null | xargs -r -n1 dirname | sort -u | paste -sd:)
libraries=$root/lib:$cuda:/usr/local/nvidia/lib64:/usr/local/cuda/lib64
export SLUICE_MODULES=$root/bin
say() { printf '\n== %s (%s s)\n' "$1" $(($(date +%s) - start)); }
# Our programs with their libraries; with their own C library where that of the machine is older than theirs.
if env LD_LIBRARY_PATH="$libraries" "$root/bin/sluice" --version > /dev/null 2>&1; then
  loader=
else
  loader="$root/glibc/ld-linux-x86-64.so.2 --library-path $root/glibc:$libraries"
fi
ours() { local limit=$1 program=$2; shift 2; LD_LIBRARY_PATH=$libraries timeout "$limit" $loader "$root/bin/$program" "$@"; }
cases() { ours "$1" run-cases --device CUDA:0 --soft-placement "${@:2}"; }
sanitize() { LD_LIBRARY_PATH=$libraries timeout "$1" compute-sanitizer --tool "$2" --error-exitcode 9 $loader "$root/bin/run-cases" --no-shapes --device CUDA:0 --soft-placement "${@:3}"; }

say device
uname -r; ldd --version | head -1; nproc
nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,pcie.link.gen.current,pcie.link.width.current --format=csv,noheader || true
echo "loader: ${loader:-own} libraries: $cuda"
ours 20 sluice info || true

# Meanwhile, for nothing there is timed.
set -- math/Add math/Sum math/FloorMod math/Select array/Cast array/Transpose array/GatherV2 linalg/MatMul nn/Conv2D nn/Conv2DBackpropInput nn/MaxPoolGrad nn/Softmax nn/BiasAddGrad random/TruncatedNormal train/ApplyAdam
files=; for name; do [ -e tests/conformance/ops/$name.pb.gz ] && files="$files tests/conformance/ops/$name.pb.gz"; done
(sanitize 150 memcheck $files > "$out/memcheck.txt" 2>&1; echo "exit $?" >> "$out/memcheck.txt") &
(sanitize 150 racecheck tests/conformance/ops/math/{Sum,Mean}.pb.gz tests/conformance/ops/nn/{Softmax,BiasAddGrad}.pb.gz > "$out/racecheck.txt" 2>&1; echo "exit $?" >> "$out/racecheck.txt") &
(sanitize 150 synccheck tests/conformance/ops/math/{Sum,Mean}.pb.gz > "$out/synccheck.txt" 2>&1; echo "exit $?" >> "$out/synccheck.txt") &

say "conformance, ops (bits: values that equal the CPU's)"
jobs=
families="math array linalg nn random state train image flow"
for family in $families; do
  (cases 100 --bits tests/conformance/ops/$family/*.pb.gz > "$out/ops-$family.txt" 2>&1; echo "exit $?" >> "$out/ops-$family.txt") &
  jobs="$jobs $!"
done
wait $jobs
for family in $families; do
  echo "$family: $(grep -E ' passed, |exit' "$out/ops-$family.txt" | paste -sd' ') $(grep 'equal bits' "$out/ops-$family.txt")"
  grep -E '^FAIL|error|Error' "$out/ops-$family.txt" | cut -c1-330 | head -6
  grep 'other bits' "$out/ops-$family.txt" | sed 's|.*/||; s|.pb.gz: | |; s| values with other bits||' | paste -sd';' | cut -c1-900
done

say "conformance, graphs"
jobs=
ls tests/conformance/graphs/*.pb.gz | split -n r/8 - "$root/graphs-"
for part in "$root"/graphs-*; do
  (cases 75 --no-shapes $(cat "$part") > "$part.txt" 2>&1; echo "exit $?" >> "$part.txt") &
  jobs="$jobs $!"
done
wait $jobs
cat "$root"/graphs-*.txt > "$out/graphs.txt"
awk '/ passed, /{p += $1; f += $3} END {print p " passed, " f " failed"}' "$out/graphs.txt"
grep -v '^exit 0' "$out/graphs.txt" | grep -E '^FAIL|^exit' | cut -c1-330 | head -12

say "same bits over 10 runs"
ten=1,1,1,1,1,1,1,1,1,1
cases 40 --no-shapes --threads $ten tests/conformance/ops/linalg/{MatMul,BatchMatMulV2}.pb.gz tests/conformance/ops/nn/{Conv2D,Conv2DBackpropInput,Conv2DBackpropFilter,MaxPoolGrad,BiasAddGrad,SoftmaxCrossEntropyWithLogits}.pb.gz \
  tests/conformance/ops/math/{Sum,Mean,Prod}.pb.gz tests/conformance/ops/random/{RandomUniform,TruncatedNormal}.pb.gz 2>&1 | tail -4 | cut -c1-300

say sanitizers
wait
for tool in memcheck racecheck synccheck; do echo "$tool: $(grep -E 'SUMMARY|passed|exit' "$out/$tool.txt" | paste -sd' ')"; grep -A6 -E '========= (Invalid|Error|Program|Race)' "$out/$tool.txt" | head -16 | cut -c1-200; done


say "training: CPU, CUDA, CUDA with managed memory"
train() { # NAME DEVICE PROJECT STEPS
  local begin end; begin=$(date +%s.%N)
  ours 25 sluice train "data/samples/$3" --device "$2" --steps "$4" --seed 1 --workspace "$root/ws-$1" > "$root/train-$1.txt" 2>&1 || tail -3 "$root/train-$1.txt" | cut -c1-300
  end=$(date +%s.%N)
  ours 20 sluice log --workspace "$root/ws-$1" --json > "$out/log-$1.json" 2>/dev/null || true
  echo "$1: $(awk "BEGIN {print $end - $begin}") s"
}
for project in digits-mlp digits-lenet; do
  train $project-cpu CPU:0 $project 300
  train $project-cuda CUDA:0 $project 300
  SLUICE_CUDA_MANAGED=1 train $project-managed CUDA:0 $project 300
done
python3 tests/cuda/losses.py "$out"/log-*.json || true
for project in digits-mlp digits-lenet; do
  ours 25 sluice trace "data/samples/$project" --device CUDA:0 --steps 5 --warm 20 --out "$root/$project.json" > /dev/null 2>&1
  python3 tests/cuda/gaps.py "$root/$project.json" || true
done

say "bare library and device figures"
timeout 100 python3 tests/cuda/hardware.py 2>&1 | tail -60
say end
