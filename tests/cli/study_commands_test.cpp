#include <algorithm>
#include <fstream>
#include <sstream>

#include "support/support.h"

namespace dalaup {
namespace {

// A ring with chords, twice, with four known pairs.
class StudyCommands : public testing::Test {
 protected:
  void SetUp() override {
    for (const char side : {'a', 'b'}) {
      std::ofstream edges(folder_ / (std::string(1, side) + ".edges"));
      for (int user = 0; user < 40; ++user) {
        edges << side << user << '\t' << side << (user + 1) % 40 << '\n';
        if (user % 3 == 0) edges << side << user << '\t' << side << (user * 7 + 5) % 40 << '\n';
      }
    }
    std::ofstream(folder_ / "known.tsv") << "a0\tb0\na5\tb5\na11\tb11\na20\tb20\n";
    networks_ = " --a " + (folder_ / "a.edges") + " --b " + (folder_ / "b.edges");
    study_ = folder_ / "s.study";
  }
  CommandResult start(const std::string& more = {}) {
    return run_dalaup("new " + study_ + networks_ + " --labels " + (folder_ / "known.tsv") + more);
  }
  // What the terminal says to somebody who presses these keys.
  std::string talk_in_terminal(const std::string& keys) {
    std::ofstream(folder_ / "keys") << keys;
    const int status = std::system((build_folder() + "/dalaup label " + study_ +
                                    " --terminal --annotator ann --threads 1 <" +
                                    (folder_ / "keys") + " >" + (folder_ / "out") + " 2>&1")
                                       .c_str());
    std::string talk = content_of(folder_ / "out");
    EXPECT_EQ(status, 0) << talk;
    return talk;
  }
  TemporaryFolder folder_;
  std::string networks_;
  std::string study_;
};

TEST_F(StudyCommands, NewLabelImportAndExportWorkTogether) {
  const CommandResult made = start(" --questions pair");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.out.find("a study of 40 users in A and 40 in B, 4 labels"), std::string::npos);

  const std::string talk = talk_in_terminal("ysumpz?nq");
  EXPECT_NE(talk.find("Are these two the same person?"), std::string::npos) << talk;
  EXPECT_NE(talk.find("pairs settled"), std::string::npos);
  EXPECT_NE(talk.find("Too early to tell when to stop."), std::string::npos) << talk;
  EXPECT_NE(talk.find("2 answers, 1 of them yes; 5 pairs known"), std::string::npos) << talk;

  std::ofstream(folder_ / "more.tsv") << "a7\tb7\na8\tb0\na0\tb0\n";
  const CommandResult imported =
      run_dalaup("import " + study_ + " --labels " + (folder_ / "more.tsv"));
  EXPECT_NE(imported.out.find("1 known already, 1 contradicting"), std::string::npos)
      << imported.out << imported.err;
  EXPECT_NE(imported.out.find("line 2: (\"a8\", \"b0\") 1 contradicts (\"a0\", \"b0\") 1"),
            std::string::npos)
      << imported.out;

