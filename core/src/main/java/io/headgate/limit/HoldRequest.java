package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import io.headgate.limit.HeldState.Hold;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.List;

/**
 * What an instance that spends permits by itself says and asks for; {@link HeldState} explains.
 *
 * <p>Until it has the answer, and if that never comes, it may spend no more than {@code want} of
 * what it had left, and no longer than both the lease it has and the one it asks for. What it has
 * spent but does not say must be part of what it wants: it would be given to others otherwise.
 *
 * @param holder who asks
 * @param order higher in each later take of the holder. A take that a later one has overtaken is
 *     not executed: it would replace a hold that the holder is spending by one that it knows
 *     nothing of
 * @param usage of the hold that it was last told of
 * @param cost of a request to be decided now; 0 if there is none
 * @param want how many it would hold from now on
 * @param lease how long, in microseconds
 */
public record HoldRequest(long holder, long order, Usage usage, long cost, long want, long lease) {
  /** A lease that nobody ends costs others as long. */
  private static final long LONGEST = 86_400_000_000L;

  /**
   * How much of a hold has been spent. The numbers are of the reply that granted the hold, also if
   * the limit has been changed since: what counts is their proportion.
   *
   * @param spent how many permits of the hold have been spent
   * @param held how many there were
   * @param until the end of the lease by the store's clock. Before that time a hold that the store
   *     does not have was lost with a server that failed, and the usage is charged. 0 if the limit
   *     has been changed since: the numbers are then of another limit.
   */
  public record Usage(long spent, long held, long until) {
    public static final Usage NONE = new Usage(0, 0, 0);

    public Usage {
      require(
          spent >= 0 && spent <= held && held <= Bounds.MAX,
          "of %d held permits 0 to %d can be spent, got %d",
          held,
          held,
          spent);
      require(until >= 0, "a lease can't end before 1970, got %d µs", until);
    }

    /** Permits that the holder may still spend of the hold while it waits for the reply. */
    private long unspent() {
      return until == 0 ? 0 : held - spent;
    }

    /** Permits of the hold as the store has it; a changed limit may have made it another number. */
    private long of(long amount) {
      if (amount == held) return spent;
      return spent == held ? amount : Utilization.scale(spent, held, amount);
    }
  }

  public HoldRequest {
    require(order >= 0, "order must be at least 0, got %d", order);
    require(cost >= 0, "cost must be at least 0, got %d", cost);
    require(want >= 0, "want must be at least 0, got %d", want);
    require(lease >= 1 && lease <= LONGEST, "a lease lasts 1 µs to a day, got %d µs", lease);
  }

  /** A take of a holder whose takes arrive in order. */
  public HoldRequest(long holder, Usage usage, long cost, long want, long lease) {
    this(holder, 0, usage, cost, want, lease);
  }

  /**
   * @param outcome what the request is told; {@code remaining} is without what anybody holds
   * @param held what this holder may spend from now until the lease is over. Less than it wants
   *     although some remain: there is no room for another holder, or the state is of another
   *     limit; each request is then decided by the store.
   */
  public record Taken(State state, Outcome outcome, long held) {}

  /**
   * Settles what is over, charges what was spent, decides, and then holds what there is.
   *
   * <p>A state of another limit is converted only if there is a request to decide.
   */
  public Taken from(Holdable limit, State state, long now) {
    if (cost == 0 && HeldState.isOfAnother(limit, state, now)) {
      var look = HeldState.step(limit, HeldState.settled(limit, state, now), now, 0);
      return new Taken(state, look.outcome(), 0);
    }
    var settled = HeldState.settled(limit, state, now);
    var all = HeldState.holdings(settled);
    if (isOvertaken(all))
      return new Taken(settled, late(HeldState.step(limit, settled, now, 0)), 0);
    var others = all.stream().filter(holding -> holding.holder() != holder).toList();
    long own = HeldState.total(all) - HeldState.total(others);
    // A lease that was over has been charged whole.
    long used = own > 0 ? usage.of(own) : now < usage.until ? usage.spent : 0;
    long left = Math.max(0, own - used);
    var charged = limit.charged(HeldState.bare(settled), now, used);
    var step = HeldState.step(limit, holding(left, limit, charged, others, now), now, cost);
    // A hold that a changed limit rounded up may not fit; only what is being spent stays then.
    long fits = limit.step(charged, now, 0).outcome().remaining() - HeldState.total(others);
    long hold = Math.min(Math.min(left, want), Math.max(usage.unspent(), fits));
    if (step.outcome() instanceof Passed passed && others.size() < HeldState.MOST_HOLDERS) {
      hold += Math.min(want - hold, passed.remaining());
    }
    var next = holding(hold, limit, HeldState.bare(step.state()), others, now);
    return new Taken(
        next, told(step.outcome(), HeldState.step(limit, next, now, 0).outcome()), hold);
  }

  private boolean isOvertaken(List<Hold> all) {
    for (var holding : all) {
      if (holding.holder() == holder && holding.order() > order) return true;
    }
    return false;
  }

  /** The caller has stopped waiting; nothing is charged for its request. */
  private Outcome late(Step look) {
    var outcome = look.outcome();
    return cost == 0 ? outcome : new Refused(outcome.remaining(), outcome.resetAfter(), 1);
  }

  private State holding(long amount, Holdable limit, State state, List<Hold> others, long now) {
    if (amount == 0) return HeldState.of(state, limit, others);
    return HeldState.of(
        state, limit, HeldState.with(new Hold(holder, amount, now + lease, order), others));
  }

  /** What was decided, and how things stand after that. */
  private static Outcome told(Outcome decided, Outcome after) {
    long remaining = after.remaining();
    long reset = after.resetAfter();
    return switch (decided) {
      case Passed passed -> new Passed(remaining, reset, passed.delay());
      case Refused refused -> new Refused(remaining, reset, refused.retryAfter());
      case ExceedsCapacity never ->
          new ExceedsCapacity(remaining, reset, never.cost(), never.capacity());
    };
  }
}
