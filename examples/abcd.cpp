// The classes A, B, C and D of LLVM's type metadata document, with their members defined, so that
// clang emits their four vtables. To see the metadata that the document tabulates:
//
//   clang++ -O1 -flto -fvisibility=hidden -fsanitize=cfi-vcall -c abcd.cpp -o abcd.o
//   typemeta show abcd.o

struct A {
  virtual void f();
};

struct B : A {
  virtual void f();
  virtual void g();
};

struct C {
  virtual void h();
};

struct D : A, C {
  virtual void f();
  virtual void h();
};

void A::f() {}

void B::f() {}
void B::g() {}

void C::h() {}

void D::f() {}
void D::h() {}

// A virtual call through each class: under -fsanitize=cfi-vcall each tests the vtable pointer.
void call_f(A *a) { a->f(); }
void call_g(B *b) { b->g(); }
void call_h(C *c) { c->h(); }
void call_d(D *d) { d->f(); }
