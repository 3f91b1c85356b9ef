"""Reads files that clang, llvm-ar and friends write, and files that nobody should write."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from typemeta.errors import InputError
from typemeta.llvm.containers import NoIRError, Payload, PayloadKind, find_payloads

TOOLS = Path(sys.executable).parent
HAS_CLANG = (TOOLS / "clang").exists() and (TOOLS / "llvm-ar").exists()
needs_clang = pytest.mark.skipif(not HAS_CLANG, reason="clang is not installed beside Python")

MAGIC = b"BC\xc0\xde"
CPP = 'struct __attribute__((visibility("hidden"))) A { virtual int m(); }; int A::m() { return 1; }'
LONG = "a_member_name_that_fits_no_header.o"


class Workshop:
    """A folder in which LLVM's tools run, and to which their outputs go."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, tool: str, *arguments: str, stdin: bytes | None = None) -> bytes:
        done = subprocess.run(
            [TOOLS / tool, *arguments], cwd=self.folder, input=stdin, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def compile(self, output: str, function: str, *flags: str) -> bytes:
        """Compiles a C function of that name; returns the object."""
        source = f"int {function}(int x) {{ return x + 1; }}".encode()
        self.run("clang", "-O1", "-xc", "-c", "-", "-o", output, *flags, stdin=source)
        return self.read(output)

    def archive(self, output: str, *members: str, form: str = "gnu", flags: tuple[str, ...] = ()) -> bytes:
        self.run("llvm-ar", f"--format={form}", *flags, "rcS", output, *members)
        return self.read(output)

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def functions(self, payload: Payload) -> list[str]:
        """Returns the names of the functions that LLVM finds defined in a payload."""
        text = self.run("llvm-dis", "-o", "-", stdin=bytes(payload.data)).decode()
        return re.findall(r"^define [^@]*@(\w+)\(", text, re.MULTILINE)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """A folder with the objects that many tests read."""
    shop = Workshop(tmp_path_factory.mktemp("containers"))
    if HAS_CLANG:
        shop.compile("f.o", "f", "-flto")
        shop.compile("g.o", "g", "-flto")
        shop.compile("native.o", "n")
        shop.compile("fat.o", "h", "-flto", "-ffat-lto-objects")
        shop.compile(LONG, "long_name", "-flto")
    return shop


@pytest.fixture(scope="module")
def split(workshop: Workshop) -> bytes:
    """A ThinLTO object with type metadata: two modules and one string table."""
    flags = ("-flto=thin", "-fsplit-lto-unit", "-fsanitize=cfi-vcall", "-fvisibility=hidden", "-fno-rtti")
    workshop.run("clang", "-xc++", "-c", "-", "-o", "split.o", *flags, stdin=CPP.encode())
    return workshop.read("split.o")


def names(payloads: list[Payload]) -> list[str]:
    """Returns the names of payloads."""
    return [payload.name for payload in payloads]


def fault(data: bytes, *, folder: Path | None = None) -> str:
    """Returns the message with which a file named `x` is refused; it is one line."""
    with pytest.raises(InputError) as caught:
        find_payloads(data, "x", folder=folder)
    assert caught.value.path == "x"
    assert "\n" not in str(caught.value)
    return str(caught.value)


def member(name: bytes, data: bytes, size: bytes | None = None) -> bytes:
    """Makes an archive member by hand."""
    size = str(len(data)).encode() if size is None else size
    return name.ljust(16) + b"0".ljust(32) + size.ljust(10) + b"`\n" + data + b"\n" * (len(data) % 2)


def block(number: int, contents: bytes = b"") -> bytes:
    """Makes a top-level block of a bitstream by hand."""
    return struct.pack("<II", 1 | number << 2 | 3 << 10, len(contents) // 4) + contents


MODULE, STRTAB = block(8, b"M" * 8), block(23, b"S" * 4)


# Text


@pytest.mark.parametrize(
    "text", [b"define void @f() {", b"; only a comment", b"\n\n@x = global i32 0", b"no IR"]
)
def test_text(text: bytes) -> None:
    """Whatever looks like text goes to LLVM as it is."""
    [payload] = find_payloads(text, "x.bc")
    assert payload == Payload("x.bc", PayloadKind.TEXT, text)
    assert payload.data is text


@pytest.mark.parametrize("blank", [b"", b"\n", b" \r\n\t"])
def test_empty(blank: bytes) -> None:
    """An empty file is refused; LLVM would read a module without contents."""
    assert fault(blank) == "x: is empty; give LLVM IR, bitcode, an object or an archive"


# Bitcode


@needs_clang
def test_single_module_is_passed_through(workshop: Workshop) -> None:
    """A file of one module is handed on as the object that came in."""
    data = workshop.read("f.o")
    [payload] = find_payloads(data, "f.o")
    assert (payload.name, payload.kind) == ("f.o", PayloadKind.BITCODE)
    assert payload.data is data
    assert workshop.functions(payload) == ["f"]


@needs_clang
def test_view_is_passed_through(workshop: Workshop) -> None:
    """A view that comes in goes out."""
    view = memoryview(workshop.read("f.o"))
    assert find_payloads(view, "f.o")[0].data is view


@needs_clang
@pytest.mark.parametrize("padding", [b"\0", b"\0" * 4096, b"\n" * 7])
def test_padding_is_cut_off(workshop: Workshop, padding: bytes) -> None:
    """Zeros, and the few bytes that an archiver adds, do not reach LLVM, which stops at them."""
    data = workshop.read("f.o")
    [payload] = find_payloads(data + padding, "f.o")
    assert payload.data == data


@needs_clang
def test_split_lto_unit(workshop: Workshop, split: bytes) -> None:
    """The two modules of a ThinLTO object come apart, each with what LLVM needs to read it."""
    first, second = find_payloads(split, "split.o")
    assert (first.name, second.name) == ("split.o", "split.o#2")
    assert workshop.functions(first) == ["_ZN1A1mEv"]
    second_text = workshop.run("llvm-dis", "-o", "-", stdin=bytes(second.data))
    assert re.search(rb"^@_ZTV1A = .*!type", second_text, re.MULTILINE)


@needs_clang
def test_modules_with_their_own_string_tables(workshop: Workshop) -> None:
    """Each module of a file made by `llvm-cat -b` keeps the string table behind it."""
    data = workshop.read("f.o") + workshop.read("g.o")[4:] + workshop.read(LONG)[4:]
    payloads = find_payloads(data, "cat.bc")
    assert names(payloads) == ["cat.bc", "cat.bc#2", "cat.bc#3"]
    assert [workshop.functions(payload) for payload in payloads] == [["f"], ["g"], ["long_name"]]


def test_shared_string_table_serves_all_before_it() -> None:
    """A string table belongs to every module before it that has none yet."""
    second = block(8, b"N" * 8)
    payloads = find_payloads(MAGIC + MODULE + STRTAB + second + MODULE + block(23, b"TTTT"), "x")
    assert [payload.data for payload in payloads] == [
        MAGIC + MODULE + STRTAB,
        MAGIC + second + block(23, b"TTTT"),
        MAGIC + MODULE + block(23, b"TTTT"),
    ]


def test_identification_belongs_to_one_module() -> None:
    """An identification block goes with the module behind it and no other."""
    payloads = find_payloads(MAGIC + block(13) + MODULE + MODULE, "x")
    assert [payload.data for payload in payloads] == [MAGIC + block(13) + MODULE, MAGIC + MODULE]


def test_huge_shared_string_table_is_refused() -> None:
    """Copies of one string table for many modules do not fill the memory."""
    data = MAGIC + block(8) * 200 + block(23, bytes(1 << 20))
    assert "200 modules that share a large string table" in fault(data)


@needs_clang
def test_wrapper(workshop: Workshop) -> None:
    """What clang writes for Apple's platforms loses its wrapper and its padding."""
    data = workshop.compile("apple.o", "f", "-flto", "--target=x86_64-apple-macos13")
    assert data.startswith(b"\xde\xc0\x17\x0b")
    [payload] = find_payloads(data, "apple.o")
    assert bytes(payload.data[:4]) == MAGIC
    assert len(payload.data) % 4 == 0
    assert workshop.functions(payload) == ["f"]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"\xde\xc0\x17\x0b" + bytes(8), "ends in the bitcode wrapper's header"),
        (struct.pack("<5I", 0x0B17C0DE, 0, 20, 1000, 7) + MAGIC, "promises 996 bytes more"),
        (struct.pack("<5I", 0x0B17C0DE, 0, 0, 20, 7) + MAGIC, "wrapper without bitcode"),
        (struct.pack("<5I", 0x0B17C0DE, 0, 20, 4, 7) + b"abcd", "wrapper without bitcode"),
    ],
)
def test_broken_wrapper(header: bytes, message: str) -> None:
    """A wrapper whose numbers cannot be right is refused."""
    assert message in fault(header)


