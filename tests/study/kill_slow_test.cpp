#include "kill_support.h"

namespace dalaup {
namespace {

TEST(KillMinus9, LosesNoAcknowledgedAnswerInTwoHundredKills) { kill_and_check(200); }

}  // namespace
}  // namespace dalaup
