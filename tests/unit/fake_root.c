/* A root for tests: see fake_root.h. */
#include <glib/gstdio.h>

#include "fake_root.h"

void
fake_root_write(const char *root, const char *path, const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *file = g_build_filename(root, path, NULL);
    g_autofree char *parent = g_path_get_dirname(file);
    g_assert_cmpint(g_mkdir_with_parents(parent, 0700), ==, 0);
    g_file_set_contents(file, text, -1, &error);
    g_assert_no_error(error);
}

char *
fake_root_new(const FakeFile *files, gsize most)
{
    g_autoptr(GError) error = NULL;
    char *root = g_dir_make_tmp("chromosweep-root-XXXXXX", &error);
    g_assert_no_error(error);
    for (gsize k = 0; k < most && files[k].path != NULL; k++)
        fake_root_write(root, files[k].path, files[k].text);
    return root;
}

static void
remove_tree(const char *path)
{
    g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
    const char *name;
    while (directory != NULL && (name = g_dir_read_name(directory)) != NULL) {
        g_autofree char *child = g_build_filename(path, name, NULL);
        remove_tree(child);
    }
    g_assert_cmpint(g_remove(path), ==, 0);
}

void
fake_root_free(char *root)
{
    remove_tree(root);
    g_free(root);
}
