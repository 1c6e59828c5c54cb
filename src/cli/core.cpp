#include "cli/core.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <new>
#include <string>

#include "base/error.h"

namespace gs::cli {

namespace {

// libtorch ends the process where memory is short while it is loaded. So much address space must
// be left for it.
constexpr size_t kLoadBytes = size_t{700} << 20;

bool has_room() {
  void* room =
      ::mmap(nullptr, kLoadBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return room != MAP_FAILED && ::munmap(room, kLoadBytes) == 0;
}

}  // namespace

const CoreApi& core() {
  static const CoreApi* api = [] {
    if (!has_room()) throw std::bad_alloc();
    void* library = dlopen("libgraphsurgeon.so.0", RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
      const std::string why = dlerror();
      for (const char* memory : {"failed to map", "annot allocate", "cannot create shared object"})
        if (why.find(memory) != std::string::npos) throw std::bad_alloc();
      throw Error(ErrorKind::internal, fmt::format("cannot load the core library: {}", why), "",
                  "libtorch may have moved since the build; run './dev build'");
    }
    auto* entry = reinterpret_cast<const CoreApi* (*)()>(dlsym(library, "gs_core_api"));
    GS_ASSERT(entry != nullptr);
    return entry();
  }();
  return *api;
}

}  // namespace gs::cli
