// How many modifiers a head has, wherever they stand. Not by side: whether a side has none, one or more, the siblings with
// their START and END see already; what both sides have together nothing else does.
#include <algorithm>

#include "factors/counts.hpp"
#include "parts/part_kind.hpp"

namespace arbora {
namespace {

// So many, and more, are one.
constexpr int most = 5;

class Valencies final : public PartKind {
public:
    Section section() const override { return Section::valencies; }

    // The head stands for the words that such a part does not have. 1 to 6: the count; 7 to 9: none, one, more.
    void list(const ArcIndex& arcs, std::vector<Part>& parts) const override {
        for (int head = 0; head <= arcs.n(); ++head)
            for (int count = 0; count <= most; ++count)
                parts.push_back({head, head, head, 0, static_cast<std::uint8_t>(1 + count),
                                 static_cast<std::uint8_t>(7 + std::min(count, 2))});
    }

    // How many modifiers there are.
    int code(const Part& part) const override { return part.direction - 1; }

    std::shared_ptr<const FactorGroup> make_factors(const Variables& variables, const ArcIndex& arcs, const Descents&,
                                                    std::vector<double> scores) const override {
        Wiring wiring;
        std::vector<Input> inputs;
        for (int head = 0; head <= arcs.n(); ++head) {
            inputs.clear();
            for (int a : arcs.left(head)) inputs.push_back({a});
            for (int a : arcs.right(head)) inputs.push_back({a});
            wiring.add_factor(variables, inputs);
        }
        return std::make_shared<Counts>(std::move(wiring), most + 1, std::move(scores));
    }
};

}  // namespace

std::unique_ptr<PartKind> make_valencies() { return std::make_unique<Valencies>(); }

}  // namespace arbora
