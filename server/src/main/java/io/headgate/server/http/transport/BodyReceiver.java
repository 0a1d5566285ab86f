package io.headgate.server.http.transport;

/** A request with a deadline: its body is still to come, or its response is still to be sent. */
interface BodyReceiver {
  /** Called when the deadline has passed. */
  void onTimeout();
}
