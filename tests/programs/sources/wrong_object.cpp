// Calls a function that is not virtual on an object of another class: checks of such calls stop it.
#include <cstdio>
#include <cstring>

struct Lamp {
  int watts = 60;
  virtual ~Lamp() {}
  __attribute__((noinline)) int power() const { return watts; }
};
struct Stone {
  int weight = 3;
  virtual ~Stone() {}
};

__attribute__((noinline)) static int ask(const Lamp *lamp) { return lamp->power(); }

int main() {
  Lamp *lamp = new Lamp;
  Stone *stone = new Stone;
  printf("right: %d\n", ask(lamp));
  fflush(stdout);
  memcpy(static_cast<void *>(lamp), static_cast<void *>(stone), sizeof(void *));
  printf("went through: %d\n", ask(lamp));
}
