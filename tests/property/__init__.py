"""Laws that hold for every module: random modules, their lowering executed, answers compared with the sets."""
