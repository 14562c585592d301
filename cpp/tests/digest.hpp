// Trees grown from a table that is the same on every machine, as one number.
#pragma once

#include "hornbeam/types.hpp"

namespace hornbeam::testing {

u64 digest_of_trees();

}  // namespace hornbeam::testing
