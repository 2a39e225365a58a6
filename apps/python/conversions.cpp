#include "python/conversions.h"

#include <algorithm>
#include <memory>

namespace dalaup_python {
namespace {

// A Python object that may be copied and dropped by threads that do not hold the GIL.
std::shared_ptr<py::object> shared(py::object object) {
  return {new py::object(std::move(object)), [](py::object* held) {
            const py::gil_scoped_acquire gil;
            delete held;
          }};
}

std::vector<float> values_of(const py::handle& object, std::size_t& dimensions) {
  const auto matrix = py::cast<Weights>(py::module_::import("numpy").attr("asarray")(object));
  if (matrix.ndim() != 2)
    throw dalaup::StateError("found vectors that are no matrix, expected one row for each user");
  dimensions = static_cast<std::size_t>(matrix.shape(1));
  return {matrix.data(), matrix.data() + matrix.size()};
}

}  // namespace

dalaup::Control control_of(std::uint64_t seed, int threads, const py::object& progress) {
  dalaup::Control control{.seed = seed, .threads = threads};
  control.is_cancelled = [] {
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    return false;
  };
  control.on_warning = [](const std::string& message) {
    const py::gil_scoped_acquire gil;
    py::module_::import("dalaup.errors").attr("warn")(message);
  };
  if (progress.is_none()) return control;
  control.on_progress = [call = shared(progress)](const dalaup::Progress& now) {
    const py::gil_scoped_acquire gil;
    (*call)(now.task, now.done, now.total, now.note, now.is_finished);
  };
  return control;
}

py::object rows_of(const dalaup::Network::Rows& rows, const py::object& owner) {
  return py::make_tuple(view(rows.begins, owner), view(rows.users, owner),
                        rows.weights.empty() ? py::object(py::none()) : view(rows.weights, owner));
}

std::vector<dalaup::Label> labels_of(const LabelArray& array) {
  std::vector<dalaup::Label> labels;
  const auto rows = array.unchecked<2>();
  for (py::ssize_t i = 0; i < rows.shape(0); ++i)
    labels.push_back({static_cast<dalaup::UserId>(rows(i, 0)),
                      static_cast<dalaup::UserId>(rows(i, 1)), rows(i, 2) != 0});
  return labels;
}

void set_similarities(dalaup::Networks& networks, const Ids& a, const Ids& b,
                      const Weights& values) {
  const auto first = a.unchecked<1>();
  const auto second = b.unchecked<1>();
  const auto value = values.unchecked<1>();
  if (first.shape(0) != second.shape(0) || first.shape(0) != value.shape(0))
    throw dalaup::InputError("similarities: found columns of different lengths", "");
  networks.similarities.clear();
  for (py::ssize_t i = 0; i < first.shape(0); ++i)
    networks.similarities.push_back({first(i), second(i), value(i)});
}

py::array array_of(std::span<const dalaup::Label> labels) {
  LabelArray array({static_cast<py::ssize_t>(labels.size()), py::ssize_t{3}});
  auto rows = array.mutable_unchecked<2>();
  const auto number = [](dalaup::UserId user) {
    return user == dalaup::kNoUser ? std::int64_t{-1} : std::int64_t{user};
  };
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = static_cast<py::ssize_t>(i);
    rows(row, 0) = number(labels[i].a);
    rows(row, 1) = number(labels[i].b);
    rows(row, 2) = labels[i].is_anchor ? 1 : 0;
  }
  return array;
}

py::array matrix_of(const std::vector<float>& values, std::size_t dimensions) {
  py::array_t<float> matrix({values.size() / dimensions, dimensions});
  std::ranges::copy(values, matrix.mutable_data());
  return matrix;
}

std::vector<dalaup::OwnMethod> methods_of(const py::dict& own) {
  std::vector<dalaup::OwnMethod> methods;
  for (const auto& [name, function] : own)
    methods.push_back(
        {py::cast<std::string>(name),
         [call = shared(py::reinterpret_borrow<py::object>(function))](
             const dalaup::Networks& networks, std::span<const dalaup::Label> labels,
             const dalaup::Settings& settings, std::uint64_t seed) {
           const py::gil_scoped_acquire gil;
           const py::sequence both =
               (*call)(networks.a, networks.b, array_of(labels), settings, seed);
           if (py::len(both) != 2)
             throw dalaup::StateError("a method must return the vectors of A and those of B");
           dalaup::Vectors vectors;
           std::size_t dimensions = 0;
           vectors.a = values_of(both[0], vectors.dimensions);
           vectors.b = values_of(both[1], dimensions);
           if (dimensions != vectors.dimensions)
             throw dalaup::StateError("the vectors of A and B have different lengths");
           return vectors;
         }});
  return methods;
}

std::vector<dalaup::OwnStrategy> strategies_of(const py::dict& own) {
  std::vector<dalaup::OwnStrategy> strategies;
  for (const auto& [name, function] : own)
    strategies.push_back(
        {py::cast<std::string>(name), [call = shared(py::reinterpret_borrow<py::object>(function))](
                                          std::span<const dalaup::AskablePair> pairs) {
           const py::gil_scoped_acquire gil;
           using Pair = dalaup::AskablePair;
           const Table<Pair> table({pairs.begin(), pairs.end()});
           const py::object values =
               (*call)(table.column(&Pair::a), table.column(&Pair::b), table.column(&Pair::score),
                       table.column(&Pair::probability));
           const auto array = py::cast<py::array_t<double, py::array::forcecast>>(
               py::module_::import("numpy").attr("asarray")(values, "float64"));
           return py::cast<std::vector<double>>(array.attr("ravel")().attr("tolist")());
         }});
  return strategies;
}

}  // namespace dalaup_python
