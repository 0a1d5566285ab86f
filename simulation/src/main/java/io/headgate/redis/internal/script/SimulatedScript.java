package io.headgate.redis.internal.script;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HeldState;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.Holdable;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.ScriptStates;
import io.headgate.limit.Share;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.SlotState;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.Counter;
import io.headgate.rule.Mode;
import io.headgate.rule.Plan;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.ScriptPlans;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A Java implementation of the Redis script. It decodes the batches of {@link Batch}, evaluates
 * them with the limits of the core, which the Lua code mirrors, and encodes the reply for {@link
 * ReplyReader}. Not thread-safe.
 */
public final class SimulatedScript {
  private static final List<CallOutcome> OUTCOMES = List.of(CallOutcome.values());

  private static final int DECIDE = 1;
  private static final int RENEW = 2;
  private static final int RELEASE = 3;
  private static final int GIVE_BACK = 4;
  private static final int TAKE = 5;
  private static final int REPORT = 6;
  private static final int RELEASE_AFTER = 7;

  /** The states of one server; it is notified of charges. */
  public interface Memory {
    /** Returns the state of a key, {@link State#FRESH} if it has none. */
    State get(String key);

    /** Stores the state of a key. */
    void put(String key, State state);

    /** Records that permits were charged, or returned if the cost is negative. */
    void charged(String key, long cost);

    /** Records that held permits were charged because they had been spent. */
    void settled(String key, long spent);

    /** Records an operation for the history. */
    void noted(Supplier<String> operation);
  }

  /** The limits of one rule within a plan. */
  private static final class Part {
    Combine combine = new Combine.All();
    boolean enforced;
    final List<Counter> counters = new ArrayList<>();
    final List<Long> weights = new ArrayList<>();
  }

  private final Map<List<Long>, Counter> counters = new HashMap<>();
  private final Map<List<Object>, Compiled> rules = new HashMap<>();

  /**
   * Runs a batch.
   *
   * @param keys the Redis keys
   * @param argument the encoded batch
   * @param serverTime the server's clock in µs, used unless the batch has a time
   * @return the encoded reply
   */
  public byte[] run(byte[][] keys, byte[] argument, long serverTime, Memory memory) {
    return new Run(keys, argument, serverTime, memory).reply();
  }

  private Counter counter(List<Long> numbers) {
    return counters.computeIfAbsent(
        numbers,
        n -> {
          var rule = Rule.named("script").limit(limit(n)).build();
          return RuleSet.of(rule).counter("script", -1, "script").orElseThrow();
        });
  }

  private static Limit limit(List<Long> n) {
    return switch (n.get(0).intValue()) {
      case 1 -> {
        var rate = Rate.of(n.get(1), micros(n.get(2)));
        long waiting = n.get(3) - n.get(2);
        if (n.get(6) == 0) yield new TokenBucket(rate, n.get(4));
        if (waiting == 0) yield LeakyBucket.of(rate);
        yield waiting % n.get(2) == 0
            ? LeakyBucket.of(rate).withQueue(waiting / n.get(2))
            : LeakyBucket.of(rate).withMaxWait(micros(waiting / n.get(1)));
      }
      case 2 -> FixedWindow.of(Rate.of(n.get(1), micros(n.get(3))));
      case 3 ->
          new SlidingWindow(
              Rate.of(n.get(1), micros(n.get(2) * n.get(3))),
              n.get(2).intValue(),
              n.get(4) == 1 ? SlidingWindow.Bound.CONSERVATIVE : SlidingWindow.Bound.INTERPOLATED);
      case 4 -> new RollingWindow(Rate.of(n.get(1), micros(n.get(2))), micros(n.get(3)));
      case 5 ->
          n.get(3) == 0
              ? new Concurrency(n.get(1), micros(n.get(2)))
              : new AdaptiveConcurrency(n.get(3), n.get(1), n.get(4), micros(n.get(2)));
      case 7 ->
          new FairShare(
              new TokenBucket(Rate.of(n.get(1), micros(n.get(2))), n.get(4)),
              FairSharing.among("tenant"));
      default -> throw new IllegalArgumentException("unknown algorithm: " + n);
    };
  }

