// One task for each pair of pairs.tsv. All results are collected in results/all.tsv.
//
//   nextflow run main.nf -resume
//   nextflow run main.nf -resume --pairs my_pairs.tsv --options='--strand both'
//
// A task that was stopped by --max_time (status 75) or by a signal is retried and continues from its checkpoint. Each
// try has its own work folder, so the checkpoints are kept outside of it, under an absolute path.

nextflow.enable.dsl = 2

params.pairs = "${projectDir}/pairs.tsv"
params.results = "${launchDir}/results"
params.checkpoints = "${launchDir}/checkpoints"
params.max_time = '11h30m'
params.options = ''

process compare {
    tag "${name}"
    cpus 16
    memory '8 GB'
    time '12h'
    errorStrategy { task.exitStatus in [75, 129, 137, 143, 152] ? 'retry' : 'finish' }
    maxRetries 100

    input:
    tuple val(name), path(target, stageAs: 'target/*'), path(query, stageAs: 'query/*')

    output:
    path "${name}.tsv"

    script:
    """
    mkdir -p '${params.checkpoints}'
    chromosweep compare --threads ${task.cpus} --checkpoint '${params.checkpoints}/${name}' \\
        --max-time ${params.max_time} --format tsv -o '${name}.tsv' ${params.options} '${target}' '${query}'
    """
}

workflow {
    folder = file(params.pairs).parent
    pairs = Channel.fromPath(params.pairs)
        .splitCsv(sep: '\t')
        .filter { row -> !row[0].startsWith('#') }
        .map { row -> tuple(row[0], folder.resolve(row[1]), folder.resolve(row[2])) }
    compare(pairs)
    compare.out.collectFile(name: 'all.tsv', storeDir: params.results, keepHeader: true, skip: 1)
}
