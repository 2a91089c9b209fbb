#!/usr/bin/env python3
"""Makes man pages and shell completions from the output of PROGRAM --help-all. Emits TAP.

    make_manual.py [--regenerate] PROGRAM

Compares docs/man/ and completions/ with what would be made, and checks them with man, mandoc, bash, zsh and shellcheck,
as far as these are installed. --regenerate writes the files first; read the difference before you keep it. They are in
the source tree because a program built for another machine cannot be run here. A new command needs no change here: it
is found in the list of `PROGRAM --help`. docs/manual.toml has the text that is not in any help.

--help must fit a terminal of 40 lines and 80 columns, with the command above it and the next prompt below; --help-all
has the rest (lines of help that begin with '+' in the C source are for --help-all only). A help must have this form:

    Usage: chromosweep COMMAND [options] TARGET.fa DIR      then a blank line and paragraphs

    Heading: maybe more text, directly followed by options
      -s, --long VALUE   text, going on below at least as far right [default]
    Exit status: 0 done, 1 this, that, 2 another
    Examples:
      one or more lines each

An option's values are completed from the start of its text ("text, tsv or json"), FILE with files and DIR with
folders. The argument DIR is completed with folders, all other arguments with files.
"""

import argparse
import dataclasses
import difflib
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

TOP = pathlib.Path(__file__).resolve().parents[1]
TABLE = "docs/algorithm.md", "## Gap costs in other tools"


@dataclasses.dataclass
class Option:
    short: str | None
    long: str | None
    value: str | None
    text: str

    @property
    def names(self):
        return [name for name in (self.short, self.long) if name]

    def kind(self):
        """How its value is completed: files, folders, a list of words, or not at all."""
        if self.value == "DIR":
            return "directories"
        if self.value == "FILE" or self.value and " or a file" in self.text:
            return "files"
        text = re.sub(r" \([^)]*\)", "", self.text if self.value else "")
        words = re.match(r"((?:[\w:.-]+, )*[\w:.-]+ or [\w:.-]+)(?![\w:.-])", text)
        words = re.split(", | or ", words[1]) if words else []
        return [word.rstrip(":") for word in words if word == word.lower()]


@dataclasses.dataclass
class Help:
    name: str
    brief: str
    usage: list
    paragraphs: list = dataclasses.field(default_factory=list)
    groups: list = dataclasses.field(default_factory=list)  # (heading, paragraph or "", options)
    commands: list = dataclasses.field(default_factory=list)  # (name, text)
    statuses: list = dataclasses.field(default_factory=list)
    examples: list = dataclasses.field(default_factory=list)

    @property
    def options(self):
        return [option for _, _, options in self.groups for option in options]

    def arguments(self):
        """The kinds of its arguments, in order. If there are several usages, the last one counts."""
        words = self.usage[-1].replace("[options]", "").split()[2:]
        return [(word.strip("[]."), "directories" if "DIR" in word else "files", "..." in word) for word in words]


def run(*command):
    return subprocess.run(command, text=True, capture_output=True, check=False)


def ask(program, *arguments):
    answer = run(program, *arguments)
    if answer.returncode != 0:
        sys.exit(f"{program} {' '.join(arguments)}: status {answer.returncode}: {answer.stderr}")
    return answer.stdout


def read_options(lines):
    options = []
    for line in lines:
        found = re.fullmatch(r"  (?:(-\w)(?:, )?|    )(--[\w-]+)?(?: (\S+))?(?:  +(\S.*))?", line)
        if found and line[2:].lstrip().startswith("-"):
            options.append(Option(found[1], found[2], found[3], found[4] or ""))
        elif options and re.match(" {8}", line):
            options[-1].text = f"{options[-1].text} {line.strip()}".lstrip()
        else:
            raise ValueError(f"no option: {line!r}")
    return options


def read_block(shown, lines):
    """Adds a group of lines without a blank line to what the help shows."""
    count = next((k for k, line in enumerate(lines) if line.startswith("  ")), len(lines))
    text, indented = " ".join(lines[:count]), lines[count:]
    heading, _, rest = text.partition(":")
    if indented and indented[0].lstrip().startswith("-"):
        count = next((k for k, line in enumerate(indented) if not line.startswith("  ")), len(indented))
        shown.groups.append((heading, rest.strip(), read_options(indented[:count])))
        if count < len(indented):
            read_block(shown, indented[count:])
    elif heading == "Commands":
        shown.commands += [tuple(line.split(maxsplit=1)) for line in indented]
    elif heading == "Examples":
        shown.examples += [line[2:] for line in indented]
    elif indented:
        raise ValueError(f"neither options nor examples: {indented[0]!r}")
    elif heading == "Exit status":
        shown.statuses += [tuple(status.split(maxsplit=1)) for status in re.split(r", (?=\d+ )", rest.strip(" ."))]
    else:
        shown.paragraphs.append(text)


