#include "encoders/kernels.hpp"

#include <stdexcept>

namespace arbora::encoders {

#if defined(__x86_64__)
namespace avx512_vnni {
extern const Kernels kernels;
}
namespace avx2 {
extern const Kernels kernels;
}
#endif
namespace plain {
extern const Kernels kernels;
}

const std::vector<const Kernels*>& kernels_of_machine() {
    static const std::vector<const Kernels*> found = [] {
        std::vector<const Kernels*> supported;
        for (const Kernels* kernels : {
#if defined(__x86_64__)
                 &avx512_vnni::kernels, &avx2::kernels,
#endif
                 &plain::kernels})
            if (kernels->is_supported()) supported.push_back(kernels);
        return supported;
    }();
    return found;
}

const Kernels& kernels_named(const std::string& name) {
    if (name.empty()) return *kernels_of_machine().front();
    std::string names;
    for (const Kernels* kernels : kernels_of_machine()) {
        if (kernels->name == name) return *kernels;
        names += (names.empty() ? "" : ", ") + std::string(kernels->name);
    }
    throw std::invalid_argument("there are no kernels '" + name + "' on this machine; it has " + names);
}

}  // namespace arbora::encoders
