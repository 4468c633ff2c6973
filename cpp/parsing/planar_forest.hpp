#pragma once
#include <vector>

namespace arbora {

// Arcs over words 1..n that can be completed to a projective tree whenever nothing is said about the rest: no two cross,
// there is no cycle, and no arc covers the top of its own fragment, whose head would be out of reach. The root is word 0.
class PlanarForest {
public:
    explicit PlanarForest(int n);

    // Adds an arc; false, and nothing is done, if the word has a head or there could be no tree with it. O(n).
    bool add(int head, int modifier);
    // Gives all words that have no head one: their fragments hang from the words next to them, on the side of the root.
    void complete();

    const std::vector<int>& heads() const { return heads_; }  // -1 where there is none yet; heads()[0] is -1

private:
    bool fits(int head, int modifier) const;

    int n_, root_ = 0;
    std::vector<int> heads_;
    std::vector<int> tops_;  // of the words' fragments; 0 where that is the root
};

}  // namespace arbora
