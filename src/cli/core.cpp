#include "cli/core.h"

#include <dlfcn.h>

#include <new>
#include <string>

#include "base/error.h"

namespace gs::cli {

const CoreApi& core() {
  static const CoreApi* api = [] {
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