  private static Duration micros(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  /** A rule with its counters. */
  private record Compiled(Rule rule, List<Counter> counters) {}

  private Compiled rule(Part part) {
    var limits = part.counters.stream().map(Counter::limit).toList();
    return rules.computeIfAbsent(
        List.of(part.combine, part.enforced, limits, List.copyOf(part.weights)),
        unused -> {
          var builder =
              Rule.named("script")
                  .combine(part.combine)
                  .mode(part.enforced ? Mode.ENFORCE : Mode.SHADOW);
          for (int i = 0; i < limits.size(); i++) {
            builder.limit(RuleLimit.of("l" + i, limits.get(i)).withWeight(part.weights.get(i)));
          }
          var rule = builder.build();
          var all = RuleSet.of(rule);
          var counters =
              rule.limits().stream()
                  .map(limit -> all.counter("script", -1, limit.name()).orElseThrow())
                  .toList();
          return new Compiled(rule, counters);
        });
  }

  /** The evaluation of one batch. */
  private final class Run {
    private final String[] keys;
    private final ByteBuffer in;
    private int remaining;
    private final long now;
    private final Memory memory;
    private final List<Counter> limits = new ArrayList<>();
    private final MessagePackWriter out = new MessagePackWriter();

    Run(byte[][] keys, byte[] argument, long serverTime, Memory memory) {
      this.keys = new String[keys.length];
      for (int i = 0; i < keys.length; i++) {
        this.keys[i] = new String(keys[i], StandardCharsets.UTF_8);
      }
      this.in = ByteBuffer.wrap(argument);
      this.in.get();
      this.remaining = this.in.getInt();
      long given = number();
      this.now = given < 0 ? serverTime : given;
      this.memory = memory;
    }

    byte[] reply() {
      out.put(now);
      number(); // whether there are plans of several charges
      for (long count = number(); count > 0; count--) {
        var numbers = new ArrayList<Long>(7);
        for (int i = 0; i < 7; i++) numbers.add(number());
        limits.add(counter(numbers));
      }
      while (remaining > 0) operation();
      return out.array();
    }

    private void operation() {
      int mode = (int) number();
      long count = number();
      switch (mode) {
        case RENEW, RELEASE, RELEASE_AFTER -> changeSlot(mode, (int) count);
        case TAKE -> hold((int) count);
        case REPORT -> report((int) count);
        case GIVE_BACK -> giveBack();
        default -> {
          if (count > 0) decideAll((int) count, mode == DECIDE);
          else decideOne(mode == DECIDE);
        }
      }
    }

    private void changeSlot(int mode, int key) {
      var slots = (SlotLimit) limits.get((int) number() - 1).limit();
      long holder = number();
      var name = keys[key - 1];
      var state = memory.get(name);
      boolean holds = SlotLimit.holds(state, now, holder);
      var next =
          switch (mode) {
            case RENEW -> slots.renew(state, now, holder);
            case RELEASE -> slots.release(state, now, holder);
            default -> slots.release(state, now, holder, completedCall());
          };
      if (state instanceof SlotState) memory.put(name, next);
      memory.noted(
          () -> (mode == RENEW ? "renew " : "release ") + name + " of " + holder + ": " + holds);
      out.put(holds ? 1 : 0);
    }

    private CompletedCall completedCall() {
      long duration = number();
      return new CompletedCall(OUTCOMES.get((int) number()), duration);
    }

    private void hold(int key) {
      var limit = (Holdable) limits.get((int) number() - 1).limit();
      var take =
          new HoldRequest(
              number(),
              number(),
              new HoldRequest.Usage(number(), number(), number()),
              number(),
              number(),
              number());
      var name = keys[key - 1];
      var taken = take.from(limit, memory.get(name), now);
      memory.settled(name, Math.min(take.usage().spent(), held(memory.get(name), take.holder())));
      memory.put(name, taken.state());
      if (taken.outcome() instanceof Passed && take.cost() > 0) memory.charged(name, take.cost());
      memory.noted(
          () -> take + " from " + name + ": " + taken.outcome() + ", holds " + taken.held());
      writeOutcome(taken.outcome(), 0, false);
      out.put(taken.held());
    }

    private static long held(State state, long holder) {
      if (!(state instanceof HeldState held)) return 0;
      return held.holds().stream()
          .filter(holding -> holding.holder() == holder)
          .mapToLong(HeldState.Hold::amount)
          .sum();
    }

    private void report(int key) {
      var limit = (Holdable) limits.get((int) number() - 1).limit();
      long cost = number();
      var name = keys[key - 1];
      var reported = HeldState.reported(limit, memory.get(name), now, cost);
      memory.put(name, reported.state());
      if (reported.counted() && cost > 0) memory.charged(name, cost);
      memory.noted(() -> "report " + cost + " of " + name + ": " + reported);
      var known =
          limit.adopt(
              HeldState.withoutHolds(HeldState.expireHolds(limit, reported.state(), now)), now);
      out.put(reported.counted() ? 1 : 0);
      var numbers = ScriptStates.numbers(limit, known);
      out.put(numbers[0]).put(numbers.length - 1);
      for (int i = 1; i < numbers.length; i++) out.put(numbers[i]);
    }

    private void giveBack() {
      var name = keys[(int) number() - 1];
      var charge = charge(name);
      long madeAt = number();
      long wasFreshAt = number();
      memory.put(name, ScriptStates.giveBack(charge, memory.get(name), now, madeAt, wasFreshAt));
      memory.charged(name, -charge.cost());
      memory.noted(() -> "give back " + charge.cost() + " of " + name);
      out.put(1);
    }

    private Charge charge(String name) {
      var counter = limits.get((int) number() - 1);
      long cost = number();
      long holder = counter.limit() instanceof SlotLimit ? number() : 0;
      var share = counter.limit() instanceof FairShare ? new Share(text(), (int) number()) : null;
      return new Charge(counter, name, cost, holder, share);
    }

    private void decideOne(boolean keep) {
      var name = keys[(int) number() - 1];
      var charge = charge(name);
      for (long times = number(); times > 0; times--) {
        var step = charge.step(memory.get(name), now);
        if (keep) {
          memory.put(name, step.state());
          if (step.outcome() instanceof Passed && charge.cost() > 0) {
            memory.charged(name, charge.cost());
          }
        }
        memory.noted(() -> (keep ? "charge " : "peek ") + charge + ": " + step.outcome());
        writeOutcome(step.outcome(), charge.cost(), charge.limit() instanceof FairShare);
      }
    }

    private void decideAll(int count, boolean keep) {
      var parts = new ArrayList<Plan.Part>(count);
      var charges = new ArrayList<Charge>();
      for (int p = 0; p < count; p++) {
        var part = new Part();
        int size = (int) number();
        int combine = (int) number();
        int permille = (int) number();
        part.combine =
            combine == 1
                ? new Combine.Any()
                : combine == 2 ? new Combine.Weighted(permille) : new Combine.All();
        part.enforced = number() == 1;
        int from = charges.size();
        for (int i = 0; i < size; i++) {
          var charge = charge(keys[(int) number() - 1]);
          charges.add(charge);
          part.weights.add(number());
          part.counters.add(charge.counter());
        }
        var compiled = rule(part);
        parts.add(new Plan.Part(compiled.rule, -1, compiled.counters, from));
      }
      // All keys of a limit share one counter here, so states of a plan are identified by key.
      var plan = ScriptPlans.of(parts, charges);
      var states = new ArrayList<State>(charges.size());
      for (var charge : charges) states.add(memory.get(charge.key()));
      var steps = plan.step(states, now);
      var outcomes = steps.stream().map(step -> step.outcome()).toList();
      var charged = plan.charged(outcomes);
      boolean allowed = plan.allows(outcomes);
      for (int i = 0; i < charges.size(); i++) {
        var charge = charges.get(i);
        if (keep) {
          memory.put(charge.key(), steps.get(i).state());
          if (allowed && charged[i] && charge.cost() > 0)
            memory.charged(charge.key(), charge.cost());
        }
        var outcome = outcomes.get(i);
        memory.noted(() -> (keep ? "charge " : "peek ") + charge + ": " + outcome);
        long evaluated = plan.cumulativeCharge(i, j -> charged[j]).cost();
        writeOutcome(outcome, evaluated, charge.limit() instanceof FairShare);
      }
    }

    private void writeOutcome(Outcome outcome, long requested, boolean fair) {
      switch (outcome) {
        case Passed passed ->
            out.put(0).put(passed.remaining()).put(passed.resetAfter()).put(passed.delay());
        case Refused refused -> {
          out.put(1).put(refused.remaining()).put(refused.resetAfter()).put(refused.retryAfter());
          if (fair) out.put(refused.certainFor());
        }
        case ExceedsCapacity never ->
            out.put(2).put(never.remaining()).put(never.resetAfter()).put(requested);
      }
      if (outcome.limit() > 0) out.put(outcome.limit());
    }

    private String text() {
      remaining--;
      in.get(); // the type, of which there is one
      var text = new byte[Byte.toUnsignedInt(in.get())];
      in.get(text);
      return new String(text, StandardCharsets.UTF_8);
    }

    /** Decodes the next integer, which may be encoded as text. */
    private long number() {
      remaining--;
      int type = Byte.toUnsignedInt(in.get());
      if (type < 0x80) return type;
      return switch (type) {
        case 0xcd -> Short.toUnsignedLong(in.getShort());
        case 0xce -> Integer.toUnsignedLong(in.getInt());
        case 0xd3 -> in.getLong();
        case 0xd9 -> {
          var text = new byte[Byte.toUnsignedInt(in.get())];
          in.get(text);
          yield Long.parseLong(new String(text, StandardCharsets.UTF_8));
        }
        default -> throw new IllegalStateException("not a number: " + type);
      };
    }
  }
}
