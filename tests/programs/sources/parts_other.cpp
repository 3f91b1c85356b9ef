#include "parts.h"

#include <cstdio>

Part::~Part() {}
int Part::size() const { return 1; }

namespace {
struct Remote : Inline {
  int size() const override { return 400; }
  ~Remote() override { std::puts("remote is gone"); }
};
int half(int x) { return x / 2; }
}  // namespace

Part *make_remote() { return new Remote; }
void each(Part *const *parts, int count, Visit visit) {
  for (int index = 0; index < count; ++index) visit(*parts[index]);
}
int remote_calls(int (*function)(int), int argument) { return function(argument); }
int (*exported)(int) = half;
