// Trees of a table that is the same on every machine, as one number: `hornbeam_tests --digest` prints it, and builds
// for other compilers, instructions and processors must print the same.
#include "tests/digest.hpp"

#include <array>
#include <cmath>

#include "hornbeam/grow/learn.hpp"
#include "tests/random.hpp"

namespace hornbeam::testing {
namespace {

constexpr std::size_t kRows = 1500;  // bins hold more than one value

template <class T>
ColumnView view_of(const std::vector<T>& values) {
    ColumnView view;
    view.data = reinterpret_cast<const std::byte*>(values.data());
    view.stride = sizeof(T);
    view.type = sizeof(T) == sizeof(float) ? ValueType::f32 : ValueType::f64;
    return view;
}

struct Table {
    std::vector<double> normal = std::vector<double>(kRows), gaps = normal, y = normal, weights = normal;
    std::vector<float> narrow = std::vector<float>(kRows), whole = narrow;
    std::vector<i32> labels = std::vector<i32>(kRows);

    Table() {
        Random random(2026);
        for (std::size_t r = 0; r < kRows; ++r) {
            normal[r] = random.normal();
            gaps[r] = random.chance(0.1) ? std::numeric_limits<double>::quiet_NaN() : 1e6 * random.normal();
            narrow[r] = static_cast<float>(random.real());
            whole[r] = static_cast<float>(random.number(-20, 20));
            y[r] = std::fabs(normal[r] * whole[r] + (std::isnan(gaps[r]) ? 3 : gaps[r] / 1e6) + random.normal());
            labels[r] = std::min(2, static_cast<int>(y[r] / 2));
            weights[r] = 3 * random.real();
        }
    }
    std::vector<ColumnView> columns() const {
        return {view_of(normal), view_of(gaps), view_of(narrow), view_of(whole)};
    }
};

class Digest {
  public:
    template <class T>
    void add(const std::vector<T>& values) {
        mix(values.size());
        for (const T& x : values) {
            u64 bits = 0;
            std::memcpy(&bits, &x, sizeof x);
            mix(x != x ? 1 : bits);  // there are many NaNs
        }
    }
    void add(const TreeArrays& tree) {
        add(tree.kind);
        add(tree.stats);
        add(tree.label);
        add(tree.n_rows);
        add(tree.first_child);
        add(tree.column);
        add(tree.missing);
        add(tree.threshold);
        add(tree.gap);
        add(tree.gain);
        add(tree.impurity);
        add(tree.leaf_impurity);
    }
    u64 value() const { return value_; }

  private:
    void mix(u64 bits) { value_ = mix_bits(value_ + kMixStep + bits); }
    u64 value_ = 0;
};

}  // namespace

u64 digest_of_trees() {
    const Table table;
    Digest digest;
    for (const Criterion& criterion : kCriteria)
        for (const bool weighted : {false, true}) {
            TargetView target;
            target.n_classes = criterion.on_classes ? 3 : 0;
            if (criterion.on_classes)
                target.codes = table.labels;
            else
                target.values = table.y;
            if (weighted) target.weights = table.weights;
            Plan plan;
            plan.criterion = &criterion;
            plan.n_threads = 2;
            plan.limits.max_depth = 6;
            plan.block_rows = 200;  // larger nodes have their values coded
            digest.add(learn(table.columns(), kRows, target, plan, {}));
        }
    return digest.value();
}

}  // namespace hornbeam::testing