@needs_clang
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.99])
def test_truncated_bitcode(workshop: Workshop, kept: float) -> None:
    """Bitcode that ends in a block is called truncated."""
    data = workshop.read("f.o")
    assert "is truncated: " in fault(data[: int(len(data) * kept)])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (MAGIC, "bitcode without a module"),
        (MAGIC + STRTAB, "bitcode without a module"),
        (MAGIC + MODULE + b"\x05\0\0\0", "ends in the header of the block at offset 20"),
        (MAGIC + MODULE + b"garbage!", "no bitcode at offset 20"),
        (MAGIC + b"\xff" + MODULE, "bitcode without a module"),
        (MAGIC + struct.pack("<II", 1 | 0xFF << 2, 0), "bad block header at offset 4"),
        (MAGIC + MODULE[:-4], "the block (module) at offset 4 runs 4 bytes past the end"),
        (MAGIC + block(99, b"1234")[:-4], "the block (number 99) at offset 4 runs 4 bytes past the end"),
    ],
)
def test_broken_bitcode(data: bytes, message: str) -> None:
    """Damaged bitcode is refused before LLVM sees it, with the place of the damage."""
    assert message in fault(data)


# Objects


@needs_clang
@pytest.mark.parametrize(
    "flags",
    [
        ("-flto", "-ffat-lto-objects"),
        ("-fembed-bitcode",),
        ("-fembed-bitcode", "--target=i386-linux-gnu"),
        ("-fembed-bitcode", "--target=x86_64-apple-macos13"),
        ("-fembed-bitcode", "--target=i386-apple-macos10.12"),
        ("-fembed-bitcode", "--target=x86_64-windows-msvc"),
        ("-flto", "-ffat-lto-objects", "--target=x86_64-windows-msvc"),
    ],
)
def test_object(workshop: Workshop, flags: tuple[str, ...]) -> None:
    """Bitcode is found in ELF, Mach-O and COFF objects."""
    data = workshop.compile("object.o", "f", *flags)
    assert not data.startswith(MAGIC)
    [payload] = find_payloads(data, "object.o")
    assert (payload.name, payload.kind) == ("object.o", PayloadKind.BITCODE)
    assert workshop.functions(payload) == ["f"]


