#pragma once
// The last fit as a study file keeps it, so that a session begins where the last one ended.
#include <memory>
#include <string>
#include <vector>

#include "study/labelling_params.h"

namespace dalaup {

struct Learned;

// What a kept model says of the study's progress; empty when it cannot be read.
struct KeptProgress {
  std::vector<RoundProgress> rounds = {};
  AuditWords audit = {};
};
KeptProgress kept_progress(const std::string& bytes);

// The model with what the next round needs of this one, and back again. restore_model throws
// InputError when the bytes are damaged or of another version.
std::string kept_form(const Learned& learned);
std::shared_ptr<Learned> restore_model(const std::string& bytes, const AlignerFactory& make_aligner,
                                       const NetworkPair& networks);

// People still look at the last model while the next one is made of it.
std::unique_ptr<Aligner> copy_of(const Aligner& aligner, const AlignerFactory& make_aligner);

}  // namespace dalaup
