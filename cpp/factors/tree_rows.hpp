#pragma once
#include "factors/candidate_arcs.hpp"
#include "factors/polytope.hpp"

namespace arbora {

// Linear rows for the trees over some arcs, non-projective (Martins et al. 2009; 2010, section 4.2).
void add_tree_rows(const CandidateArcs& arcs, TreeRows kind, Polytope& rows);

// Exactly the convex hull of the projective trees: a flow down Eisner's chart, with a column for each of its edges.
void add_projective_rows(const CandidateArcs& arcs, Polytope& rows);

}  // namespace arbora
