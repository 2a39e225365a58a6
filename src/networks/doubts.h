#pragma once
// What is odd about a network as it was read: things that are no fault of the file, and that nobody
// wants without knowing. Private to networks.
#include <string>
#include <vector>

#include "networks/network.h"
#include "networks/table.h"

namespace dalaup {

// Names that look like others, numbers that a spreadsheet shortened, comments inside names, a list
// of pairs instead of a network. For readers of all forms.
std::vector<std::string> doubts_of(const Network& network, const std::string& file);

// A first line that may be a header: its two users are found nowhere else. For tables without
// header, where users are numbered as they come.
std::vector<std::string> header_doubts(const Network& network, const TableForm& form,
                                       const std::string& file);

// Lines like "#ann,bob" below others, as far as the beginning shows them: comments, or users?
std::vector<std::string> hash_doubts(std::string_view beginning, const TableForm& form,
                                     const std::string& file);

}  // namespace dalaup
