#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
#
# hardware.sh BUNDLE [OUT]: everything that only a machine with a CUDA device can say, as a short
# report. BUNDLE is what bundle.sh made; in the folder OUT whole outputs are left as one archive. A
# section that fails or takes too long does not end the others.
bundle=$(realpath "$1") archive_folder=$(realpath "${2:-${OUT:-/tmp}}")
cd "$(dirname "$0")/../.." || exit 1
root=$(mktemp -d)
out=$root/outputs
mkdir "$out"
for archive in "$bundle"/*.tar.xz; do tar -C "$root" -xf "$archive"; done
start=$(date +%s)
PATH=$PATH:/usr/local/cuda/bin
cuda=$(find /usr /opt -maxdepth 10 -not -path '*/stubs/*' \
  \( -name 'libcublas.so.1[0-9]' -o -name 'libcudnn.so.[0-9]' -o -name libcuda.so.1 \) 2>/dev/null |
  xargs -r -n1 dirname | sort -u | paste -sd:)
libraries=$root/lib:$cuda:/usr/local/nvidia/lib64:/usr/local/cuda/lib64
export SLUICE_MODULES=$root/bin
ops=tests/conformance/ops

say() { printf '\n== %s (%s s)\n' "$1" $(($(date +%s) - start)); }

# Our programs with their libraries; with their own C library where the machine's is older.
if env LD_LIBRARY_PATH="$libraries" "$root/bin/sluice" --version > /dev/null 2>&1; then
  loader=
else
  loader="$root/glibc/ld-linux-x86-64.so.2 --library-path $root/glibc:$libraries"
fi
ours() { # SECONDS PROGRAM ARGUMENT...
  local limit=$1 program=$2
  shift 2
  LD_LIBRARY_PATH=$libraries timeout "$limit" $loader "$root/bin/$program" "$@"
}
cases() { # SECONDS ARGUMENT...
  ours "$1" run-cases --device CUDA:0 --soft-placement "${@:2}"
}
sanitize() { # SECONDS TOOL FILE...
  LD_LIBRARY_PATH=$libraries timeout "$1" compute-sanitizer --tool "$2" --error-exitcode 9 \
    $loader "$root/bin/run-cases" --no-shapes --device CUDA:0 --soft-placement "${@:3}"
}
# What a command prints goes to a file, and how it ended.
keep() { # FILE COMMAND...
  local file=$1
  shift
  "$@" > "$file" 2>&1
  echo "exit $?" >> "$file"
}
files_of() { # NAME...
  local name
  for name; do
    [ -e "$ops/$name.pb.gz" ] && echo "$ops/$name.pb.gz"
  done
}

say device
uname -r
ldd --version | head -1
nproc
fields=name,driver_version,memory.total,clocks.max.sm,pcie.link.gen.current,pcie.link.width.current
nvidia-smi --query-gpu=$fields --format=csv,noheader || true
echo "loader: ${loader:-own} libraries: $cuda"
ours 20 sluice info || true

# Meanwhile, for nothing there is timed.
keep "$out/memcheck.txt" sanitize 150 memcheck $(files_of math/{Add,Sum,FloorMod,Select} \
  array/{Cast,Transpose,GatherV2} linalg/MatMul nn/{Conv2D,Conv2DBackpropInput,MaxPoolGrad} \
  nn/{Softmax,BiasAddGrad,FusedBatchNormV3} random/TruncatedNormal train/ApplyAdam) &
keep "$out/racecheck.txt" sanitize 150 racecheck \
  $(files_of math/{Sum,Mean} nn/{Softmax,BiasAddGrad,FusedBatchNormV3}) &
keep "$out/synccheck.txt" sanitize 150 synccheck $(files_of math/{Sum,Mean}) &

say "conformance, ops (bits: values that equal the CPU's)"
families="math array linalg nn random state train image flow"
jobs=
for family in $families; do
  keep "$out/ops-$family.txt" cases 90 --bits $ops/$family/*.pb.gz &
  jobs="$jobs $!"
done
wait $jobs
for family in $families; do
  file=$out/ops-$family.txt
  echo "$family: $(grep -E ' passed, |exit' "$file" | paste -sd' ') $(grep 'equal bits' "$file")"
  grep -E '^FAIL|error|Error' "$file" | cut -c1-330 | head -6
  grep 'other bits' "$file" | sed 's|.*/||; s|.pb.gz: | |; s| values with other bits||' |
    paste -sd';' | cut -c1-900
