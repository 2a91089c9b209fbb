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
        mapfile -t COMPREPLY < <(compgen -W 'compare align search identity resume info plan plot devices -h --help -V --version' -- "$word")
        return
    fi
    case $command in
    compare)
        kind=files
        options='-A --match -B --mismatch -O --gap-open -E --gap-extend --target-name --query-name -r --target-region -R --query-region --strand --all-pairs --pairs --min-score --circular --no-start --format --columns -o --output --checkpoint --checkpoint-interval --checkpoint-cleanup --max-time --row-budget --no-resume -t --threads --device --engine --skip --grid --bits --progress --log-file -q --quiet -v --verbose -h --help --help-all -V --version'
        ;;
    align)
        kind=directories
        options='-A --match -B --mismatch -O --gap-open -E --gap-extend --target-name --query-name -r --target-region -R --query-region --strand --format --columns --cigar --cs --swap --write-index --max-drop --one-to-one --all --self --min-score -n --number --all-pairs --circular --verify -o --output --checkpoint --checkpoint-interval --checkpoint-cleanup --max-time --row-budget --no-resume -t --threads --device --engine --skip --grid --bits --progress --log-file -q --quiet -v --verbose -h --help --help-all -V --version'
        ;;
    search)
        kind=files
        options='-n --number --min-score --max-evalue --align --type -M --matrix -A --match -B --mismatch -O --gap-open -E --gap-extend --strand --format --columns -o --output --checkpoint --checkpoint-interval --checkpoint-cleanup --max-time --no-resume -t --threads --device --progress --log-file -q --quiet -v --verbose -h --help --help-all -V --version'
        ;;
    identity)
        kind=files
        options='--identity --min-identity --align --clusters --cluster-rule --type -M --matrix -A --match -B --mismatch -O --gap-open -E --gap-extend --format --columns -o --output --checkpoint --checkpoint-interval --checkpoint-cleanup --max-time --no-resume -t --threads --device --progress --log-file -q --quiet -v --verbose -h --help --help-all -V --version'
        ;;
    resume)
        kind=directories
        options='--format --columns -o --output --checkpoint-interval --checkpoint-cleanup --max-time --row-budget -t --threads --device --engine --skip --grid --bits --progress --log-file -q --quiet -v --verbose -h --help --help-all -V --version'
        ;;
    info)
        kind=directories
        options='--format -h --help --help-all -V --version'
        ;;
    plan)
        kind=files
        options='-A --match -B --mismatch -O --gap-open -E --gap-extend --target-name --query-name -r --target-region -R --query-region --strand --all-pairs --pairs --min-score --circular --no-start --format --columns -o --output --checkpoint --checkpoint-interval --checkpoint-cleanup --max-time --row-budget --no-resume -t --threads --device --engine --skip --grid --bits --progress --log-file -q --quiet -v --verbose -h --help --help-all -V --version --verify --one-to-one --all --self --max-drop -n --number'
        ;;
    plot)
        kind=files
        options='-o --output --format --tiles --size --dpi --tile --min-tile-score --title --no-best --no-path --one-to-one --all --min-score -n --number --all-pairs --identities --order --histogram -A --match -B --mismatch -O --gap-open -E --gap-extend --target-name --query-name -r --target-region -R --query-region -t --threads --device -q --quiet -v --verbose -h --help --help-all -V --version'
        ;;
    devices)
        kind=none
        options='--device --test --format -h --help --help-all -V --version'
        ;;
    esac
    case $command:$before in
    compare:-A | compare:--match | compare:-B | compare:--mismatch | compare:-O | compare:--gap-open | compare:-E | compare:--gap-extend | compare:--target-name | compare:--query-name | compare:-r | compare:--target-region | compare:-R | compare:--query-region | compare:--min-score | compare:--circular | compare:--columns | compare:--checkpoint-interval | compare:--max-time | compare:--row-budget | compare:-t | compare:--threads | compare:--grid)
        kind=none
        ;;
    compare:--strand)
        kind=words values="plus minus both"
        ;;
    compare:--pairs | compare:-o | compare:--output | compare:--log-file)
        kind=files
        ;;
    compare:--format)
        kind=words values="text tsv json"
        ;;
    compare:--checkpoint)
        kind=directories
        ;;
    compare:--device)
        kind=words values="auto cpu gpu $(_chromosweep_devices "$1")"
        ;;
    compare:--engine)
        kind=words values="auto scalar simd cuda"
        ;;
    compare:--skip)
        kind=words values="auto none best bounds"
        ;;
    compare:--bits)
        kind=words values="16 32 64"
        ;;
    compare:--progress)
        kind=words values="auto none json"
        ;;
    align:-A | align:--match | align:-B | align:--mismatch | align:-O | align:--gap-open | align:-E | align:--gap-extend | align:--target-name | align:--query-name | align:-r | align:--target-region | align:-R | align:--query-region | align:--columns | align:--max-drop | align:--min-score | align:-n | align:--number | align:--circular | align:--checkpoint-interval | align:--max-time | align:--row-budget | align:-t | align:--threads | align:--grid)
        kind=none
        ;;
    align:--strand)
        kind=words values="plus minus both"
        ;;
    align:--format)
        kind=words values="paf sam bam cram maf chain text tsv json"
        ;;
    align:--cigar)
        kind=words values="eqx m"
        ;;
    align:-o | align:--output | align:--log-file)
        kind=files
        ;;
    align:--checkpoint)
        kind=directories
        ;;
    align:--device)
        kind=words values="auto cpu gpu $(_chromosweep_devices "$1")"
        ;;
    align:--engine)
        kind=words values="auto scalar simd cuda"
        ;;
    align:--skip)
        kind=words values="auto none best bounds"
        ;;
    align:--bits)
        kind=words values="16 32 64"
        ;;
    align:--progress)
        kind=words values="auto none json"
        ;;
    search:-n | search:--number | search:--min-score | search:--max-evalue | search:-A | search:--match | search:-B | search:--mismatch | search:-O | search:--gap-open | search:-E | search:--gap-extend | search:--columns | search:--checkpoint-interval | search:--max-time | search:-t | search:--threads)
        kind=none
        ;;
    search:--type)
        kind=words values="auto protein nucleotide"
        ;;
    search:-M | search:--matrix | search:-o | search:--output | search:--log-file)
        kind=files
        ;;
    search:--strand)
        kind=words values="plus minus both"
        ;;
    search:--format)
        kind=words values="text tsv json blast6"
        ;;
    search:--checkpoint)
        kind=directories
        ;;
    search:--device)
        kind=words values="auto cpu gpu $(_chromosweep_devices "$1")"
        ;;
    search:--progress)
        kind=words values="auto none json"
        ;;
    identity:--identity)
        kind=words values="longest shortest columns"
        ;;
    identity:--min-identity | identity:-A | identity:--match | identity:-B | identity:--mismatch | identity:-O | identity:--gap-open | identity:-E | identity:--gap-extend | identity:--columns | identity:--checkpoint-interval | identity:--max-time | identity:-t | identity:--threads)
        kind=none
        ;;
    identity:--clusters | identity:-M | identity:--matrix | identity:-o | identity:--output | identity:--log-file)
        kind=files
        ;;
    identity:--cluster-rule)
        kind=words values="single greedy"
        ;;
    identity:--type)
        kind=words values="auto protein nucleotide"
        ;;
    identity:--format)
        kind=words values="text tsv json phylip phylip-lower"
        ;;
    identity:--checkpoint)
        kind=directories
        ;;
    identity:--device)
        kind=words values="auto cpu gpu $(_chromosweep_devices "$1")"
        ;;
    identity:--progress)
        kind=words values="auto none json"
        ;;
    resume:--format)
        kind=words values="text tsv json"
        ;;
    resume:--columns | resume:--checkpoint-interval | resume:--max-time | resume:--row-budget | resume:-t | resume:--threads | resume:--grid)
        kind=none
        ;;
    resume:-o | resume:--output | resume:--log-file)
        kind=files
        ;;
    resume:--device)
        kind=words values="auto cpu gpu $(_chromosweep_devices "$1")"
        ;;
    resume:--engine)
        kind=words values="auto scalar simd cuda"
        ;;
    resume:--skip)
        kind=words values="auto none best bounds"
        ;;
    resume:--bits)
        kind=words values="16 32 64"
        ;;
    resume:--progress)
        kind=words values="auto none json"
        ;;
    info:--format)
        kind=words values="text json"
        ;;
    plan:-A | plan:--match | plan:-B | plan:--mismatch | plan:-O | plan:--gap-open | plan:-E | plan:--gap-extend | plan:--target-name | plan:--query-name | plan:-r | plan:--target-region | plan:-R | plan:--query-region | plan:--min-score | plan:--circular | plan:--columns | plan:--checkpoint-interval | plan:--max-time | plan:--row-budget | plan:-t | plan:--threads | plan:--grid | plan:--max-drop | plan:-n | plan:--number)
        kind=none
        ;;
    plan:--strand)
        kind=words values="plus minus both"
        ;;
    plan:--pairs | plan:-o | plan:--output | plan:--log-file)
        kind=files
        ;;
    plan:--format)
        kind=words values="text tsv json"
        ;;
    plan:--checkpoint)
        kind=directories
        ;;
    plan:--device)
        kind=words values="auto cpu gpu $(_chromosweep_devices "$1")"
        ;;
    plan:--engine)
        kind=words values="auto scalar simd cuda"
        ;;
    plan:--skip)
        kind=words values="auto none best bounds"
        ;;
    plan:--bits)
        kind=words values="16 32 64"
        ;;
    plan:--progress)
        kind=words values="auto none json"
        ;;
    plot:-o | plot:--output | plot:--tiles | plot:--identities)
        kind=files
        ;;
    plot:--format)
        kind=words values="png svg pdf html"
        ;;
    plot:--size | plot:--dpi | plot:--tile | plot:--min-tile-score | plot:--title | plot:--min-score | plot:-n | plot:--number | plot:-A | plot:--match | plot:-B | plot:--mismatch | plot:-O | plot:--gap-open | plot:-E | plot:--gap-extend | plot:--target-name | plot:--query-name | plot:-r | plot:--target-region | plot:-R | plot:--query-region | plot:-t | plot:--threads)
        kind=none
        ;;
    plot:--order)
        kind=words values="file similar"
        ;;
    plot:--device)
        kind=words values="auto cpu gpu $(_chromosweep_devices "$1")"
        ;;
    devices:--device)
        kind=words values="auto cpu gpu $(_chromosweep_devices "$1")"
        ;;
    devices:--format)
        kind=words values="text tsv json"
        ;;
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
