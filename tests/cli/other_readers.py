"""Reads alignments of the command with other people's tools, for read_back.py.

Each function reads files in `folder`, and compares them with `told`, the PAF line of the alignment. READERS lists the
functions, the file that each needs, and whether the tool is here.
"""

import importlib
import logging
import re
import shutil
import subprocess


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


pysam = module("pysam")
bio_align = module("Bio.Align")
bio_chain = module("Bio.Align.chain")  # since Biopython 1.81
bx_maf = module("bx.align.maf")
crossmap = module("cmmodule.utils")
pyliftover = module("pyliftover")

logging.disable()  # CrossMap tells what it reads
STEP = 37  # of the positions, that many are lifted


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def read_by_samtools(folder, pair, told):
    for name in ("a.bam", "a.cram", "a.sam.gz"):
        if name not in told.written:
            continue
        file = str(folder / name)
        subprocess.run(["samtools", "quickcheck", *(["-u"] if name == "a.sam.gz" else []), file], check=name != "a.sam.gz")
        # The file's own index, a region in the middle, and nothing but the file: no reference.
        text = output_of("samtools", "view", file, f"t:{(told.target_start + told.target_end) // 2}")
        told.check_sam(text.rstrip("\n").split("\t"), merged=name == "a.cram")
        assert output_of("samtools", "view", file, f"t:{told.target_end + 1}-") == ""
    # calmd works out NM by itself, and prints a warning where it differs.
    done = subprocess.run(["samtools", "calmd", str(folder / "a.bam"), pair.files[0]], check=True, capture_output=True)
    assert b"differ" not in done.stderr and b"NM" not in done.stderr, done.stderr


def read_by_pysam(folder, pair, told):
    with pysam.AlignmentFile(str(folder / "a.bam")) as file:
        (record,) = list(file)
    assert (record.reference_start, record.reference_end) == (told.target_start, told.target_end)
    assert record.query_alignment_sequence == told.strand_bases[told.query_start : told.query_end]
    assert record.get_aligned_pairs(matches_only=True) == [
        (q - told.clipped + k, t + k) for t, q, count in told.blocks for k in range(count)
    ]


def check_coordinates(alignment, told, reverse=False):
    """Biopython's table of corners, on the forward strands, against our blocks."""
    corners = [(int(t), int(q)) for t, q in alignment.coordinates.T]
    query_length = len(told.strand_bases)
    if told.minus and not reverse:  # the query's positions descend
        corners = [(t, query_length - q) for t, q in corners]
    if reverse:
        corners = [(t, q) for q, t in corners]  # target and query are swapped
        if told.minus:  # the target's positions descend, as the query's ascend
            corners = [(t, query_length - q) for t, q in corners[::-1]]
    blocks = [
        (t, q, next_t - t)
        for (t, q), (next_t, next_q) in zip(corners, corners[1:])
        if next_t - t == next_q - q > 0
    ]
    assert blocks == told.blocks, (blocks[:3], told.blocks[:3], len(blocks), len(told.blocks))


def read_maf_by_biopython(folder, pair, told):
    (alignment,) = bio_align.parse(str(folder / "a.maf"), "maf")
    assert (alignment.target.id, alignment.query.id, alignment.score) == ("t", "q.1", told.score)
    check_coordinates(alignment, told)
    assert (alignment[0], alignment[1]) == told.rows


def read_chain_by_biopython(folder, pair, told):
    for name, reverse in (("a.chain", False), ("back.chain", True)):
        (alignment,) = bio_align.parse(str(folder / name), "chain")
        assert (alignment.target.id, alignment.query.id) == (("q.1", "t") if reverse else ("t", "q.1"))
        assert alignment.score == told.score
        check_coordinates(alignment, told, reverse)


