package io.headgate.internal.script;

import io.headgate.store.StoreException;
import java.util.ArrayList;
import java.util.List;

/**
 * The commands of one round trip. The list is filled by the sending thread before the call is
 * registered as in flight, and not changed afterwards.
 */
final class BatchCall {
  final List<ScriptCommand<?>> commands = new ArrayList<>();

  /** The time at which the commands were taken from the queue. */
  final long takenAt;

  private volatile boolean sending = true;

  BatchCall(long takenAt) {
    this.takenAt = takenAt;
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
    for (var command : commands) command.fail(problem);
  }

  /**
   * Returns whether a command, other than a background command, is pending and was submitted before
   * {@code then}.
   */
  boolean hasPendingSince(long then) {
    for (var command : commands) {
      if (command.since - then < 0 && !command.isDone() && !command.isBackground()) return true;
    }
    return false;
  }

  /**
   * Fails all commands submitted before {@code then}, except background commands.
   *
   * @param sendingThen the cutoff used instead of {@code then} while the call is still being sent,
   *     since the server cannot have replied yet
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
