"""What `opt` does: its command line, its pipelines of passes, and running them, ours and LLVM's in order.

`command_line`, `text`, `target_lines` and `data_layouts` are pure; `reading` and `running` do the work.
"""

from typemeta.pipeline.command_line import OptOptions, parse_command_line
from typemeta.pipeline.text import LLVMPasses, OurPass, parse_pipeline

__all__ = ["LLVMPasses", "OptOptions", "OurPass", "parse_command_line", "parse_pipeline"]
