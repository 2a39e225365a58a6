#pragma once
// Between Python's objects and the facade's types.
#include <dalaup/dalaup.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dalaup_python {

namespace py = pybind11;

using Ids = py::array_t<dalaup::UserId, py::array::c_style | py::array::forcecast>;
using Weights = py::array_t<float, py::array::c_style | py::array::forcecast>;
using LabelArray = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

// Callbacks take the GIL; a pending signal, such as Ctrl-C, stops the operation.
dalaup::Control control_of(std::uint64_t seed, int threads, const py::object& progress);

template <class Work>
auto released(Work&& work) {
  const py::gil_scoped_release release;
  return work();
}

// Rows of structs as NumPy columns that share their memory.
template <class Row>
class Table {
 public:
  explicit Table(std::vector<Row> rows) : rows_(new std::vector<Row>(std::move(rows))) {
    owner_ = py::capsule(rows_, [](void* held) { delete static_cast<std::vector<Row>*>(held); });
  }
  template <class Value>
  py::array column(Value Row::*member) const {
    if (rows_->empty()) return py::array_t<Value>(0);
    return py::array_t<Value>({rows_->size()}, {sizeof(Row)}, &(rows_->front().*member), owner_);
  }

 private:
  std::vector<Row>* rows_;
  py::capsule owner_;
};

template <class Value>
py::array view(std::span<const Value> values, const py::object& owner) {
  py::array_t<Value> array({values.size()}, {sizeof(Value)}, values.data(), owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

// Arrays that share the network's memory: begins, users, weights or None.
py::object rows_of(const dalaup::Network::Rows& rows, const py::object& owner);

// Rows of (a, b, label); -1 is nobody.
std::vector<dalaup::Label> labels_of(const LabelArray& array);
py::array array_of(std::span<const dalaup::Label> labels);
// Pairs of ids with their similarity, as three columns of one length.
void set_similarities(dalaup::Networks& networks, const Ids& a, const Ids& b,
                      const Weights& values);
py::array matrix_of(const std::vector<float>& values, std::size_t dimensions);

// {name: callable(a, b, labels, settings, seed) -> (vectors of A, vectors of B)}
std::vector<dalaup::OwnMethod> methods_of(const py::dict& own);
// {name: callable(a, b, score, probability) -> values}
std::vector<dalaup::OwnStrategy> strategies_of(const py::dict& own);

}  // namespace dalaup_python
