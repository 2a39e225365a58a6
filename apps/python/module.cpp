// dalaup._dalaup: the facade for the Python package around it, with NumPy arrays for tables. The
// GIL is released while the library works; callbacks take it again, on the calling thread.
#include <optional>

#include "python/conversions.h"

namespace dalaup_python {
namespace {

dalaup::Network build(const std::vector<std::string>& names, const Ids& from, const Ids& to,
                      const std::optional<Weights>& weights, bool directed,
                      const dalaup::Control& control) {
  std::vector<dalaup::Edge> edges(static_cast<std::size_t>(from.size()));
  const dalaup::UserId* const sources = from.data();
  const dalaup::UserId* const targets = to.data();
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges[i] = {sources[i], targets[i], weights ? weights->data()[i] : 1.0F};
  return released([&] { return dalaup::Network::build(names, edges, directed, control); });
}

py::list infos_of(std::span<const dalaup::SettingInfo> settings) {
  py::list infos;
  for (const auto& [name, value, lowest, highest, choices, help] : settings) {
    py::dict info;
    info["name"] = name;
    info["default"] = value;
    if (highest > lowest) info["range"] = py::make_tuple(lowest, highest);
    if (!choices.empty()) info["choices"] = choices;
    info["help"] = help;
    infos.append(info);
  }
  return infos;
}

const char* letter_of(dalaup::Side side) { return side == dalaup::Side::kA ? "A" : "B"; }
dalaup::Side side_of(const std::string& direction) {
  if (direction == "ab") return dalaup::Side::kA;
  if (direction == "ba") return dalaup::Side::kB;
  throw dalaup::ParameterError("direction: found \"" + direction + "\", expected ab or ba");
}

py::dict rank(const dalaup::Model& model, std::size_t top, const std::string& direction,
              std::vector<dalaup::UserId> users, const dalaup::Control& control) {
  using Row = dalaup::Ranked;
  const dalaup::RankOptions options{top, side_of(direction), std::move(users)};
  const Table<Row> table(released([&] { return model.rank(options, control); }));
  py::dict columns;
  columns["user"] = table.column(&Row::user);
  columns["rank"] = table.column(&Row::rank);
  columns["candidate"] = table.column(&Row::candidate);
  columns["score"] = table.column(&Row::score);
  columns["probability"] = table.column(&Row::probability);
  return columns;
}

py::dict match(const dalaup::Model& model, double least_probability, std::size_t top,
               const dalaup::Control& control) {
  using Row = dalaup::Match;
  const Table<Row> table(released([&] { return model.match({least_probability, top}, control); }));
  py::dict columns;
  columns["a"] = table.column(&Row::a);
  columns["b"] = table.column(&Row::b);
  columns["probability"] = table.column(&Row::probability);
  columns["margin"] = table.column(&Row::margin);
  columns["rank_a"] = table.column(&Row::rank_a);
  columns["rank_b"] = table.column(&Row::rank_b);
  return columns;
}

py::dict explain(const dalaup::Model& model, dalaup::UserId a, dalaup::UserId b,
                 std::size_t parts) {
  const dalaup::Explanation why = model.explain(a, b, parts);
  py::list neighbours;
  for (const auto& part : why.parts)
    neighbours.append(py::make_tuple(part.a, part.b, part.contribution, part.is_known));
  py::list fields;
  for (const auto& field : why.fields)
    fields.append(py::make_tuple(field.name, field.value_a, field.value_b, field.ratio));
  py::dict explanation;
  explanation["score"] = why.score;
  explanation["probability"] = why.probability;
  explanation["words"] = why.words;
  explanation["parts"] = neighbours;
  explanation["fields"] = fields;
  return explanation;
}

py::list questions_of(const std::vector<dalaup::Question>& questions) {
  py::list list;
  for (const auto& one : questions)
    list.append(py::make_tuple(letter_of(one.side), one.user, one.candidates, one.probabilities,
                               one.strategy, one.words));
  return list;
}

py::dict simulate(const dalaup::Networks& networks, const LabelArray& truth,
                  const std::string& method, const dalaup::Settings& method_settings,
                  const py::dict& own_methods, const dalaup::Settings& settings,
                  const py::dict& own_strategies, const std::string& folder,
                  const dalaup::Control& control) {
  using Row = dalaup::CurvePoint;
  const dalaup::Simulation simulation{{method, method_settings, methods_of(own_methods)},
                                      settings,
                                      strategies_of(own_strategies),
                                      folder};
  const auto labels = labels_of(truth);
  auto curve = released([&] { return dalaup::simulate(networks, labels, simulation, control); });
  py::list strategies;
  for (const Row& row : curve) strategies.append(row.strategy);
  const Table<Row> table(std::move(curve));
  py::dict columns;
  columns["strategy"] = strategies;
  columns["repeat"] = table.column(&Row::repeat);
  columns["round"] = table.column(&Row::round);
  columns["labels"] = table.column(&Row::labels);
  columns["positives"] = table.column(&Row::positives);
  columns["precision@30"] = table.column(&Row::precision);
  columns["map@30"] = table.column(&Row::map);
  columns["hits@1"] = table.column(&Row::hits_1);
  columns["hits@10"] = table.column(&Row::hits_10);
  columns["mrr"] = table.column(&Row::mrr);
  columns["seconds"] = table.column(&Row::seconds);
  return columns;
}

// The package's own exception types, which have a hint.
template <class Failure>
void raise(const Failure& error, const char* type) {
  const py::object kind = py::module_::import("dalaup.errors").attr(type);
  PyErr_SetObject(kind.ptr(), kind(error.what(), error.hint()).ptr());
}

void translate(std::exception_ptr failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const dalaup::InputError& error) {
    raise(error, "InputError");
  } catch (const dalaup::ParameterError& error) {
    raise(error, "ParameterError");
  } catch (const dalaup::StateError& error) {
    raise(error, "StateError");
  } catch (const dalaup::Cancelled& error) {
    raise(error, "Cancelled");
  }
}

void declare_network(py::module_& module) {
  using dalaup::Network;
  py::class_<Network>(module, "Network")
      .def_static(
          "read",
          [](const std::string& path, bool directed, const dalaup::TableForm& table,
             const dalaup::Control& control) {
            return released([&] { return Network::read(path, {directed, table}, control); });
          })
      .def_static("build", &build)
      .def("user_count", &Network::user_count)
      .def("edge_count", &Network::edge_count)
      .def("is_directed", &Network::is_directed)
      .def("name", [](const Network& network,
                      dalaup::UserId user) { return std::string(network.name(user)); })
      .def("at", [](const Network& network, const std::string& name) { return network.at(name); })
      .def("names",
           [](const Network& network) {
             py::list names;
             for (dalaup::UserId user = 0; user < network.user_count(); ++user) {
               const std::string_view name = network.name(user);
               names.append(py::str(name.data(), name.size()));
             }
             return names;
           })
      .def("find",
           [](const Network& network, const std::vector<std::string>& names) {
             py::array_t<std::int64_t> ids(static_cast<py::ssize_t>(names.size()));
             for (std::size_t i = 0; i < names.size(); ++i) {
               const auto user = network.find(names[i]);
               ids.mutable_data()[i] = user ? std::int64_t{*user} : -1;
             }
             return ids;
           })
      .def("neighbours",
           [](const py::object& self) {
             return rows_of(self.cast<const Network&>().neighbours(), self);
           })
      .def("followed", [](const py::object& self) {
        return rows_of(self.cast<const Network&>().followed(), self);
      });

  using dalaup::Attributes;
  py::class_<Attributes>(module, "Attributes")
      .def(py::init(
          [](std::vector<std::string> fields, std::vector<std::vector<std::string>> columns) {
            return Attributes{std::move(fields), std::move(columns)};
          }))
      .def_static(
          "read",
          [](const std::string& path, const Network& network, const dalaup::Control& control) {
            return released([&] { return dalaup::read_attributes(path, network, control); });
          })
      .def_readonly("fields", &Attributes::fields)
      .def_readonly("columns", &Attributes::columns);

  py::class_<dalaup::Networks>(module, "Networks")
      .def(py::init([](const Network& a, const Network& b, std::optional<Attributes> attributes_a,
                       std::optional<Attributes> attributes_b, std::string compare) {
        return dalaup::Networks{a, b, std::move(attributes_a), std::move(attributes_b),
                                std::move(compare)};
      }))
      .def("read_similarities",
           [](dalaup::Networks& networks, const std::string& path, const dalaup::Control& control) {
             released([&] {
               networks.similarities = dalaup::read_similarities(path, networks, control);
             });
           })
      .def("set_similarities", &set_similarities)
      .def_readonly("a", &dalaup::Networks::a)
      .def_readonly("b", &dalaup::Networks::b)
      .def_readonly("attributes_a", &dalaup::Networks::attributes_a)
      .def_readonly("attributes_b", &dalaup::Networks::attributes_b);
}

void declare_model(py::module_& module) {
  using dalaup::Model;
  py::class_<Model>(module, "Model")
      .def_static("fit",
                  [](const dalaup::Networks& networks, const LabelArray& labels,
                     const std::string& method, const dalaup::Settings& settings,
                     const py::dict& own, const dalaup::Control& control) {
                    const auto known = labels_of(labels);
                    const dalaup::Method chosen{method, settings, methods_of(own)};
                    return released([&] { return Model::fit(networks, known, chosen, control); });
                  })
      .def("refit",
           [](Model& model, const LabelArray& more, const dalaup::Control& control) {
             const auto labels = labels_of(more);
             released([&] { model.refit(labels, control); });
           })
      .def("rank", &rank)
      .def("match", &match)
      .def("explain", &explain)
      .def("probability", &Model::probability)
      .def("unmatched",
           [](const Model& model) {
             using Row = dalaup::Unmatched;
             auto users = released([&] { return model.unmatched(); });
             py::list sides;
             for (const Row& row : users) sides.append(letter_of(row.side));
             const Table<Row> table(std::move(users));
             return py::make_tuple(sides, table.column(&Row::user),
                                   table.column(&Row::probability));
           })
      .def("vectors",
           [](const Model& model) -> py::object {
             const auto vectors = released([&] { return model.vectors(); });
             if (!vectors) return py::none();
             return py::make_tuple(matrix_of(vectors->a, vectors->dimensions),
                                   matrix_of(vectors->b, vectors->dimensions));
           })
      .def("evaluate",
           [](const Model& model, const LabelArray& truth, const dalaup::Control& control) {
             const auto labels = labels_of(truth);
             return released([&] { return model.evaluate(labels, control); });
           })
      .def("method", &Model::method)
      .def("settings", &Model::settings)
      .def("a", &Model::a)
      .def("b", &Model::b)
      .def("labels", [](const Model& model) { return array_of(model.labels()); })
      .def("save", &Model::save, py::call_guard<py::gil_scoped_release>())
      .def("to_bytes", [](const Model& model) { return py::bytes(model.to_bytes()); })
      .def_static("load",
                  [](const std::string& path, const py::dict& own) {
                    const auto methods = methods_of(own);
                    return released([&] { return Model::load(path, methods); });
                  })
      .def_static("from_bytes", [](const py::bytes& bytes, const py::dict& own) {
        return Model::from_bytes(bytes, methods_of(own));
      });

  using dalaup::Asking;
  py::class_<Asking>(module, "Asking")
      .def(py::init([](const Model& model, std::string strategy, std::string arms, int batch_size,
                       std::string questions, int candidates, const py::dict& own) {
        return Asking(model, {std::move(strategy), std::move(arms), batch_size,
                              std::move(questions), candidates, strategies_of(own)});
      }))
      .def("learn",
           [](Asking& asking, const dalaup::Control& control) {
             released([&] { asking.learn(control); });
           })
      .def("next",
           [](Asking& asking, const dalaup::Control& control) {
             return questions_of(released([&] { return asking.next(control); }));
           })
      .def("answer_yes", &Asking::answer_yes)
      .def("answer_no", &Asking::answer_no)
      .def("skip", &Asking::skip)
      .def("advice", &Asking::advice);
}

}  // namespace
}  // namespace dalaup_python

