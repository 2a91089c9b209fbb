/* Marks what libchromosweep exports. Every other symbol is hidden. */
#ifndef CHROMOSWEEP_EXPORT_H
#define CHROMOSWEEP_EXPORT_H

#define CS_API __attribute__((visibility("default")))

#endif
