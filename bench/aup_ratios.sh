#!/bin/sh
# The experiment behind docs/method/aup.md: trains presets to convergence on the labels of several ratios and
# splits, one thread each, and appends one CSV line a run.
# usage: bench/aup_ratios.sh BUILD_FOLDER DATA_FOLDER SPLIT_PY OUT [PRESETS [RATIOS [SEEDS]]]
# columns: preset,ratio,seed,labels file,anchors,seconds, then precision@30,map@30,map-linear@30,hits@1,mrr
# of the test anchors and the same five of the anchors trained on.
set -eu
build=$1 data=$2 split=$3 out=$4
presets=${5:-"official paper tuned"} ratios=${6:-"0.5 0.1 0.3 0.7 0.9"} seeds=${7:-"1 2 3"}
mkdir -p "$out"
for seed in $seeds; do
  for ratio in $ratios; do
    labels=$out/labels-$ratio-$seed.tsv
    /usr/bin/python3 "$split" "$data/anchors.tsv" "$ratio" "$seed" "$labels"
    for preset in $presets; do
      share=0 # the presets of the paper stop on training loss, so that every label is trained on
      [ "$preset" = tuned ] && share=0.1
      line=$("$build/bench_aup_accuracy" "$data" "$labels" preset="$preset" seed="$seed" \
        validation_share=$share loss_curve="$out/loss-$preset-$ratio-$seed.csv")
      echo "$preset,$ratio,$seed,$line" | tee -a "$out/results.csv"
    done
  done
done
