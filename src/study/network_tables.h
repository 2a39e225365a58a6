#pragma once
// Networks, profiles and settings in a study's tables. Private to study.
#include <string>

#include "networks/networks.h"
#include "study/profiles.h"
#include "study/rows.h"

namespace dalaup {

void put_network(SQLite::Database& database, Side side, const Network& network);
void put_profiles(SQLite::Database& database, Side side, const Profiles& profiles);
void put_setting(SQLite::Database& database, const std::string& name, const std::string& value);

// These throw StudyDamage for ids with gaps or out of range, names that come twice, weights that
// are no positive numbers, profiles of another length than their header.
Network get_network(SQLite::Database& database, Side side, bool directed);
Profiles get_profiles(SQLite::Database& database, Side side, const std::string& columns,
                      UserId users);
std::string get_setting(SQLite::Database& database, const std::string& name);
// Rows of no side would be left out without a word.
void check_sides(SQLite::Database& database);

}  // namespace dalaup
