// THE TABLE of searches. A new kind of split is one file in search/.
#include "hornbeam/search/searches.hpp"

#include "hornbeam/search/equals.hpp"
#include "hornbeam/search/multiway.hpp"
#include "hornbeam/search/subset.hpp"
#include "hornbeam/search/threshold.hpp"

namespace hornbeam {

void search(const Judge& judge, const Buckets& buckets, i32 column, SplitKind kind, i32 n_values, Candidates& out) {
    switch (kind) {
        case SplitKind::threshold:
            return search_thresholds(judge, buckets, column, out);
        case SplitKind::equals:
            return search_equals(judge, buckets, column, out);
        case SplitKind::multiway:
            return search_multiway(judge, buckets, column, out);
        case SplitKind::subset:
            return search_subsets(judge, buckets, column, n_values, out);
        case SplitKind::leaf:
            return;
    }
}

}  // namespace hornbeam
