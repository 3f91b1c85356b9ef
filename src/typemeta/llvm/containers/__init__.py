"""What files are made of: IR text, bitcode, objects that carry bitcode, archives. Pure Python, no LLVM."""

from typemeta.llvm.containers.payloads import NoIRError, Payload, PayloadKind, find_payloads

__all__ = ["NoIRError", "Payload", "PayloadKind", "find_payloads"]