@needs_clang
def test_fat_object_agrees_with_objcopy(workshop: Workshop) -> None:
    """The payload of a fat object is the section as LLVM's own tool sees it."""
    workshop.run("llvm-objcopy", "--dump-section=.llvm.lto=section.bc", "fat.o", "copy.o")
    assert find_payloads(workshop.read("fat.o"), "fat.o")[0].data == workshop.read("section.bc")


@needs_clang
@pytest.mark.parametrize("form", ["elf32-i386", "elf64-x86-64", "elf32-powerpc", "elf64-powerpc"])
def test_elf_of_both_sizes_and_byte_orders(workshop: Workshop, form: str) -> None:
    """32 and 64 bits, little and big endian ELF are read."""
    rename = "--rename-section=.data=.llvmbc"
    workshop.run("llvm-objcopy", "-Ibinary", f"-O{form}", rename, "f.o", "binary.o")
    assert [payload.data for payload in find_payloads(workshop.read("binary.o"), "x")] == [
        workshop.read("f.o")
    ]


@needs_clang
def test_linked_object(workshop: Workshop) -> None:
    """`ld -r` makes one section of several: its modules come apart again, padding or not."""
    workshop.compile("one.o", "one", "-fembed-bitcode")
    workshop.compile("none.o", "none", "-fembed-bitcode=marker")
    workshop.compile("two.o", "two", "-fembed-bitcode")
    workshop.run("ld.lld", "-r", "one.o", "none.o", "two.o", "-o", "linked.o")
    payloads = find_payloads(workshop.read("linked.o"), "linked.o")
    assert names(payloads) == ["linked.o", "linked.o#2"]
    assert [workshop.functions(payload) for payload in payloads] == [["one"], ["two"]]


