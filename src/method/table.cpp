// The makers of the methods that config/methods.cpp lists.
#include "base/error.h"
#include "method/bgrl.h"
#include "method/cca_ssg.h"
#include "method/classifier.h"
#include "method/dgi.h"
#include "method/gca.h"
#include "method/graphsurgeon.h"
#include "method/method.h"
#include "method/mvgrl.h"
#include "method/pprgo.h"
#include "method/reference.h"

namespace gs {

namespace {

using Make = std::unique_ptr<Method> (*)(const MethodSetting&);

template <class M>
std::unique_ptr<Method> make(const MethodSetting& setting) {
  return std::make_unique<M>(setting);
}

struct Maker {
  std::string_view name;
  Make make;
};

constexpr Maker kMakers[] = {
    {"graphsurgeon", make<GraphSurgeon>},
    {"gcn", make<Classifier>},
    {"graphsage", make<Classifier>},
    {"gat", make<Classifier>},
    {"clustergcn", make<Classifier>},
    {"graphsaint", make<Classifier>},
    {"pprgo", make<PprGo>},
    {"dgi", make<Dgi>},
    {"mvgrl", make<Mvgrl>},
    {"gca", make<Gca>},
    {"grace", make<Gca>},
    {"bgrl", make<Bgrl>},
    {"selfgnn", make<Bgrl>},
    {"cca-ssg", make<CcaSsg>},
    {"raw", make<Raw>},
    {"smoothed", make<Smoothed>},
    {"untrained", make<GraphSurgeon>},
};

}  // namespace

std::unique_ptr<Method> make_method(const MethodSetting& setting) {
  const std::string& name = setting.options.method.method;
  for (const Maker& maker : kMakers)
    if (maker.name == name) return maker.make(setting);
  method_info(name);  // refuses a name that nobody knows
  GS_ASSERT(!"a method without a maker");
}

}  // namespace gs
