// Takes memory for an object of a class that it is not: checks of casts between unrelated types stop it.
#include <cstdio>

struct Ticket {
  virtual ~Ticket() {}
};
struct Letter {
  virtual ~Letter() {}
};

__attribute__((noinline)) static Ticket *cast(void *object) { return static_cast<Ticket *>(object); }

int main() {
  void *ticket = static_cast<void *>(new Ticket), *letter = static_cast<void *>(new Letter);
  printf("right: %d\n", cast(ticket) == ticket);
  fflush(stdout);
  printf("went through: %d\n", cast(letter) == letter);
}
