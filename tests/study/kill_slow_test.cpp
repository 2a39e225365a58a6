#include "kill_support.h"

namespace dalaup {
namespace {

TEST(KillMinus9, LosesNoAcknowledgedAnswerInAThousandKills) { kill_and_check(1000); }

}  // namespace
}  // namespace dalaup
