#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "models/model_support.h"
#include "support/archive_parts.h"
#include "support/support.h"

// Models from strangers: every entry damaged in every way behind a right checksum. None may crash,
// hang or take the machine's memory; what is refused names the file.
namespace dalaup {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CraftedModel : public testing::TestWithParam<MethodAndSettings> {
 protected:
  void SetUp() override {
    save_small_model(GetParam(), folder_ / "whole.dalaup", run_);
    whole_ = archive_parts(content_of(folder_ / "whole.dalaup"));
  }
  // Of loading it and of all that can be asked of it then; empty: none.
  std::string problem_of(const ArchiveParts& archive) {
    const std::string path = folder_ / "crafted.dalaup";
    std::ofstream(path, std::ios::binary) << archive_of(archive);
    use_in_parts(path);
    std::optional<Model> model;
    try {
      model = load_model(path, all_methods());
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), StartsWith(path));
      return error.what();
    }
    try {
      use_model(*model->aligner, run_);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
  // What is read without loading it may be right or refused.
  static void use_in_parts(const std::string& path) {
    try {
      const auto model = StoredModel::open(path);
      if (model == nullptr) return;
      model->for_names(Side::kB, [](UserId, std::string_view) {});
      const UserId users = model->user_count(Side::kA);
      const MethodRegistry registry = all_methods();
      const auto& lists_in_file = registry.find(model->method()).lists_in_file;
      if (users == 0 || lists_in_file == nullptr) return;
      const auto lists = lists_in_file(*model, std::vector<UserId>{users - 1, 0}, 5);
      if (!lists) return;
      for (const RankedList& list : lists->candidates)
        for (const Candidate& candidate : list.candidates)
          EXPECT_LT(candidate.user, model->user_count(Side::kB));
    } catch (const Error&) {
    }
  }
  ArchivePart& part(ArchiveParts& archive, const std::string& name) {
    return *std::ranges::find(archive.parts, name, &ArchivePart::name);
  }

  TemporaryFolder folder_;
  dalaup::Run run_{{.threads = 1}};
  ArchiveParts whole_;
};

template <class T>
std::string bytes_of_value(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

// Every way to damage the bytes of an entry.
std::vector<std::string> damaged(const ArchivePart& part) {
  const std::string& bytes = part.bytes;
  std::vector<std::string> all = {
      "",
      bytes + bytes,
      bytes.substr(0, bytes.size() / 2),
      bytes.substr(0, bytes.size() / 2 / part.element_size * part.element_size),
      std::string(bytes.size(), '\xff'),
      std::string(bytes.size(), '\0'),
      std::string(bytes.size(), '\x7f')};
  const auto fill = [&](const std::string& value) {
    std::string filled;
    while (filled.size() < bytes.size()) filled += value;
    filled.resize(bytes.size());
    all.push_back(filled);
    if (bytes.size() >= value.size()) {
      all.push_back(bytes);
      all.back().replace(bytes.size() - value.size(), value.size(), value);
      all.push_back(bytes);
      all.back().replace(0, value.size(), value);
    }
  };
  fill(bytes_of_value(std::numeric_limits<float>::quiet_NaN()));
  fill(bytes_of_value(std::numeric_limits<float>::infinity()));
  fill(bytes_of_value(3e38F));
  fill(bytes_of_value(std::numeric_limits<double>::quiet_NaN()));
  fill(bytes_of_value(1e300));
  fill(bytes_of_value(std::int64_t{-1}));
  fill(bytes_of_value(std::int64_t{1} << 40));
  fill(bytes_of_value(std::numeric_limits<std::int64_t>::max()));
  fill(bytes_of_value(std::uint32_t{29}));
  return all;
}

TEST_P(CraftedModel, IsRefusedOrHarmless) {
  EXPECT_EQ(problem_of(whole_), "");
  int refused = 0;
  for (std::size_t entry = 0; entry < whole_.parts.size(); ++entry) {
    for (const std::string& bytes : damaged(whole_.parts[entry])) {
      ArchiveParts archive = whole_;
      archive.parts[entry].bytes = bytes;
      refused += problem_of(archive).empty() ? 0 : 1;
    }
    ArchiveParts without = whole_;
    without.parts.erase(without.parts.begin() + static_cast<std::ptrdiff_t>(entry));
    refused += problem_of(without).empty() ? 0 : 1;
    ArchiveParts other = whole_;
    other.parts[entry].element_size = 3;
    EXPECT_NE(problem_of(other), "") << whole_.parts[entry].name;
  }
  EXPECT_GT(refused, 5 * static_cast<int>(whole_.parts.size()));
}

// Settings say how large a network is: the largest that is allowed must not be made before the file
// is known to hold it.
TEST_P(CraftedModel, TakesNoMoreMemoryThanItsFile) {
  const auto method = all_methods().make(GetParam().method, {})->settings();
  for (const auto& [name, value] : method) {
    if (std::holds_alternative<std::string>(value) || std::holds_alternative<bool>(value)) continue;
    for (const double number : {1e9, 65536.0, 10000.0, 64.0, 8.0}) {
      Settings settings = Settings::from_json(part(whole_, "settings").bytes);
      if (std::holds_alternative<double>(value))
        settings.set(name, number);
      else
        settings.set(name, static_cast<std::int64_t>(number));
      ArchiveParts archive = whole_;
      part(archive, "settings").bytes = settings.to_json();
      problem_of(archive);
    }
  }
  ArchiveParts deep = whole_;
  part(deep, "settings").bytes = std::string(1000000, '[');
  EXPECT_NE(problem_of(deep), "");
  std::string many = "{";
  for (int name = 0; name < 300000; ++name) many += fmt::format("\"{}\":1,", name);
  part(deep, "settings").bytes = many + "\"x\":1}";
  EXPECT_THAT(problem_of(deep), HasSubstr("settings: found"));
}

std::string method_name(const testing::TestParamInfo<MethodAndSettings>& info) {
  return fmt::format("{}{}", info.param.method, info.index);
}
INSTANTIATE_TEST_SUITE_P(Methods, CraftedModel, testing::ValuesIn(kSmallMethods), method_name);

// A model must not say which files are written when it learns on.
TEST(AupModel, NamesNoFilesToWrite) {
  const TemporaryFolder folder;
  dalaup::Run run;
  save_small_model(kSmallMethods[2], folder / "m.dalaup", run);
  ArchiveParts archive = archive_parts(content_of(folder / "m.dalaup"));
  ArchivePart& stored = *std::ranges::find(archive.parts, "settings", &ArchivePart::name);
  Settings settings = Settings::from_json(stored.bytes);
  settings.set("loss_curve", folder / "planted.csv");
  settings.set("checkpoint", folder / "planted.bin");
  stored.bytes = settings.to_json();
  std::ofstream(folder / "m.dalaup", std::ios::binary) << archive_of(archive);
  const Model model = load_model(folder / "m.dalaup", all_methods());
  model.aligner->refit(model.aligner->labels(), run);
  EXPECT_FALSE(file_exists(folder / "planted.csv"));
  EXPECT_FALSE(file_exists(folder / "planted.bin"));
}

TEST(AupModel, IsTheSameFileInEveryRun) {
  const TemporaryFolder folder;
  for (const char* const name : {"1", "2"}) {
    dalaup::Run run;
    save_small_model(kSmallMethods[2], folder / name, run);
  }
  EXPECT_TRUE(content_of(folder / "1") == content_of(folder / "2"));
}

}  // namespace
}  // namespace dalaup