def read_help(name, brief, text):
    """Parses the output of `chromosweep NAME --help-all`. Raises ValueError if it has another form."""
    if not text.startswith("Usage: "):
        raise ValueError("no usage")
    usage, *blocks = text.rstrip("\n").split("\n\n")
    shown = Help(name, brief, [line.strip() for line in usage[len("Usage: "):].split("\n")])
    for block in blocks:
        read_block(shown, block.split("\n"))
    return shown


def read_helps(program):
    main = read_help("chromosweep", "", ask(program, "--help"))
    main.brief = main.paragraphs[0][0].lower() + main.paragraphs[0][1:].rstrip(".")
    return main, [read_help(name, text, ask(program, name, "--help-all")) for name, text in main.commands]


# Man pages, in the man(7) language


def roff(text, exact=False):
    """Escapes text for roff. exact: the reader should type it as it is."""
    text = text.replace("\\", "\\e")
    if exact:
        text = text.replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    else:
        text = re.sub(r"(?<![\w-])--?(?=\w)", lambda dash: dash[0].replace("-", "\\-"), text)
    return re.sub(r"^([.'])", r"\\&\1", text)


def roff_usage(line):
    shown = []
    for word in line.split():
        core = word.strip("[].")
        font = "I" if core == "options" or core != core.lower() else "B"
        shown.append(word.replace(core, f"\\f{font}{roff(core, True)}\\fR"))
    return " ".join(shown)


def roff_option(option):
    names = ", ".join(f"\\fB{roff(name, True)}\\fR" for name in option.names)
    value = f" \\fI{roff(option.value, True)}\\fR" if option.value else ""
    return [".TP", names + value, roff(option.text)]


def roff_paragraphs(text):
    lines = []
    for k, paragraph in enumerate(text.strip().split("\n\n")):
        lines += ([".PP"] if k > 0 else []) + [roff(paragraph)]
    return lines


def roff_examples(examples):
    return [".nf", *(roff(line, True) for line in examples), ".fi"]


