use std::collections::HashSet;
use std::sync::mpsc::{Receiver, Sender, channel};

use testkit::wait_until;

use super::*;

type Answers = Receiver<(usize, Result<usize, ServiceError>)>;

fn queue(threads: usize, capacity: usize) -> SearchQueue {
    SearchQueue::start(QueueOptions { threads, capacity, max_wait: Duration::from_secs(60) })
        .unwrap()
}

/// A search that runs until its gate is opened.
struct Blocked {
    open: Sender<()>,
    _ticket: Ticket,
}

/// With a short wait on a slow machine, only a later attempt may run.
fn block(queue: &SearchQueue) -> Blocked {
    loop {
        let (open, gate) = channel::<()>();
        let (begin, begun) = channel();
        let work = move |_: Turn<'_>| {
            begin.send(()).unwrap();
            let _ = gate.recv();
            Ok(())
        };
        let ticket = queue.submit(work, |_| {});
        if begun.recv().is_ok() {
            return Blocked { open, _ticket: ticket };
        }
    }
}

fn submit_many(queue: &SearchQueue, count: usize) -> (Vec<Ticket>, Answers) {
    let (sender, answers) = channel();
    let submit = |number| {
        let sender = sender.clone();
        queue.submit(move |_| Ok(number), move |result| sender.send((number, result)).unwrap())
    };
    ((0..count).map(submit).collect(), answers)
}

#[test]
fn searches_run_in_the_order_of_their_arrival() {
    let queue = queue(1, 100);
    let blocked = block(&queue);
    let (_tickets, answers) = submit_many(&queue, 50);
    assert_eq!(queue.load(), QueueLoad { running: 1, waiting: 50 });
    drop(blocked.open);
    let order: Vec<usize> = answers.iter().take(50).map(|(number, _)| number).collect();
    assert_eq!(order, (0..50).collect::<Vec<_>>());
    wait_until("the queue is empty", || queue.load() == QueueLoad { running: 0, waiting: 0 });
}

#[test]
fn a_full_line_pushes_out_somebody_at_random() {
    let mut unlucky = HashSet::new();
    for _ in 0..20 {
        let queue = queue(1, 8);
        let blocked = block(&queue);
        let (_tickets, answers) = submit_many(&queue, 9);
        let (number, refused) = answers.try_recv().expect("one is refused at once");
        assert_eq!(
            refused,
            Err(ServiceError::new(
                Code::TooManySearchRequests,
                "Too many search requests running at the same time: 8. Retry after 10s."
            ))
        );
        assert_ne!(number, 8, "the last one takes the place");
        unlucky.insert(number);
        assert_eq!(queue.load().waiting, 8);
        drop(blocked.open);
        let answered: HashSet<_> =
            answers.iter().take(8).map(|(_, result)| result.unwrap()).collect();
        let others: HashSet<_> = (0..9).filter(|other| *other != number).collect();
        assert_eq!(answered, others);
    }
    assert!(unlucky.len() > 1, "always the same: {unlucky:?}");
}

#[test]
fn without_capacity_a_search_is_refused_while_threads_are_busy() {
    let queue = queue(2, 0);
    wait_until("threads are idle", || queue.shared.state.lock().idle == 2);
    let first = block(&queue);
    let second = block(&queue);
    let (_tickets, answers) = submit_many(&queue, 1);
    assert_eq!(answers.recv().unwrap().1.unwrap_err().code, Code::TooManySearchRequests);
    drop((first.open, second.open));
    wait_until("threads are idle", || queue.shared.state.lock().idle == 2);
    let (_tickets, answers) = submit_many(&queue, 1);
    assert_eq!(answers.recv().unwrap(), (0, Ok(0)));
}

#[test]
fn a_search_that_waited_too_long_is_refused() {
    let max_wait = Duration::from_millis(100);
    let queue = SearchQueue::start(QueueOptions { threads: 1, capacity: 10, max_wait }).unwrap();
    wait_until("threads are idle", || queue.shared.state.lock().idle == 1);
    let blocked = block(&queue);
    let (_tickets, answers) = submit_many(&queue, 1);
    std::thread::sleep(max_wait + Duration::from_millis(20));
    drop(blocked.open);
    assert_eq!(answers.recv().unwrap().1.unwrap_err().code, Code::TooManySearchRequests);
}

