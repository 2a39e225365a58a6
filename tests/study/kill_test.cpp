#include "kill_support.h"

namespace dalaup {
namespace {

TEST(KillMinus9, LosesNoAcknowledgedAnswerInThirtyKills) { kill_and_check(30); }

}  // namespace
}  // namespace dalaup