def roff_table():
    """The table of gap costs as paragraphs, one per tool."""
    name, heading = TABLE
    section = (TOP / name).read_text(encoding="utf-8").split(heading + "\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    header, _, *rows = rows
    before = " ".join(section.strip().split("\n\n")[0].split())
    lines = [roff(before.replace("`", ""))]
    for tool, *cells in rows:
        lines += [".TP", f".B {roff(tool.replace('`', ''), True)}"]
        for title, cell in zip(header[1:], cells):
            shown = re.sub("`([^`]*)`", lambda code: "\\fB" + roff(code[1], True) + "\\fR", cell.replace("\\", ""))
            lines += [f"{title[0].upper()}{title[1:]}{'' if title.endswith('costs') else ':'} {shown}.", ".br"]
        lines.pop()
    return lines


def roff_options(shown):
    lines = []
    if any("[" in option.text for option in shown.options):
        lines.append("Defaults are in brackets.")
    for heading, text, options in shown.groups:
        if heading not in ("", "Options"):
            lines.append(f".SS {roff(heading)}")
        lines += [roff(text[0].upper() + text[1:])] if text else []
        for option in options:
            lines += roff_option(option)
    return lines


def see_also(shown, commands):
    pages = ["chromosweep", *(f"chromosweep-{command.name}" for command in commands)]
    own = page_name(shown)
    listed = [page for page in pages if page != own] + ["minimap2", "samtools"]
    return [f".BR {roff(page, True)} (1){',' if page != listed[-1] else ''}" for page in listed]


def page_name(shown):
    return "chromosweep" if shown.name == "chromosweep" else f"chromosweep-{shown.name}"


def make_page(shown, commands, version, more):
    name = page_name(shown)
    title = name.upper().replace("-", "\\-")
    synopsis = [line for use in shown.usage for line in (".br", roff_usage(use))][1:]
    sections = {
        "NAME": [f"{roff(name, True)} \\- {roff(shown.brief)}"],
        "SYNOPSIS": synopsis,
        "DESCRIPTION": roff_paragraphs("\n\n".join(shown.paragraphs)),
        "COMMANDS": [line for command, text in shown.commands
                     for line in (".TP", f".BR chromosweep\\-{command} (1)", roff(text))],
        "OPTIONS": roff_options(shown),
        "GAP COSTS IN OTHER TOOLS": roff_table() if any(o.long == "--gap-open" for o in shown.options) else [],
        "EXIT STATUS": [line for status, text in shown.statuses for line in (".TP", f".B {status}", roff(text))],
        "ENVIRONMENT": [line for variable, text in more["environment"].items()
                        for line in (".TP", f".B {variable}", roff(text.strip()))]
        if shown.commands or any(option.long == "--device" for option in shown.options) else [],
    }  # fmt: skip
    for heading, text in more["sections"].get(shown.name, {}).items():
        sections[heading] = sections.get(heading, []) + roff_paragraphs(text)
    sections["EXAMPLES"] = roff_examples(shown.examples) if shown.examples else []
    sections["SEE ALSO"] = see_also(shown, commands)
    lines = ['.\\" Made from --help-all by tools/make_manual.py --regenerate.',
             f'.TH {title} 1 {more["date"]} "chromosweep {version}" "User Commands"']
    for heading, body in sections.items():
        lines += [f".SH {heading}", *body] if body else []
    return "\n".join(lines) + "\n"


# Completions


def kinds_of_values(shown):
    """The names of options that are completed in the same way, and how."""
    for option in shown.options:
        if option.value:
            yield option, option.kind()


BASH = """\
# shellcheck shell=bash
# Completion of chromosweep for bash. Made from --help-all by tools/make_manual.py --regenerate.

# What --device takes; listing the devices takes a moment.
_chromosweep_devices() {
    "$1" devices --format tsv 2>/dev/null | sed 1d | cut -f 1 | sort -u
}

# What of COMPREPLY replaces what readline takes for the word: what follows its last = or :.
_chromosweep_trim() {
    local k cut=${1%"${1##*:}"}
    [[ $COMP_WORDBREAKS == *:* && -n $cut ]] || return 0
    for k in "${!COMPREPLY[@]}"; do
        COMPREPLY[k]=${COMPREPLY[k]#"$cut"}
    done
}

_chromosweep() {
    local line=${COMP_LINE:0:COMP_POINT} command=${COMP_WORDS[1]-} typed word before options='' values='' kind=files
    read -ra typed <<<"$line"
    [[ $line != *[[:space:]] ]] || typed+=("")
    word=${typed[-1]-} before=${typed[-2]-}
    if [[ $word == --*=* ]]; then
        before=${word%%=*} word=${word#*=}
    fi
    COMPREPLY=()
    if [ "$COMP_CWORD" -le 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W '@TOP@' -- "$word")
        return
    fi
    case $command in
@OPTIONS@
    esac
    case $command:$before in
@VALUES@
    *)
        [[ $word != -* ]] || kind=words values=$options
        ;;
    esac
    case $kind in
    words) mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word") ;;
    files) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    directories) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    esac
    case $kind in
    files) compopt -o filenames 2>/dev/null ;;
    directories) compopt -o filenames +o default 2>/dev/null ;;
    *) compopt +o default 2>/dev/null ;;
    esac
    _chromosweep_trim "$word"
}

# Where this finds no files readline may, which knows of quotes.
complete -o default -F _chromosweep chromosweep
"""


def make_bash(main, commands):
    names = lambda shown: [name for option in shown.options for name in sorted(option.names, key=len)]
    options, values = [], []
    for command in commands:
        kinds = [kind for _, kind, _ in command.arguments()]
        kind = kinds[-1] if kinds else "none"
        options += [f"    {command.name})", f"        kind={kind}",
                    f"        options='{' '.join(names(command))}'", "        ;;"]
        grouped = {}
        for option, kind in kinds_of_values(command):
            if isinstance(kind, list):
                device = ["$(_chromosweep_devices \"$1\")"] if option.long == "--device" else []
                kind = f'words values="{" ".join(kind + device)}"' if kind else "none"
            grouped.setdefault(kind, []).extend(f"{command.name}:{name}" for name in option.names)
        for kind, patterns in grouped.items():
            values += [f"    {' | '.join(patterns)})", f"        kind={kind}", "        ;;"]
    text = BASH.replace("@TOP@", " ".join([*(command.name for command in commands), *names(main)]))
    return text.replace("@OPTIONS@", "\n".join(options)).replace("@VALUES@", "\n".join(values))


ZSH = """\
#compdef chromosweep
# Completion of chromosweep for zsh. Made from --help-all by tools/make_manual.py --regenerate.

# What --device takes; listing the devices takes a moment.
_chromosweep_devices() {
    local -a expl devices=(@DEVICES@
        ${(f)"$(_call_program devices chromosweep devices --format tsv 2>/dev/null | sed 1d | cut -f 1)"})
    _wanted devices expl device compadd -a devices
}
"""


def zsh_quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_option(option):
    said = re.split(r";|: |\[", option.text)[0].strip()
    action = ""
    if option.value:
        kind = option.kind()
        done = {"files": "_files", "directories": "_files -/"}.get(kind) if isinstance(kind, str) else \
            f"({' '.join(kind)})" if kind else " "
        if option.long == "--device":
            done = "_chromosweep_devices"
        action = f":{option.value}:{done}"
    excluded = f"({' '.join(option.names)})" if len(option.names) > 1 else ""
    marks = [(name + ("+" if name == option.short else "=") if option.value else name) for name in option.names]
    if len(marks) == 1:
        return zsh_quote(f"{marks[0]}[{said}]{action}")
    return f"{zsh_quote(excluded)}{{{','.join(marks)}}}{zsh_quote(f'[{said}]{action}')}"


def zsh_argument(name, kind, many):
    return zsh_quote(f"{'*' if many else ''}:{name}:{'_files -/' if kind == 'directories' else '_files'}")


def make_zsh(main, commands):
    lines = ["", "_chromosweep() {", "    local line state context", "    typeset -A opt_args",
             "    _arguments -S \\"]
    lines += [f"        {zsh_option(option)} \\" for option in main.options]
    lines += ["        '1:command:->command' \\", "        '*::argument:->argument' && return", "    case $state in",
              "    command)", "        local -a commands=("]
    lines += [f"            {zsh_quote(command.name + ':' + command.brief)}" for command in commands]
    lines += ["        )", "        _describe command commands", "        ;;", "    argument)",
              "        case $words[1] in"]
    for command in commands:
        specs = [zsh_option(option) for option in command.options]
        specs += [zsh_argument(*argument) for argument in command.arguments()]
        lines += [f"        {command.name})", "            _arguments -s -S \\",
                  " \\\n".join(f"                {spec}" for spec in specs), "            ;;"]
    lines += ["        esac", "        ;;", "    esac", "}", "", '_chromosweep "$@"', ""]
    devices = next(option.kind() for command in commands for option in command.options if option.long == "--device")
    return ZSH.replace("@DEVICES@", " ".join(devices)) + "\n".join(lines)


# The files, and the tests of them


def make_all(program):
    """The content of each file, by its path from the top of the source tree."""
    main, commands = read_helps(program)
    more = tomllib.loads((TOP / "docs/manual.toml").read_text(encoding="utf-8"))
    version = ask(program, "--version").split()[1]
    files = {}
    for shown in [main, *commands]:
        files[f"docs/man/{page_name(shown)}.1"] = make_page(shown, commands, version, more)
    files["completions/chromosweep.bash"] = make_bash(main, commands)
    files["completions/_chromosweep"] = make_zsh(main, commands)
    return files


def judges(name):
    """Commands that print nothing if a file is good."""
    path = str(TOP / name)
    if name.endswith(".1"):
        return [["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", path],
                ["mandoc", "-Tlint", "-Wwarning", path]]
    if name.endswith(".bash"):
        return [["bash", "-n", path], ["shellcheck", path]]
    return [["zsh", "-n", path]]


class Tap:
    def __init__(self):
        self.number = self.failed = 0

    def tell(self, good, name, why="", skip=""):
        self.number += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.number} - {name}{' # SKIP ' + skip if skip else ''}")
        for line in why.splitlines() if not good else []:
            print(f"#   {line}")


