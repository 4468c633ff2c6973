// How one thread of Python ends the calls of another: signals come to the main thread only.
#include "interruption.hpp"

#include "bindings.hpp"

namespace nb = nanobind;
using namespace arbora;

namespace {

class Stop {
public:
    void ask() { *asked_ = true; }
    void obey() const { stop_of_thread() = asked_; }

private:
    std::shared_ptr<std::atomic<bool>> asked_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace

void bind_interruption(nb::module_& m) {
    nb::class_<Stop>(m, "Stop", "Ends the core's calls on the threads that obey it, with KeyboardInterrupt.")
        .def(nb::init<>())
        .def("ask", &Stop::ask, "Ends them.")
        .def("obey", &Stop::obey, "From now on, calls on this thread end when they are asked to.");
    m.def("is_stopped", &is_thread_stopped, "Whether what this thread obeys asks it to end.");
}