@needs_clang
def test_fat_lto_section_wins(workshop: Workshop) -> None:
    """Of an object with both sections the one for LTO is read, as the linker would."""
    workshop.run("llvm-objcopy", "--add-section=.llvmbc=f.o", "fat.o", "both.o")
    [payload] = find_payloads(workshop.read("both.o"), "both.o")
    assert workshop.functions(payload) == ["h"]


@needs_clang
def test_many_sections(workshop: Workshop) -> None:
    """More sections than the ELF header can count are read."""
    data = bytearray(workshop.read("fat.o"))
    [table] = struct.unpack_from("<Q", data, 40)
    count, names_index = struct.unpack_from("<HH", data, 60)
    struct.pack_into("<HH", data, 60, 0, 0xFFFF)
    struct.pack_into("<QI", data, table + 32, count, names_index)
    [payload] = find_payloads(bytes(data), "x")
    assert workshop.functions(payload) == ["h"]


@needs_clang
def test_native_object(workshop: Workshop) -> None:
    """An object without bitcode says what to do about it."""
    message = "x: is an ELF object without bitcode; compile with -flto or -ffat-lto-objects"
    assert fault(workshop.read("native.o")) == message


@needs_clang
def test_shared_library(workshop: Workshop) -> None:
    """What was linked from objects without bitcode asks for the objects."""
    workshop.run("ld.lld", "-shared", "native.o", "-o", "native.so")
    message = fault(workshop.read("native.so"))
    assert message.startswith("x: is an ELF shared library or executable without bitcode; give the objects")


@needs_clang
def test_marker_only(workshop: Workshop) -> None:
    """An object that only promises bitcode is refused."""
    assert "bitcode section is empty" in fault(workshop.compile("m.o", "f", "-fembed-bitcode=marker"))


@needs_clang
def test_compressed_section(workshop: Workshop) -> None:
    """A compressed section names the command that decompresses it."""
    workshop.run("llvm-objcopy", "--compress-sections=.llvm.lto=zlib", "fat.o", "zipped.o")
    message = fault(workshop.read("zipped.o"))
    assert "`llvm-objcopy --compress-sections=.llvm.lto=none`" in message
    workshop.run("llvm-objcopy", "--compress-sections=.llvm.lto=none", "zipped.o", "unzipped.o")
    assert len(find_payloads(workshop.read("unzipped.o"), "x")) == 1