using namespace dalaup_python;

PYBIND11_MODULE(_dalaup, module) {
  module.doc() = "The library behind the package dalaup; use that.";
  py::register_exception_translator(&translate);
  py::class_<dalaup::Control>(module, "Control").def(py::init(&control_of));
  py::class_<dalaup::TableForm>(module, "TableForm")
      .def(py::init(
          [](std::string delimiter, std::string header, std::string quotes, std::string columns) {
            return dalaup::TableForm{std::move(delimiter), std::move(header), std::move(quotes),
                                     std::move(columns)};
          }));
  declare_network(module);
  declare_model(module);
  module.def(
      "read_labels", [](const std::string& path, const dalaup::Networks& networks,
                        bool skip_unknown, bool ignore_case, const dalaup::Control& control) {
        return array_of(released([&] {
          return dalaup::read_labels(path, networks, {skip_unknown, ignore_case, {}}, control);
        }));
      });
  module.def("simulate", &simulate);
  module.def("generate", [](const dalaup::Settings& settings, const dalaup::Control& control) {
    const auto made = released([&] { return dalaup::generate(settings, control); });
    return py::make_tuple(made.networks, array_of(made.truth), array_of(made.labels));
  });
  module.def("version", &dalaup::version);
  module.def("simulation_settings", [] { return infos_of(dalaup::simulation_settings()); });
  module.def("strategies", [] {
    py::dict strategies;
    for (const auto& [name, summary] : dalaup::strategies()) strategies[name.c_str()] = summary;
    return strategies;
  });
  module.def("methods", [] {
    py::dict methods;
    for (const auto& [name, summary, settings] : dalaup::methods())
      methods[name.c_str()] = py::make_tuple(summary, infos_of(settings));
    return methods;
  });
}
