#include <gmock/gmock.h>

#include "ranking/ranking.h"
#include "support/support.h"

namespace dalaup {
namespace {

using testing::HasSubstr;

RankedFile read_text(const std::string& text) {
  LineReader lines(bytes_of(text), "list.tsv");
  return read_ranked(lines);
}
std::string message_of(const std::string& text) {
  try {
    read_text(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}
const std::string kHeader = "a\trank\tb\tscore\n";

TEST(RankedFiles, WhatIsWrittenIsReadBack) {
  const TemporaryFolder folder;
  const Network a = network_of("alice bob\nbob carol");
  const Network b = network_of("x y\ny z");
  const RankedLists lists{{2, {{1, 0.9F}, {0, 1e-7F}}}, {0, {{2, -0.25F}}}};
  write_ranked(folder / "list.tsv", lists, a.names(), b.names());
  EXPECT_EQ(content_of(folder / "list.tsv"),
            kHeader + "carol\t1\ty\t0.9\ncarol\t2\tx\t1e-07\nalice\t1\tz\t-0.25\n");
  const RankedFile file = read_ranked(folder / "list.tsv");
  ASSERT_EQ(file.lists.size(), 2U);
  EXPECT_EQ(file.from[0], "carol");
  EXPECT_EQ(file.to[file.lists[0].candidates[1].user], "x");
  EXPECT_EQ(file.lists[0].candidates[1].score, 1e-7F);
  EXPECT_EQ(file.lists[1].candidates[0].score, -0.25F);
}

TEST(RankedFiles, RowsMayComeInAnyOrder) {
  const RankedFile file = read_text(kHeader + "u\t2\tx\t0.1\nv\t1\tx\t3\nu\t1\ty\t0.5\n");
  ASSERT_EQ(file.lists[0].candidates.size(), 2U);
  EXPECT_EQ(file.to[file.lists[0].candidates[0].user], "y");
}

TEST(RankedFiles, SayWhatIsWrongAndWhere) {
  EXPECT_THAT(message_of(""), HasSubstr("list.tsv: found an empty file, expected the header"));
  EXPECT_THAT(message_of("user,rank\n"), HasSubstr("list.tsv:1: found \"user,rank\", expected"));
  EXPECT_THAT(message_of(kHeader + "u\t1\tx\n"),
              HasSubstr("list.tsv:2: found 3 columns, expected 4"));
  EXPECT_THAT(message_of(kHeader + "u\t0\tx\t1\n"),
              HasSubstr(":2: found rank \"0\", expected a whole"));
  EXPECT_THAT(message_of(kHeader + "u\t1\tx\tnan\n"),
              HasSubstr(":2: found score \"nan\", expected a finite number"));
  EXPECT_THAT(message_of(kHeader + "u\t1\tx\t1e99\n"), HasSubstr("expected a finite number"));
  EXPECT_THAT(message_of(kHeader + "\t1\tx\t1\n"), HasSubstr(":2: found an empty name"));
  EXPECT_THAT(message_of(kHeader + "u\t1\tx\t1\nu\t3\ty\t0\n"),
              HasSubstr(":3: found rank 3 of \"u\", expected rank 2 first"));
  EXPECT_THAT(message_of(kHeader + "u\t1\tx\t1\nu\t1\ty\t0\n"),
              HasSubstr(":3: found rank 1 of \"u\" a second time"));
  EXPECT_THAT(message_of(kHeader + "u\t1\tx\t1\nu\t2\ty\t2\n"),
              HasSubstr(":3: found score 2 at rank 2 of \"u\", expected at most the 1"));
  EXPECT_THAT(message_of(kHeader + "u\t1\tx\t1\nu\t2\tx\t0\n"),
              HasSubstr(":3: found candidate \"x\" of \"u\" a second time"));
}

}  // namespace
}  // namespace dalaup
