#include "study/kept_model.h"

#include <algorithm>
#include <cmath>

#include "study/learner.h"

namespace dalaup {
namespace {

constexpr std::string_view kModelKind = "studymodel";
constexpr std::uint32_t kModelVersion =
    3;  // 2: progress, matching and audit beside the model; 3: its warning

}  // namespace

std::string kept_form(const Learned& learned) {
  ArchiveWriter archive;
  archive.put("method", learned.aligner->method());
  save_labels(archive, learned.aligner->labels());
  archive.put("best", learned.best);
  archive.put("progress", learned.progress);
  archive.put("matching", learned.matching);
  archive.put("audit", learned.audit.result);
  archive.put("audit_warning", learned.audit.warning);
  archive.put("answers_at_audit", learned.answers_at_audit);
  learned.aligner->save(archive);
  return archive.to_bytes(kModelKind, kModelVersion);
}

std::shared_ptr<Learned> restore_model(const std::string& bytes, const AlignerFactory& make_aligner,
                                       const NetworkPair& networks) {
  const ArchiveReader archive(bytes, "the kept model", kModelKind, kModelVersion);
  std::unique_ptr<Aligner> aligner = make_aligner();
  if (archive.text("method") != aligner->method())
    throw InputError("the kept model", 0, "found another method");
  aligner->load(archive, networks, load_labels(archive, networks));
  auto learned = std::make_shared<Learned>();
  learned->best = archive.values<UserId>("best");
  if (archive.version() >= 2) {
    learned->progress = archive.values<RoundProgress>("progress");
    learned->matching = archive.values<Match>("matching");
    const auto is_foreign = [&](const Match& match) {
      return match.pair.a >= networks.a.user_count() || match.pair.b >= networks.b.user_count() ||
             !std::isfinite(match.probability);
    };
    if (std::ranges::any_of(learned->matching, is_foreign))
      throw InputError("the kept model", 0, "found a matching that does not fit the networks");
    learned->audit.result = archive.text("audit");
    learned->answers_at_audit = archive.whole_number("answers_at_audit");
  }
  if (archive.version() >= 3) learned->audit.warning = archive.text("audit_warning");
  learned->aligner = std::move(aligner);
  return learned;
}

KeptProgress kept_progress(const std::string& bytes) {
  try {
    const ArchiveReader archive(bytes, "the kept model", kModelKind, kModelVersion);
    if (archive.version() < 2) return {};
    return {archive.values<RoundProgress>("progress"),
            {archive.text("audit"),
             archive.version() >= 3 ? archive.text("audit_warning") : std::string{}}};
  } catch (const InputError&) {
    return {};  // damaged: it is made anew by the next session
  }
}

std::unique_ptr<Aligner> copy_of(const Aligner& aligner, const AlignerFactory& make_aligner) {
  ArchiveWriter writer;
  aligner.save(writer);
  const ArchiveReader reader(writer.to_bytes(kModelKind, kModelVersion), "the last model",
                             kModelKind, kModelVersion);
  std::unique_ptr<Aligner> copy = make_aligner();
  copy->load(reader, aligner.networks(), aligner.labels());
  return copy;
}

}  // namespace dalaup
