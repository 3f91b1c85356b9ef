// Virtual calls through single, multiple and virtual inheritance, casts and pointers to members.
#include <cstdio>
#include <memory>
#include <vector>

struct Shape {
  virtual ~Shape() {}
  virtual double area() const = 0;
  virtual const char *name() const { return "shape"; }
};
struct Square : Shape {
  double side;
  explicit Square(double s) : side(s) {}
  double area() const override { return side * side; }
  const char *name() const override { return "square"; }
};
struct Printable {
  virtual ~Printable() {}
  virtual void print() const { puts("printable"); }
};
struct Circle : Shape, Printable {
  double radius;
  explicit Circle(double r) : radius(r) {}
  double area() const override { return 3 * radius * radius; }
  void print() const override { printf("circle %g\n", radius); }
};
struct Counted {
  virtual int count() const { return 0; }
  virtual ~Counted() {}
};
struct Left : virtual Counted {
  virtual int left() const { return 1; }
};
struct Right : virtual Counted {
  int count() const override { return 7; }
  virtual int right() const { return 2; }
};
struct Both : Left, Right {
  int left() const override { return 10 + right(); }
};

__attribute__((noinline)) static int sum(const Counted &counted, const Left &left, const Right &right) {
  return counted.count() + left.left() + right.right();
}

int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int index = 1; index <= 4; ++index) {
    if (index % 2) shapes.push_back(std::make_unique<Square>(index));
    else shapes.push_back(std::make_unique<Circle>(index));
  }
  double (Shape::*measure)() const = &Shape::area;
  for (const auto &shape : shapes) {
    printf("%s %g %g\n", shape->name(), shape->area(), (shape.get()->*measure)());
    if (auto *printable = dynamic_cast<Printable *>(shape.get())) printable->print();
  }
  Both both;
  printf("%d\n", sum(both, both, both));
}
