#include "cli/terminal_labelling.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "cli/terminal_card.h"
#include "cli/terminal_text.h"

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
  // Keys typed before a question was shown were not meant for it.
  void forget_typed() const {
    if (is_terminal_) tcflush(STDIN_FILENO, TCIFLUSH);
  }

 private:
  bool is_terminal_;
  termios before_{};
};

std::size_t screen_width() {
  winsize size{};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? std::clamp<std::size_t>(size.ws_col, 40, 120) : 80;
}

class Screen {
 public:
  explicit Screen(bool colours) : colours_(colours) {}
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) const {
    fmt::print("{}\n", fmt::format(format, std::forward<Args>(args)...));
    std::fflush(stdout);
  }
  bool is_painted() const { return colours_; }
  void overwrite(const std::string& text) const {
    fmt::print("\r\x1b[K{}", text);
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
  static constexpr std::size_t kContactsNamed = 6;

 public:
  Conversation(LabellingSession& session, std::string annotator, PageParams page, const Run& run)
      : session_(session),
        annotator_(std::move(annotator)),
        page_(std::move(page)),
        run_(run),
        screen_(keys_.is_terminal() && isatty(STDOUT_FILENO) != 0) {}

  void hold() {
    while (!run_.is_cancelled()) {
      const Next next = session_.next(annotator_);
      if (next.state == Next::State::kLearning) {
        show_waiting(next.message);
        session_.wait_for_change(session_.status().event, 0.2);
        continue;
      }
      end_waiting();
      if (!next.question) {
        show_end(next);
        return;
      }
      show(*next.question);
      keys_.forget_typed();
      if (!answer(*next.question)) return;
    }
  }

 private:
  // On a screen one line that changes, elsewhere one line.
  void show_waiting(const std::string& message) {
    if (screen_.is_painted())
      screen_.overwrite(screen_.quiet(message));
    else if (!is_waiting_)
      screen_.line("{}", message);
    is_waiting_ = true;
  }
  void end_waiting() {
    if (is_waiting_ && screen_.is_painted()) screen_.overwrite("");
    is_waiting_ = false;
  }

  // Nothing can be asked: why, and what to do about it.
  void show_end(const Next& next) const {
    if (next.state != Next::State::kFailed) {
      print_wrapped(next.message);
      return;
    }
    print_wrapped("The model cannot learn yet: " + next.message);
    print_wrapped(fmt::format(
        "Give it pairs that are known: dalaup import {0} --labels FILE. Or find some by search in "
        "the browser: dalaup label {0}",
        session_.study().path()));
  }

  void print_wrapped(const std::string& text, const std::string& indent = {}) const {
    for (const std::string& line : wrapped(text, width_ - indent.size()))
      screen_.line("{}{}", indent, line);
  }

  void show_card(UserPair pair) const {
    bool is_head = true;
    for (const std::string& line : card_lines(session_.study(), pair, page_, width_ - 2)) {
      screen_.line("  {}", is_head ? screen_.bold(line) : line);
      is_head = false;
    }
  }

  std::string shared_names(const Evidence& evidence) const {
    std::string shared;
    for (const Contact& contact : evidence.contacts_a)
      if (contact.kind == Contact::Kind::kShared)
        shared += (shared.empty() ? "same: " : ", ") +
                  printable(session_.study().networks().a.name(contact.user));
    return shared;
  }

  void show_evidence(const StudyQuestion& question, std::size_t place) const {
    const Evidence evidence = session_.evidence(question, place, false, kContactsNamed);
    print_wrapped(evidence.words, "  ");
    const std::string shared = shared_names(evidence);
    if (!shared.empty())
      for (const std::string& line : wrapped(shared, width_ - 2, 2))
        screen_.line("  {}", screen_.green(line));
  }

  // At most four lines: five of them and the asked user fit on a screen of 40.
  void show_candidate(const StudyQuestion& question, std::size_t place) const {
    const Question& asked = question.question;
    const Study& study = session_.study();
    const Side far = other(asked.side);
    const UserId user = asked.candidates[place];
    const Evidence evidence = session_.evidence(question, place, false, kContactsNamed);
    const std::string name =
        wrapped(printable(study.networks().on(far).name(user)), width_ - 44, 1)[0];
    screen_.line("{} {}  {}", screen_.bold(fmt::format("[{}]", place + 1)), screen_.bold(name),
                 screen_.quiet(fmt::format("{} contacts, {} of {} shared",
                                           study.networks().on(far).degree(user), evidence.shared,
                                           evidence.matched)));
    const std::string alike = likeness_in_short(study, asked.pair(place));
    if (!alike.empty()) screen_.line("    {}", wrapped(alike, width_ - 4, 1)[0]);
    const std::string shared = shared_names(evidence);
    if (!shared.empty())
      for (const std::string& line : wrapped(shared, width_ - 4, 2))
        screen_.line("    {}", screen_.green(line));
  }

  void show(const StudyQuestion& question) {
    shown_at_ = std::chrono::steady_clock::now();
    width_ = screen_width();
    compared_ = 0;
    const Question& asked = question.question;
    const Status status = session_.status();
    screen_.line("");
    screen_.line("{}", screen_.quiet(fmt::format(
                           "{}, {} yes, {} settled",
                           counted(static_cast<std::uint64_t>(status.counts.answers), "answer"),
                           status.counts.yes, counted(status.settled_pairs, "pair"))));
    if (form_of(asked).asks_single_pairs()) {
      screen_.line("{}", ask_words(asked));
      show_card(asked.pair());
      show_evidence(question, 0);
      show_keys("y yes  n no  " + nobody_key(asked) +
                "  u unsure  s skip  z undo  m model  p progress  ? again  q quit");
      return;
    }
    const Study& study = session_.study();
    const Network& network = study.networks().on(asked.side);
    screen_.line("{}  {}", ask_words(asked),
                 screen_.quiet(fmt::format("{} contacts", network.degree(asked.user))));
    for (const std::string& line : user_lines(study, asked.side, asked.user, width_ - 2))
      screen_.line("  {}", line);
    for (std::size_t place = 0; place < asked.candidates.size(); ++place)
      show_candidate(question, place);
    show_keys(
        fmt::format("1-{} this one  n none of these  {}  c compare  u unsure  s skip  z undo  m "
                    "model  p progress  ? again  q quit",
                    asked.candidates.size(), nobody_key(asked)));
  }

  std::string ask_words(const Question& asked) const {
    const Network& network = session_.study().networks().on(asked.side);
    const std::string name = screen_.bold(printable(network.name(asked.user)));
    switch (asked.kind) {
      case QuestionKind::kPair:
        return "Are these two the same person?";
      case QuestionKind::kPick:
        return fmt::format("Which of these is {}?", name);
      case QuestionKind::kPartner:
        return fmt::format("Is {} in {} at all?", name, far_name(asked));
    }
    throw StateError("a kind of question without words");
  }

  // Networks have names of their own, or letters.
  std::string far_name(const Question& asked) const {
    const Side far = other(asked.side);
    const std::string& name = far == Side::kA ? page_.name_a : page_.name_b;
    return name.empty() ? std::string(name_of(far)) : printable(name);
  }
  std::string nobody_key(const Question& asked) const { return "x nobody in " + far_name(asked); }

  void show_keys(const std::string& keys) const {
    for (const std::string& line : wrapped(keys, width_)) screen_.line("{}", screen_.quiet(line));
  }

  // The asked user beside one candidate after the other.
  void compare_next(const StudyQuestion& question) {
    const std::size_t place = compared_++ % question.question.candidates.size();
    screen_.line("{}", screen_.bold(fmt::format("[{}]", place + 1)));
    show_card(question.question.pair(place));
    show_evidence(question, place);
  }

  // "the fields add +3.4 to the log-odds: location +2.1, name +1.3"
  static std::string shares_in_words(const std::vector<FieldShare>& shares) {
    double total = 0.0;
    std::vector<std::string> parts;
    for (const FieldShare& share : shares) {
      total += share.ratio;
      parts.push_back(fmt::format("{} {:+.1f}", printable(share.field), share.ratio));
    }
    return fmt::format("the fields add {:+.1f} to the log-odds: {}", total, fmt::join(parts, ", "));
  }

  void show_model(const StudyQuestion& question) const {
    const Question& asked = question.question;
    const NetworkPair& networks = session_.study().networks();
    const auto name = [&](Side side, UserId user) {
      return printable(networks.on(side).name(user));
    };
    for (std::size_t place = 0; place < asked.candidates.size(); ++place) {
      const Standing standing =
          place < question.standings.size() ? question.standings[place] : Standing{};
      screen_.line("      {}: {:.0f} %, rank {:.0f} for {}, which is rank {:.0f} for it",
                   name(other(asked.side), asked.candidates[place]),
                   100.0 * asked.probabilities[place], standing.rank_of_candidate,
                   name(asked.side, asked.user), standing.rank_of_user);
      if (place < question.field_shares.size() && !question.field_shares[place].empty())
        screen_.line("        {}", shares_in_words(question.field_shares[place]));
    }
    for (const Rival& rival : question.rivals)
      screen_.line("      rival in {}: {}, {:.0f} %", name_of(rival.side),
                   name(rival.side, rival.user), 100.0 * rival.probability);
  }

  void show_progress() const {
    const Status status = session_.status();
    screen_.line("      {} known; {} unsure, {} skipped", counted(status.anchors, "pair"),
                 status.counts.unsure, status.counts.skipped);
    if (!status.rounds.empty() && status.rounds.back().precision_at_30)
      screen_.line(
          "      precision@30 on {} kept back: {:.1f} %",
          counted(static_cast<std::uint64_t>(status.rounds.back().validation_size), "pair"),
          100.0 * *status.rounds.back().precision_at_30);
    print_wrapped(status.advice.words, "      ");
  }

  void tell(const Outcome& outcome) const {
    if (!outcome.is_taken)
      screen_.line("{}", screen_.red(printable(outcome.message)));
    else if (outcome.settled > 0)
      screen_.line("{}", screen_.green(fmt::format(
                             "saved; {} settled",
                             counted(static_cast<std::uint64_t>(outcome.settled), "pair"))));
    else if (outcome.settled < 0)
      screen_.line("{}", screen_.green(fmt::format(
                             "taken back; {} open again",
                             counted(static_cast<std::uint64_t>(-outcome.settled), "pair"))));
    else
      screen_.line("{}", screen_.green("saved"));
  }

  // False when the person is done.
  bool answer(const StudyQuestion& question) {
    const Question& asked = question.question;
    const bool is_pair = form_of(asked).asks_single_pairs();
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
        case 'x':
          return send(Reply::kNoPartner, kNoUser);
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
        case 'p':
          show_progress();
          continue;
        case 'c':
          compare_next(question);
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
  PageParams page_;
  const Run& run_;
  KeyInput keys_;
  Screen screen_;
  std::chrono::steady_clock::time_point shown_at_;
  bool is_waiting_ = false;
  std::size_t width_ = 80;
  std::size_t compared_ = 0;  // candidates shown beside the asked user
};

}  // namespace

void label_in_terminal(LabellingSession& session, const std::string& annotator,
                       const PageParams& page, const Run& run) {
  Conversation(session, annotator, page, run).hold();
}

}  // namespace dalaup
