package io.headgate.redis;

import io.headgate.internal.script.ReadBarrier;
import io.headgate.internal.script.ScriptConnection;
import io.headgate.store.Store;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

/** The way of an instance to home. Stages fail with a StoreException. Thread-safe. */
interface HomeLink extends AutoCloseable {
  /** Returns a connection whose calls pass the guard of home. */
  ScriptConnection guarded();

  /** Returns the prefix of keys on the connection. */
  String prefix();

  /** Returns the store that decides rules of scope {@code home}. */
  Store store();

  /** Opens home if it has started again. */
  CompletionStage<?> heartbeat();

  /** Publishes the report of an instance, and returns those of all. */
  CompletionStage<List<byte[]>> report(String instance, byte[] report);

  /** Returns the barrier of the threads that read replies. */
  ReadBarrier barrier();

  /** Returns the thread that runs periodic tasks. */
  ScheduledExecutorService timer();

  /**
   * Executes a call of an instance of another region.
   *
   * @throws IllegalArgumentException if the call is malformed
   * @throws UnsupportedOperationException if this instance has no connection to home's Redis
   */
  CompletionStage<byte[]> relay(byte[] call);

  /** Closes the connections and the store. */
  @Override
  void close();
}
