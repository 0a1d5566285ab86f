package io.headgate.redis.internal.script;

import io.headgate.store.StoreException;
import java.util.ArrayList;
import java.util.List;

/** The commands of one round trip. Confined to the sending thread until it is sent. */
final class BatchCall {
  final List<ScriptCommand<?>> commands = new ArrayList<>();

  /** When the commands were taken from the queue. */
  final long since;

  private volatile boolean sending = true;

  BatchCall(long since) {
    this.since = since;
  }

  /** Records that the call has been handed over to the connection. */
  void sent() {
    sending = false;
  }

  /** Delivers the reply to all commands. */
  void deliver(byte[] reply) {
    var reader = new ReplyReader(reply);
    for (var command : commands) command.deliver(reader);
  }

  /** Fails all commands that have no reply yet. */
  void fail(StoreException problem) {
    for (var command : commands) command.completeExceptionally(problem);
  }

  /** Returns whether a command has been pending since before {@code then}. */
  boolean hasPendingSince(long then) {
    for (var command : commands) {
      if (command.since - then < 0 && !command.isDone() && !command.isBackground()) return true;
    }
    return false;
  }

  /**
   * Fails all commands submitted before {@code then}.
   *
   * @param sendingThen the same for a call that is still being sent, which the server cannot have
   *     answered
   */
  void expire(long then, long sendingThen, StoreException problem) {
    long cutoff = sending ? sendingThen : then;
    for (var command : commands) {
      if (command.since - cutoff < 0 && !command.isBackground()) {
        command.completeExceptionally(problem);
      }
    }
  }
}
