"""Fetches and compiles libsass, the real C++ program that the demo and the benchmark work on.

The source is the sdist of one fixed version, checked by its hash before anything in it runs. Sources and
objects are kept in the user's cache folder, the objects by what they were made from (source, flags,
compiler), so a second run compiles nothing.
"""

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from toolchain import StepError, run_tool

VERSION = "0.23.0"
SHA256 = "6f209955ede26684e76912caf329f4ccb57e4a043fd77fe0e7348dd9574f1880"

ROOT = Path(__file__).resolve().parents[2]

COMMON_FLAGS = ("-O1", "-w", "-fvisibility=hidden", "-Iinclude", "-Isrc")
CXX_FLAGS = ("-std=c++17", "-stdlib=libstdc++")
CFI_FLAGS = ("-flto", "-fsanitize=cfi-vcall,cfi-icall,cfi-nvcall,cfi-derived-cast")

# The wheel's clang would take its own libc++, compiler-rt and libunwind, which no program finds at run time.
LINK_FLAGS = ("-fuse-ld=lld", "-stdlib=libstdc++", "-rtlib=libgcc", "-unwindlib=libgcc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Objects:
    """The compiled files of one build, in the order of their sources, and how many were made just now."""

    paths: tuple[Path, ...]
    compiled: int


def find_cache() -> Path:
    """Finds the folder that outlives a clone, and makes it if it is not there."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base, "typemeta", f"libsass-{VERSION}")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def find_sources(tree: Path) -> list[Path]:
    """Finds libsass' C and C++ files, relative to the folder that the compiler runs in, sorted."""
    folder = tree / "libsass"
    found = [*folder.glob("src/*.c"), *folder.glob("src/*.cpp")]
    return sorted(path.relative_to(folder) for path in found)


def fetch_libsass() -> Path:
    """Downloads and unpacks the sdist, unless the cache has it.

    Returns:
        The unpacked tree; libsass itself is in its folder `libsass`.

    Raises:
        StepError: the download failed, or is not the file that the hash names.
    """
    cache = find_cache()
    tree = cache / "source"
    if not tree.is_dir():
        archive = cache / f"libsass-{VERSION}.tar.gz"
        if not (archive.is_file() and _digest(archive) == SHA256):
            _download(cache)
        if _digest(archive) != SHA256:
            raise StepError(f"{archive} is not libsass {VERSION}: its SHA-256 differs; delete it")
        _unpack(archive, tree)
    return tree


def compile_libsass(tree: Path, *, protected: bool, show: Callable[[str], None]) -> Objects:
    """Compiles every file of libsass, as many at once as there are processors.

    Args:
        tree: what `fetch_libsass` gave.
        protected: objects of LLVM bitcode with control-flow integrity, or else native objects without it.
        show: is told how far the work is.

    Raises:
        StepError: the compiler refused a file.
    """
    flags = COMMON_FLAGS + (CFI_FLAGS if protected else ())
    version = (tree / ".libsass-upstream-version").read_text().strip()
    flags += (f'-DLIBSASS_VERSION="{version}"',)
    folder = find_cache() / "objects" / _build_key(flags)
    folder.mkdir(parents=True, exist_ok=True)

    sources = find_sources(tree)
    outputs = {source: folder / f"{source.name}.o" for source in sources}
    missing = [source for source in sources if not outputs[source].exists()]
    # The largest first, so that no processor is left with a long file at the end.
    missing.sort(key=lambda source: -(tree / "libsass" / source).stat().st_size)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(_compile, tree / "libsass", source, outputs[source], flags) for source in missing]
        try:
            for done, job in enumerate(as_completed(jobs), 1):
                job.result()
                show(f"{done} of {len(missing)} files")
        finally:
            pool.shutdown(cancel_futures=True)
    return Objects(paths=tuple(outputs.values()), compiled=len(missing))


def write_archive(objects: Objects, output: Path) -> None:
    """Puts the objects into one static archive."""
    output.unlink(missing_ok=True)
    run_tool(["llvm-ar", "rcs", output, *objects.paths])


def write_merged(objects: Objects, output: Path) -> None:
    """Links LTO objects into one bitcode file, with LLVM's IR linker."""
    run_tool(["llvm-link", *objects.paths, "-o", output])


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _download(cache: Path) -> None:
    """Lets pip fetch the sdist, so that the user's index, proxy and certificates are used.

    pip also asks the sdist for its metadata, which runs its setup script: after the hash was checked, and
    with the setuptools that our constraints name.
    """
    pins = str(ROOT / "constraints.txt")
    environment = os.environ | {"PIP_CONSTRAINT": pins, "PIP_BUILD_CONSTRAINT": pins}
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder, "requirements.txt")
        requirements.write_text(f"libsass=={VERSION} --hash=sha256:{SHA256}\n")
        command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "--no-binary", "libsass"]
        command += ["--require-hashes", "--requirement", str(requirements), "--dest", str(cache)]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise StepError(f"pip could not download libsass {VERSION}:\n{ended.stderr}{ended.stdout}")


def _unpack(archive: Path, tree: Path) -> None:
    """Unpacks beside `tree` and renames, so that an interrupted run leaves nothing half done."""
    with tempfile.TemporaryDirectory(dir=tree.parent) as folder:
        with tarfile.open(archive) as opened:
            if hasattr(tarfile, "data_filter"):
                opened.extraction_filter = staticmethod(tarfile.data_filter)
            opened.extractall(folder)
        Path(folder, f"libsass-{VERSION}").rename(tree)


def _build_key(flags: tuple[str, ...]) -> str:
    """Names a build by all that its objects depend on: source, flags, compiler, C++ library."""
    # `-v` prints the version, the target and the C++ library; where the compiler lies does not matter.
    told = run_tool(["clang++", "-v"]).errors.decode(errors="replace").splitlines()
    parts = [SHA256, *flags, *CXX_FLAGS, *(line for line in told if not line.startswith("InstalledDir"))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _compile(folder: Path, source: Path, output: Path, flags: tuple[str, ...]) -> None:
    compiler = ["clang++", *CXX_FLAGS] if source.suffix == ".cpp" else ["clang"]
    partial = output.with_suffix(f".{os.getpid()}.partial")
    try:
        run_tool([*compiler, *flags, "-c", source, "-o", partial], folder=folder)
        partial.rename(output)
    finally:
        partial.unlink(missing_ok=True)
