#pragma once
// dalaup as a library: finds the same people in two networks.
//
//   const dalaup::Network a = dalaup::Network::read("a.edges");
//   const dalaup::Network b = dalaup::Network::read("b.edges");
//   dalaup::Model model = dalaup::Model::fit({a, b}, dalaup::read_labels("known.tsv", {a, b}));
//   for (const dalaup::Match& match : model.match())
//     std::cout << a.name(match.a) << " is " << b.name(match.b) << "\n";
//
// This header is all there is to it: no type of another library stands in it, and what it declares
// keeps its meaning within a major version (CONTRIBUTING.md). docs/use/library.md walks through it.
//
// Results are those of the program `dalaup`, to the bit, at any number of threads. Failures are
// exceptions derived from Error. Networks and models are handles: copies share their content.
// Functions that are const may be called from several threads at once.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#define DALAUP_API __attribute__((visibility("default")))

namespace dalaup::v1 {

DALAUP_API const char* version();

// --- Failures -------------------------------------------------------------------------------

class DALAUP_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, std::string hint = {})
      : std::runtime_error(message), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }  // how to fix it; may be empty

 private:
  std::string hint_;
};
class DALAUP_API InputError : public Error {  // a file, a label, a user
 public:
  using Error::Error;
};
class DALAUP_API ParameterError : public Error {  // a setting
 public:
  using Error::Error;
};
class DALAUP_API StateError : public Error {  // wrong order, or a state that cannot be served
 public:
  using Error::Error;
};
class DALAUP_API Cancelled : public Error {  // is_cancelled said so
 public:
  using Error::Error;
};

// --- What long operations take ----------------------------------------------------------------

struct Progress {
  std::string task;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  // 0: unknown
  std::string note;
  bool is_finished = false;
};

// Callbacks are called by the thread that called the library, never by another. When one throws,
// the operation is stopped and the exception reaches the caller.
struct Control {
  std::uint64_t seed = 1;  // same seed, same result
  int threads = 0;         // 0: as many as the process may use; results do not depend on it
  std::function<void(const Progress&)> on_progress = {};
  std::function<void(const std::string&)> on_warning = {};
  std::function<bool()> is_cancelled = {};  // asked some ten times a second
};

using Value = std::variant<bool, std::int64_t, double, std::string>;
using Settings = std::map<std::string, Value>;

// --- Networks ---------------------------------------------------------------------------------

using UserId = std::uint32_t;  // place of a user in its network, from 0
inline constexpr UserId kNoUser = ~UserId{0};
enum class Side : std::uint8_t { kA, kB };

struct Edge {
  UserId from = 0;
  UserId to = 0;
  float weight = 1.0F;
};

// How a text table is written, where it cannot be seen from its first lines.
struct TableForm {
  std::string delimiter = "auto";  // tab, comma, semicolon, space or one character
  std::string header = "auto";     // yes or no
  std::string quotes = "auto";     // yes or no
  std::string columns = {};        // by name or number from 1, such as "source,target"
};

struct ReadOptions {
  bool directed = false;
  TableForm table = {};
};

class DALAUP_API Network {
 public:
  Network();  // without users
  // Any form of docs/use/files.md, told apart by the file's name.
  static Network read(const std::string& path, const ReadOptions& options = {},
                      const Control& control = {});
  // Users in this order; self-loops and repeated edges are dropped. Throws InputError for a name
  // that comes twice or an edge of a user beyond the names.
  static Network build(std::span<const std::string> names, std::span<const Edge> edges,
                       bool directed = false, const Control& control = {});

  UserId user_count() const;
  std::uint64_t edge_count() const;  // undirected
  bool is_directed() const;
  std::string_view name(UserId user) const;  // StateError beyond user_count()
  std::optional<UserId> find(std::string_view name) const;
  UserId at(std::string_view name) const;  // InputError with the closest known name

  // Compressed sparse rows: neighbours of u are users[begins[u]] to users[begins[u + 1]], sorted.
  // weights is empty where every weight is 1.
  struct Rows {
    std::span<const std::uint64_t> begins;
    std::span<const UserId> users;
    std::span<const float> weights;
  };
  Rows neighbours() const;  // without direction
  Rows followed() const;    // whom a user points at; empty unless directed

 private:
  friend struct Internals;
  struct Content;
  std::shared_ptr<const Content> content_;
};

// What is known of the users of one network besides their edges.
struct Attributes {
  std::vector<std::string> fields;
  std::vector<std::vector<std::string>>
      columns;  // beside fields; a value for every user, "" unknown
};
DALAUP_API Attributes read_attributes(const std::string& path, const Network& network,
                                      const Control& control = {});

