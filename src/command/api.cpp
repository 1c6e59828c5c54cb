#include "command/api.h"

#include <nlohmann/json.hpp>

namespace gs {

extern "C" const CoreApi* gs_core_api() {
  static const CoreApi api{{run, to_json, to_text},
                           {plan, to_json, to_text},
                           {run, to_json, to_text},
                           {run, to_json, to_text},
                           {run, to_json, to_text}};
  return &api;
}

}  // namespace gs
