// Casts an object down to a class that it is not of: checks of casts stop it.
#include <cstdio>

struct Base {
  virtual ~Base() {}
};
struct Derived : Base {
  int value = 7;
};

__attribute__((noinline)) static Derived *cast(Base *base) { return static_cast<Derived *>(base); }

int main() {
  Base *derived = new Derived, *base = new Base;
  printf("right: %d\n", cast(derived)->value);
  fflush(stdout);
  printf("went through: %d\n", cast(base) != nullptr);
}
