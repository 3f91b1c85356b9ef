// Class hierarchies of every shape that gives a vtable its own layout: diamonds, covariant results, thunks,
// virtual calls during construction and destruction, templates, and casts that the checks must let pass.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>

struct Log {
  std::string text;
  void add(const char *what) { text += text.empty() ? what : std::string(",") + what; }
};

struct Node {
  Log *log;
  explicit Node(Log *l) : log(l) { announce("node"); }
  virtual ~Node() { announce("~node"); }
  virtual Node *clone() const { return new Node(log); }
  virtual int weight() const { return 1; }
  virtual void announce(const char *event) { log->add(event); }
};

struct Named : virtual Node {
  explicit Named(Log *l) : Node(l) { announce("named"); }
  ~Named() override { announce("~named"); }
  Named *clone() const override { return new Named(log); }
  virtual std::string name() const { return "named"; }
};

struct Heavy : virtual Node {
  explicit Heavy(Log *l) : Node(l) { announce("heavy"); }
  ~Heavy() override { announce("~heavy"); }
  int weight() const override { return 100; }
};

struct Both final : Named, Heavy {
  explicit Both(Log *l) : Node(l), Named(l), Heavy(l) { announce("both"); }
  ~Both() override { announce("~both"); }
  Both *clone() const override { return new Both(log); }
  std::string name() const override { return "both"; }
  void announce(const char *event) override { Node::announce((std::string("!") + event).c_str()); }
};

template <class T> struct Holder : Node {
  T value;
  Holder(Log *l, T v) : Node(l), value(v) {}
  Holder *clone() const override { return new Holder(log, value); }
  int weight() const override { return static_cast<int>(sizeof(T)); }
};

struct Interface {
  virtual ~Interface() = default;
  virtual int act(int) = 0;
};
struct First : Interface {
  int act(int x) override { return x + 1; }
};
struct Second : First {
  long padding[3] = {1, 2, 3};
  int act(int x) override {
    if (x < 0) throw std::out_of_range("negative");
    return First::act(x) * 2;
  }
};
struct Mixed : Heavy, Second {
  explicit Mixed(Log *l) : Node(l), Heavy(l) {}
  int act(int x) override { return Second::act(x) + weight(); }
};

__attribute__((noinline)) static int use(Interface *interface, int x) { return interface->act(x); }
__attribute__((noinline)) static Second *down(Interface *interface) { return static_cast<Second *>(interface); }
__attribute__((noinline)) static Interface *back(void *object) { return static_cast<Interface *>(object); }

int main() {
  Log log;
  {
    std::unique_ptr<Node> nodes[] = {std::make_unique<Node>(&log), std::make_unique<Named>(&log),
                                     std::make_unique<Both>(&log), std::make_unique<Holder<long>>(&log, 5)};
    int weight = 0;
    for (auto &node : nodes) {
      std::unique_ptr<Node> copy(node->clone());
      weight += copy->weight();
      if (auto *named = dynamic_cast<Named *>(copy.get())) std::printf("%s ", named->name().c_str());
      std::printf("%d ", typeid(*copy) == typeid(*node));
    }
    std::printf("%d\n", weight);
  }
  std::printf("%s\n", log.text.c_str());

  Log quiet;
  First first;
  Second second;
  Mixed mixed(&quiet);
  for (Interface *interface : {static_cast<Interface *>(&first), static_cast<Interface *>(&second),
                               static_cast<Interface *>(&mixed)}) {
    int (Interface::*member)(int) = &Interface::act;
    std::printf("%d %d\n", use(interface, 5), (interface->*member)(6));
  }
  void *opaque = static_cast<Interface *>(&second);
  std::printf("%d %ld\n", back(opaque)->act(1), down(&mixed)->padding[2]);
  try {
    use(&second, -1);
  } catch (const std::out_of_range &error) {
    std::printf("caught %s\n", error.what());
  }
}
