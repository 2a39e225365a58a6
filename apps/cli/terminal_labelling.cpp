#include "cli/terminal_labelling.h"

#include <fmt/format.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace dalaup {
namespace {

// Single keys while it lives; the terminal is as before afterwards.
class KeyInput {
 public:
  KeyInput() : is_terminal_(isatty(STDIN_FILENO) != 0) {
    if (!is_terminal_ || tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  ~KeyInput() {
    if (is_terminal_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  KeyInput(const KeyInput&) = delete;
  KeyInput& operator=(const KeyInput&) = delete;

  // 0 at the end of the input or when the run is cancelled.
  char next(const Run& run) const {
    while (!run.is_cancelled()) {
      pollfd wait{STDIN_FILENO, POLLIN, 0};
      if (poll(&wait, 1, 200) <= 0) continue;
      char key = 0;
      if (read(STDIN_FILENO, &key, 1) != 1) return 0;
      if (key != '\n' && key != '\r' && key != ' ') return key;
    }
    return 0;
  }
  bool is_terminal() const { return is_terminal_; }

 private:
  bool is_terminal_;
  termios before_{};
};

// Names come from files of others: control bytes could rewrite the screen.
std::string safe(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += letter;
  }
  // The C1 control bytes, encoded as U+0080..U+009F.
  for (std::size_t place = 0; place + 1 < result.size(); ++place)
    if (result[place] == '\xc2' && static_cast<unsigned char>(result[place + 1]) < 0xa0)
      result.replace(place, 2, "?");
  return result;
}

class Screen {
 public:
  explicit Screen(bool colours) : colours_(colours) {}
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) const {
    fmt::print("{}\n", fmt::format(format, std::forward<Args>(args)...));
    std::fflush(stdout);
  }
  std::string bold(const std::string& text) const { return paint("1", text); }
  std::string quiet(const std::string& text) const { return paint("2", text); }
  std::string green(const std::string& text) const { return paint("32", text); }
  std::string red(const std::string& text) const { return paint("31", text); }

 private:
  std::string paint(const char* code, const std::string& text) const {
    return colours_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  bool colours_;
};

class Conversation {
 public:
  Conversation(LabellingSession& session, std::string annotator, const Run& run)
      : session_(session),
        annotator_(std::move(annotator)),
        run_(run),
        screen_(keys_.is_terminal() && isatty(STDOUT_FILENO) != 0) {}

  void hold() {
    while (!run_.is_cancelled()) {
      const Next next = session_.next(annotator_);
      if (next.state == Next::State::kLearning) {
        if (!said_waiting_) screen_.line("{}", screen_.quiet(next.message));
        said_waiting_ = true;
        session_.wait_for_change(session_.status().event, 0.2);
        continue;
      }
      said_waiting_ = false;
      if (!next.question) {
        screen_.line("{}", next.message);
        return;
      }
      show(*next.question);
      if (!answer(*next.question)) return;
    }
  }

 private:
  void show_user(Side side, UserId user) const {
    const Study& study = session_.study();
    screen_.line("  {} {}  {}", screen_.quiet(std::string(name_of(side))),
                 screen_.bold(safe(study.networks().on(side).name(user))),
                 screen_.quiet(fmt::format("{} contacts", study.networks().on(side).degree(user))));
    const Profiles& profiles = study.profiles(side);
    const auto row = profiles.rows.find(user);
    if (row == profiles.rows.end()) return;
    for (std::size_t column = 0; column < profiles.columns.size(); ++column)
      if (!row->second[column].empty())
        screen_.line("      {} {}", screen_.quiet(safe(profiles.columns[column]) + ":"),
                     safe(row->second[column]));
  }

  void show_evidence(const StudyQuestion& question, std::size_t place) const {
    constexpr std::size_t kMost = 6;
    const Evidence evidence = session_.evidence(question, place, false, kMost);
    screen_.line("      {}", evidence.words);
    std::string shared;
    for (const Contact& contact : evidence.contacts_a)
      if (contact.kind == Contact::Kind::kShared)
        shared +=
            (shared.empty() ? "" : ", ") + safe(session_.study().networks().a.name(contact.user));
    if (!shared.empty()) screen_.line("      {}", screen_.green("same: " + shared));
  }

  void show(const StudyQuestion& question) {
    shown_at_ = std::chrono::steady_clock::now();
    const Question& asked = question.question;
    const Status status = session_.status();
    screen_.line("");
    screen_.line("{}", screen_.quiet(fmt::format("{} answers, {} yes, {} pairs settled",
                                                 status.counts.answers, status.counts.yes,
                                                 grouped(status.settled_pairs))));
    if (asked.kind == QuestionKind::kPair) {
      screen_.line("Are these two the same person?");
      show_user(asked.side, asked.user);
      show_user(other(asked.side), asked.candidates[0]);
      show_evidence(question, 0);
      screen_.line("{}",
                   screen_.quiet("y yes  n no  u unsure  s skip  z undo  m model  ? help  q quit"));
      return;
    }
    screen_.line("Which of these is this user?");
    show_user(asked.side, asked.user);
    for (std::size_t place = 0; place < asked.candidates.size(); ++place) {
      screen_.line("{}", screen_.bold(fmt::format("[{}]", place + 1)));
      show_user(other(asked.side), asked.candidates[place]);
      show_evidence(question, place);
    }
    screen_.line("{}",
                 screen_.quiet(fmt::format(
                     "1-{} this one  n none  u unsure  s skip  z undo  m model  ? help  q quit",
                     asked.candidates.size())));
  }

  void show_model(const StudyQuestion& question) const {
    for (std::size_t place = 0; place < question.question.candidates.size(); ++place)
      screen_.line(
          "      {}: {:.0f} %, rank {:.0f} one way and {:.0f} the other",
          safe(session_.study()
                   .networks()
                   .on(other(question.question.side))
                   .name(question.question.candidates[place])),
          100.0 * question.question.probabilities[place],
          place < question.standings.size() ? question.standings[place].rank_of_candidate : 0,
          place < question.standings.size() ? question.standings[place].rank_of_user : 0);
  }

  void tell(const Outcome& outcome) const {
    if (!outcome.is_taken)
      screen_.line("{}", screen_.red(safe(outcome.message)));
    else if (outcome.settled > 0)
      screen_.line(
          "{}", screen_.green(fmt::format("saved; {} pairs settled",
                                          grouped(static_cast<std::uint64_t>(outcome.settled)))));
    else if (outcome.settled < 0)
      screen_.line(
          "{}", screen_.green(fmt::format("taken back; {} pairs open again",
                                          grouped(static_cast<std::uint64_t>(-outcome.settled)))));
    else
      screen_.line("{}", screen_.green("saved"));
  }

  // False when the person is done.
  bool answer(const StudyQuestion& question) {
    const Question& asked = question.question;
    const bool is_pair = asked.kind == QuestionKind::kPair;
    const auto send = [&](Reply reply, UserId chosen) {
      const double seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - shown_at_).count();
      tell(session_.answer(annotator_, question.id, reply, chosen, seconds));
      return true;
    };
    while (true) {
      const char key = keys_.next(run_);
      switch (key) {
        case 0:
        case 'q':
          return false;
        case 'y':
          if (is_pair) return send(Reply::kYes, asked.candidates[0]);
          break;
        case 'n':
          return send(Reply::kNo, kNoUser);
        case 'u':
          return send(Reply::kUnsure, kNoUser);
        case 's':
          return send(Reply::kSkip, kNoUser);
        case 'z':
          tell(session_.undo(annotator_));
          return true;
        case 'm':
          show_model(question);
          continue;
        case '?':
          show(question);
          continue;
        default:
          break;
      }
      const auto place = static_cast<std::size_t>(key - '1');
      if (!is_pair && key >= '1' && key <= '9' && place < asked.candidates.size())
        return send(Reply::kYes, asked.candidates[place]);
    }
  }

  LabellingSession& session_;
  std::string annotator_;
  const Run& run_;
  KeyInput keys_;
  Screen screen_;
  std::chrono::steady_clock::time_point shown_at_;
  bool said_waiting_ = false;
};

}  // namespace

void label_in_terminal(LabellingSession& session, const std::string& annotator, const Run& run) {
  Conversation(session, annotator, run).hold();
}

}  // namespace dalaup