#[test]
fn a_waiting_search_can_give_up_and_a_running_one_cannot() {
    let queue = queue(1, 10);
    let blocked = block(&queue);
    let (tickets, answers) = submit_many(&queue, 2);
    assert!(tickets[0].give_up_waiting());
    assert!(!tickets[0].give_up_waiting());
    assert_eq!(answers.recv().unwrap().1.unwrap_err().code, Code::TooManySearchRequests);
    assert_eq!(queue.load().waiting, 1);
    drop(blocked.open);
    assert_eq!(answers.recv().unwrap(), (1, Ok(1)));
    assert!(!tickets[1].give_up_waiting());
}

#[test]
fn a_dropped_ticket_frees_its_place_and_stops_what_runs() {
    let queue = queue(1, 2);
    let blocked = block(&queue);
    let (mut tickets, answers) = submit_many(&queue, 2);
    drop(tickets.remove(0));
    assert_eq!(queue.load().waiting, 1);
    let (_more, more_answers) = submit_many(&queue, 1);
    assert!(answers.try_recv().is_err(), "there was room for one more");
    drop(blocked.open);
    assert_eq!(answers.recv().unwrap(), (1, Ok(1)));
    assert_eq!(more_answers.recv().unwrap(), (0, Ok(0)));

    let (begin, begun) = channel();
    let (end, ended) = channel();
    let ticket = queue.submit(
        move |turn| {
            begin.send(()).unwrap();
            wait_until("the turn is cancelled", || turn.cancel.is_cancelled());
            Ok(())
        },
        move |result| end.send(result).unwrap(),
    );
    begun.recv().unwrap();
    drop(ticket);
    assert_eq!(ended.recv().unwrap(), Ok(()));
}

#[test]
fn a_panic_is_an_error_of_one_search_only() {
    let queue = queue(1, 10);
    let (sender, answers) = channel();
    let _ticket = queue.submit(
        |_| if queue_is_fine() { Ok(()) } else { panic!("a slip, on purpose") },
        move |result| sender.send(result).unwrap(),
    );
    assert_eq!(answers.recv().unwrap().unwrap_err().code, Code::Internal);
    let (_tickets, answers) = submit_many(&queue, 1);
    assert_eq!(answers.recv().unwrap(), (0, Ok(0)));
}

fn queue_is_fine() -> bool {
    false
}

#[test]
fn stopping_refuses_what_waits_and_tells_what_runs() {
    let queue = queue(1, 10);
    let (begin, begun) = channel();
    let _running = queue.submit(
        move |turn| {
            begin.send(()).unwrap();
            wait_until("the turn is cancelled", || turn.cancel.is_cancelled());
            Ok(())
        },
        |_| {},
    );
    begun.recv().unwrap();
    let (_tickets, answers) = submit_many(&queue, 3);
    queue.stop();
    for _ in 0..3 {
        assert!(answers.recv().unwrap().1.is_err());
    }
    let (_late, answers) = submit_many(&queue, 1);
    assert!(answers.recv().unwrap().1.is_err());
    queue.stop();
}

/// The owner of the queue may end on one of its threads.
#[test]
fn the_queue_can_be_stopped_from_inside_a_search() {
    let queue = queue(2, 10);
    let inner = queue.clone();
    let (sender, ended) = channel();
    let _ticket = queue.submit(
        move |_| {
            inner.stop();
            Ok(())
        },
        move |result| sender.send(result).unwrap(),
    );
    assert_eq!(ended.recv().unwrap(), Ok(()));
}

#[test]
fn a_blocked_search_holds_up_no_other() {
    let queue = queue(1, 100);
    let gates: Vec<Sender<()>> = (0..3)
        .map(|_| {
            let (open, gate) = channel::<()>();
            let (begin, begun) = channel();
            let line = queue.clone();
            let work = move |_: Turn<'_>| {
                line.while_blocked(|| {
                    begin.send(()).unwrap();
                    let _ = gate.recv();
                });
                Ok(())
            };
            std::mem::forget(queue.submit(work, |_| {}));
            begun.recv().unwrap();
            open
        })
        .collect();
    let (_tickets, answers) = submit_many(&queue, 20);
    assert_eq!(answers.iter().take(20).count(), 20);
    drop(gates);
    wait_until("the queue is empty", || queue.load() == QueueLoad { running: 0, waiting: 0 });
    // The replacements end again.
    wait_until("threads end", || queue.shared.state.lock().workers == 1);
    let (_tickets, answers) = submit_many(&queue, 20);
    assert_eq!(answers.iter().take(20).count(), 20);
    queue.stop();
}
