/* chromosweep plan identity. */
#ifndef CS_PLAN_IDENTITY_H
#define CS_PLAN_IDENTITY_H

/* argv[0] is "identity". Returns the exit status. */
int cs_plan_identity_command(int argc, char **argv);

#endif