struct Similarity {
  UserId a = kNoUser;
  UserId b = kNoUser;
  float value = 0.0F;
};

struct Networks {
  Network a;
  Network b;
  std::optional<Attributes> attributes_a = {};  // both or none
  std::optional<Attributes> attributes_b = {};
  std::string compare = {};                   // fields that belong together; empty: equal names
  std::vector<Similarity> similarities = {};  // computed elsewhere; higher is more alike
};
// Lines of a, b and value, as of `dalaup train --similarity`, ordered by a and b.
DALAUP_API std::vector<Similarity> read_similarities(const std::string& path,
                                                     const Networks& networks,
                                                     const Control& control = {});

// --- Labels -----------------------------------------------------------------------------------

// With kNoUser on one side and is_anchor false: the other has no partner.
struct Label {
  UserId a = kNoUser;
  UserId b = kNoUser;
  bool is_anchor = true;
  bool operator==(const Label&) const = default;
};

struct LabelOptions {
  bool skip_unknown = false;  // leave out lines with users the networks do not have
  bool ignore_case = false;   // names may differ in the case of A to Z
  TableForm table = {};
};
DALAUP_API std::vector<Label> read_labels(const std::string& path, const Networks& networks,
                                          const LabelOptions& options = {},
                                          const Control& control = {});

// --- Methods ----------------------------------------------------------------------------------

struct SettingInfo {
  std::string name;
  Value value;  // the default
  double lowest = 0.0;
  double highest = 0.0;
  std::vector<std::string> choices;  // of text; empty: any
  std::string help;
};
struct MethodInfo {
  std::string name;
  std::string summary;
  std::vector<SettingInfo> settings;
};
DALAUP_API std::vector<MethodInfo> methods();
struct StrategyInfo {
  std::string name;
  std::string summary;
};
DALAUP_API std::vector<StrategyInfo> strategies();
// What simulate() takes besides the settings of the method.
DALAUP_API std::vector<SettingInfo> simulation_settings();

// A vector for each user, row after row; users are compared by the cosine.
struct Vectors {
  std::size_t dimensions = 0;
  std::vector<float> a;
  std::vector<float> b;
};

// A method of the caller's own. `learn` is called twice a fit: first with some labels hidden, on
// which probabilities are then calibrated.
struct OwnMethod {
  std::string name;
  std::function<Vectors(const Networks&, std::span<const Label>, const Settings&,
                        std::uint64_t seed)>
      learn;
};

struct Method {
  std::string name = "propagation";
  Settings settings = {};
  std::vector<OwnMethod> own = {};  // known by name beside those that ship
};

// A query strategy of the caller's own: what an answer about each pair would be worth.
struct AskablePair {
  UserId a = kNoUser;
  UserId b = kNoUser;
  float score = 0.0F;
  double probability = 0.0;
};
struct OwnStrategy {
  std::string name;
  std::function<std::vector<double>(std::span<const AskablePair>)> values;  // higher: sooner
};

// --- Models -----------------------------------------------------------------------------------

struct RankOptions {
  std::size_t top = 30;
  Side side = Side::kA;            // whose candidates are ranked
  std::vector<UserId> users = {};  // empty: all without a known partner
};
struct Ranked {
  UserId user = kNoUser;
  std::uint32_t rank = 0;  // from 1
  UserId candidate = kNoUser;
  float score = 0.0F;
  float probability = 0.0F;
};

struct MatchOptions {
  double least_probability = 0.5;
  std::size_t top = 30;  // candidates of each user that are considered
};
struct Match {
  UserId a = kNoUser;
  UserId b = kNoUser;
  double probability = 0.0;
  double margin = 0.0;       // above the best other pair of either user
  std::uint32_t rank_a = 0;  // place of b in the list of a; 0: not in it
  std::uint32_t rank_b = 0;
};

struct Explanation {
  struct Part {
    UserId a = kNoUser;
    UserId b = kNoUser;
    double contribution = 0.0;  // share of the score
    bool is_known = false;      // a label, not a guess
  };
  struct Field {
    std::string name;
    std::string value_a;
    std::string value_b;
    double ratio = 0.0;  // added to the logarithm of the odds
  };
  double score = 0.0;
  double probability = 0.0;
  std::vector<Part> parts;  // largest first
  std::vector<Field> fields;
  std::string words;
};

struct Unmatched {
  Side side = Side::kA;
  UserId user = kNoUser;
  double probability = 0.0;  // of having no partner
};

