/* Messages of the command, on standard error and in the log file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chromosweep/error.h>
#include <chromosweep/version.h>

#include "command/messages.h"
#include "formats/escape.h"

#define WHO "CHROMOSWEEP_WHO" /* the field with the prefix of a message */

static struct {
    gboolean quiet, verbose;
    int covered; /* columns of the terminal that the progress line covers */
    int log;     /* a descriptor, or -1 */
    char *log_file;
} state = {.log = -1};

static const char *
name_of(GLogLevelFlags level)
{
    if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL))
        return "error";
    if (level & G_LOG_LEVEL_WARNING)
        return "warning";
    return level & G_LOG_LEVEL_MESSAGE ? "event" : "detail";
}

static const char *
field(const GLogField *fields, gsize count, const char *key)
{
    for (gsize k = 0; k < count; k++)
        if (strcmp(fields[k].key, key) == 0)
            return fields[k].value;
    return NULL;
}

/* Whether a message is printed on standard error. GLib decides for messages of other libraries. */
static gboolean
is_heard(GLogLevelFlags level, const char *domain)
{
    if (g_strcmp0(domain, G_LOG_DOMAIN) != 0)
        return !g_log_writer_default_would_drop(level, domain);
    if (level & G_LOG_LEVEL_CRITICAL)
        return TRUE;
    return !state.quiet && (state.verbose || !(level & G_LOG_LEVEL_INFO));
}

/* A GLogWriterFunc. */
static GLogWriterOutput
write_message(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer data)
{
    const char *domain = field(fields, count, "GLIB_DOMAIN"), *who = field(fields, count, WHO);
    const char *message = field(fields, count, "MESSAGE");
    const gboolean heard = is_heard(level, domain), ours = g_strcmp0(domain, G_LOG_DOMAIN) == 0;
    if (message != NULL && (heard || ours))
        cs_messages_log(name_of(level), message);
    if (!heard)
        return G_LOG_WRITER_HANDLED;
    cs_messages_line(NULL);
    if (!ours)
        return g_log_writer_default(level, fields, count, data);
    g_autofree char *shown = cs_escape(message, FALSE);
    fprintf(stderr, "%s: %s%s\n", who != NULL ? who : "chromosweep",
            level & G_LOG_LEVEL_WARNING ? "warning: " : "", shown);
    return G_LOG_WRITER_HANDLED;
}

void
cs_messages_init(void)
{
    g_log_set_writer_func(write_message, NULL, NULL);
}

void
cs_messages_set(gboolean quiet, gboolean verbose)
{
    state.quiet = quiet;
    state.verbose = verbose;
}

static void
say(const char *who, CsMessage level, const char *format, va_list values)
{
    g_autofree char *message = g_strdup_vprintf(format, values);
    g_log_structured(G_LOG_DOMAIN, (GLogLevelFlags)level, WHO, who, "MESSAGE", "%s", message);
}

void
cs_message(CsMessage level, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say("chromosweep", level, format, values);
    va_end(values);
}

void
cs_message_as(const char *who, CsMessage level, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say(who, level, format, values);
    va_end(values);
}

void
cs_messages_print(const char *text)
{
    cs_messages_line(NULL);
    fputs(text, stderr);
}

int
cs_messages_columns(void)
{
    struct winsize size;
    if (!isatty(STDERR_FILENO))
        return 0;
    gboolean known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

/* Uses only carriage returns and blanks, which work on every terminal. */
void
cs_messages_line(const char *text)
{
    if (text == NULL) {
        if (state.covered > 0)
            fprintf(stderr, "\r%*s\r", state.covered, "");
        state.covered = 0;
        return;
    }
    const int most = MAX(0, cs_messages_columns() - 1); /* a full line would wrap */
    const int length = MIN((int)strlen(text), most);
    fprintf(stderr, "\r%-*.*s", MIN(state.covered, most), length, text);
    state.covered = length;
}

static gboolean
write_all(int fd, const char *text, gsize length)
{
    while (length > 0) {
        gssize written = write(fd, text, length);
        if (written < 0 && errno != EINTR)
            return FALSE;
        text += MAX(written, 0);
        length -= (gsize)MAX(written, 0);
    }
    return TRUE;
}

/* Writes each line at once, so that programs that share a log do not mix their lines. */
static gboolean
log_line(const char *what, const char *text)
{
    g_autoptr(GDateTime) now = g_date_time_new_now_utc();
    g_autofree char *time = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
    g_autofree char *shown = cs_escape(text, FALSE);
    g_autofree char *line = g_strdup_printf("%s %s %s\n", time, what, shown);
    return write_all(state.log, line, strlen(line));
}

/* A failure to write the log is printed directly, because messages lead here. */
void
cs_messages_log(const char *what, const char *text)
{
    if (state.log < 0 || log_line(what, text))
        return;
    int code = errno;
    close(state.log);
    state.log = -1;
    g_autofree char *shown = cs_escape(state.log_file, FALSE);
    cs_messages_line(NULL);
    if (!state.quiet)
        fprintf(stderr, "chromosweep: warning: cannot write %s: %s; continuing without a log\n",
                shown, g_strerror(code));
}

static gboolean
fail_log(const char *file, int code, GError **error)
{
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot write %s: %s", file, g_strerror(code));
    return FALSE;
}

gboolean
cs_messages_open_log(const char *file, const char *command_line, GError **error)
{
    int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd < 0)
        return fail_log(file, errno, error);
    state.log = fd;
    state.log_file = g_strdup(file);
    g_autofree char *folder = g_get_current_dir();
    g_autofree char *where =
        g_strdup_printf("chromosweep %s, process %d on %s, in %s", cs_version(), (int)getpid(),
                        g_get_host_name(), folder);
    if (log_line("command", command_line) && log_line("detail", where))
        return TRUE;
    int code = errno;
    close(fd);
    state.log = -1;
    g_clear_pointer(&state.log_file, g_free);
    return fail_log(file, code, error);
}

gboolean
cs_messages_is_logged(void)
{
    return state.log >= 0;
}

void
cs_messages_end(const char *how)
{
    cs_messages_line(NULL);
    cs_messages_log("end", how);
    if (state.log >= 0)
        close(state.log);
    state.log = -1;
    g_clear_pointer(&state.log_file, g_free);
}
