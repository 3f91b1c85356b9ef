"""Cross-DSO CFI: what a shared library tells others about its type identifiers (`__cfi_check`).

Nothing is imported here, so that `typemeta.cross_dso.identifiers` can be used without LLVM.
"""
