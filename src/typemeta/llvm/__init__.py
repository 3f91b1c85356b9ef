"""The binding to libLLVM: owned handles, safe wrappers, and the verbs that read and change modules.

Handles are integers inside this folder and in editing sessions; nobody above calls C functions for
anything that a verb here does.
"""
