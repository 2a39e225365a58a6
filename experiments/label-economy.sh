#!/bin/sh
# The figures of docs/measured/questions.md: sh experiments/label-economy.sh DATA OUT
# DATA holds a.edges, b.edges and anchors.tsv; OUT receives one folder per experiment. A run that was
# stopped continues. REPEATS, THREADS and STRATEGIES may be set.
set -eu
data=$1
out=$2
program=${DALAUP:-build/dalaup}
repeats=${REPEATS:-5}
threads=${THREADS:-1}
all=${STRATEGIES:-cs,saie,eer,ie,coverage,degree,reach,random,dalaup,dalaup-all}

simulate() {
  name=$1
  shift
  echo "== $name"
  "$program" simulate --a "$data/a.edges" --b "$data/b.edges" --directed --truth "$data/anchors.tsv" \
    --repeats "$repeats" --threads "$threads" --quiet --out "$out/$name" "$@"
}

# 100 initial anchors, above the take-off of propagation.
simulate warm-pair --strategy $all --initial 100 --budget 300 --batch 50 --target 0.70
simulate warm-pick --strategy $all --initial 100 --budget 240 --batch 40 --target 0.70 --questions pick
# 30 initial anchors, below it.
simulate cold-pair --strategy $all --initial 30 --budget 240 --batch 20 --target 0.60
simulate cold-pick --strategy $all --initial 30 --budget 200 --batch 20 --target 0.60 --questions pick
# 5 % of the answers are wrong.
simulate noisy-pick --strategy degree,dalaup --initial 30 --budget 200 --batch 20 --target 0.60 \
  --questions pick --oracle-error 0.05
# The paper's bandit, trying each arm once first.
simulate each-warm-pick --strategy dalaup --try-each-arm --no-control --initial 100 --budget 240 --batch 40 --target 0.70 \
  --questions pick
simulate each-warm-pair --strategy dalaup --try-each-arm --no-control --initial 100 --budget 300 --batch 50 --target 0.70
simulate each-cold-pick --strategy dalaup --try-each-arm --no-control --initial 30 --budget 200 --batch 20 --target 0.60 \
  --questions pick
