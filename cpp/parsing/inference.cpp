#include "parsing/inference.hpp"

#include <chrono>

namespace arbora {
namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

const Inference& inference_for(const ScoreKinds& kinds, const GraphOptions& options) {
    const bool by_graph = kinds.parts || options.constraint != TreeConstraint::tree;
    return by_graph ? graph_inference() : table_inference();
}

StageTimer::StageTimer(StageTimes* times) : times_(times) {
    if (times_) last_ = seconds();
}

void StageTimer::end(double StageTimes::* stage) {
    if (!times_) return;
    const double now = seconds();
    times_->*stage += now - last_;
    last_ = now;
}

}  // namespace arbora
