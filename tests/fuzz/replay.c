/* Runs a fuzz target on every file of a folder, without libFuzzer: replay FOLDER. */
#include <stdio.h>

#include <glib.h>

int LLVMFuzzerTestOneInput(const guint8 *data, gsize size);

int
main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GDir) folder = argc == 2 ? g_dir_open(argv[1], 0, &error) : NULL;
    if (folder == NULL) {
        fprintf(stderr, "replay: %s\n", error != NULL ? error->message : "replay FOLDER");
        return 2;
    }
    int count = 0;
    const char *name;
    while ((name = g_dir_read_name(folder)) != NULL) {
        g_autofree char *path = g_build_filename(argv[1], name, NULL);
        g_autofree char *data = NULL;
        gsize size;
        if (!g_file_get_contents(path, &data, &size, &error)) {
            fprintf(stderr, "replay: %s\n", error->message);
            return 1;
        }
        printf("%s\n", name);
        fflush(stdout); /* the last line names the file that crashes */
        LLVMFuzzerTestOneInput((const guint8 *)data, size);
        count++;
    }
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