class DALAUP_API Model {
 public:
  static Model fit(const Networks& networks, std::span<const Label> labels,
                   const Method& method = {}, const Control& control = {});
  // Learns on with further labels.
  void refit(std::span<const Label> more, const Control& control = {});

  // Best first; users in the order of their ids, or as given.
  std::vector<Ranked> rank(const RankOptions& options = {}, const Control& control = {}) const;
  // One to one, surest first.
  std::vector<Match> match(const MatchOptions& options = {}, const Control& control = {}) const;
  double probability(UserId a, UserId b) const;
  Explanation explain(UserId a, UserId b, std::size_t most_parts = 10) const;
  // Everyone without a known partner, likeliest to have none first. ParameterError when the
  // method cannot tell.
  std::vector<Unmatched> unmatched() const;
  std::optional<Vectors> vectors() const;  // where the method has them
  // By written name: precision@30, map@30, hits@1 and so on, over the anchors that are not among
  // the labels.
  std::vector<std::pair<std::string, double>> evaluate(std::span<const Label> truth,
                                                       const Control& control = {}) const;

  std::string method() const;
  Settings settings() const;
  Network a() const;
  Network b() const;
  std::vector<Label> labels() const;

  // The program's model files. `own` are the methods the file may have been made with.
  void save(const std::string& path) const;
  static Model load(const std::string& path, const std::vector<OwnMethod>& own = {});
  std::string to_bytes() const;
  static Model from_bytes(std::string bytes, const std::vector<OwnMethod>& own = {});

 private:
  friend struct Internals;
  struct Content;
  Model() = default;
  std::shared_ptr<Content> content_;
};

// --- Asking people ----------------------------------------------------------------------------

struct AskOptions {
  std::string strategy =
      "dalaup";  // a bandit; "study" is what the page asks; or one of strategies()
  std::string arms = "saie,cs,eer";
  int batch_size = 20;
  std::string questions = "pair";  // or "pick": which of these candidates, or none
  int candidates = 5;              // of a pick question
  std::vector<OwnStrategy> own = {};
};

struct Question {
  Side side = Side::kA;  // of user
  UserId user = kNoUser;
  std::vector<UserId> candidates;     // one for a pair question
  std::vector<double> probabilities;  // of each, as the model sees it
  std::string strategy;
  std::string words;
};

// Chooses questions for a model and lets it learn from the answers.
class DALAUP_API Asking {
 public:
  explicit Asking(const Model& model, const AskOptions& options = {});
  // Lets the model learn from the answers since it last did.
  void learn(const Control& control = {});
  // Learns, then chooses a batch; empty: nothing is left. Numbers of questions are their places in
  // the batch.
  const std::vector<Question>& next(const Control& control = {});
  // Throws StateError when the answer contradicts an earlier one.
  void answer_yes(std::size_t question, std::size_t candidate = 0);
  void answer_no(std::size_t question);  // to a pick question: none of them
  void skip(std::size_t question);
  std::string advice() const;  // whether to go on, in words

 private:
  struct Content;
  std::shared_ptr<Content> content_;
};

// --- Simulations and generated networks -------------------------------------------------------

struct Simulation {
  Method method = {};
  Settings settings = {};  // by the names of simulation_settings()
  std::vector<OwnStrategy> own = {};
  std::string folder = {};  // where the program's files are written; empty: nowhere
};
struct CurvePoint {
  std::string strategy;
  std::int64_t repeat = 1;
  std::int64_t round = 0;  // 0 is the initial model
  std::uint64_t labels = 0;
  std::uint64_t positives = 0;
  double precision = 0.0;  // precision@30
  double map = 0.0;        // map@30
  double hits_1 = 0.0;
  double hits_10 = 0.0;
  double mrr = 0.0;
  double seconds = 0.0;
};
// Active learning with the truth answering, as `dalaup simulate`.
DALAUP_API std::vector<CurvePoint> simulate(const Networks& networks, std::span<const Label> truth,
                                            const Simulation& simulation = {},
                                            const Control& control = {});

struct Generated {
  Networks networks;
  std::vector<Label> truth;
  std::vector<Label> labels;  // with the setting labels_share
};
// Two noisy views of one hidden society, as `dalaup generate`; settings are its options.
DALAUP_API Generated generate(const Settings& settings = {}, const Control& control = {});

}  // namespace dalaup::v1

#ifndef DALAUP_BUILDING_LIBRARY  // there, types of the same names stand around it
namespace dalaup {
using namespace v1;
}
#endif
