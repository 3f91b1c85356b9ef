// Functions used every way that a jump table must survive. Prints the same with and without protection.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

typedef int (*Binary)(int, int);

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
int fail(int a, int) { throw std::runtime_error(a > 5 ? "large" : "small"); }

static const Binary table[] = {add, subtract, fail};
struct Named {
  const char *name;
  Binary function;
};
static const Named named[] = {{"add", add}, {"subtract", subtract}};

extern "C" int missing(int, int) __attribute__((weak));
extern "C" int present(int a, int b) __attribute__((weak));
extern "C" int present(int a, int b) { return a * b; }
static Binary weak_slots[] = {missing, present};

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

struct Deleter {
  void (*function)(void *);
};

static int interpret(const unsigned char *code) {
  static const void *const labels[] = {&&more, &&less, &&stop};
  int value = 0;
  goto *labels[*code++];
more:
  value += 10;
  goto *labels[*code++];
less:
  value -= 1;
  goto *labels[*code++];
stop:
  return value;
}

__attribute__((noinline)) static int call(Binary function, int a, int b) { return function(a, b); }

static void goodbye() { puts("goodbye"); }

int main(int argc, char **) {
  atexit(goodbye);
  for (int index = 0; index < 3; ++index) {
    try {
      printf("table[%d] = %d\n", index, call(table[index], 5 + argc, 3));
    } catch (const std::exception &error) {
      printf("table[%d] threw %s\n", index, error.what());
    }
  }
  for (const Named &each : named) printf("%s = %d\n", each.name, call(each.function, 20, argc));
  for (Binary each : weak_slots) printf("weak: %d\n", each ? call(each, 6, 7) : -1);
  printf("same address: %d\n", table[0] == named[0].function);
  int numbers[] = {3, 1, 2};
  qsort(numbers, 3, sizeof(int), by_value);
  printf("sorted: %d %d %d\n", numbers[0], numbers[1], numbers[2]);
  Deleter deleter = {free};
  deleter.function(malloc(16));
  const unsigned char code[] = {0, 0, 1, 2};
  printf("interpreted: %d\n", interpret(code));
}
