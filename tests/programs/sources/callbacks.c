/* C as it hands functions around: tables in structs, state machines, callbacks that the C library calls, handlers,
   constructors, functions that take functions and return them. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*operation)(int, int);
typedef struct state *(*transition)(struct state *, int);

struct state {
  const char *name;
  transition next;
  operation work;
};

static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
int times(int a, int b) { return a * b; }
static inline int either(int a, int b) { return a ? a : b; }

static struct state *to_middle(struct state *, int);
static struct state *to_end(struct state *, int);
static struct state *stay(struct state *self, int input) { return (void)input, self; }

static struct state states[] = {
    {"start", to_middle, plus},
    {"middle", to_end, minus},
    {"end", stay, times},
};
static struct state *to_middle(struct state *self, int input) { return input > 1 ? &states[1] : self; }
static struct state *to_end(struct state *self, int input) { return input > 2 ? &states[2] : self; }

static const struct {
  char sign;
  operation work;
} const operations[] = {{'+', plus}, {'-', minus}, {'*', times}, {'|', either}};

static operation choose(char sign) {
  switch (sign) {
  case '+': return plus;
  case '-': return minus;
  case '*': return times;
  case '|': return either;
  default: return NULL;
  }
}

static int started;
__attribute__((constructor)) static void start(void) { started = 1; }
__attribute__((destructor)) static void finish(void) { puts("finished"); }

static int by_length(const void *a, const void *b) {
  return (int)strlen(*(const char *const *)a) - (int)strlen(*(const char *const *)b);
}
static int key_is(const void *key, const void *element) { return *(const char *)key - **(const char *const *)element; }

static volatile sig_atomic_t signalled;
static void on_signal(int number) { signalled = number; }

static void *in_thread(void *argument) {
  operation work = (operation)argument;
  return (void *)(long)work(20, 22);
}

static jmp_buf escape;
static int jump(int a, int b) { longjmp(escape, a + b); }

static char *(*const copier)(const char *) = strdup;
static size_t (*volatile length)(const char *) = strlen;

extern int provided(int, int) __attribute__((weak));
extern int absent(int, int) __attribute__((weak));
int provided(int a, int b) { return a * 10 + b; }
static operation weak_table[2] = {provided, absent};

__attribute__((noinline)) static int call(operation work, int a, int b) { return work(a, b); }

int main(int argc, char **argv) {
  (void)argv;
  struct state *state = &states[0];
  for (int input = 0; input < 5; ++input) {
    printf("%s %d\n", state->name, state->work(input, 3));
    state = state->next(state, input);
  }
  for (size_t index = 0; index < sizeof operations / sizeof *operations; ++index)
    printf("%c %d %d\n", operations[index].sign, operations[index].work(7, argc),
           operations[index].work == choose(operations[index].sign));
  printf("started %d, no such operation: %d\n", started, choose('?') == NULL);

  const char *words[] = {"four", "a", "seventh", "to"};
  qsort(words, 4, sizeof *words, by_length);
  const char **found = bsearch("s", words, 4, sizeof *words, key_is);
  printf("%s %s %s %s, found %s\n", words[0], words[1], words[2], words[3], found ? *found : "nothing");

  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  pthread_t thread;
  void *result = NULL;
  pthread_create(&thread, NULL, in_thread, (void *)plus);
  pthread_join(thread, &result);
  printf("signal %d, thread %ld\n", signalled == SIGUSR1, (long)result);

  int value = setjmp(escape);
  if (value == 0) call(jump, 3, 4);
  printf("jumped with %d\n", value);

  char *copy = copier("copied");
  printf("%s %zu\n", copy, length(copy));
  void (*release)(void *) = free;
  release(copy);
  for (int index = 0; index < 2; ++index)
    printf("weak: %d\n", weak_table[index] ? call(weak_table[index], 4, 2) : -1);
  printf("absent: %d\n", absent == NULL);
  return 0;
}