@needs_clang
def test_gcc_lto(workshop: Workshop) -> None:
    """An object for GCC's LTO is not blamed on missing flags."""
    workshop.run("llvm-objcopy", "--add-section=.gnu.lto_.opts=native.o", "native.o", "gcc.o")
    assert "is an ELF object with GCC's LTO data, not LLVM's" in fault(workshop.read("gcc.o"))


@needs_clang
@pytest.mark.parametrize(
    ("offset", "form", "value", "message"),
    [
        (4, "<B", 9, "unknown ELF class or byte order"),
        (5, "<B", 0, "unknown ELF class or byte order"),
        (40, "<Q", 2**64 - 1, "the section header table at offset 18446744073709551615 runs past the end"),
        (58, "<H", 1, "section headers of 1 bytes"),
        (60, "<H", 0xFFFE, "the section header table at offset"),
        (62, "<H", 0xFFFE, "the section name table's header at offset"),
    ],
)
def test_broken_elf(workshop: Workshop, offset: int, form: str, value: int, message: str) -> None:
    """An ELF header that contradicts the file is refused."""
    data = bytearray(workshop.read("fat.o"))
    struct.pack_into(form, data, offset, value)
    assert f"is a truncated or malformed object file: {message}" in fault(bytes(data))


@needs_clang
def test_section_without_contents(workshop: Workshop) -> None:
    """A section that takes no room in the file holds no bitcode, whatever its offset."""
    data = bytearray(workshop.read("fat.o"))
    header = data.index(_range_of_payload(bytes(data))) - 24
    struct.pack_into("<I", data, header + 4, 8)
    assert "is an ELF object without bitcode" in fault(bytes(data))


@needs_clang
def test_hostile_section_count(workshop: Workshop) -> None:
    """A count of sections that no file can hold is refused without counting up to it."""
    data = bytearray(workshop.read("fat.o"))
    [table] = struct.unpack_from("<Q", data, 40)
    struct.pack_into("<H", data, 60, 0)
    struct.pack_into("<Q", data, table + 32, 2**64 - 1)
    assert "section header table" in fault(bytes(data))


@needs_clang
def test_overlapping_sections(workshop: Workshop) -> None:
    """Sections that are all the same bytes are not read over and over."""
    data = bytearray(workshop.read("fat.o"))
    [table] = struct.unpack_from("<Q", data, 40)
    [count] = struct.unpack_from("<H", data, 60)
    headers = [bytes(data[at : at + 64]) for at in range(table, table + 64 * count, 64)]
    [wanted] = [h for h in headers if h[24:40] == _range_of_payload(bytes(data))]
    data[table + 64 : table + 64 * count] = wanted * (count - 1)
    names_index = struct.unpack_from("<H", data, 62)[0]
    data[table + 64 * names_index : table + 64 * (names_index + 1)] = headers[names_index]
    assert "sections overlap" in fault(bytes(data))


def _range_of_payload(data: bytes) -> bytes:
    """Returns offset and size of the payload of an ELF object as its section header has them."""
    payload = bytes(find_payloads(data, "x")[0].data)
    return struct.pack("<QQ", data.index(payload), len(payload))


# Archives


@needs_clang
@pytest.mark.parametrize("form", ["gnu", "bsd", "darwin", "coff"])
def test_archive(workshop: Workshop, form: str) -> None:
    """Members of every archive format are found, those without IR skipped."""
    data = workshop.archive(f"{form}.a", "f.o", "native.o", LONG, "fat.o", form=form)
    payloads = find_payloads(data, "libx.a")
    assert names(payloads) == ["libx.a(f.o)", f"libx.a({LONG})", "libx.a(fat.o)"]
    assert [workshop.functions(payload) for payload in payloads] == [["f"], ["long_name"], ["h"]]


