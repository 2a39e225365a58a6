#pragma once
// The address of the server of a study, in a file beside it, so that other commands can reach a
// study that is being labelled. Private to web; web.h says what others may ask.
#include <string>

#include "web/web.h"

namespace dalaup {

// Only this user may read the file: it holds the token. Gone with this object; what a killed server
// left is not used, since nobody then holds the study.
class ServerNote {
 public:
  // A folder that cannot be written leaves the study without a note, which is no error.
  ServerNote(const std::string& study, const ServerAddress& address);
  ~ServerNote();
  ServerNote(const ServerNote&) = delete;
  ServerNote& operator=(const ServerNote&) = delete;

 private:
  std::string path_;
};

}  // namespace dalaup
