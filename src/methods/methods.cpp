#include "methods/methods.h"

namespace dalaup {

MethodRegistry all_methods() {
  MethodRegistry registry;
  return registry;
}

}  // namespace dalaup