@needs_clang
@pytest.mark.parametrize("form", ["gnu", "bsd", "darwin", "coff"])
def test_archive_with_symbol_table(workshop: Workshop, form: str) -> None:
    """Symbol tables are no members."""
    workshop.run("llvm-ar", f"--format={form}", "rcs", f"symbols-{form}.a", "f.o", LONG)
    data = workshop.read(f"symbols-{form}.a")
    assert names(find_payloads(data, "x")) == ["x(f.o)", f"x({LONG})"]
    workshop.run("llvm-ar", f"--format={form}", "rcs", f"native-{form}.a", "native.o")
    assert "(members: 1)" in fault(workshop.read(f"native-{form}.a"))


def test_big_symbol_table() -> None:
    """The 64-bit symbol table of archives over 4 GB is no member."""
    data = b"!<arch>\n" + member(b"/SYM64/", bytes(8)) + member(b"x.bc/", MAGIC + MODULE)
    assert names(find_payloads(data, "x")) == ["x(x.bc)"]


def test_odd_member_and_text_member() -> None:
    """A member of odd size is padded; text is taken if it is LLVM IR, whatever its name."""
    ir = b"; a comment\n\nsource_filename = 1"
    data = b"!<arch>\n" + member(b"README/", b"Read me") + member(b"odd/", ir) + member(b"y/", MAGIC + MODULE)
    assert names(find_payloads(data, "x")) == ["x(odd)", "x(y)"]


@needs_clang
def test_split_object_in_archive(workshop: Workshop, split: bytes) -> None:
    """Modules of one member are numbered behind the member's name."""
    data = b"!<arch>\n" + member(b"split.o/", split) + member(b"f.o/", workshop.read("f.o"))
    assert names(find_payloads(data, "x")) == ["x(split.o)", "x(split.o)#2", "x(f.o)"]


@needs_clang
def test_archive_without_ir(workshop: Workshop) -> None:
    """An archive of native objects says that it is one."""
    data = workshop.archive("native.a", "native.o")
    message = "x: is an archive without LLVM IR (members: 1); compile with -flto or -ffat-lto-objects"
    assert fault(data) == message
    assert "(members: 0)" in fault(b"!<arch>\n")


@needs_clang
def test_damaged_member_is_named(workshop: Workshop) -> None:
    """A damaged member is an error, not skipped, and the message names it."""
    data = b"!<arch>\n" + member(b"bad.o/", workshop.read("f.o")[:1000])
    with pytest.raises(InputError, match=r"^libx\.a\(bad\.o\): is truncated") as caught:
        find_payloads(data, "libx.a")
    assert not isinstance(caught.value, NoIRError)


@needs_clang
def test_nested_archive(workshop: Workshop) -> None:
    """An archive in an archive is read, up to a depth."""
    data = workshop.archive("inner.a", "f.o")
    outer = b"!<arch>\n" + member(b"inner.a/", data)
    assert names(find_payloads(outer, "x")) == ["x(inner.a)(f.o)"]
    for _ in range(50):
        data = b"!<arch>\n" + member(b"a/", data)
    with pytest.raises(InputError, match="4 archives deep"):
        find_payloads(data, "x")


@needs_clang
def test_thin_archive(workshop: Workshop) -> None:
    """Members of a thin archive are read from the files beside it, archives among them."""
    (workshop.folder / "sub").mkdir()
    workshop.archive("sub/inner.a", "g.o")
    data = workshop.archive("thin.a", "f.o", "native.o", LONG, "sub/inner.a", flags=("--thin",))
    assert data.startswith(b"!<thin>\n")
    payloads = find_payloads(data, "thin.a", folder=workshop.folder)
    assert names(payloads) == ["thin.a(f.o)", f"thin.a({LONG})", "thin.a(sub/inner.a)(g.o)"]
    assert [workshop.functions(payload) for payload in payloads] == [["f"], ["long_name"], ["g"]]


def thin(*paths: str) -> bytes:
    """Makes a thin archive by hand."""
    table = "".join(f"{path}/\n" for path in paths)
    offsets = [table.index(f"{path}/\n") for path in paths]
    headers = b"".join(member(f"/{offset}".encode(), b"", b"100") for offset in offsets)
    return b"!<thin>\n" + member(b"//", table.encode()) + headers