  const CommandResult exported =
      run_dalaup("export " + study_ + " --labels " + (folder_ / "labels.tsv") + " --ranked " +
                 (folder_ / "ranked.tsv") + " --matching " + (folder_ / "matching.tsv") +
                 " --report " + (folder_ / "report.html") + " --figures " + (folder_ / "figures"));
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_NE(content_of(folder_ / "labels.tsv").find("a0\tb0\t1\n"), std::string::npos);
  EXPECT_TRUE(content_of(folder_ / "ranked.tsv").starts_with("a\trank\tb\tscore\tprobability\n"));
  EXPECT_TRUE(content_of(folder_ / "matching.tsv").starts_with("a\tb\tprobability\tmargin\t"));
  const std::string report = content_of(folder_ / "report.html");
  for (const char* const part : {"Labelling study", "<dt>version</dt>", "The surest matches",
                                 "The hardest matches", "Degrees of both networks"})
    EXPECT_NE(report.find(part), std::string::npos) << part;
}

TEST_F(StudyCommands, TheTerminalComparesFieldsWrapsWordsAndFitsFortyLines) {
  for (const char side : {'a', 'b'}) {
    std::ofstream profiles(folder_ / (std::string(1, side) + ".csv"));
    profiles << (side == 'a' ? "user,bio,city,site\n" : "user,bio,City,site\n");
    for (int user = 0; user < 40; ++user) {
      profiles << side << user << ",\"two\nlines ";
      for (int word = 0; word < 60; ++word) profiles << "word" << user << ' ';
      profiles << (side == 'a' ? "\",Lima," : "\",LIMA,");
      profiles << "https://people.example/" << user << '\n';
    }
  }
  ASSERT_EQ(start(" --questions pick --name-a Foursquare --profiles-a " + (folder_ / "a.csv") +
                  " --profiles-b " + (folder_ / "b.csv"))
                .exit_code,
            0);
  const std::string talk = talk_in_terminal("cq");
  const std::size_t begin = talk.find("Which of these is ");
  const std::size_t end = talk.find("q quit", begin);
  ASSERT_NE(end, std::string::npos) << talk;
  const std::string question = talk.substr(begin, end - begin);
  EXPECT_NE(question.find("[5] "), std::string::npos) << question;
  EXPECT_NE(question.find("= city"), std::string::npos) << question;
  EXPECT_NE(question.find("bio: two lines word"), std::string::npos) << question;
  EXPECT_NE(question.find("city: L"), std::string::npos) << "a long text hides nothing\n"
                                                         << question;
  EXPECT_EQ(question.find("~ site"), std::string::npos) << "one site, other people\n" << question;
  EXPECT_LE(std::ranges::count(question, '\n'), 37) << question;
  std::istringstream lines(talk);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.size() <= 80 || line.starts_with("next: ")) << line;  // commands stay whole
  const std::string card = talk.substr(end);
  EXPECT_NE(card.find("Foursquare"), std::string::npos) << card;
  EXPECT_NE(card.find("Lima"), card.find("LIMA")) << card;
  EXPECT_NE(card.find(" =  LIMA"), std::string::npos) << "equal whatever the case\n" << card;
}

TEST_F(StudyCommands, TheTerminalSaysAtOnceThatNothingCanBeLearned) {
  ASSERT_EQ(run_dalaup("new " + study_ + networks_ + " --questions pair").exit_code, 0);
  const std::string talk = talk_in_terminal("");
  EXPECT_NE(talk.find("The model cannot learn yet: "), std::string::npos) << talk;
  EXPECT_NE(talk.find("dalaup import "), std::string::npos) << talk;
}

TEST_F(StudyCommands, AnnotatorsAreAddedListedAndRevoked) {
  ASSERT_EQ(start().exit_code, 0);
  EXPECT_NE(run_dalaup("annotators list " + study_).out.find("nobody: whoever"), std::string::npos);
  const CommandResult added = run_dalaup("annotators add " + study_ + " ann --role reviewer");
  ASSERT_EQ(added.exit_code, 0) << added.err;
  EXPECT_NE(added.out.find("ann may answer as reviewer. Token, shown once: "), std::string::npos);
  EXPECT_EQ(run_dalaup("annotators add " + study_ + " ann").exit_code, 2) << "is there already";
  EXPECT_EQ(run_dalaup("annotators add " + study_ + " bob --role king").exit_code, 2);
  EXPECT_EQ(run_dalaup("annotators add " + study_).exit_code, 2);
  ASSERT_EQ(run_dalaup("annotators revoke " + study_ + " ann").exit_code, 0);
  const std::string list = run_dalaup("annotators list " + study_).out;
  EXPECT_NE(list.find("ann\treviewer\t"), std::string::npos) << list;
  EXPECT_NE(list.find("\trevoked"), std::string::npos) << list;
  EXPECT_EQ(run_dalaup("check " + study_).exit_code, 0);
}

TEST_F(StudyCommands, TheTerminalTakesThatSomebodyHasNoPartner) {
  ASSERT_EQ(start(" --questions pair --name-b Twitter").exit_code, 0);
  const std::string talk = talk_in_terminal("xq");
  EXPECT_NE(talk.find("x nobody in Twitter"), std::string::npos) << talk;
  EXPECT_NE(talk.find("pairs settled"), std::string::npos) << talk;
  ASSERT_EQ(run_dalaup("export " + study_ + " --labels " + (folder_ / "out.tsv")).exit_code, 0);
  EXPECT_NE(content_of(folder_ / "out.tsv").find("\t*\t0\n"), std::string::npos);
}

