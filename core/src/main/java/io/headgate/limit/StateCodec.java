package io.headgate.limit;

import io.headgate.limit.HeldState.Hold;
import io.headgate.load.ControllerState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * Encodes states as bytes, for stores that keep or send them as such. A decoded state leads to the
 * same outcomes as the original.
 *
 * <p>The first byte is the kind of the state; the numbers that follow have a variable length. The
 * format is the same in every JVM and has no class names. The reader is strict: bytes that {@link
 * #encode} can't have written fail with an {@link IllegalArgumentException}.
 */
public final class StateCodec {
  private static final int FRESH = 0;
  private static final int BUCKET = 1;
  private static final int WINDOW = 2;
  private static final int SLIDING = 3;
  private static final int ROLLING = 4;
  private static final int SLOTS = 5;
  private static final int HELD = 6;
  private static final int FAIR = 7;
  private static final int ADAPTIVE = 8;

  private StateCodec() {}

  /** Appends a state to the numbers. */
  public static void write(State state, NumberWriter out) {
    switch (state) {
      case State.Fresh fresh -> out.put(FRESH);
      case BucketState bucket -> write(bucket, out.put(BUCKET));
      case WindowState window ->
          out.put(WINDOW)
              .put(window.end())
              .put(window.count())
              .put(window.permits())
              .put(window.alignment());
      case SlidingState sliding -> {
        out.put(SLIDING).put(sliding.bucket()).put(sliding.width()).put(sliding.permits());
        out.putAll(sliding.counts());
      }
      case RollingState rolling -> write(rolling, out.put(ROLLING));
      case ConcurrencyState slots -> out.put(SLOTS).put(slots.max()).putAll(slots.numbers());
      case AdaptiveState adaptive -> {
        out.put(ADAPTIVE).put(adaptive.slots().max()).putAll(adaptive.slots().numbers());
        for (double value : adaptive.controller().toArray()) out.put(value);
        out.put(adaptive.learnedAt()).put(adaptive.lease()).put(adaptive.agesFrom());
      }
      case HeldState held -> {
        out.put(HELD).put(held.capacity()).put(held.holds().size());
        for (var hold : held.holds()) {
          out.put(hold.holder()).put(hold.amount()).put(hold.until()).put(hold.order());
        }
        write(held.state(), out);
      }
      case FairState fair -> write(fair, out.put(FAIR));
    }
  }

  private static void write(BucketState bucket, NumberWriter out) {
    out.put(bucket.emptyAt()).put(bucket.slack()).put(bucket.refillTime());
  }

  private static void write(RollingState rolling, NumberWriter out) {
    var times = rolling.times();
    var costs = rolling.costs();
    out.put(rolling.window()).put(rolling.permits()).put(times.length);
    long before = 0;
    for (int i = 0; i < times.length; i++) {
      out.put(times[i] - before).put(costs[i]); // differences are short
      before = times[i];
    }
  }

  private static void write(FairState fair, NumberWriter out) {
    write(fair.pool, out);
    out.put(fair.full).put(fair.at).put(fair.virtual).put(fair.rest);
    out.put(fair.period).put(fair.periodStart).put(fair.previousStart);
    out.put(fair.indebted).put(fair.current).put(fair.previous).put(fair.last);
    var indebted = new HashSet<String>();
    FairDebts.addIds(fair.debts, indebted);
    var tenants = fair.tenants.list();
    out.put(tenants.size());
    for (var tenant : tenants) {
      out.put(tenant.id()).put(tenant.weight()).put(tenant.finish()).put(tenant.entry());
      out.put(indebted.contains(tenant.id()) ? 1 : 0);
    }
  }

  /**
   * Reads a state.
   *
   * @throws IllegalArgumentException if the numbers are not those of a state
   */
  public static State read(NumberReader in) {
    int kind = in.count();
    return switch (kind) {
      case FRESH -> State.FRESH;
      case BUCKET -> readBucket(in);
      case WINDOW -> new WindowState(in.next(), in.next(), in.next(), in.next());
      case SLIDING -> readSliding(in);
      case ROLLING -> readRolling(in);
      case SLOTS -> readSlots(in);
      case ADAPTIVE -> readAdaptive(in);
      case HELD -> readHeld(in);
      case FAIR -> readFair(in);
      default -> throw new IllegalArgumentException("unknown kind of a state: " + kind);
    };
  }

  private static BucketState readBucket(NumberReader in) {
    return new BucketState(in.next(), in.next(), in.next());
  }

  private static State readSliding(NumberReader in) {
    long bucket = in.next();
    long width = in.positive();
    long permits = in.positive();
    var counts = in.nextAll();
    Bounds.require(counts.length > 0, "a sliding window has no counts");
    return SlidingState.of(bucket, width, permits, counts);
  }

  private static State readRolling(NumberReader in) {
    var state = RollingState.empty(in.positive(), in.positive());
    long time = 0;
    for (int left = in.count(); left > 0; left--) {
      time += in.next();
      state = state.plus(time, in.positive());
    }
    return state;
  }

  private static ConcurrencyState readSlots(NumberReader in) {
    long max = in.positive();
    var numbers = in.nextAll();
    Bounds.require(numbers.length % 3 == 0, "slots have three numbers each");
    return ConcurrencyState.of(max, numbers);
  }

  private static State readAdaptive(NumberReader in) {
    var slots = readSlots(in);
    var values = new double[ControllerState.SIZE];
    for (int i = 0; i < values.length; i++) values[i] = in.nextDouble();
    return new AdaptiveState(
        slots, ControllerState.of(values), in.next(), in.positive(), in.next());
  }

  private static State readHeld(NumberReader in) {
    long capacity = in.positive();
    List<Hold> holds = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      holds.add(new Hold(in.next(), in.next(), in.next(), in.next()));
    }
    var charged = read(in);
    return new HeldState(charged, capacity, holds);
  }

  private static State readFair(NumberReader in) {
    var pool = readBucket(in);
    var numbers = new long[11];
    for (int i = 0; i < numbers.length; i++) numbers[i] = in.next();
    var tenants = FairTenants.NONE;
    FairDebts debts = null;
    for (int left = in.count(); left > 0; left--) {
      var id = in.text();
      int weight = new Share(id, in.count()).weight();
      var tenant = new FairTenants.Tenant(id, FairTenants.hashOf(id), weight, in.next(), in.next());
      tenants = tenants.with(tenant);
      if (in.next() == 1) debts = FairDebts.add(debts, tenant);
    }
    return new FairState(
        pool,
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
        numbers[5],
        numbers[6],
        numbers[7],
        numbers[8],
        numbers[9],
        numbers[10],
        tenants,
        debts);
  }

  /** Returns the encoded state. */
  public static byte[] encode(State state) {
    var out = new NumberWriter();
    write(state, out);
    return out.toByteArray();
  }

  /**
   * Returns the state of {@link #encode}.
   *
   * @throws IllegalArgumentException if the bytes are not those of a state
   */
  public static State decode(byte[] bytes) {
    var in = new NumberReader(bytes);
    var state = read(in);
    in.end();
    return state;
  }
}
