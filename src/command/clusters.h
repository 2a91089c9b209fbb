/*
 * Clusters of the records of a file, from the pairs that are similar enough. Memory is 12 bytes for each
 * such pair, and 20 for each record.
 */
#ifndef CS_CLUSTERS_H
#define CS_CLUSTERS_H

#include <chromosweep/identity.h>

/*
 * CS_CLUSTER_SINGLE: a record is in the cluster of every record that it is similar enough to (single
 *   linkage). The representative is the longest record, of several the first in the file.
 * CS_CLUSTER_GREEDY: from the longest record to the shortest, equal ones as in the file, a record joins
 *   the first representative that it is similar enough to; if there is none it becomes one (as in
 *   CD-HIT).
 */
typedef enum {
    CS_CLUSTER_SINGLE,
    CS_CLUSTER_GREEDY,
} CsClusterRule;

/* The names that --cluster-rule takes, NULL-terminated. */
extern const char *const cs_cluster_rule_names[];

typedef struct _CsClusters CsClusters;

CsClusters *cs_clusters_new(CsClusterRule rule);

/* Takes similar pairs, each once. Fails with CS_ERROR_DEVICE if there is not enough memory. */
gboolean cs_clusters_add(CsClusters *clusters, const CsIdentitySummary *summary,
                         const CsIdentityPair *pairs, gint64 count, GError **error);

/*
 * After the last pair: a table with a line for each record, TSV. The largest cluster is the first, of
 * equal ones that with the first record. In a cluster the representative comes first, then the others as
 * in the file. NULL if there is not enough memory, CS_ERROR_DEVICE.
 */
char *cs_clusters_table(CsClusters *clusters, const CsIdentityRecord *records, gint64 count,
                        GError **error);

/* How many clusters there are, once the table is made. */
gint64 cs_clusters_count(const CsClusters *clusters);

void cs_clusters_free(CsClusters *clusters);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsClusters, cs_clusters_free)

#endif
