"""IR text of LLVM 14 and older, rewritten so that today's LLVM reads it. Pure Python, no LLVM."""