done

say "conformance, graphs"
ls tests/conformance/graphs/*.pb.gz | split -n r/8 - "$root/graphs-"
jobs=
for part in "$root"/graphs-*; do
  keep "$part.txt" cases 75 --no-shapes $(cat "$part") &
  jobs="$jobs $!"
done
wait $jobs
cat "$root"/graphs-*.txt > "$out/graphs.txt"
awk '/ passed, / { p += $1; f += $3 } END { print p " passed, " f " failed" }' "$out/graphs.txt"
grep -v '^exit 0' "$out/graphs.txt" | grep -E '^FAIL|^exit' | cut -c1-330 | head -12

say "same bits over 10 runs"
cases 40 --no-shapes --threads 1,1,1,1,1,1,1,1,1,1 $(files_of linalg/{MatMul,BatchMatMulV2} \
  nn/{Conv2D,Conv2DBackpropInput,Conv2DBackpropFilter,MaxPoolGrad,BiasAddGrad,FusedBatchNormV3} \
  nn/SoftmaxCrossEntropyWithLogits math/{Sum,Mean,Prod} random/{RandomUniform,TruncatedNormal}) \
  2>&1 | tail -4 | cut -c1-300

say sanitizers
wait
for tool in memcheck racecheck synccheck; do
  echo "$tool: $(grep -E 'SUMMARY|passed|exit' "$out/$tool.txt" | paste -sd' ')"
  grep -A6 -E '========= (Invalid|Error|Program|Race)' "$out/$tool.txt" | head -16 | cut -c1-200
done

say "training: CPU, CUDA, CUDA with managed memory"
train() { # NAME DEVICE PROJECT STEPS
  local begin end
  begin=$(date +%s%N)
  ours 25 sluice train "data/samples/$3" --device "$2" --steps "$4" --seed 1 \
    --workspace "$root/ws-$1" > "$root/train-$1.txt" 2>&1 ||
    tail -3 "$root/train-$1.txt" | cut -c1-300
  end=$(date +%s%N)
  ours 20 sluice log --workspace "$root/ws-$1" --json > "$out/log-$1.json" 2>/dev/null || true
  echo "$1: $(((end - begin) / 1000000)) ms"
}
for project in digits-mlp digits-lenet; do
  train $project-cpu CPU:0 $project 300
  train $project-cuda CUDA:0 $project 300
  SLUICE_CUDA_MANAGED=1 train $project-managed CUDA:0 $project 300
done
python3 tests/cuda/losses.py "$out"/log-*.json || true
for project in digits-mlp digits-lenet; do
  ours 25 sluice trace "data/samples/$project" --device CUDA:0 --steps 5 --warm 20 \
    --out "$root/$project.json" > /dev/null 2>&1
  python3 tests/cuda/gaps.py "$root/$project.json" || true
done

say "bare library and device figures"
timeout 100 python3 tests/cuda/hardware.py 2>&1 | tail -60

say "what goes wrong"
. tests/cuda/faults.sh

say "samples, to the figures that they promise"
printf '#!/bin/bash\nLD_LIBRARY_PATH=%s exec %s %s "$@"\n' "$libraries" "$loader" \
  "$root/bin/sluice" > "$root/sluice"
chmod +x "$root/sluice"
for project in cart-pole digits-lenet digits-mlp hogwild lstm moe towers word2vec; do
  keep "$out/sample-$project.txt" timeout 200 python3 tests/app/test-samples.py "$root/sluice" . \
    --whole --only $project --device CUDA:0 &
done
wait
grep -hE '^(not )?ok.* trains|^# [^ ]*: |^exit [1-9]' "$out"/sample-*.txt | cut -c1-220
tar -C "$root" -czf "$archive_folder/outputs.tar.gz" outputs
rm -rf "$root"
say end
