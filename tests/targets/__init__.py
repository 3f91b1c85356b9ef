"""Jump tables of every target, assembled by an LLVM that knows the target; `make targets` runs these.

They need what the LLVM that typemeta depends on lacks: code generators for other processors than x86.
"""