TEST_F(StudyCommands, TheTerminalAsksWhetherSomebodyHasAPartnerAtAll) {
  std::ofstream edges(folder_ / "a.edges", std::ios::app);  // four strangers, in A only
  for (int stranger = 0; stranger < 4; ++stranger)
    for (int tie = 0; tie < 4; ++tie)
      edges << "lone" << stranger << "\ta" << (stranger * 11 + tie * 9) % 40 << '\n';
  edges.close();
  std::ofstream known(folder_ / "known.tsv");
  for (int user = 0; user < 40; user += 3) known << 'a' << user << "\tb" << user << '\n';
  known.close();
  ASSERT_EQ(start(" --name-b Twitter --pick-until 1 --audit-share 0 --partner-share 0.5").exit_code,
            0);
  const std::string talk = talk_in_terminal(std::string(6, 'x') + "q");
  EXPECT_NE(talk.find("Is lone"), std::string::npos) << talk;
  EXPECT_NE(talk.find(" in Twitter at all?  4 contacts"), std::string::npos) << talk;
  ASSERT_EQ(run_dalaup("export " + study_ + " --labels " + (folder_ / "out.tsv")).exit_code, 0);
  const std::string labels = content_of(folder_ / "out.tsv");
  EXPECT_NE(labels.find("lone"), std::string::npos) << labels;
}

TEST_F(StudyCommands, FieldsOfProfilesMayBePutTogetherByHand) {
  std::ofstream(folder_ / "a.csv") << "user,city,home\na1,Lima,x.example/1\n";
  std::ofstream(folder_ / "b.csv") << "user,city,site\nb1,Lima,x.example/1\n";
  const std::string profiles = " --profiles-a " + (folder_ / "a.csv") + " --compare home=";
  EXPECT_EQ(start(profiles + "site").exit_code, 2) << "of one network only";
  const std::string both = " --profiles-b " + (folder_ / "b.csv") + profiles;
  const CommandResult unknown = start(both + "nowhere");
  EXPECT_NE(unknown.exit_code, 0);
  EXPECT_NE(unknown.err.find("nowhere"), std::string::npos) << unknown.err;
  EXPECT_EQ(start(both + "site").exit_code, 0);
}

TEST_F(StudyCommands, NewSaysHowProfilesWereUnderstood) {
  std::ofstream(folder_ / "a.csv") << "user;city;home\na1;Lima;x.example/1\n";
  std::ofstream(folder_ / "b.csv") << "user,city,site\nb1,Lima,x.example/1\n";
  const CommandResult made =
      start(" --profiles-a " + (folder_ / "a.csv") + " --profiles-b " + (folder_ / "b.csv"));
  ASSERT_EQ(made.exit_code, 0) << made.err;
  for (const char* const words :
       {"a.csv: semicolon-separated, header, user in column user, fields city, home",
        "b.csv: comma-separated, header, user in column user, fields city, site"})
    EXPECT_NE(made.err.find(words), std::string::npos) << made.err;
}

TEST_F(StudyCommands, NewAndImportReadLabelFilesAsTrainDoes) {
  std::ofstream(folder_ / "known.tsv") << "partner;user\nB0;A0\nb5;a5\nb6;nobody\n";
  const CommandResult refused = start();
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("that no user has"), std::string::npos) << refused.err;
  const CommandResult made =
      start(" --label-header yes --label-columns user,partner --ignore-case --skip-unknown");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.out.find("2 labels to begin with"), std::string::npos) << made.out;
  EXPECT_NE(made.err.find("semicolon-separated, header, columns user, partner; 2 labels"),
            std::string::npos)
      << made.err;
  EXPECT_NE(made.err.find("1 line with users the networks do not have was left out"),
            std::string::npos)
      << made.err;
  std::ofstream(folder_ / "more.csv") << "a7|b7\nzed|b8\nZ|b9\n";
  const std::string import = "import " + study_ + " --labels " + (folder_ / "more.csv");
  const CommandResult unknown = run_dalaup(import + " --label-delimiter '|'");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_NE(unknown.err.find("found 2 names that no user has"), std::string::npos) << unknown.err;
  const CommandResult added = run_dalaup(import + " --label-delimiter '|' --skip-unknown");
  ASSERT_EQ(added.exit_code, 0) << added.err;
  EXPECT_NE(added.out.find("1 label added"), std::string::npos) << added.out;
}

