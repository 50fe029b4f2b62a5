# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
#
# shellcheck shell=bash disable=SC2154
# What goes wrong on a machine with a device, and what is told then; hardware.sh reads it. Each case
# is a line: as expected, or what came instead.

project=data/samples/digits-mlp
workspace=$root/ws-faults

expect() { # NAME PATTERN COMMAND...
  local name=$1 pattern=$2 printed
  shift 2
  printed=$("$@" 2>&1)
  local status=$?
  if printf '%s\n' "$printed" | grep -Eq -- "$pattern" && [ $status -lt 124 ]; then
    echo "ok   $name: $(printf '%s\n' "$printed" | grep -E -m1 -- "$pattern" | cut -c1-220)"
  else
    echo "FAIL $name: exit $status: $(printf '%s\n' "$printed" | tail -4 | cut -c1-300)"
  fi
}

train() { # RUN ARGUMENT...
  ours 60 sluice train "$project" --device CUDA:0 --workspace "$workspace" --run "$@" \
    --set checkpoint-every=20
}

# The values of a run's curve.
losses() { # WORKSPACE
  ours 20 sluice log --workspace "$1" --tag '^loss$' --json |
    python3 -c 'import json, sys
for line in sys.stdin: print(json.loads(line)["values"])' | md5sum
}

no_devices() {
  CUDA_VISIBLE_DEVICES='' train hidden --steps 5
}

# PyTorch takes all but `left` bytes of the device for the time of a training.
crowded() { # LEFT
  python3 - "$1" << 'END' &
import sys, torch
free, _ = torch.cuda.mem_get_info()
block = torch.empty(free - int(sys.argv[1]), dtype=torch.uint8, device="cuda")
open("/tmp/crowded", "w").close()
import time
time.sleep(60)
END
  local other=$!
  while [ ! -e /tmp/crowded ] && kill -0 $other; do sleep 0.1; done
  train crowded-"$1" --steps 40
  local status=$?
  kill $other
  wait $other 2> /dev/null
  rm -f /tmp/crowded
  return $status
}

# Killed in the middle and gone on with: the curve of a run that was not.
killed() {
  local whole=$workspace-whole torn=$workspace-torn
  workspace=$whole train run --steps 400 --seed 3 > /dev/null 2>&1 || return 1
  workspace=$torn train run --steps 400 --seed 3 > /dev/null 2>&1 &
  local pid=$!
  until ls "$torn/runs/1/checkpoints" 2> /dev/null | grep -q 'step-00000001'; do
    kill -0 $pid 2> /dev/null || return 1
    sleep 0.01
  done
  pkill -9 -f -- "--workspace $torn"
  wait $pid 2> /dev/null
  ours 60 sluice train --resume run --workspace "$torn" --device CUDA:0 || return 1
  [ "$(losses "$whole")" = "$(losses "$torn")" ] && echo "the curve of a run that was not killed"
}

# Beyond 2^31 elements: sums and ends of what a kernel made of them.
huge() {
  cat > "$root/huge.pbtxt" << 'END'
node { name: "dims" op: "Const" attr { key: "dtype" value { type: DT_INT64 } }
  attr { key: "value" value { tensor {
    dtype: DT_INT64 tensor_shape { dim { size: 1 } } int64_val: 2147483659 } } } }
node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_INT8 } }
  attr { key: "value" value { tensor { dtype: DT_INT8 tensor_shape { } int_val: 21 } } } }
node { name: "x" op: "Fill" input: "dims" input: "one"
  attr { key: "T" value { type: DT_INT8 } } attr { key: "index_type" value { type: DT_INT64 } } }
node { name: "twice" op: "AddV2" input: "x" input: "x" attr { key: "T" value { type: DT_INT8 } } }
node { name: "axis" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
  attr { key: "value" value { tensor {
    dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 0 } } } }
node { name: "least" op: "Min" input: "twice" input: "axis"
  attr { key: "T" value { type: DT_INT8 } } }
node { name: "most" op: "Max" input: "twice" input: "axis"
  attr { key: "T" value { type: DT_INT8 } } }
END
  ours 90 sluice run "$root/huge.pbtxt" --device CUDA:0 --fetch least:0 --fetch most:0 |
    paste -sd' '
}

# A kernel that traps in step 50: the run ends with what it had, and goes on from its checkpoint.
trapped() {
  local folder=$root/trapped
  cp -r "$project" "$folder"
  sed -i 's|=\.\./data|='"$PWD"'/data/samples/data|' "$folder/project.ini"
  echo 'node { name: "trap" op: "Trap" input: "loss/value" }' >> "$folder/model.pbtxt"
  sed -i 's|^fetches=accuracy:accuracy/value:0$|&;trap:trap:0|' "$folder/project.ini"
  SLUICE_TRAP_AFTER=50 project=$folder train trapped --load "$root/bin/trap.so" --steps 60
}
after_trap() {
  SLUICE_TRAP_AFTER=0 ours 60 sluice train --resume trapped --workspace "$workspace" \
    --device CUDA:0 --load "$root/bin/trap.so"
}

expect "no device is to be seen" 'CUDA_VISIBLE_DEVICES hides them all|no CUDA-capable device' \
  no_devices
expect "a device that is not there" 'there is no device CUDA:' \
  ours 20 sluice train $project --device CUDA:7 --workspace "$workspace" --steps 5
expect "another process has all memory but 1 GiB" 'test accuracy|finished' crowded $((1 << 30))
expect "another process has all memory but 64 MiB" 'CUDA:0' crowded $((64 << 20))
expect "killed and gone on with" 'the curve of a run that was not killed' killed
expect "made again" 'equal bit for bit' \
  ours 60 sluice reproduce run --workspace "$workspace-whole" --device CUDA:0
expect "2147483659 elements" '42.*42' huge
expect "a kernel that traps" 'cudaErrorLaunchFailure|CUDA:0 failed' trapped
expect "and its run goes on" 'test accuracy' after_trap
