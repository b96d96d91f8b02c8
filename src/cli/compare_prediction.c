/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare_prediction.c - simulated arms beside a measured one: how wrong were they?
 */
#include "cli/compare_prediction.h"

#include "cli/cli.h"
#include "cli/prediction_notes.h"
#include "report/report.h"

/* The prediction is simulated and the other is not: else the words are in the wrong order. */
static enum hl_status check_sources(const struct stored_arms *stored, struct hl_error *err)
{
    for (size_t i = 0; i < stored->arms.count; i++) {
        const struct compare_arm *arm = &stored->arms.arms[i];
        bool is_predicted = i < stored->first_count;

        for (size_t r = 0; r < arm->run_count; r++)
            if ((arm->runs[r]->source == RUN_SIM) != is_predicted)
                return hl_fail(err, HL_USAGE,
                               "%s has %s runs; expected first what was simulated and then what "
                               "was measured",
                               arm->name, run_source_name(arm->runs[r]->source));
    }
    return HL_OK;
}

/* CSV has no place for them. */
static void warn_of_notes(const struct prediction *prediction)
{
    for (size_t i = 0; i < prediction->note_count; i++)
        cli_warn("%s", prediction->notes[i]);
}

enum hl_status cli_compare_prediction(const struct stored_arms *stored, const char *name,
                                      write_predictions *write, struct hl_error *err)
{
    size_t count = stored->first_count, made = 0;
    struct prediction *predictions;
    enum run_metric metric;
    enum hl_status status;

    if (stored->arms.count != count + 1)
        return hl_fail(err, HL_USAGE,
                       "--prediction: found %zu measured arms; expected the simulated results and "
                       "one measured arm",
                       stored->arms.count - count);
    HL_TRY(check_sources(stored, err));
    HL_TRY(stored_arms_metric(stored, name, &metric, err));
    if (name != NULL && !stored_arms_has(stored, metric))
        return hl_fail(err, HL_USAGE,
                       "the simulated and the measured runs do not both have %s; expected --metric "
                       "with one that they have",
                       name);
    predictions = hl_alloc(count, sizeof(*predictions));
    if (predictions == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %zu predictions", count);
    do
        status = prediction_make(&predictions[made], &stored->arms.arms[made],
                                 &stored->arms.arms[count], metric, err);
    while (status == HL_OK && ++made < count);
    for (size_t i = 0; i < made && status == HL_OK; i++)
        status = prediction_notes_add(&predictions[i], err);
    if (status == HL_OK)
        status = write(stdout, predictions, count, err);
    for (size_t i = 0; i < made && status == HL_OK && write == report_prediction_csv; i++)
        warn_of_notes(&predictions[i]);
    for (size_t i = 0; i < made; i++)
        prediction_close(&predictions[i]);
    hl_free(predictions);
    return status;
}
