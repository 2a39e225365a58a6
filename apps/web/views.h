#pragma once
// Study records as JSON. Private to web.
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "study/study.h"

namespace dalaup {

using Json = nlohmann::ordered_json;

// People answer blind: without the model's view its order must not show either.
void sort_by_name(const Study& study, std::vector<Rival>& rivals);
Json user_json(const Study& study, Side side, UserId user);
// With `with_model` the model's view is there too: probabilities, ranks, likely contacts.
// `labels`: what was known when it was asked, instead of what is known now.
Json question_json(const LabellingSession& session, const StudyQuestion& question, bool with_model,
                   const LabelSet* labels = nullptr);
Json next_json(const LabellingSession& session, const Next& next);
Json status_json(const LabellingSession& session, const Status& status);
Json history_json(const LabellingSession& session, const std::vector<HistoryItem>& items);
Json outcome_json(const Outcome& outcome);
Json import_json(const Study& study, const ImportReport& report);

}  // namespace dalaup
