"""layout.py HEADER...: prints a C program that describes the structs and enumerations in public headers.

The program prints a line `struct NAME SIZE` for each struct, a line `member STRUCT NAME OFFSET SIZE` for each of
its members in order, and a line `enumerator NAME VALUE` for each enumerator.
"""

import pathlib
import re
import sys


def statements(body, separator):
    return [piece.strip() for piece in body.split(separator) if piece.strip()]


print("#include <stddef.h>\n#include <stdio.h>\n#include <chromosweep/chromosweep.h>\n")
print("int main(void)\n{")
for header in sys.argv[1:]:
    text = re.sub(r"/\*.*?\*/", "", pathlib.Path(header).read_text(encoding="utf-8"), flags=re.S)
    structs = re.findall(r"typedef struct \{(.*?)\} (\w+);", text, flags=re.S)
    structs += [(body, name) for name, body in re.findall(r"^struct _(\w+) \{(.*?)^\};", text, flags=re.S | re.M)]
    for body, name in structs:
        print(f'    printf("struct {name} %zu\\n", sizeof({name}));')
        for declaration in statements(body, ";"):
            member = re.search(r"(\w+)(\[\w+\])*$", declaration).group(1)
            print(f'    printf("member {name} {member} %zu %zu\\n", offsetof({name}, {member}), '
                  f"sizeof((({name} *)0)->{member}));")
    for body in re.findall(r"typedef enum \{(.*?)\} \w+;", text, flags=re.S):
        for enumerator in statements(body, ","):
            name = enumerator.split()[0]
            print(f'    printf("enumerator {name} %lld\\n", (long long){name});')
print("    return 0;\n}")
