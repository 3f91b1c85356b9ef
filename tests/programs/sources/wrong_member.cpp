// Calls through a pointer to a member function of another class: checks of such calls stop it.
#include <cstdio>
#include <cstring>

struct Door {
  int open(int angle) { return angle + 1; }
};
struct Safe {
  int open(int code) { return code - 1; }
};
typedef int (Door::*Opener)(int);

__attribute__((noinline)) static int call(Door *door, Opener opener) { return (door->*opener)(41); }

int main() {
  Door door;
  Opener opener = &Door::open;
  printf("right: %d\n", call(&door, opener));
  fflush(stdout);
  int (Safe::*forged)(int) = &Safe::open;
  memcpy(static_cast<void *>(&opener), static_cast<void *>(&forged), sizeof opener);
  printf("went through: %d\n", call(&door, opener));
}
