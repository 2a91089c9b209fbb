/*
 * chromosweep: chooses the command. Only this folder prints, and chooses exit statuses, which are
 * those of CsError. Results go to standard output, everything else to standard error.
 */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <chromosweep/error.h>
#include <chromosweep/ranks.h>

#include "command/arguments.h"
#include "command/command.h"
#include "command/limits.h"
#include "command/messages.h"
#include "command/print.h"
#include "command/signals.h"
#include "command/suggest.h"

static const char help[] =
    "Usage: chromosweep COMMAND [options] [arguments]\n"
    "\n"
    "Compares whole chromosomes exactly: Smith-Waterman with affine gaps.\n"
    "\n"
    "Commands:\n"
    "  compare        find the score, start and end of the best local alignment\n"
    "  align          find the best local alignment itself, as PAF, SAM, MAF and more\n"
    "  search         find the records of a database that are most like each query\n"
    "  identity       compare every record of a file with every other, end to end\n"
    "  resume         resume a comparison from its checkpoint\n"
    "  info           show what a checkpoint holds, and whether it is good\n"
    "  plan           estimate what a comparison needs before you start it\n"
    "  plot           draw a dot plot of two sequences as PNG, SVG, PDF or HTML\n"
    "  devices        list the GPUs and CPU engines, and test them\n"
    "\n"
    "Options:\n"
    "  -h, --help     this help; help COMMAND or COMMAND --help describes a command\n"
    "  -V, --version  the version and how it was built\n"
    "\n"
    "Examples:\n"
    "  chromosweep compare sequences/ape_target.fa.gz sequences/ape_query.fa.gz\n"
    "  chromosweep devices --test\n";

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"compare", cs_compare_command}, {"align", cs_align_command},
    {"search", cs_search_command},   {"identity", cs_identity_command},
    {"resume", cs_resume_command},   {"info", cs_info_command},
    {"plan", cs_plan_command},       {"plot", cs_plot_command},
    {"devices", cs_devices_command},
};

/*
 * Opens closed standard descriptors, so that no file opened later gets their numbers and what is
 * meant for them. Each is opened in the wrong direction, so using it fails as if it were closed.
 */
static void
guard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(CS_ERROR_FAILED);
}

/* The command of that name, or -1. */
static int
find_command(const char *name)
{
    for (guint k = 0; k < G_N_ELEMENTS(commands); k++)
        if (strcmp(name, commands[k].name) == 0)
            return (int)k;
    return -1;
}

static char *
list_commands(void)
{
    GString *all = g_string_new("there are ");
    for (guint k = 0; k < G_N_ELEMENTS(commands); k++)
        g_string_append_printf(all, "%s%s",
                               k == 0                            ? ""
                               : k + 1 == G_N_ELEMENTS(commands) ? " and "
                                                                 : ", ",
                               commands[k].name);
    return g_string_free(all, FALSE);
}

/* A hint for a word that neither is nor resembles a command; (transfer full). */
static char *
hint_at(const char *word)
{
    /* Names of what other programs do. */
    static const struct {
        const char *word;
        const char *hint;
    } hints[] = {
        {"map", "compare finds the best local alignment of two sequences; reads are not mapped"},
        {"blast", "did you mean search?"},
        {"dotplot", "did you mean plot?"},
        {"needle", "did you mean identity?"},
        {"needleall", "did you mean identity?"},
        {"water", "did you mean align?"},
        {"lastz", "did you mean align?"},
        {"nucmer", "did you mean align?"},
        {"minimap2", "did you mean align?"},
        {"allpairs", "did you mean identity?"},
        {"cluster", "did you mean identity --clusters?"},
    };
    for (guint k = 0; k < G_N_ELEMENTS(hints); k++)
        if (g_ascii_strcasecmp(word, hints[k].word) == 0)
            return g_strdup(hints[k].hint);
    if (g_file_test(word, G_FILE_TEST_EXISTS))
        return g_strdup("it is a file: did you mean chromosweep compare TARGET.fa QUERY.fa?");
    return list_commands();
}

