/*
 * The handlers of the supervisor: its whole attack surface to its workers, in a
 * file on_PEER.c for each peer. routes.c has the table of handlers. Runs in the
 * supervisor.
 */
#ifndef SUPERVISOR_HANDLERS_H
#define SUPERVISOR_HANDLERS_H

#include "../common/ipc/channel.h"

struct box;
struct broker;
struct files;
struct gateway_peer;
struct operator_peer;
struct servers;
struct store;
struct template;

/* on_box.c and on_relay.c */
void supervisor_on_started(struct box *box, struct ipc_started *started);
void supervisor_on_guarded(struct box *box, struct ipc_guarded *guarded);
void supervisor_on_failed(struct box *box, struct ipc_failed *failed);
void supervisor_on_ready(struct box *box, struct ipc_ready *ready);
void supervisor_on_running(struct box *box, struct ipc_running *running);
void supervisor_on_want_store(
    struct box *box, struct ipc_want_store *want_store);
void supervisor_on_whole(struct box *box, struct ipc_whole *whole);
void supervisor_on_picture(struct box *box, struct ipc_picture *picture);
void supervisor_on_place(struct box *box, struct ipc_place *place);
void supervisor_on_progress(struct box *box, struct ipc_progress *progress);
void supervisor_on_preview(struct box *box, struct ipc_preview *preview);
void supervisor_on_fault(struct box *box, struct ipc_fault *fault);
void supervisor_on_round(struct box *box, struct ipc_round *round);
void supervisor_on_done(struct box *box, struct ipc_done *done);

/* on_template.c */
void supervisor_on_standing(
    struct template *template, struct ipc_standing *standing);
void supervisor_on_warm(struct template *template, struct ipc_warm *warm);
void supervisor_on_unfit(struct template *template, struct ipc_unfit *unfit);

/* on_broker.c */
void supervisor_on_want(struct broker *broker, struct ipc_want *want);
void supervisor_on_let_go(struct broker *broker, struct ipc_let_go *let_go);
void supervisor_on_tried(struct broker *broker, struct ipc_tried *tried);
void supervisor_on_want_lists(
    struct broker *broker, struct ipc_want_lists *want);

/* on_store.c */
void supervisor_on_shown(struct store *store, struct ipc_shown *shown);
void supervisor_on_output_read(
    struct store *store, struct ipc_output_read *output_read);

/* on_files.c */
void supervisor_on_filed(struct files *files, struct ipc_filed *filed);
void supervisor_on_used(struct files *files, struct ipc_used *used);
void supervisor_on_left_out(
    struct files *files, struct ipc_left_out *left_out);
void supervisor_on_file_fetched(
    struct files *files, struct ipc_file_fetched *fetched);
void supervisor_on_task_done(
    struct files *files, struct ipc_task_done *done);

/* on_gateway.c */
void supervisor_on_hello(struct gateway_peer *peer, struct ipc_hello *hello);
void supervisor_on_ask(struct gateway_peer *peer, struct ipc_ask *ask);
void supervisor_on_left(struct gateway_peer *peer, struct ipc_left *left);

/* on_operator.c */
void supervisor_on_list_sessions(
    struct operator_peer *peer, struct ipc_list_sessions *list);
void supervisor_on_end_session(
    struct operator_peer *peer, struct ipc_end_session *end);

/* on_reader.c */
void supervisor_on_entry(struct servers *servers, struct ipc_entry *row);
void supervisor_on_rejected(
    struct servers *servers, struct ipc_rejected *row);
void supervisor_on_spot(struct servers *servers, struct ipc_spot *spot);
void supervisor_on_cut(struct servers *servers, struct ipc_cut *cut);
void supervisor_on_gap(struct servers *servers, struct ipc_gap *gap);
void supervisor_on_end_of_file(
    struct servers *servers, struct ipc_end_of_file *row);

#endif