def test_thin_archive_without_folder() -> None:
    """A thin archive on standard input cannot be read, and says why."""
    assert "is a thin archive, whose members are files beside it (m.bc, ...)" in fault(thin("m.bc"))


@pytest.mark.parametrize("path", ["missing.bc", ".", "/dev/null", "n" * 4000, "../" * 1000])
def test_thin_archive_with_missing_member(tmp_path: Path, path: str) -> None:
    """A member that is no regular file is an error that names it."""
    message = fault(thin(path), folder=tmp_path)
    assert f"whose member {path} is missing" in message or f"whose member {path} cannot be read" in message


def test_thin_archive_with_repeated_member(tmp_path: Path) -> None:
    """A thin archive cannot make one file be read many times."""
    (tmp_path / "m.bc").write_bytes(MAGIC + MODULE)
    assert len(find_payloads(thin("m.bc"), "x", folder=tmp_path)) == 1
    assert "lists ./m.bc twice" in fault(thin("m.bc", "./m.bc"), folder=tmp_path)


def test_thin_archive_in_archive(tmp_path: Path) -> None:
    """A thin archive inside an archive is refused, since its folder is unknown."""
    data = b"!<arch>\n" + member(b"thin.a/", thin("m.bc"))
    with pytest.raises(InputError, match=r"^x\(thin\.a\): is a thin archive"):
        find_payloads(data, "x", folder=tmp_path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"x" * 60, "bad member header at offset 8"),
        (member(b"a/", b"")[:-10], "bad member header at offset 8"),
        (member(b"a/", b"").replace(b"0         `", b"0`"), "bad member header at offset 8"),
        (member(b"a/", b"", b"-60"), "bad member header at offset 8"),
        (member(b"a/", b"", b"1_0"), "bad member header at offset 8"),
        (member(b"a/", b"", b"1000"), "the member at offset 8 runs 1000 bytes past the end"),
        (member(b"a/", b"12") + b"junk", "bad member header at offset 70"),
        (member(b"/17", b""), "no name behind the member name '/17'"),
        (member(b"/5:3460", b""), "refers to members of another archive ('/5:3460')"),
        (member(b"//", b"a" * 5000 + b"\n") + member(b"/0", b""), "no name behind the member name '/0'"),
        (member(b"#1/99", b"short"), "no name behind the member name '#1/99'"),
        (member(b"", b"no name"), "no name behind the member name ''"),
    ],
)
def test_broken_archive(data: bytes, message: str) -> None:
    """An archive whose headers make no sense is refused with the place."""
    assert message in fault(b"!<arch>\n" + data)


# Other files


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xca\xfe\xba\xbe\0\0\0\x02", "is a Mach-O universal binary"),
        (b"MZ\x90\0", "is a Windows executable or DLL"),
        (b"\0asm\1\0\0\0", "is a WebAssembly file"),
        (b"\x1f\x8b\x08\0", "is compressed with gzip"),
        (b"\xff\xfed\0e\0f\0", "is UTF-16 text; save it as UTF-8"),
        (bytes(1000), "is neither text nor a known kind of file"),
        (b"\xcf\xfa\xed\xfe", "is a truncated or malformed object file"),
        (b"\x64\x86\xff\xff" + bytes(16), "is a truncated or malformed object file"),
        (b"\x64\x86\xff\xff" + bytes(12) + b"\xf0\0\0\0", "is neither text nor a known kind of file"),
        (
            b"\xcf\xfa\xed\xfe" + struct.pack("<7I", 0, 0, 1, 2**32 - 1, 8, 0, 0) + bytes(8),
            "a load command of less than 8 bytes",
        ),
        (b"\x7fELF", "is a truncated or malformed object file"),
    ],
)
def test_other_formats(data: bytes, message: str) -> None:
    """What cannot be read is named, with what to do where there is something."""
    assert message in fault(data)


