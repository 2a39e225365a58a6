#pragma once
// What a labelling study has come to, as a page.
#include <span>
#include "predictions/predictions.h"

#include "ranking/ranking.h"
#include "report/report.h"
#include "study/study.h"

namespace dalaup {

// `matches` are the pairs the model proposes, known ones left out; `facts` what the front end
// knows: command line, version.
Report study_report(const Study& study, const Ledger& ledger,
                    std::span<const PredictedPair> matches, const Facts& facts);

}  // namespace dalaup