def read_by_bx(folder, pair, told):
    with open(folder / "a.maf", encoding="ascii") as file:
        (block,) = list(bx_maf.Reader(file))
    target, query = block.components
    assert float(block.score) == told.score
    assert (target.src, target.start, target.end, target.strand, target.src_size) == (
        "t", told.target_start, told.target_end, "+", len(pair.bases["t"]))
    assert (query.src, query.start, query.end, query.strand, query.src_size) == (
        "q.1", told.query_start, told.query_end, "-" if told.minus else "+", len(told.strand_bases))
    assert (target.text, query.text) == told.rows


def read_by_maf_convert(folder, pair, told):
    record = output_of("maf-convert", "sam", str(folder / "a.maf")).splitlines()[-1].split("\t")
    assert record[:4] == ["q.1", "16" if told.minus else "0", "t", str(told.target_start + 1)]
    assert re.sub("[0-9]+H", "", record[5]) == told.cigar
    assert output_of("maf-convert", "chain", str(folder / "a.maf")) == (folder / "a.chain").read_text().rstrip("\n") + "\n"


def check_lifts(told, lift, lift_back):
    """lift() and lift_back() take a position and return the other and its strand, or None where there is none."""
    strand = "-" if told.minus else "+"
    partners = {t + k: q + k for t, q, count in told.blocks for k in range(count)}
    forward = {t: len(told.strand_bases) - 1 - q if told.minus else q for t, q in partners.items()}
    back = {q: t for t, q in forward.items()}
    for there, other in ((lift, forward), (lift_back, back)):
        low, high = min(other), max(other)
        for position in {low - 1, low, high, high + 1, *range(low, high, STEP)}:
            wanted = (other[position], strand) if position in other else None
            if position >= 0:
                assert there(position) == wanted, (position, there(position), wanted)


def read_by_pyliftover(folder, pair, told):
    def lifter(name, source, target):
        chain = pyliftover.LiftOver(str(folder / name))

        def lift(position):
            found = chain.convert_coordinate(source, position)
            assert len(found) <= 1 and all(hit[0] == target and hit[3] == told.score for hit in found)
            return found[0][1:3] if found else None

        return lift

    check_lifts(told, lifter("a.chain.gz", "t", "q.1"), lifter("back.chain", "q.1", "t"))


def read_by_crossmap(folder, pair, told):
    def lifter(name, source, target):
        maps, _, _ = crossmap.read_chain_file(str(folder / name))

        def lift(position):
            found = crossmap.map_coordinates(maps, source, position, position + 1, chrom_style="n")
            if not found:
                return None
            _, (there, start, end, strand) = found
            assert there == target and end == start + 1
            return start, strand

        return lift

    check_lifts(told, lifter("a.chain", "t", "q.1"), lifter("back.chain", "q.1", "t"))


def check_pieces(folder, wanted, scores):
    """Pieces in MAF and chain; wanted: the ends of each in the target, and its bases of the query."""
    if bx_maf:
        with open(folder / "pieces.maf", encoding="ascii") as file:
            blocks = list(bx_maf.Reader(file))
        sides = [block.components for block in blocks]
        assert [(t.start, t.end, q.text.replace("-", "")) for t, q in sides] == wanted
        assert [int(float(block.score)) for block in blocks] == scores
    if bio_chain:
        chains = list(bio_align.parse(str(folder / "pieces.chain"), "chain"))
        ends = [tuple(int(position) for position in chain.coordinates[0][[0, -1]]) for chain in chains]
        assert ends == [(start, end) for start, end, _ in wanted]
        assert [int(chain.score) for chain in chains] == scores


READERS = [
    ("samtools", read_by_samtools, "a.bam", shutil.which("samtools")),
    ("pysam", read_by_pysam, "a.bam", pysam),
    ("MAF by Biopython", read_maf_by_biopython, "a.maf", bio_align and module("Bio.Align.maf")),
    ("chain by Biopython", read_chain_by_biopython, "a.chain", bio_chain),
    ("bx-python", read_by_bx, "a.maf", bx_maf),
    ("maf-convert", read_by_maf_convert, "a.maf", shutil.which("maf-convert")),
    ("pyliftover", read_by_pyliftover, "a.chain", pyliftover),
    ("CrossMap", read_by_crossmap, "a.chain", crossmap),
]
