#pragma once
// What a labelling study has come to, as a page.
#include <span>

#include "predictions/predictions.h"
#include "ranking/ranking.h"
#include "report/report.h"
#include "study/study.h"

namespace dalaup {

// What a model learned from the study's labels.
struct StudyResult {
  std::vector<PredictedPair> matches;  // that it proposes, known ones left out
  std::vector<AttributeField> fields;
};
// `facts` are what the front end knows: command line, version.
Report study_report(const Study& study, const Ledger& ledger, const StudyResult& result,
                    const Facts& facts);

}  // namespace dalaup