// A fifth of the labels is kept back to measure by: the model matches these users again.
TEST_F(StudyCommands, PairsKeptBackAreNotExpectedTwice) {
  ASSERT_EQ(run_dalaup("generate --users-a 120 --users-b 120 --anchors 120 --edges-a 800 --edges-b "
                       "800 --overlap 0.9 --quiet --out " +
                       (folder_ / "g"))
                .exit_code,
            0);
  std::istringstream truth(content_of(folder_ / "g/truth.tsv"));
  std::string known;
  std::string line;
  for (int pairs = 0; pairs < 100 && std::getline(truth, line);) {
    if (line.starts_with('#')) continue;
    known += line + "\n";
    ++pairs;
  }
  write_file(folder_ / "known.tsv", known);
  networks_ = " --a " + (folder_ / "g/a.edges") + " --b " + (folder_ / "g/b.edges");
  ASSERT_EQ(start().exit_code, 0);
  talk_in_terminal("q");
  const CommandResult exported =
      run_dalaup("export " + study_ + " --report " + (folder_ / "r.html"));
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  const std::string report = content_of(folder_ / "r.html");
  const std::string before = "100 pairs are known; with what an export adds, about ";
  const std::size_t place = report.find(before);
  ASSERT_NE(place, std::string::npos);
  const double right = std::stod(report.substr(place + before.size()));
  EXPECT_GE(right, 100.0);
  EXPECT_LE(right, 120.0);                                      // nobody has two partners
  EXPECT_EQ(report.find("Learning curve"), std::string::npos);  // of one point
}

TEST_F(StudyCommands, AReportOfAStudyWithoutLabelsNeedsNoModel) {
  ASSERT_EQ(run_dalaup("new " + study_ + networks_).exit_code, 0);
  const CommandResult result =
      run_dalaup("export " + study_ + " --report " + (folder_ / "report.html"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(content_of(folder_ / "report.html").find("Degrees of both networks"),
            std::string::npos);
}

TEST_F(StudyCommands, TheReportSaysWhichFieldsOfProfilesHelp) {
  for (const char side : {'a', 'b'}) {
    std::ofstream table(folder_ / (std::string(1, side) + ".csv"));
    table << "user,nick,mood\n";
    for (int user = 0; user < 40;
         ++user)  // moods of the two sides have nothing to do with each other
      table << side << user << ",person" << user * 7919 << ",mood"
            << (side == 'a' ? user % 5 : user % 7) << '\n';
  }
  const std::string profiles =
      " --profiles-a " + (folder_ / "a.csv") + " --profiles-b " + (folder_ / "b.csv");
  const CommandResult unknown = start(profiles + " --compare nick=alias");
  EXPECT_EQ(unknown.exit_code, 2) << unknown.err;
  EXPECT_NE(unknown.err.find("alias"), std::string::npos) << unknown.err;
  ASSERT_EQ(start(profiles + " --compare nick=nick:name,mood=mood:category").exit_code, 0);
  const CommandResult result =
      run_dalaup("export " + study_ + " --report " + (folder_ / "report.html"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::string page = content_of(folder_ / "report.html");
  const auto table = page.find("What profiles tell");
  ASSERT_NE(table, std::string::npos);
  const auto row_of = [&](const char* field) {
    const auto begin = page.find(std::string(">") + field + "<", table);
    return page.substr(begin, page.find("</tr>", begin) - begin);
  };
  EXPECT_NE(row_of("nick").find(">name<"), std::string::npos) << row_of("nick");
  EXPECT_NE(row_of("nick").find(">yes<"), std::string::npos) << row_of("nick");
  EXPECT_NE(row_of("mood").find(">no<"), std::string::npos) << row_of("mood");
}

TEST_F(StudyCommands, ErrorsSayWhatToDo) {
  ASSERT_EQ(start().exit_code, 0);
  const CommandResult again = start();
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_NE(again.err.find("found a file of that name, expected none"), std::string::npos);
  const CommandResult nothing = run_dalaup("export " + study_);
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_NE(nothing.err.find("give at least one of --labels"), std::string::npos);
  const CommandResult missing = run_dalaup("label " + (folder_ / "none.study"));
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.err.find("there is no such file"), std::string::npos);
  std::ofstream(folder_ / "bad.tsv") << "a1\tnobody\n";
  const CommandResult bad =
      run_dalaup("new " + (folder_ / "t.study") + networks_ + " --labels " + (folder_ / "bad.tsv"));
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_NE(bad.err.find("bad.tsv:1:"), std::string::npos) << bad.err;
  EXPECT_FALSE(file_exists(folder_ / "t.study")) << "nothing half-made remains";
}

}  // namespace
}  // namespace dalaup
