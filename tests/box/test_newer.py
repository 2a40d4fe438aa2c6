"""What the bootstrap makes of f-strings as newer versions of Python have them.

    /usr/bin/python3 tests/box/test_newer.py [-v] [-k PATTERN]
"""
import sys
import unittest

from mcp_relay import Base

STRINGS = "note: the code did not compile, and ran with other quotes around " \
    "f-strings, which Python 3.%d needs\n" % sys.version_info[1]


class Strings(Base):
    """f-strings that hold the quotes around them."""

    TEXT = r'''
d = {"a": {"b": 1}, "x": 3.14159, "l": ["p", "q"]}
print(f"{d["a"]["b"]}: {d["x"]:.2f} {d["x"]!r:>{5 + 5}}|{{z}} {d["a"]=}")
print(f'{d['l']} {f'{d['l'][0]}'}', "a{b}" f"{d["l"][1]}"
      ' c')  # f"{d["none"]}"
print(f"\x7b{d["x"]}\x7d \N{DIGIT ONE} it's", rf"\d{d["l"][0]}")
print(f"""{d["l"][0] if d["x"] != 3 else "n"} "q" {'"'}""")
print(f"{", ".join(f"{k}={"y" if k else ""}" for k in d)}".upper())
print(f"{
    d["l"][0]}")
'''

    def test_strings(self):
        self.prints(self.TEXT, """\
1: 3.14    3.14159|{z} d["a"]={'b': 1}
['p', 'q'] p a{b}q c
{3.14159} 1 it's \\dp
p "q" "
A=Y, X=Y, L=Y
p
""", STRINGS if sys.version_info < (3, 12) else "")

    @unittest.skipIf(sys.version_info >= (3, 12), "it compiles")
    def test_with_await(self):
        self.prints('''print(f"{(await mcp_fs.echo(a=1))["a"]}")''', "1\n",
                    STRINGS)

    @unittest.skipIf(sys.version_info >= (3, 12), "it compiles")
    def test_what_is_left(self):
        for code in ('''x = ["a"]\nprint(f"{"\\n".join(x)}")''',
                     '''print(f"{x["a"}")''', '''print(f"{x["a"]''',
                     '''print(f"{x["a"] # }")''',
                     '''d = {"a": 1}\nprint(f"{f"{d["a"]}" = !s}")'''):
            with self.subTest(code):
                self.prints(code, "", ".*SyntaxError: .*\n", 1)


if __name__ == "__main__":
    unittest.main()
