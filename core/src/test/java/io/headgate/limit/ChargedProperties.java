package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.domains.Domain;
import net.jqwik.api.domains.DomainContext;

/** Charges beyond the capacity stay exact. */
@Domain(ExtremeLimits.class)
@Domain(DomainContext.Global.class)
class ChargedProperties {
  private static final long NOW = 1_792_000_000_123_456L;

  @Property(tries = 1_000)
  void anyChargeIsRepaidAndStaysExact(
      @ForAll Holdable limit,
      @ForAll @Size(min = 1, max = 4) List<@LongRange(min = 0, max = 1L << 53) Long> costs) {
    State state = State.FRESH;
    for (long cost : costs) state = limit.charged(state, NOW, cost);
    assertThat(state.freshAt()).isLessThanOrEqualTo(Bounds.MAX);
    assertThat(state.used(NOW)).isBetween(Utilization.NONE, Utilization.ALL);
    var outcome = limit.step(state, NOW, limit.capacity()).outcome();
    assertThat(outcome.remaining()).isBetween(0L, limit.capacity());
    if (outcome instanceof Refused refused) {
      long then = NOW + refused.retryAfter();
      assertThat(limit.step(state, then, limit.capacity()).outcome()).isInstanceOf(Passed.class);
      assertThat(limit.step(state, then - 1, limit.capacity()).outcome())
          .isInstanceOf(Refused.class);
    }
  }

  @Property(tries = 300)
  void chargeThatFitsEqualsAStep(
      @ForAll Holdable limit, @ForAll @LongRange(min = 1, max = 1L << 53) long cost) {
    var step = limit.step(State.FRESH, NOW, Math.min(cost, limit.capacity()));
    assertThat(limit.charged(State.FRESH, NOW, Math.min(cost, limit.capacity())))
        .isEqualTo(step.state());
  }
}
