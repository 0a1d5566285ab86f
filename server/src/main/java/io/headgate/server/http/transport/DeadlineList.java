package io.headgate.server.http.transport;

import java.util.ArrayList;
import java.util.List;

/**
 * The requests of one event loop that have a deadline: a circular list, linked through the requests
 * themselves. A request is in at most one list. Confined to its event loop.
 */
@SuppressWarnings("ReferenceEquality") // of list nodes
final class DeadlineList {
  private final BodyReceiver head =
      new BodyReceiver() {
        @Override
        void onTimeout() {}
      };

  DeadlineList() {
    head.previous = head;
    head.next = head;
  }

  /** Sets the deadline of a request, or changes it. */
  void put(BodyReceiver request, long deadline) {
    request.deadline = deadline;
    if (request.next != null) return;
    var last = head.previous;
    if (last == null) throw new IllegalStateException("the list is not linked");
    request.previous = last;
    request.next = head;
    last.next = request;
    head.previous = request;
  }

  /** Removes the deadline of a request; does nothing if it has none. */
  void remove(BodyReceiver request) {
    var before = request.previous;
    var after = request.next;
    if (before == null || after == null) return;
    before.next = after;
    after.previous = before;
    request.previous = null;
    request.next = null;
  }

  /** Removes the requests whose deadline has passed, and returns them. */
  List<BodyReceiver> removeExpired(long now) {
    var expired = new ArrayList<BodyReceiver>();
    for (var request = head.next; request != null && request != head; request = request.next) {
      if (now > request.deadline) expired.add(request);
    }
    expired.forEach(this::remove);
    return expired;
  }
}
