package io.headgate.benchmarks.adaptive;

import com.netflix.concurrency.limits.Limit;
import io.headgate.load.CallOutcome;
import io.headgate.load.CallSample;
import io.headgate.load.ConcurrencyController;
import io.headgate.load.LiveController;

/** A policy that admits requests while fewer than a limit are in flight. */
sealed interface LimitPolicy extends AdmissionPolicy {
  int limit();

  @Override
  default boolean admits(Plant.Tenant sender, int tenant, int caller, long now, int inFlight) {
    return inFlight < limit();
  }

  /** A limit that does not change. */
  record Constant(int limit) implements LimitPolicy {}

  /** A limit of Netflix's library. */
  record Netflix(Limit peer) implements LimitPolicy {
    @Override
    public int limit() {
      return peer.getLimit();
    }

    @Override
    public void completed(long now, long duration, int inFlight, CallOutcome outcome) {
      long nanos = Math.max(1, duration * 1_000);
      peer.onSample(now * 1_000 - nanos, nanos, inFlight, outcome == CallOutcome.DROPPED);
    }
  }

  /** Headgate's controller. */
  record Adaptive(LiveController controller) implements LimitPolicy {
    Adaptive(ConcurrencyController controller) {
      this(new LiveController(controller, controller.start()));
    }

    @Override
    public int limit() {
      return controller.limit();
    }

    @Override
    public void completed(long now, long duration, int inFlight, CallOutcome outcome) {
      controller.completed(now, new CallSample(duration, inFlight, outcome));
    }
  }
}
