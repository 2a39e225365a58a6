#include "web/views.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace dalaup {
namespace {

constexpr std::size_t kContactsDrawn = 14;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json estimate_json(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  return {{"value", estimate->value}, {"deviation", estimate->deviation}};
}

std::string summary_of(const std::string& strategy) {
  for (const StrategySummary& known : query_strategies())
    if (known.name == strategy) return known.summary;
  return {};
}

Json contacts_json(const Network& network, const std::vector<Contact>& contacts) {
  Json list = Json::array();
  for (const Contact& contact : contacts)
    list.push_back({{"id", contact.user},
                    {"name", network.name(contact.user)},
                    {"kind", name_of(contact.kind)},
                    {"person", contact.person},
                    {"contacts", network.degree(contact.user)}});
  return list;
}

Json evidence_json(const NetworkPair& networks, const Evidence& evidence) {
  return {{"words", evidence.words},
          {"shared", evidence.shared},
          {"matched", evidence.matched},
          {"matched_a", evidence.matched_a},
          {"matched_b", evidence.matched_b},
          {"contacts_a", contacts_json(networks.a, evidence.contacts_a)},
          {"contacts_b", contacts_json(networks.b, evidence.contacts_b)},
          {"edges_a", evidence.edges_a},
          {"edges_b", evidence.edges_b}};
}

Json pair_json(const NetworkPair& networks, UserPair pair) {
  if (pair == UserPair{}) return nullptr;
  const auto user = [&](Side side) -> Json {
    if (pair.on(side) == kNoUser) return nullptr;  // the other has no partner
    return {{"id", pair.on(side)}, {"name", networks.on(side).name(pair.on(side))}};
  };
  return {{"a", user(Side::kA)}, {"b", user(Side::kB)}};
}

Json entry_json(const NetworkPair& networks, const JournalEntry& entry) {
  return {{"id", entry.id},
          {"at", entry.at},
          {"kind", name_of(entry.kind)},
          {"annotator", entry.annotator},
          {"question", entry.question},
          {"reply", name_of(entry.reply)},
          {"pair", pair_json(networks, entry.pair)},
          {"seconds", entry.seconds},
          {"undoes", entry.undoes},
          {"source", entry.source},
          {"note", entry.note},
          {"editor", entry.editor}};
}

}  // namespace

void sort_by_name(const Study& study, std::vector<Rival>& rivals) {
  std::ranges::sort(rivals, {}, [&](const Rival& rival) {
    return std::pair(rival.side, study.networks().on(rival.side).name(rival.user));
  });
}

Json user_json(const Study& study, Side side, UserId user) {
  const Network& network = study.networks().on(side);
  Json profile = Json::array();
  const Profiles& profiles = study.profiles(side);
  if (const auto row = profiles.rows.find(user); row != profiles.rows.end())
    for (std::size_t column = 0; column < profiles.columns.size(); ++column)
      if (!row->second[column].empty())
        profile.push_back({{"column", profiles.columns[column]}, {"value", row->second[column]}});
  return {{"side", name_of(side)},
          {"id", user},
          {"name", network.name(user)},
          {"contacts", network.degree(user)},
          {"profile", profile}};
}

