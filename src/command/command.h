/* The subcommands. argv[0] is the subcommand's name. They return the exit status. */
#ifndef CS_COMMAND_H
#define CS_COMMAND_H

int cs_compare_command(int argc, char **argv);
int cs_align_command(int argc, char **argv);
int cs_search_command(int argc, char **argv);
int cs_identity_command(int argc, char **argv);
int cs_resume_command(int argc, char **argv);
int cs_info_command(int argc, char **argv);
int cs_plan_command(int argc, char **argv);
int cs_plot_command(int argc, char **argv);
int cs_devices_command(int argc, char **argv);

#endif
