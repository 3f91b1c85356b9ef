"""Laws that hold for every module: random modules, lowered, executed, and compared with the sets."""
