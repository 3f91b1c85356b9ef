"""Lowering of type tests: `plan` decides (pure), `apply` changes the module, `report` tells.

Nothing is imported here, so that `typemeta.lower.plan` can be used without LLVM.
"""
