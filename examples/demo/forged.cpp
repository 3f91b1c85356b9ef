// A forged vtable pointer: an object's vtable pointer is overwritten with that of an unrelated class, as an
// attacker with one stray write would do, and then a virtual function is called through the old type.
//
// Without protection the call lands in the unrelated class. With -fsanitize=cfi-vcall and every
// llvm.type.test lowered, the check before the call fails and the program is stopped by a trap.

#include <cstdio>
#include <cstring>

struct Door {
  virtual void knock() const { std::puts("  the door says: nobody is home"); }
};

struct Vault {
  virtual void open() const { std::puts("  the vault says: I am open, help yourself"); }
};

// Called through pointers that the compiler cannot follow, so that it keeps the virtual call and its check.
static void knock_at(const Door *door) { door->knock(); }
static void (*volatile visit)(const Door *) = knock_at;

int main() {
  std::setvbuf(stdout, nullptr, _IONBF, 0);

  Door door;
  Vault vault;
  std::puts("knocking at a door:");
  visit(&door);

  std::puts("knocking again, after its vtable pointer was overwritten:");
  std::memcpy(static_cast<void *>(&door), static_cast<const void *>(&vault), sizeof(void *));
  visit(&door);

  std::puts("the call went through");
  return 0;
}
