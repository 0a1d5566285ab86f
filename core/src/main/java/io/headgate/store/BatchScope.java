package io.headgate.store;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes a remote store send the requests of the current thread together: those that are submitted
 * while the scope is open are sent when it is closed, unless the store has a reason to send them
 * earlier. For event loops, which handle several requests in turn and do not wait for any of them.
 *
 * <p>A store that decides in the calling thread is not affected. A request that the thread waits
 * for is sent at once. A thread has at most one open scope, which it closes itself.
 */
public final class BatchScope implements AutoCloseable {
  private static final ThreadLocal<@Nullable BatchScope> CURRENT = new ThreadLocal<>();

  private final List<Runnable> sends = new ArrayList<>(1);

  private BatchScope() {}

  /**
   * Opens a scope for the current thread.
   *
   * @throws IllegalStateException if the thread has one already
   */
  public static BatchScope open() {
    if (isOpen()) throw new IllegalStateException("a batch scope is open already");
    var scope = new BatchScope();
    CURRENT.set(scope);
    return scope;
  }

  /** Returns whether the current thread has an open scope. */
  public static boolean isOpen() {
    return CURRENT.get() != null;
  }

  /**
   * Postpones an operation of a store until the scope of the current thread is closed. The same
   * object is run once, however often it is postponed.
   *
   * @return false if no scope is open; the caller then runs the operation itself
   */
  @SuppressWarnings("ReferenceEquality") // of one task of one store
  public static boolean postpone(Runnable send) {
    var scope = CURRENT.get();
    if (scope == null) return false;
    for (var known : scope.sends) {
      if (known == send) return true;
    }
    scope.sends.add(send);
    return true;
  }

  /** Sends what the current thread has submitted so far. Its scope, if it has one, stays open. */
  public static void flush() {
    var scope = CURRENT.get();
    if (scope != null) scope.sendAll();
  }

  private void sendAll() {
    // A send may complete a request whose callback submits another one.
    for (int i = 0; i < sends.size(); i++) sends.get(i).run();
    sends.clear();
  }

  /** Sends the requests and ends the scope. Called by the thread that has opened it. */
  @Override
  public void close() {
    CURRENT.remove();
    sendAll();
  }
}
