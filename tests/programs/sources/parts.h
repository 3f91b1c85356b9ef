// Shared by two translation units: each derives from the other's classes and calls the other's functions.
#pragma once

struct Part {
  virtual ~Part();
  virtual int size() const;
};
struct Inline : Part {  // its vtable is emitted wherever it is used
  int size() const override { return 2; }
};
using Visit = void (*)(const Part &);

Part *make_remote();
void each(Part *const *parts, int count, Visit visit);
int remote_calls(int (*function)(int), int argument);
extern int (*exported)(int);
