/* Calls a function through a pointer of another type: indirect-call checks stop it. */
#include <stdio.h>

static int number(int value) { return value + 1; }
static void text(const char *value) { printf("text %p\n", (const void *)value); }
typedef int (*Number)(int);

__attribute__((noinline)) static int call(Number function, int value) { return function(value); }

int main(int argc, char **argv) {
  (void)argv;
  void *taken[] = {(void *)number, (void *)text};
  printf("right: %d\n", call((Number)taken[0], argc));
  fflush(stdout);
  call((Number)taken[argc], argc);
  puts("went through");
  return 0;
}