# Fuzzing

_PIECES = st.sampled_from([b"\xff" * 4, b"\xff" * 8, bytes(4), bytes(8), b"\x7f", b"\x80", b"9" * 10, MAGIC])


@pytest.fixture(scope="module")
def samples(workshop: Workshop, split: bytes) -> list[bytes]:
    """Good files of every kind, small ones, so that headers are hit often."""
    objects = [
        workshop.compile("fuzz.o", "f", "-fembed-bitcode", f"--target={target}")
        for target in ("i386-linux-gnu", "x86_64-apple-macos13", "x86_64-windows-msvc")
    ]
    tiny = MAGIC + block(13) + MODULE + block(13) + MODULE + STRTAB
    big_endian = ("-Ibinary", "-Oelf32-powerpc", "--rename-section=.data=.llvmbc")
    (workshop.folder / "tiny.bc").write_bytes(tiny)
    workshop.run("llvm-objcopy", *big_endian, "tiny.bc", "tiny.o")
    wrapped = struct.pack("<5I", 0x0B17C0DE, 0, 20, len(tiny), 7) + tiny
    gnu = workshop.archive("fuzz-gnu.a", "tiny.bc", "tiny.o", LONG)
    bsd = workshop.archive("fuzz-bsd.a", "tiny.bc", "tiny.o", form="bsd")
    thin_archive = workshop.archive("fuzz-thin.a", "tiny.bc", "tiny.o", flags=("--thin",))
    elf = [workshop.read(name) for name in ("tiny.o", "fat.o")]
    return [tiny, wrapped, split, gnu, bsd, thin_archive, *elf, *objects]


def check_survives(data: bytes, folder: Path) -> None:
    """Fails if a file gives anything else than payloads of bounded size or an InputError."""
    try:
        payloads = find_payloads(data, "x", folder=folder)
    except InputError:
        return
    assert payloads
    for payload in payloads:
        assert payload.kind is PayloadKind.TEXT or bytes(payload.data[:4]) == MAGIC
    assert sum(len(payload.data) for payload in payloads) <= 17 * len(data) + 10_000


@needs_clang
@settings(max_examples=1500, deadline=None)
@given(draw=st.data())
def test_damaged_files(workshop: Workshop, samples: list[bytes], draw: st.DataObject) -> None:
    """Damaged files give payloads or an InputError, and nothing else."""
    data = bytearray(draw.draw(st.sampled_from(samples)))
    places = st.one_of(st.integers(0, 200), st.integers(0, len(data)), st.integers(-700, -1))
    for place, piece in draw.draw(st.lists(st.tuples(places, _PIECES | st.binary(min_size=1, max_size=2)))):
        start = place % (len(data) + 1)
        data[start : start + len(piece)] = piece
    if draw.draw(st.booleans()):
        del data[draw.draw(st.integers(0, len(data))) :]
    check_survives(bytes(data), workshop.folder)


@settings(max_examples=500, deadline=None)
@given(
    magic=st.sampled_from(
        [b"", MAGIC, b"\xde\xc0\x17\x0b", b"!<arch>\n", b"!<thin>\n", b"\x7fELF\2\1", b"\x64\x86"]
    ),
    rest=st.binary(max_size=200),
)
def test_made_up_files(magic: bytes, rest: bytes) -> None:
    """Noise behind a good signature gives payloads or an InputError, and nothing else."""
    check_survives(magic + rest, Path("/nonexistent"))


@needs_clang
def test_every_truncation(workshop: Workshop, samples: list[bytes]) -> None:
    """Good files cut anywhere give payloads or an InputError, and nothing else."""
    for sample in samples:
        for length in range(0, len(sample), 1 + len(sample) // 500):
            check_survives(sample[:length], workshop.folder)
