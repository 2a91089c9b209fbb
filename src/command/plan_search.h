/* chromosweep plan search: what a search would need. */
#ifndef CS_PLAN_SEARCH_H
#define CS_PLAN_SEARCH_H

/* argv[0] is "search"; returns the exit status. */
int cs_plan_search_command(int argc, char **argv);

#endif
