package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import io.headgate.limit.HeldState.Hold;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.List;

/**
 * A request of an instance that spends permits locally: reports the usage of its hold, requests the
 * next one, and optionally has one check decided. See {@link HeldState}.
 *
 * <p>Until the reply arrives, and if it never does, the instance may spend at most {@code want} of
 * its remaining permits, and only until the earlier of the current and the requested lease ends.
 * Permits that it has spent but does not report must be included in {@code want}; otherwise the
 * store would grant them to others.
 *
 * @param holder the id of the instance
 * @param order increases with each request of the holder. A request that a later one has overtaken
 *     is not executed: it would replace the hold that the instance is spending by one whose reply
 *     it no longer awaits
 * @param usage the usage of the hold that was last granted to the instance
 * @param cost the cost of a check to be decided now; 0 if there is none
 * @param want the number of permits to hold from now on; 0 releases the hold
 * @param lease the length of the lease in microseconds
 */
public record HoldRequest(long holder, long order, Usage usage, long cost, long want, long lease) {
  /** One day. The permits of a crashed instance are unavailable to others until its lease ends. */
  private static final long MAX_LEASE = 86_400_000_000L;

  /**
   * How much of a hold has been spent. The numbers refer to the reply that granted the hold, even
   * if the limit has changed since; only their ratio is used.
   *
   * @param spent the spent permits of the hold
   * @param held the permits that were granted
   * @param until the end of the lease by the store's clock. A hold that is missing in the store
   *     before that time was lost with a failed server, and its usage is charged. 0 if the limit
   *     has changed since; the numbers then refer to another limit.
   */
  public record Usage(long spent, long held, long until) {
    /** The usage of an instance that has no hold. */
    public static final Usage NONE = new Usage(0, 0, 0);

    /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
    public Usage {
      require(
          spent >= 0 && spent <= held && held <= Bounds.MAX,
          "of %d held permits 0 to %d can be spent, got %d",
          held,
          held,
          spent);
      require(until >= 0, "a lease can't end before 1970, got %d µs", until);
    }

    /** Returns the permits that the instance may still spend while it waits for the reply. */
    private long unspent() {
      return until == 0 ? 0 : held - spent;
    }

    /**
     * Returns the spent permits of a hold that a changed limit may have scaled to {@code amount}.
     */
    private long of(long amount) {
      if (amount == held) return spent;
      return spent == held ? amount : Utilization.scale(spent, held, amount);
    }
  }

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public HoldRequest {
    require(order >= 0, "order must be at least 0, got %d", order);
    require(cost >= 0, "cost must be at least 0, got %d", cost);
    require(want >= 0, "want must be at least 0, got %d", want);
    require(lease >= 1 && lease <= MAX_LEASE, "a lease lasts 1 µs to a day, got %d µs", lease);
  }

  /** Creates a request of a holder whose requests arrive in order. */
  public HoldRequest(long holder, Usage usage, long cost, long want, long lease) {
    this(holder, 0, usage, cost, want, lease);
  }

  /**
   * The result of a request.
   *
   * @param state the state to store
   * @param outcome the outcome of the check; {@code remaining} excludes all holds
   * @param held the permits that this holder may spend until the lease ends. May be less than
   *     requested although permits remain, if the counter has {@link HeldState#MAX_HOLDERS} holds
   *     or its state is of another limit. Requests are then decided by the store.
   */
  public record Result(State state, Outcome outcome, long held) {}

  /**
   * Executes the request: charges expired holds, charges the reported usage, decides the check, and
   * grants a hold from the permits that are left.
   *
   * <p>Converts a state of another limit only if there is a check to decide.
   */
  public Result from(Holdable limit, State state, long now) {
    if (cost == 0 && HeldState.isFromOtherLimit(limit, state, now)) {
      var look = HeldState.step(limit, HeldState.expireHolds(limit, state, now), now, 0);
      return new Result(state, look.outcome(), 0);
    }
    var settled = HeldState.expireHolds(limit, state, now);
    var all = HeldState.holds(settled);
    if (isOvertaken(all))
      return new Result(settled, overtaken(HeldState.step(limit, settled, now, 0)), 0);
    var others = all.stream().filter(holding -> holding.holder() != holder).toList();
    long own = HeldState.total(all) - HeldState.total(others);
    // A hold whose lease had ended has been charged in full.
    long used = own > 0 ? usage.of(own) : now < usage.until ? usage.spent : 0;
    long left = Math.max(0, own - used);
    var charged = limit.charged(HeldState.withoutHolds(settled), now, used);
    var step = HeldState.step(limit, holding(left, limit, charged, others, now), now, cost);
    // A hold that a changed limit rounded up may not fit. Then only the part stays held that the
    // instance may still be spending.
    long fits = limit.step(charged, now, 0).outcome().remaining() - HeldState.total(others);
    long hold = Math.min(Math.min(left, want), Math.max(usage.unspent(), fits));
    if (step.outcome() instanceof Passed passed && others.size() < HeldState.MAX_HOLDERS) {
      hold += Math.min(want - hold, passed.remaining());
    }
    var next = holding(hold, limit, HeldState.withoutHolds(step.state()), others, now);
    return new Result(
        next, withStateAfter(step.outcome(), HeldState.step(limit, next, now, 0).outcome()), hold);
  }

  private boolean isOvertaken(List<Hold> all) {
    for (var holding : all) {
      if (holding.holder() == holder && holding.order() > order) return true;
    }
    return false;
  }

  /**
   * Returns the outcome of an overtaken request: its caller no longer waits, nothing is charged.
   */
  private Outcome overtaken(Step look) {
    var outcome = look.outcome();
    return cost == 0 ? outcome : new Refused(outcome.remaining(), outcome.resetAfter(), 1);
  }

  private State holding(long amount, Holdable limit, State state, List<Hold> others, long now) {
    if (amount == 0) return HeldState.of(state, limit, others);
    return HeldState.of(
        state, limit, HeldState.with(new Hold(holder, amount, now + lease, order), others));
  }

  /** Returns the decided outcome with the remaining permits and reset time after the grant. */
  private static Outcome withStateAfter(Outcome decided, Outcome after) {
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
