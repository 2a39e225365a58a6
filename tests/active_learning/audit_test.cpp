#include "active_learning/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/base.h"

namespace dalaup {
namespace {

std::vector<Audited> audits(double probability, std::size_t right, std::size_t wrong) {
  std::vector<Audited> all(right, {probability, true});
  all.insert(all.end(), wrong, {probability, false});
  return all;
}

// 40 answers at p = .9: 36 right are expected, chance moves that by 1.645 * sqrt(3.6) = 3.1.
TEST(Audit, ProbabilitiesFailOnlyBeyondWhatChanceExplains) {
  EXPECT_FALSE(probabilities_fail(audits(0.9, 36, 4)));
  EXPECT_FALSE(probabilities_fail(audits(0.9, 33, 7)));
  EXPECT_TRUE(probabilities_fail(audits(0.9, 32, 8)));
  EXPECT_TRUE(probabilities_fail(audits(0.9, 40, 0)));
  EXPECT_FALSE(probabilities_fail({}));
}

TEST(AuditWarning, SpeaksOnlyWhenEnoughAuditsAreFurtherOffThanChanceExplains) {
  EXPECT_EQ(audit_warning(audits(0.9, 36, 4)), "");
  EXPECT_EQ(audit_warning(audits(0.9, 0, 19)), "");
  EXPECT_EQ(audit_warning(audits(0.9, 10, 10)),
            "Of 20 matches drawn at random in the latest rounds 10 were right, where the model "
            "expected 18: probabilities were too high.");
  EXPECT_EQ(audit_warning(audits(0.6, 20, 0)),
            "Of 20 matches drawn at random in the latest rounds 20 were right, where the model "
            "expected 12: probabilities were too low.");
}

TEST(AuditResult, StatesTheExactNumberWhenEveryMatchWasAudited) {
  const AuditResult result = audit_result(audits(0.9, 36, 4), {});
  EXPECT_EQ(result.low, 36U);
  EXPECT_EQ(result.high, 36U);
  EXPECT_EQ(result.words(),
            "Of 40 new pairs, between 36 and 36 are right (90 %): 36 of 40 drawn at random were.");
}

// Matches with probabilities between .5 and 1 of which a share as claimed, or less, is right; 40
// are drawn. The interval must hold the truth in 90 % of the studies, however honest the claims.
TEST(AuditResult, TheIntervalHoldsTheTruthAsOftenAsItSays) {
  for (const double exaggeration : {0.0, 0.15}) {
    int held = 0;
    double width = 0.0;
    constexpr int kStudies = 600;
    for (int study = 0; study < kStudies; ++study) {
      Random random(static_cast<std::uint64_t>(study), "audit coverage");
      std::vector<Audited> all;
      std::size_t right = 0;
      for (int match = 0; match < 220; ++match) {
        const double p = 0.5 + 0.49 * std::sqrt(random.uniform());
        all.push_back({p, random.chance(p - exaggeration)});
        right += all.back().is_right ? 1 : 0;
      }
      random.shuffle(std::span(all));
      std::vector<double> others;
      for (std::size_t place = 40; place < all.size(); ++place)
        others.push_back(all[place].probability);
      const AuditResult result = audit_result(std::span(all).first(40), others);
      held += result.low <= right && right <= result.high ? 1 : 0;
      width += static_cast<double>(result.high - result.low) / 220.0;
    }
    EXPECT_GE(held / double{kStudies}, 0.88) << "exaggeration " << exaggeration;
    EXPECT_LE(width / kStudies, 0.26) << "exaggeration " << exaggeration;
  }
}

}  // namespace
}  // namespace dalaup
