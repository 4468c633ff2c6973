// Factors whose oracles are written in Python: slow, but complete.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "arrays.hpp"
#include "graphs.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace arbora;

// The oracles of arbora.factors.custom.CustomFactor. Its only part stands for its whole score: the part's score is 1,
// and its "probability" the expected score of the factor.
class CustomGroup : public FactorGroup {
public:
    CustomGroup(Wiring wiring, nb::object factor)
        : FactorGroup(std::move(wiring), {1.0}, {0, 1}),
          factor_(std::move(factor)),
          name_(nb::cast<std::string>(factor_.attr("name"))) {}
    ~CustomGroup() override {
        nb::gil_scoped_acquire acquire;
        factor_.reset();
    }

    const char* kind() const override { return name_.c_str(); }

    double sum(std::size_t factor, const double* in, double* beliefs, double* parts, Arena&) const override {
        nb::gil_scoped_acquire acquire;
        const auto [value, found, expected] =
            nb::cast<std::tuple<double, std::vector<double>, double>>(factor_.attr("sum")(given(factor, in)));
        set_beliefs(factor, found, beliefs);
        if (parts) *parts = std::isfinite(expected) ? expected : 0;
        return value;
    }

    double max(std::size_t factor, const double* in, double* beliefs, Arena&) const override {
        nb::gil_scoped_acquire acquire;
        const auto [value, found] =
            nb::cast<std::pair<double, std::vector<double>>>(factor_.attr("max")(given(factor, in)));
        set_beliefs(factor, found, beliefs);
        return value;
    }

    double best(std::size_t factor, const double* in, Configuration& found, Arena&) const override {
        nb::gil_scoped_acquire acquire;
        const auto [value, active] =
            nb::cast<std::pair<double, std::vector<int>>>(factor_.attr("best")(given(factor, in)));
        found.active = active;
        found.inner = value;
        for (int port : active) {
            if (port < 0 || port >= wiring().port_count(factor)) throw nb::value_error("best: there is no such port");
            if (!std::isinf(in[port])) found.inner -= in[port];
        }
        std::sort(found.active.begin(), found.active.end());
        return value;
    }

    void polytope(std::size_t factor, TreeRows, Polytope& rows) const override {
        nb::gil_scoped_acquire acquire;
        const auto all = nb::cast<std::vector<std::pair<std::vector<int>, double>>>(factor_.attr("configurations")());
        std::vector<std::vector<Polytope::Term>> of_port(wiring().port_count(factor));
        std::vector<Polytope::Term> one;
        for (const auto& [active, score] : all) {
            const int column = rows.new_column(score);
            one.push_back({column, 1});
            for (int port : active) of_port.at(port).push_back({column, 1});
        }
        rows.add_row(1, 1, one);
        for (int port = 0; port < wiring().port_count(factor); ++port) {
            of_port[port].push_back({port, -1});
            rows.add_row(0, 0, of_port[port]);
        }
    }

    double score(std::size_t, std::span<const int> active, Arena&) const override {
        nb::gil_scoped_acquire acquire;
        return nb::cast<double>(factor_.attr("configuration_score")(std::vector<int>(active.begin(), active.end())));
    }

    void add_parts(std::size_t factor, std::span<const int> active, double weight, double* parts,
                   Arena& arena) const override {
        *parts += weight * score(factor, active, arena);
    }

    std::shared_ptr<const FactorGroup> scaled(double multiplier) const override {
        nb::gil_scoped_acquire acquire;
        return std::make_shared<CustomGroup>(wiring(), factor_.attr("scaled")(multiplier));
    }

    nb::handle object() const { return factor_; }

private:
    nb::object given(std::size_t factor, const double* in) const {
        const std::size_t count = wiring().port_count(factor);
        double* data;
        auto array = new_array<double, 1>({count}, data);
        std::copy(in, in + count, data);
        return nb::cast(array);
    }

    void set_beliefs(std::size_t factor, const std::vector<double>& found, double* beliefs) const {
        if (found.size() != static_cast<std::size_t>(wiring().port_count(factor)))
            throw nb::value_error("an oracle must give one belief for each port");
        std::copy(found.begin(), found.end(), beliefs);
    }

    nb::object factor_;
    std::string name_;
};

// A graph holds such factors, and the module that has the graph holds their class: Python's collector must see the way
// from the one to the other, or neither is ever freed. A group that several graphs share is left out: each would count
// the one reference that it has.
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    for (const auto& group : nb::inst_ptr<FactorGraph>(self)->groups())
        if (const auto* custom = dynamic_cast<const CustomGroup*>(group.get()); custom && group.use_count() == 1)
            Py_VISIT(custom->object().ptr());
    return 0;
}

int clear(PyObject* self) {
    if (!nb::inst_ready(self)) return 0;
    const FactorGraph old = std::exchange(*nb::inst_ptr<FactorGraph>(self), FactorGraph());
    return 0;
}

}  // namespace

PyType_Slot graph_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {0, nullptr},
};

void bind_custom_factors(GraphClass& graph) {
    graph.def(
        "add_custom",
        [](FactorGraph& graph, const Vector<std::int32_t>& inputs, nb::object factor) {
            Wiring wiring;
            wiring.add_factor(graph.variables(), inputs_of(inputs));
            graph.add(std::make_shared<CustomGroup>(std::move(wiring), std::move(factor)));
        },
        "inputs"_a, "factor"_a, "Adds one factor whose oracles are methods of a Python object.");
}
