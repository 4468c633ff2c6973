// Arcs that a sentence says no tree may have: `ForbiddenHeads=2,5` in MISC names heads of a word, 0 is the root.
#pragma once

#include "treebank/batch.hpp"

namespace arbora::treebank {

// Sets `forbidden` of a sentence. It is refused, and the word named, if the item is malformed (code `malformed`), if the
// word's own head is forbidden, or if all heads are (`infeasible`).
void read_forbidden(AnnotatedSentence& sentence);

}  // namespace arbora::treebank
