/*
 * chromosweep: picks the subcommand. Only this layer prints and picks exit statuses, which are
 * those of CsError; results go to standard output, everything else to standard error.
 */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <chromosweep/error.h>

#include "command/arguments.h"
#include "command/command.h"
#include "command/limits.h"
#include "command/messages.h"
#include "command/print.h"
#include "command/suggest.h"

static const char help[] =
    "Usage: chromosweep COMMAND [options] [arguments]\n"
    "\n"
    "Compares whole chromosomes exactly: Smith-Waterman with affine gaps.\n"
    "\n"
    "Commands:\n"
    "  compare        the best local alignment's score and where it ends\n"
    "  resume         go on with a comparison from its checkpoint\n"
    "  info           what a checkpoint holds, and whether it is sound\n"
    "  plan           what a comparison would take, before it is begun\n"
    "  plot           a dot plot of two sequences, PNG or SVG\n"
    "  devices        what can compute here, and whether it does so rightly\n"
    "\n"
    "Options:\n"
    "  -h, --help     this help; chromosweep COMMAND --help tells of one command\n"
    "  -V, --version  the version and how it was built\n"
    "\n"
    "Examples:\n"
    "  chromosweep compare human_MT.fa.gz orang_MT.fa.gz\n"
    "  chromosweep devices --test\n";

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"compare", cs_compare_command}, {"resume", cs_resume_command}, {"info", cs_info_command},
    {"plan", cs_plan_command},       {"plot", cs_plot_command},     {"devices", cs_devices_command},
};

/*
 * Fills a closed standard descriptor, so that no file opened later takes its number and gets what
 * is meant for it. Each is opened the wrong way round, so that using it fails as if it were closed.
 */
static void
guard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(CS_ERROR_FAILED);
}

/* What stands where a command does and is none, as in "chromosweep --help". */
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
    return cs_print_failure("chromosweep", error);
}

/* Runs a command to its end, which is the last that the log file gets. */
static int
run_command(guint k, int argc, char **argv)
{
    const int status = commands[k].run(argc, argv);
    g_autofree char *how = g_strdup_printf("exit status %d", status);
    cs_messages_end(how);
    return status;
}

int
main(int argc, char **argv)
{
    guard_descriptors();
    if (!cs_limits_prepare())
        return CS_ERROR_DEVICE;
    signal(SIGPIPE, SIG_IGN); /* a closed pipe and a file-size limit are failures to be said */
    signal(SIGXFSZ, SIG_IGN);
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
    cs_messages_init();

    if (argc < 2) {
        cs_messages_print(help);
        return CS_ERROR_USAGE;
    }
    for (guint k = 0; k < G_N_ELEMENTS(commands); k++)
        if (strcmp(argv[1], commands[k].name) == 0)
            return run_command(k, argc - 1, argv + 1);
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "help") == 0)
        return cs_print_text(help);
    if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0 ||
        strcmp(argv[1], "version") == 0)
        return cs_print_version();
    return fail_unknown(argv[1]);
}
