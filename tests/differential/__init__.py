"""The same input through typemeta and through LLVM's own tools."""
