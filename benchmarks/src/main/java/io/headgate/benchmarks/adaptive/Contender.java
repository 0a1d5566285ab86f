package io.headgate.benchmarks.adaptive;

import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import com.netflix.concurrency.limits.limit.WindowedLimit;
import io.headgate.load.ConcurrencyController;
import io.headgate.load.SignalKind;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The policies that are compared, each with the same bounds and the same initial limit. */
enum Contender {
  NONE("none"),
  FIXED_RIGHT("fixed, right"),
  FIXED_WRONG("fixed, 8× too high"),
  GRADIENT2("Gradient2"),
  GRADIENT2_EACH("Gradient2, per call"),
  VEGAS("Vegas"),
  AIMD("AIMD"),
  STRIPE("Stripe shedder"),
  HEADGATE("Headgate"),
  SHED_UTILIZATION("Headgate, utilization 0.9"),
  SHED_IN_FLIGHT("Headgate, in-flight 0.95"),
  SHED_QUEUE_WAIT("Headgate, queue-wait 100 ms");

  /** The limits, the shedder they are compared with, and no limit. */
  static final List<Contender> LIMITS =
      List.of(
          NONE, FIXED_RIGHT, FIXED_WRONG, GRADIENT2, GRADIENT2_EACH, VEGAS, AIMD, STRIPE, HEADGATE);

  /** The load shedders, and no limit. */
  static final List<Contender> SHEDDERS =
      List.of(NONE, STRIPE, SHED_UTILIZATION, SHED_IN_FLIGHT, SHED_QUEUE_WAIT);

  static final int MIN = 1;
  static final int MAX = 1_000;
  static final int INITIAL = 20;

  final String title;

  Contender(String title) {
    this.title = title;
  }

  /** Creates the policy. Only a fixed limit depends on the plant. */
  AdmissionPolicy policy(Plant plant) {
    int workers = (int) Math.round(plant.workers().at(0));
    return switch (this) {
      case NONE -> (sender, tenant, caller, now, inFlight) -> true;
      case FIXED_RIGHT -> new LimitPolicy.Constant((int) Math.ceil(workers * 1.2));
      case FIXED_WRONG -> new LimitPolicy.Constant(workers * 8);
      case GRADIENT2 -> new LimitPolicy.Netflix(WindowedLimit.newBuilder().build(gradient2()));
      case GRADIENT2_EACH -> new LimitPolicy.Netflix(gradient2());
      case VEGAS ->
          new LimitPolicy.Netflix(
              VegasLimit.newBuilder().initialLimit(INITIAL).maxConcurrency(MAX).build());
      case AIMD ->
          new LimitPolicy.Netflix(
              AIMDLimit.newBuilder()
                  .initialLimit(INITIAL)
                  .minLimit(MIN)
                  .maxLimit(MAX)
                  .timeout(Math.round(plant.timeout() * 1e9 * 0.95), TimeUnit.NANOSECONDS)
                  .build());
      case STRIPE -> new StripeShedder();
      case HEADGATE -> new LimitPolicy.Adaptive(new ConcurrencyController(MIN, MAX, INITIAL));
      case SHED_UTILIZATION -> new RuleShedder(SignalKind.UTILIZATION, 0.9);
      case SHED_IN_FLIGHT -> new RuleShedder(SignalKind.IN_FLIGHT, 0.95);
      case SHED_QUEUE_WAIT -> new RuleShedder(SignalKind.QUEUE_WAIT, 100);
    };
  }

  private static Gradient2Limit gradient2() {
    return Gradient2Limit.newBuilder()
        .initialLimit(INITIAL)
        .minLimit(MIN)
        .maxConcurrency(MAX)
        .build();
  }
}