Json question_json(const LabellingSession& session, const StudyQuestion& question, bool with_model,
                   const LabelSet* labels) {
  const Study& study = session.study();
  const NetworkPair& networks = study.networks();
  const Question& asked = question.question;
  const Side far = other(asked.side);
  Json candidates = Json::array();
  for (std::size_t place = 0; place < asked.candidates.size(); ++place) {
    Json candidate = user_json(study, far, asked.candidates[place]);
    candidate["evidence"] = evidence_json(
        networks, session.evidence(question, place, with_model, kContactsDrawn, labels));
    if (with_model) {
      candidate["probability"] = asked.probabilities[place];
      if (place < question.standings.size()) {
        candidate["rank_of_candidate"] = question.standings[place].rank_of_candidate;
        candidate["rank_of_user"] = question.standings[place].rank_of_user;
      }
      candidate["fields"] = Json::array();
      if (place < question.field_shares.size())
        for (const FieldShare& share : question.field_shares[place])
          candidate["fields"].push_back({{"name", share.field}, {"ratio", share.ratio}});
    }
    candidates.push_back(std::move(candidate));
  }
  std::vector<Rival> rivals = question.rivals;
  if (!with_model) sort_by_name(study, rivals);
  Json rival_list = Json::array();
  for (const Rival& rival : rivals) {
    Json one = user_json(study, rival.side, rival.user);
    if (with_model) one["probability"] = rival.probability;
    rival_list.push_back(std::move(one));
  }
  Json answers = Json::array();
  for (const JournalEntry& answer : session.answers_to(question.id))
    answers.push_back(entry_json(networks, answer));
  Json result{{"id", question.id},
              {"kind", name_of(asked.kind)},
              {"round", question.round},
              {"side", name_of(asked.side)},
              {"user", user_json(study, asked.side, asked.user)},
              {"candidates", candidates},
              {"rivals", rival_list},
              {"answers", answers}};
  if (with_model) result["strategy"] = shown_strategy(asked.strategy);
  return result;
}

Json next_json(const LabellingSession& session, const Next& next) {
  Json upcoming = Json::array();
  for (const StudyQuestion& question : next.upcoming)
    upcoming.push_back(question_json(session, question, false));
  return {
      {"state", name_of(next.state)},
      {"message", next.message},
      {"question", next.question ? question_json(session, *next.question, false) : Json(nullptr)},
      {"upcoming", upcoming}};
}

static Json review_json(const std::vector<ReviewItem>& items) {
  Json list = Json::array();
  for (const ReviewItem& item : items)
    list.push_back({{"question", item.question}, {"reason", name_of(item.reason)}});
  return list;
}

// The right pairs expected after each fit, with the interval that the probabilities of the matches
// give: known pairs are certain, matches are right or wrong independently of each other.
static Json progress_json(const std::vector<RoundProgress>& rounds) {
  constexpr double kNinetyPercent = 1.645;  // standard deviations to either side
  Json list = Json::array();
  for (const RoundProgress& round : rounds) {
    const double spread =
        kNinetyPercent * std::sqrt(static_cast<double>(round.matches) * round.doubt);
    list.push_back(
        {{"answers", round.answers},
         {"anchors", round.anchors},
         {"matches", round.matches},
         {"right", round.expected_right},
         {"right_low", std::max(static_cast<double>(round.anchors), round.expected_right - spread)},
         {"right_high", std::min(static_cast<double>(round.anchors + round.matches),
                                 round.expected_right + spread)},
         {"right_at_wanted_precision", round.expected_at_wanted}});
  }
  return list;
}

