package io.headgate.internal.script;

import io.headgate.limit.HoldRequest;
import java.nio.BufferUnderflowException;
import java.util.concurrent.TimeUnit;

/**
 * Checks batches that other regions send, before a server evaluates them: runs each on counters
 * without states. So a batch that passes is well-formed, all its numbers are in range, and the
 * server evaluates it in bounded time. Thread-safe.
 */
public final class BatchValidator {
  /** Bounds the memory of decoded limits and rules that are kept for later batches. */
  private static final int MAX_KEPT_BYTES = 1 << 22;

  private ScriptInterpreter interpreter = newInterpreter();
  private int bytes;

  /**
   * Requires that a batch is valid.
   *
   * @param maxLease the longest lease of a {@link HoldRequest}, in microseconds
   * @throws IllegalArgumentException if it is not, or brings its own time
   */
  public synchronized void require(byte[][] keys, byte[] argument, long maxLease) {
    if (hasTime(argument)) {
      throw new IllegalArgumentException("a batch is malformed: it has a time of its own");
    }
    bytes += argument.length;
    if (bytes > MAX_KEPT_BYTES) {
      interpreter = newInterpreter();
      bytes = 0;
    }
    long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    var unused = interpreter.run(keys, argument, now, new BatchBounds(now, maxLease));
  }

  private static ScriptInterpreter newInterpreter() {
    return new ScriptInterpreter(LimitDecoder.ofUntrusted());
  }

  private static boolean hasTime(byte[] argument) {
    try {
      return ScriptInterpreter.timeOf(argument) != -1;
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("a batch is malformed: it ends early", e);
    }
  }
}
