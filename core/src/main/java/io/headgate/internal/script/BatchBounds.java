package io.headgate.internal.script;

import io.headgate.limit.HoldRequest;
import io.headgate.limit.ReturnHistory;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.State;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationRecord;
import io.headgate.rule.Charge;
import io.headgate.rule.ReservationSettings;

/**
 * The counters of a batch that is checked. They have no states, and accept what an instance sends:
 * as many commands as a {@link Batcher}, amounts that a double has exactly, and keys of the right
 * kind. Not thread-safe.
 */
final class BatchBounds implements ScriptInterpreter.Memory {
  private static final int MAX_LIMITS = 4_096;

  /** The charges of a batch, with a slot for each permit of a concurrency limit. */
  private static final long MAX_WORK = 16_384;

  private static final long MAX_NUMBER = 1L << 53;
  private static final long MAX_TTL = ReservationSettings.MAX_TTL.toNanos() / 1_000;

  /** The clocks of a region and of home may differ, but the record must expire. */
  private static final long MAX_EXPIRY = 366L * 86_400_000_000L;

  private final long now;
  private final long maxLease;
  private long commands;
  private long work;

  /**
   * Creates the counters.
   *
   * @param maxLease the longest lease of a hold, in microseconds
   */
  BatchBounds(long now, long maxLease) {
    this.now = now;
    this.maxLease = maxLease;
  }

  @Override
  public void decoding(int limits) {
    require(limits <= MAX_LIMITS, "it has %d limits", limits);
  }

  @Override
  public void executing() {
    execute(1);
  }

  private void execute(long more) {
    commands += more;
    require(commands <= Batcher.MAX_BATCH, "it has more than %d commands", Batcher.MAX_BATCH);
  }

  @Override
  public void charging(Charge charge, long times) {
    requireAmount(charge.cost());
    execute(times - 1);
    // A cost above this is refused without work.
    long slots =
        charge.limit() instanceof SlotLimit limit ? Math.min(charge.cost(), limit.maxCost()) : 0;
    work += times * (1 + slots);
    require(work <= MAX_WORK, "it has more than %d charges", MAX_WORK);
  }

  @Override
  public void holding(HoldRequest request) {
    requireAmount(request.cost());
    requireAmount(request.want());
    requireAmount(request.order());
    requireAmount(request.holder());
    requireAmount(request.usage().until());
    if (request.lease() <= maxLease) return;
    throw new IllegalArgumentException(
        "a hold of %d us is longer than home waits after a restart, %d us"
            .formatted(request.lease(), maxLease));
  }

  @Override
  public void reserving(ReservationCommand command) {
    long expiresAt = command.expiresAt();
    require(expiresAt >= 0 && expiresAt <= now + MAX_EXPIRY, "a reservation never expires");
    long ttl = command.ttl();
    require(ttl >= 0 && ttl <= MAX_TTL, "a reservation is extended by %d us", ttl);
    require(!command.entries().isEmpty(), "a reservation has no counters");
    for (var entry : command.entries()) {
      var reserved = entry.reserved();
      charging(reserved.charge(), 1);
      if (entry.target() != ReservationCommand.UNREPORTED) requireAmount(entry.target());
      requireAmount(entry.more());
      requireAmount(reserved.at());
      requireAmount(reserved.freshAt());
      requireAmount(reserved.maxAmount());
    }
  }

  @Override
  public State get(String key) {
    require(!CounterKeys.isOfReservation(key), "a key is of no counter");
    return State.FRESH;
  }

  @Override
  public void put(String key, State state) {}

  @Override
  public ReservationRecord reservation(String key, long expiresAt) {
    require(
        CounterKeys.isOfReservation(key) && !CounterKeys.isOfReturns(key),
        "a key is of no reservation");
    return ReservationRecord.open(expiresAt);
  }

  @Override
  public void put(String key, ReservationRecord record) {}

  @Override
  public ReturnHistory returns(String key) {
    require(CounterKeys.isOfReturns(key), "a key is of no returns");
    return ReturnHistory.NONE;
  }

  @Override
  public void put(String key, ReturnHistory returns) {
    require(CounterKeys.isOfReturns(key), "a key is of no returns");
  }

  private static void requireAmount(long number) {
    require(number >= 0 && number <= MAX_NUMBER, "a number is out of range: %d", number);
  }

  private static void require(boolean condition, String problem, Object... values) {
    if (condition) return;
    throw new IllegalArgumentException("a batch is malformed: " + problem.formatted(values));
  }
}
