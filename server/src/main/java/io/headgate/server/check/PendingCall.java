package io.headgate.server.check;

import io.headgate.server.trace.Trace;
import io.vertx.core.Vertx;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A client's call that has not been answered yet, of any protocol. Confined to the event loop of
 * the call.
 */
public interface PendingCall {
  /** Returns the trace of this call; a no-op if it is not traced. */
  Trace trace();

  /** Runs a task. If the task throws, answers the call with an error; never throws itself. */
  void runGuarded(Runnable task);

  /**
   * Passes the result of a stage to {@code then}: at once if the stage is complete, otherwise on
   * the event loop of this call, whichever thread completes it.
   *
   * <p>A failure of a complete stage is thrown; a later failure is answered.
   */
  default <T> void whenComplete(CompletionStage<T> stage, Consumer<T> then) {
    var future = stage.toCompletableFuture();
    if (future.isDone()) {
      then.accept(resultOf(future));
      return;
    }
    var eventLoop = Objects.requireNonNull(Vertx.currentContext(), "not on an event loop");
    waitBegins();
    var unused =
        future.whenComplete((value, problem) ->
            eventLoop.runOnContext(woken -> {
              waitEnds();
              runGuarded(() -> then.accept(resultOf(future)));
            }));
  }

  /** Called when the call begins to wait for an incomplete stage, which keeps it in memory. */
  default void waitBegins() {}

  /** Called on the event loop when a stage that the call has waited for is complete. */
  default void waitEnds() {}

  private static <T> T resultOf(CompletableFuture<T> ended) {
    try {
      return ended.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }
}
