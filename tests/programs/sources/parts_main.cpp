#include "parts.h"

#include <cstdio>

struct Local : Inline {
  int size() const override { return 30 + Inline::size(); }
};
static void print(const Part &part) { std::printf("size %d\n", part.size()); }
static int twice(int x) { return 2 * x; }

int main() {
  Local local;
  Inline plain;
  Part *remote = make_remote();
  Part *const parts[] = {&local, &plain, remote};
  each(parts, 3, print);
  std::printf("%d %d\n", remote_calls(twice, 21), exported(8));
  delete remote;
}