/* Fails because there is no such command or option, as in "chromosweep --halp". */
static int
fail_unknown(const char *word)
{
    const char *names[G_N_ELEMENTS(commands) + 2] = {"help", "version"};
    for (guint k = 0; k < G_N_ELEMENTS(commands); k++)
        names[k + 2] = commands[k].name;
    gboolean option = word[0] == '-';
    const char *meant =
        cs_suggest(word + strspn(word, "-"), names, option ? 2 : G_N_ELEMENTS(names));
    g_autoptr(GError) error = g_error_new(G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "no such %s: %s",
                                          option ? "option" : "command", word);
    cs_arguments_append_suggestion(error, option ? "--" : "", meant);
    if (meant == NULL && !option) {
        g_autofree char *message = g_steal_pointer(&error->message), *hint = hint_at(word);
        error->message = g_strdup_printf("%s (%s)", message, hint);
    }
    return cs_print_failure("chromosweep", error);
}

/* "help" prints the help of the program, "help COMMAND" the same as "COMMAND --help". */
static int
print_help(int argc, char **argv)
{
    if (argc < 3 || argv[2][0] == '-' || strcmp(argv[2], "help") == 0)
        return cs_print_text(help);
    const int k = find_command(argv[2]);
    if (k < 0)
        return fail_unknown(argv[2]);
    char option[] = "--help", *of_command[] = {argv[2], option, NULL};
    return commands[k].run(2, of_command);
}

/* Runs a command, and writes its end to the log file. Some commands use several processes. */
static int
run_command(int k, int argc, char **argv, guint processes)
{
    static int (*const shared[])(int, char **) = {cs_compare_command,  cs_align_command,
                                                  cs_resume_command,   cs_search_command,
                                                  cs_identity_command, cs_plan_command};
    guint known = 0;
    while (known < G_N_ELEMENTS(shared) && shared[known] != commands[k].run)
        known++;
    if (processes > 1 && known == G_N_ELEMENTS(shared))
        return cs_print_one_process(argv[0], processes);
    const int status = commands[k].run(argc, argv);
    g_autofree char *how = status == CS_PRINT_NOBODY_READS
                               ? g_strdup("died of SIGPIPE")
                               : g_strdup_printf("exit status %d", status);
    cs_messages_end(how);
    return status;
}

/* Does what the command line asks for. Returns the exit status. */
static int
dispatch(int argc, char **argv, guint processes)
{
    if (argc < 2) {
        cs_messages_print(help);
        return CS_ERROR_USAGE;
    }
    const int k = find_command(argv[1]);
    if (k >= 0)
        return run_command(k, argc - 1, argv + 1, processes);
    if (strcmp(argv[1], "help") == 0)
        return print_help(argc, argv);
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "--help-all") == 0)
        return cs_print_text(help);
    if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0 ||
        strcmp(argv[1], "version") == 0)
        return cs_print_version();
    return fail_unknown(argv[1]);
}

/* Process 0 of several does what the command line asks for, and the others what it asks for. */
static int
run_as_one(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *arguments = g_strjoinv("\n", argv + 1);
    guint rank;
    const guint processes = cs_ranks_start(arguments, &rank, &error);
    int status = CS_ERROR_DEVICE;
    if (rank > 0 && processes > 0) {
        cs_ranks_serve();
        return 0;
    }
    if (rank > 0)
        g_usleep(
            G_USEC_PER_SEC); /* the launcher kills process 0 then, which prints the error first */
    else if (processes == 0)
        status = cs_print_failure("chromosweep", error);
    else
        status = dispatch(argc, argv, processes);
    if (rank == 0)
        cs_ranks_end();
    return status;
}

int
main(int argc, char **argv)
{
    guard_descriptors();
    if (!cs_limits_prepare())
        return CS_ERROR_DEVICE;
    /* A closed pipe and a file-size limit are ordinary failures: no state may be lost. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
    cs_messages_init();
    const int status = run_as_one(argc, argv);
    if (status == CS_PRINT_NOBODY_READS)
        cs_signals_die(SIGPIPE);
    return status;
}
