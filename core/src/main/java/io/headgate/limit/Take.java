package io.headgate.limit;

import static io.headgate.limit.Exact.require;

import io.headgate.limit.Held.Holding;
import io.headgate.limit.Outcome.Never;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.List;

/**
 * What an instance that spends permits by itself says and asks for; {@link Held} explains.
 *
 * <p>Until it has the answer, and if that never comes, it may spend no more than {@code want} of
 * what it had left, and no longer than both the lease it has and the one it asks for. What it has
 * spent but does not say must be part of what it wants: it would be given to others otherwise.
 *
 * @param holder who asks
 * @param spent how many of those it holds it has spent since it last said so
 * @param cost of a request to be decided now; 0 if there is none
 * @param want how many it would hold from now on
 * @param lease how long, in microseconds
 */
public record Take(long holder, long spent, long cost, long want, long lease) {
  /** A lease that nobody ends costs others as long. */
  private static final long LONGEST = 86_400_000_000L;

  public Take {
    require(spent >= 0, "spent must be at least 0, got %d", spent);
    require(cost >= 0, "cost must be at least 0, got %d", cost);
    require(want >= 0, "want must be at least 0, got %d", want);
    require(lease >= 1 && lease <= LONGEST, "a lease lasts 1 µs to a day, got %d µs", lease);
  }

  /**
   * @param outcome what the request is told; {@code remaining} is without what anybody holds
   * @param held what this holder may spend from now until the lease is over
   */
  public record Taken(State state, Outcome outcome, long held) {}

  /** Settles what is over, charges what was spent, decides, and then holds what there is. */
  public Taken from(Divisible limit, State state, long now) {
    var settled = Held.settled(limit, state, now);
    var all = Held.holdings(settled);
    var others = all.stream().filter(holding -> holding.holder() != holder).toList();
    long own = Held.total(all) - Held.total(others);
    // A lease that was over has been charged whole: what is spent is no more than what was held.
    long used = Math.min(spent, own);
    long left = own - used;
    var charged = limit.charged(Held.bare(settled), now, used);
    var step = Held.step(limit, holding(left, charged, others, now), now, cost);
    long hold = Math.min(left, want);
    if (step.outcome() instanceof Passed passed && others.size() < Held.MOST_HOLDERS) {
      hold += Math.min(want - hold, passed.remaining());
    }
    var next = holding(hold, Held.bare(step.state()), others, now);
    return new Taken(next, told(step.outcome(), Held.step(limit, next, now, 0).outcome()), hold);
  }

  private State holding(long amount, State state, List<Holding> others, long now) {
    if (amount == 0) return Held.of(state, others);
    return Held.of(state, Held.with(new Holding(holder, amount, now + lease), others));
  }

  /** What was decided, and how things stand after that. */
  private static Outcome told(Outcome decided, Outcome after) {
    long remaining = after.remaining();
    long reset = after.resetAfter();
    return switch (decided) {
      case Passed passed -> new Passed(remaining, reset, passed.delay());
      case Refused refused -> new Refused(remaining, reset, refused.retryAfter());
      case Never never -> new Never(remaining, reset, never.cost(), never.capacity());
    };
  }
}
