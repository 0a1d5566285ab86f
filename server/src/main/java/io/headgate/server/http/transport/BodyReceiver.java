package io.headgate.server.http.transport;

/** A request whose rest is still to come. */
interface BodyReceiver {
  /** The rest has not come in time. */
  void tooSlow();
}
