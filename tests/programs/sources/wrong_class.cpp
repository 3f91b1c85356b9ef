// Overwrites an object's vtable pointer with that of an unrelated class: virtual-call checks stop it.
#include <cstdio>
#include <cstring>

struct Account {
  virtual void show() { puts("balance"); }
  virtual ~Account() {}
};
struct Vault {
  virtual void open() { puts("went through"); }
  virtual ~Vault() {}
};

__attribute__((noinline)) static void use(Account *account) { account->show(); }

int main() {
  Account *account = new Account;
  Vault *vault = new Vault;
  use(account);
  fflush(stdout);
  memcpy((void *)account, (void *)vault, sizeof(void *));
  use(account);
}
