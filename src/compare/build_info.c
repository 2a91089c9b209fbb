/* How this library was built, and the sizes of its structs for bindings. */
#include <string.h>

#include <htslib/hts.h>

#include <chromosweep/align_set.h>
#include <chromosweep/alignment.h>
#include <chromosweep/checkpoint.h>
#include <chromosweep/compare.h>
#include <chromosweep/device.h>
#include <chromosweep/engine.h>
#include <chromosweep/identity.h>
#include <chromosweep/plan.h>
#include <chromosweep/search.h>
#include <chromosweep/version.h>

#include "config.h"

/* "simd (AVX2), scalar (portable)": what each engine runs on here, or why it does not. */
static char *
engines_phrase(void)
{
    GString *phrase = g_string_new(NULL);
    for (const char *const *name = cs_engine_names(); *name != NULL; name++) {
        g_autoptr(GError) error = NULL;
        const char *description = cs_engine_describe(*name, &error);
        g_string_append_printf(phrase, "%s%s (%s)", phrase->len > 0 ? ", " : "", *name,
                               description != NULL ? description : error->message);
    }
    return g_string_free(phrase, FALSE);
}

char *
cs_build_info(void)
{
    g_autofree char *engines = engines_phrase();
#ifdef CS_CUDA
    const char *cuda = "yes (" CS_CUDA_VERSION " for " CS_CUDA_ARCHS " and newer)";
#else
    const char *cuda = "no";
#endif
    return g_strdup_printf("compiler: %s\n"
                           "htslib: %s (built with %s)\n"
                           "GLib: %u.%u.%u (built with %s)\n"
                           "engines: %s\n"
                           "CUDA: %s",
                           CS_COMPILER, hts_version(), CS_HTSLIB_BUILT, glib_major_version,
                           glib_minor_version, glib_micro_version, CS_GLIB_BUILT, engines, cuda);
}

gsize
cs_struct_size(const char *name)
{
    static const struct {
        const char *name;
        gsize size;
    } structs[] = {
        {"CsAlignSetOptions", sizeof(CsAlignSetOptions)},
        {"CsAlignSetSummary", sizeof(CsAlignSetSummary)},
        {"CsAlignmentDrop", sizeof(CsAlignmentDrop)},
        {"CsAlignmentIter", sizeof(CsAlignmentIter)},
        {"CsAlignmentRun", sizeof(CsAlignmentRun)},
        {"CsAlignmentSummary", sizeof(CsAlignmentSummary)},
        {"CsCheckpointInfo", sizeof(CsCheckpointInfo)},
        {"CsCheckpointSet", sizeof(CsCheckpointSet)},
        {"CsCompareOptions", sizeof(CsCompareOptions)},
        {"CsCompareResult", sizeof(CsCompareResult)},
        {"CsDevice", sizeof(CsDevice)},
        {"CsDeviceList", sizeof(CsDeviceList)},
        {"CsGeneration", sizeof(CsGeneration)},
        {"CsIdentityOptions", sizeof(CsIdentityOptions)},
        {"CsIdentityPair", sizeof(CsIdentityPair)},
        {"CsIdentityRecord", sizeof(CsIdentityRecord)},
        {"CsIdentitySummary", sizeof(CsIdentitySummary)},
        {"CsPlan", sizeof(CsPlan)},
        {"CsPlanMember", sizeof(CsPlanMember)},
        {"CsProgress", sizeof(CsProgress)},
        {"CsScoring", sizeof(CsScoring)},
        {"CsSearchHit", sizeof(CsSearchHit)},
        {"CsSearchOptions", sizeof(CsSearchOptions)},
        {"CsSearchProgress", sizeof(CsSearchProgress)},
        {"CsSearchSummary", sizeof(CsSearchSummary)},
        {"CsStageSeconds", sizeof(CsStageSeconds)},
        {"CsStrandResult", sizeof(CsStrandResult)},
    };
    for (guint k = 0; k < G_N_ELEMENTS(structs); k++)
        if (strcmp(structs[k].name, name) == 0)
            return structs[k].size;
    return 0;
}
