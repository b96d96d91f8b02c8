/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keep.c - writes each run as it is done; what cannot be written waits and is tried again.
 */
#include "cli/keep.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/player.h"
#include "cli/reference.h"

enum hl_status keeper_begin(struct keeper *keeper, const char *db,
                            const struct store_new_study *study, bool is_simulated,
                            struct hl_error *err)
{
    char player[PLAYER_BYTES];
    struct store_new_study played = *study;
    enum hl_status status;

    *keeper = (struct keeper){.planned = study->planned};
    played.player = player_self(player);
    status = cli_store_open(&keeper->store, db, STORE_WRITE, err);
    if (status == HL_OK && is_simulated)
        status = store_relax(keeper->store, err);
    if (status == HL_OK)
        status = store_study_begin(keeper->store, &played, &keeper->study_id, keeper->name, err);
    if (status == HL_OK)
        return HL_OK;
    store_close(keeper->store);
    *keeper = (struct keeper){.planned = study->planned};
    /* A wrong name is the person's own, and so is a file that was asked for. */
    if (db != NULL || status == HL_USAGE || status == HL_NO_MEMORY)
        return status;
    cli_warn("the runs of this study are not kept: %s", err->text);
    *err = (struct hl_error){0};
    return HL_OK;
}

static enum hl_status mark_made(struct keeper *keeper, struct hl_error *err)
{
    struct run_list runs = {0};
    int64_t *places = NULL;
    enum hl_status status = store_runs(keeper->store, keeper->study_id, -1, &runs, &places, err);

    keeper->is_made = hl_alloc((size_t)keeper->planned, sizeof(*keeper->is_made));
    if (status == HL_OK && keeper->is_made == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for %" PRId64 " runs", keeper->planned);
    for (size_t i = 0; status == HL_OK && i < runs.count; i++)
        if (places[i] < keeper->planned) {
            keeper->is_made[places[i]] = true;
            keeper->made_count++;
        }
    hl_free(places);
    run_list_close(&runs);
    return status;
}

enum hl_status keeper_resume(struct keeper *keeper, struct store *store,
                             const struct store_study *study, struct hl_error *err)
{
    char player[PLAYER_BYTES];
    enum hl_status status;

    *keeper = (struct keeper){.store = store, .study_id = study->id, .planned = study->planned};
    (void)snprintf(keeper->name, sizeof(keeper->name), "%s", study->name);
    status = mark_made(keeper, err);
    if (status == HL_OK)
        status = store_study_set_player(store, study->id, player_self(player), err);
    return status;
}

/* Tries to write all that waits, in order. */
static enum hl_status write_waiting(struct keeper *keeper, struct hl_error *err)
{
    size_t written = 0;
    enum hl_status status = HL_OK;

    while (status == HL_OK && written < keeper->waiting.count) {
        status = store_run_add(keeper->store, keeper->study_id, keeper->waiting_places[written],
                               &keeper->waiting.runs[written], err);
        written += status == HL_OK;
    }
    keeper->kept += (int64_t)written;
    for (size_t i = 0; i < written; i++)
        run_close(&keeper->waiting.runs[i]);
    keeper->waiting.count -= written;
    for (size_t i = 0; i < keeper->waiting.count; i++) {
        keeper->waiting.runs[i] = keeper->waiting.runs[i + written];
        keeper->waiting_places[i] = keeper->waiting_places[i + written];
    }
    return status;
}

static enum hl_status add_waiting(struct keeper *keeper, const struct run *run, int64_t place,
                                  struct hl_error *err)
{
    HL_TRY(hl_grow(&keeper->waiting_places, &keeper->waiting_capacity, keeper->waiting.count + 1,
                   sizeof(*keeper->waiting_places), err));
    keeper->waiting_places[keeper->waiting.count] = place;
    return run_list_add(&keeper->waiting, run, err);
}

static void keep(struct keeper *keeper, const struct run *run, int64_t place)
{
    struct hl_error error = {0};
    enum hl_status status = add_waiting(keeper, run, place, &error);

    if (status == HL_OK)
        status = write_waiting(keeper, &error);
    if (status == HL_OK || keeper->has_warned)
        return;
    cli_warn("a run is not kept yet, it is tried again: %s", error.text);
    keeper->has_warned = true;
}

static void on_planned(void *context, int64_t runs)
{
    const struct keeper *keeper = context;

    if (keeper->told.planned != NULL)
        keeper->told.planned(keeper->told.context, runs);
}

static void on_warming_up(void *context)
{
    const struct keeper *keeper = context;

    if (keeper->told.warming_up != NULL)
        keeper->told.warming_up(keeper->told.context);
}

static void on_done(void *context, const struct run *run, int64_t place, int64_t finished,
                    int64_t runs)
{
    struct keeper *keeper = context;

    if (keeper->store != NULL)
        keep(keeper, run, place);
    if (keeper->told.done != NULL)
        keeper->told.done(keeper->told.context, run, place, finished, runs);
}

struct study_progress keeper_progress(struct keeper *keeper, struct study_progress told)
{
    keeper->told = told;
    return (struct study_progress){
        .planned = on_planned, .warming_up = on_warming_up, .done = on_done, .context = keeper};
}

enum hl_status keeper_runs(struct keeper *keeper, struct run_list *runs, struct hl_error *err)
{
    struct hl_error error;

    if (keeper->store == NULL || write_waiting(keeper, &error) != HL_OK)
        return HL_OK;
    return store_runs(keeper->store, keeper->study_id, -1, runs, NULL, err);
}

enum hl_status keeper_finish(struct keeper *keeper, struct hl_error *err)
{
    struct hl_error error = {0};

    if (keeper->store == NULL || write_waiting(keeper, &error) == HL_OK)
        return HL_OK;
    keeper->has_told = true;
    return hl_fail(err, HL_NOT_PERMITTED, "%zu run%s of study %s %s not kept: %.300s",
                   keeper->waiting.count, keeper->waiting.count == 1 ? "" : "s", keeper->name,
                   keeper->waiting.count == 1 ? "is" : "are", error.text);
}

void keeper_close(struct keeper *keeper)
{
    struct hl_error error = {0};

    if (keeper->store != NULL) {
        if (write_waiting(keeper, &error) != HL_OK && !keeper->has_told)
            cli_warn("%zu runs of study %s are not kept: %s", keeper->waiting.count, keeper->name,
                     error.text);
        /* Whoever looks next finds the process gone, if this cannot be written. */
        if (keeper->kept == 0 && keeper->is_made == NULL)
            (void)!store_study_delete(keeper->store, keeper->study_id, &error);
        else
            (void)!store_study_set_player(keeper->store, keeper->study_id, "", &error);
    }
    store_close(keeper->store);
    run_list_close(&keeper->waiting);
    hl_free(keeper->waiting_places);
    hl_free(keeper->is_made);
    *keeper = (struct keeper){0};
}