def check(files, tap):
    for name, text in files.items():
        path = TOP / name
        now = path.read_text(encoding="utf-8") if path.exists() else ""
        difference = list(difflib.unified_diff(now.splitlines(), text.splitlines(), "as it is", "as it should be",
                                               n=1, lineterm=""))
        tap.tell(not difference, f"{name} agrees with --help-all",
                 "\n".join(["run tools/make_manual.py --regenerate PROGRAM", *difference[:30]]))
    kept = {str(path.relative_to(TOP)) for folder in ("docs/man", "completions") for path in (TOP / folder).iterdir()}
    tap.tell(kept <= set(files), "nothing else is there", " ".join(sorted(kept - set(files))))
    for name in files:
        for judge in judges(name):
            if not shutil.which(judge[0]):
                tap.tell(True, f"{name}: {judge[0]}", skip=f"no {judge[0]} here")
                continue
            said = run(*judge)
            noise = said.stderr if judge[0] == "man" else said.stdout + said.stderr
            tap.tell(said.returncode == 0 and not noise, f"{name}: {judge[0]}", noise or f"status {said.returncode}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--regenerate", action="store_true")
    parser.add_argument("program", type=pathlib.Path)
    arguments = parser.parse_args()
    files = make_all(arguments.program.resolve())
    if arguments.regenerate:
        for folder in "docs/man", "completions":
            (TOP / folder).mkdir(exist_ok=True)
            for path in (TOP / folder).iterdir():
                path.unlink()
        for name, text in files.items():
            (TOP / name).write_text(text, encoding="utf-8")
    tap = Tap()
    check(files, tap)
    print(f"1..{tap.number}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