Json status_json(const LabellingSession& session, const Status& status) {
  const NetworkPair& networks = session.study().networks();
  Json rounds = Json::array();
  for (const Round& round : status.rounds)
    rounds.push_back({{"id", round.id},
                      {"at", round.at},
                      {"strategy", round.strategy},
                      {"explored", round.explored},
                      {"answers", round.answers},
                      {"anchors", round.anchors},
                      {"validation_size", round.validation_size},
                      {"precision_at_30", or_null(round.precision_at_30)},
                      {"map_at_30", or_null(round.map_at_30)},
                      {"agreement", or_null(round.agreement)},
                      {"yes_chance", or_null(round.yes_chance)},
                      {"reward", or_null(round.reward)},
                      {"seconds", round.seconds}});
  Json arms = Json::array();
  for (const Arm& arm : status.arms)
    arms.push_back({{"name", arm.name},
                    {"summary", summary_of(arm.name)},
                    {"times_chosen", arm.times_chosen},
                    {"mean_reward", arm.mean_reward}});
  Json people = Json::array();
  for (const AnnotatorStatus& person : status.annotators)
    people.push_back(
        {{"name", person.name},
         {"answers", person.answers},
         {"yes", person.yes},
         {"consensus",
          {{"questions", person.consensus.questions}, {"equal", person.consensus.equal}}}});
  const auto agreement = [](const Agreement& one) {
    return Json{{"first", one.first},
                {"second", one.second},
                {"questions", one.questions},
                {"equal", one.equal},
                {"kappa", or_null(one.kappa)}};
  };
  Json pairs = Json::array();
  for (const Agreement& one : status.agreements) pairs.push_back(agreement(one));
  return {{"event", status.event},
          {"study", session.study().path().substr(session.study().path().find_last_of('/') + 1)},
          {"users_a", networks.a.user_count()},
          {"users_b", networks.b.user_count()},
          {"answers", status.counts.answers},
          {"yes", status.counts.yes},
          {"no", status.counts.no},
          {"no_partner", status.counts.no_partner},
          {"unsure", status.counts.unsure},
          {"skipped", status.counts.skipped},
          {"imported", status.counts.imported},
          {"anchors", status.anchors},
          {"without_partner", {{"a", status.without_partner_a}, {"b", status.without_partner_b}}},
          {"settled_pairs", status.settled_pairs},
          {"all_pairs", status.all_pairs},
          {"questions_ready", status.questions_ready},
          {"is_learning", status.is_learning},
          {"failure", status.failure},
          {"rounds", rounds},
          {"arms", arms},
          {"advice",
           {{"stage", name_of(status.advice.stage)},
            {"words", status.advice.words},
            {"sentence", status.advice.sentence},
            {"gain", estimate_json(status.advice.gain)},
            {"changes", estimate_json(status.advice.changes)},
            {"yes", estimate_json(status.advice.yes)}}},
          {"annotators", people},
          {"agreement", {{"overall", agreement(status.overall)}, {"pairs", pairs}}},
          {"disputes", status.disputes},
          {"review", review_json(status.review)},
          {"progress", progress_json(status.progress)},
          {"audit", status.audit}};
}

Json history_json(const LabellingSession& session, const std::vector<HistoryItem>& items) {
  const Study& study = session.study();
  Json list = Json::array();
  for (const HistoryItem& item : items) {
    Json one = entry_json(study.networks(), item.entry);
    one["is_in_force"] = item.is_in_force;
    if (item.question) {
      const Question& asked = item.question->question;
      Json candidates = Json::array();
      for (const UserId candidate : asked.candidates)
        candidates.push_back(
            {{"id", candidate}, {"name", study.networks().on(other(asked.side)).name(candidate)}});
      one["asked"] = {
          {"kind", name_of(asked.kind)},
          {"strategy", shown_strategy(asked.strategy)},
          {"side", name_of(asked.side)},
          {"user",
           {{"id", asked.user}, {"name", study.networks().on(asked.side).name(asked.user)}}},
          {"candidates", candidates}};
    }
    list.push_back(std::move(one));
  }
  return list;
}

Json outcome_json(const Outcome& outcome) {
  return {{"taken", outcome.is_taken},  {"message", outcome.message},
          {"entry", outcome.entry},     {"question", outcome.question},
          {"settled", outcome.settled}, {"disputed", outcome.is_disputed}};
}

Json import_json(const Study& study, const ImportReport& report) {
  Json conflicts = Json::array();
  for (const ImportConflict& conflict : report.conflicts)
    conflicts.push_back({{"line", conflict.line},
                         {"pair", pair_json(study.networks(), conflict.pair)},
                         {"label", conflict.label == Label::kAnchor ? 1 : 0},
                         {"earlier", pair_json(study.networks(), conflict.earlier)},
                         {"earlier_label", conflict.earlier_label == Label::kAnchor ? 1 : 0}});
  return {{"added", report.added},           {"known", report.known},
          {"conflicts", conflicts},          {"understood", report.notes.understood},
          {"skipped", report.notes.skipped}, {"other_case", report.notes.other_case}};
}

}  // namespace dalaup
