// Encoders as Python holds them.
#pragma once
#include "encoders/encoder.hpp"
#include "tensors.hpp"

namespace arbora {

// An encoder, and the tensors that it reads.
struct BoundEncoder {
    std::vector<Tensor> tensors;
    encoders::Encoder encoder;
};

}  // namespace arbora
