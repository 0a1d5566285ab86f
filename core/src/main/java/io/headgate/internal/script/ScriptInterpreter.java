package io.headgate.internal.script;

import io.headgate.limit.FairShare;
import io.headgate.limit.GiveBack;
import io.headgate.limit.HeldState;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.Holdable;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.ReturnHistory;
import io.headgate.limit.ScriptStates;
import io.headgate.limit.Share;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.SlotState;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationRecord;
import io.headgate.reservation.ReservationStep;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.Counter;
import io.headgate.rule.Mode;
import io.headgate.rule.Plan;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import java.nio.BufferUnderflowException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The script in Java: decodes the batches of {@link Batch}, evaluates them with the limits of the
 * core, which the Lua code of Redis mirrors, and encodes the reply for {@link ReplyReader}.
 *
 * <p>The reader is strict: a batch that {@link Batch} can't have written fails with an {@link
 * IllegalArgumentException}, and the caller must discard the states of that run. Not thread-safe.
 */
public final class ScriptInterpreter {
  private static final List<CallOutcome> OUTCOMES = List.of(CallOutcome.values());

  /** Bounds the time of one command; a {@link Batcher} sends far fewer repetitions. */
  private static final int MAX_REPETITIONS = 10_000;

  private static final int MAX_RULES = 10_000;

  /** The states of one hash slot. Simulations are notified of charges. */
  public interface Memory {
    /** Is notified of the number of limits of a batch, before they are decoded. */
    default void decoding(int limits) {}

    /** Is notified of each command, before it is decoded. */
    default void executing() {}

    /** Is notified of a charge, before it is made so many times or given back. */
    default void charging(Charge charge, long times) {}

    /** Is notified of a request for a hold, before it is executed. */
    default void holding(HoldRequest request) {}

    /** Is notified of an operation on a reservation, before it is executed. */
    default void reserving(ReservationCommand command) {}

    /** Returns the state of a key, {@link State#FRESH} if it has none. */
    State get(String key);

    /** Stores the state of a key. */
    void put(String key, State state);

    /** As {@link #put(String, State)}, with the limit by which the state was written. */
    default void put(String key, State state, Limit limit) {
      put(key, state);
    }

    /** Records that permits were charged, or returned if the cost is negative. */
    default void charged(String key, long cost) {}

    /** Records that held permits were charged because they had been spent. */
    default void settled(String key, long spent) {}

    /**
     * Returns the record of a reservation; {@link ReservationRecord#open} if it has none.
     *
     * @throws IllegalArgumentException if this memory keeps no reservations
     */
    default ReservationRecord reservation(String key, long expiresAt) {
      throw new IllegalArgumentException("reservations are not kept here");
    }

    /** Stores the record of a reservation. */
    default void put(String key, ReservationRecord record) {
      throw new IllegalArgumentException("reservations are not kept here");
    }

    /** Returns the returns to a bucket, {@link ReturnHistory#NONE} if there are none. */
    default ReturnHistory returns(String key) {
      return ReturnHistory.NONE;
    }

    /** Stores the returns to a bucket. */
    default void put(String key, ReturnHistory returns) {}

    /** Records an operation for the history. */
    default void noted(Supplier<String> operation) {}
  }

  /** The limits of one rule within a plan. */
  private static final class Part {
    Combine combine = new Combine.All();
    boolean enforced;
    final List<Counter> counters = new ArrayList<>();
    final List<Long> weights = new ArrayList<>();
  }

  private final LimitDecoder decoder;
  private final Map<List<Object>, Compiled> rules = new HashMap<>();

  /** Creates an interpreter of batches whose limits have a format. */
  public ScriptInterpreter(LimitFormat format) {
    this(new LimitDecoder(format));
  }

  ScriptInterpreter(LimitDecoder decoder) {
    this.decoder = decoder;
  }

  /**
   * Runs a batch.
   *
   * @param keys the keys of the counters
   * @param argument the encoded batch
   * @param serverTime the server's clock in µs, used unless the batch has a time
   * @return the encoded reply
   * @throws IllegalArgumentException if the batch is malformed
   */
  public byte[] run(byte[][] keys, byte[] argument, long serverTime, Memory memory) {
    var names = new String[keys.length];
    for (int i = 0; i < keys.length; i++) names[i] = new String(keys[i], StandardCharsets.UTF_8);
    return run(names, argument, serverTime, memory);
  }

  /** As {@link #run(byte[][], byte[], long, Memory)}, with decoded keys. */
  public byte[] run(String[] keys, byte[] argument, long serverTime, Memory memory) {
    try {
      return new Run(keys, argument, serverTime, memory).reply();
    } catch (BufferUnderflowException
        | IndexOutOfBoundsException
        | ClassCastException
        | ArithmeticException
        | IllegalStateException e) {
      throw new IllegalArgumentException("a batch is malformed: " + e, e);
    }
  }

  /** Returns the time by which a batch is to be decided, as in tests; -1 for the server's clock. */
  public static long timeOf(byte[] argument) {
    return new BatchReader(argument).number();
  }

  /** A rule with its counters. */
  private record Compiled(Rule rule, List<Counter> counters) {}

  private Compiled rule(Part part) {
    var limits = part.counters.stream().map(Counter::limit).toList();
    if (rules.size() >= MAX_RULES) rules.clear();
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
    private final BatchReader in;
    private final long now;
    private final Memory memory;
    private final List<Counter> limits = new ArrayList<>();
    private final MessagePackWriter out = new MessagePackWriter();
    private int parts;

    Run(String[] keys, byte[] argument, long serverTime, Memory memory) {
      this.keys = keys;
      this.in = new BatchReader(argument);
      long given = number();
      this.now = given < 0 ? serverTime : given;
      this.memory = memory;
    }

    byte[] reply() {
      out.put(now);
      parts = in.count();
      int count = in.count();
      memory.decoding(count);
      for (; count > 0; count--) limits.add(decoder.read(in));
      while (in.hasMore()) operation();
      return out.array();
    }

    private void operation() {
      int mode = Math.toIntExact(number());
      long count = number();
      memory.executing();
      switch (mode) {
        case Batch.RENEW, Batch.RELEASE, Batch.RELEASE_AFTER ->
            changeSlot(mode, Math.toIntExact(count));
        case Batch.HOLD -> hold(Math.toIntExact(count));
        case Batch.REPORT -> report(Math.toIntExact(count));
        case Batch.GIVE_BACK -> {
          // The Lua code would take a number of parts for a plan.
          if (count != 0) throw new IllegalArgumentException("a charge to give back has parts");
          giveBack();
        }
        case Batch.RESETTING -> resetting(keys[Math.toIntExact(count) - 1]);
        case Batch.RESERVATION ->
            reservation(
                keys[Math.toIntExact(count) - 1], ReservationOperation.read(in, keys, limits));
        case Batch.SETTLE ->
            reservation(
                keys[Math.toIntExact(count) - 1],
                ReservationOperation.readSettlement(in, keys, limits));
        case Batch.PEEK, Batch.DECIDE -> {
          if (count < 0) throw new IllegalArgumentException("a plan has %d parts".formatted(count));
          if (count > 0) decideAll(Math.toIntExact(count), mode == Batch.DECIDE);
          else decideOne(mode == Batch.DECIDE);
        }
        default -> throw new IllegalArgumentException("unknown command: " + mode);
      }
    }

    /** Requires that the batch states that it needs a part of the Lua code; see prelude.lua. */
    private void requirePart(int part) {
      if ((parts & part) == 0)
        throw new IllegalArgumentException("a batch does not state its parts");
    }

    private void changeSlot(int mode, int key) {
      var slots = (SlotLimit) limits.get(index()).limit();
      long holder = in.holder();
      var name = keys[key - 1];
      var state = memory.get(name);
      boolean holds = SlotLimit.holds(state, now, holder);
      var next =
          switch (mode) {
            case Batch.RENEW -> slots.renew(state, now, holder);
            case Batch.RELEASE -> slots.release(state, now, holder);
            default -> slots.release(state, now, holder, completedCall());
          };
      if (state instanceof SlotState) memory.put(name, next, slots);
      memory.noted(() ->
          (mode == Batch.RENEW ? "renew " : "release ") + name + " of " + holder + ": " + holds);
      out.put(holds ? 1 : 0);
    }

    private CompletedCall completedCall() {
      long duration = number();
      return new CompletedCall(OUTCOMES.get(Math.toIntExact(number())), duration);
    }

    private void hold(int key) {
      var limit = (Holdable) limits.get(index()).limit();
      var take =
          new HoldRequest(
              number(),
              number(),
              new HoldRequest.Usage(number(), number(), number()),
              number(),
              number(),
              number());
      var name = keys[key - 1];
      memory.holding(take);
      var taken = take.from(limit, memory.get(name), now);
      memory.settled(name, Math.min(take.usage().spent(), held(memory.get(name), take.holder())));
      memory.put(name, taken.state(), limit);
      if (taken.outcome() instanceof Passed && take.cost() > 0) memory.charged(name, take.cost());
      memory.noted(
          () -> take + " from " + name + ": " + taken.outcome() + ", holds " + taken.held());
      writeOutcome(taken.outcome(), false);
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
      var counter = limits.get(index());
      var limit = (Holdable) counter.limit();
      long cost = number();
      var name = keys[key - 1];
      memory.charging(new Charge(counter, name, cost, 0), 1);
      var reported = HeldState.reported(limit, memory.get(name), now, cost);
      memory.put(name, reported.state(), limit);
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
      requirePart(Batch.RETURNS);
      var name = keys[index()];
      var charge = charge(name);
      long madeAt = number();
      long wasFreshAt = number();
      var returnsKey = ReservationOperation.returnsKey(in, keys);
      memory.charging(charge, 1);
      var receipt = new GiveBack.Receipt(charge.cost(), madeAt, wasFreshAt, true);
      var history = returns(returnsKey);
      var returned =
          ScriptStates.giveBack(
              charge.limit(),
              memory.get(name),
              history,
              now,
              charge.cost(),
              charge.holder(),
              charge.shareOrNone(),
              receipt);
      memory.put(name, returned.state(), charge.limit());
      if (!returned.history().equals(history)) memory.put(returnsKey, returned.history());
      memory.charged(name, -charge.cost());
      memory.noted(() -> "give back " + charge.cost() + " of " + name);
      out.put(1);
    }

    private void resetting(String name) {
      requirePart(Batch.RETURNS);
      var limit = limits.get(index()).limit();
      var returnsKey = keys[index()];
      memory.put(returnsKey, ReturnHistory.ofReset(limit, memory.get(name), now));
      memory.noted(() -> "reset of " + name + " follows");
      out.put(1);
    }

    private ReturnHistory returns(String key) {
      return key.isEmpty() ? ReturnHistory.NONE : memory.returns(key);
    }

    private void reservation(String key, ReservationOperation.Decoded decoded) {
      requirePart(Batch.RETURNS);
      var command = decoded.command();
      memory.reserving(command);
      var record = memory.reservation(key, command.expiresAt());
      var charges = decoded.charges();
      var states = charges.stream().map(charge -> memory.get(charge.key())).toList();
      var returns = decoded.returns().stream().map(this::returns).toList();
      var step = ReservationStep.of(record, command, states, returns, now);
      if (!step.record().equals(record)) memory.put(key, step.record());
      for (int i = 0; i < charges.size(); i++) {
        if (!step.returns().get(i).equals(returns.get(i))) {
          memory.put(decoded.returns().get(i), step.returns().get(i));
        }
        if (step.states().get(i).equals(states.get(i))) continue;
        memory.put(charges.get(i).key(), step.states().get(i), charges.get(i).limit());
      }
      memory.noted(() -> command.action() + " " + key + ": " + step.reply());
      ReservationOperation.write(step.reply(), out);
    }

    private Charge charge(String name) {
      var counter = limits.get(index());
      long cost = number();
      long holder = counter.limit() instanceof SlotLimit ? in.holder() : 0;
      var share =
          counter.limit() instanceof FairShare
              ? new Share(text(), Math.toIntExact(number()))
              : null;
      return new Charge(counter, name, cost, holder, share);
    }

    private void decideOne(boolean keep) {
      var name = keys[index()];
      var charge = charge(name);
      long times = number();
      if (times < 1 || times > MAX_REPETITIONS) {
        throw new IllegalArgumentException("a command is repeated %d times".formatted(times));
      }
      memory.charging(charge, times);
      for (; times > 0; times--) {
        var step = charge.step(memory.get(name), now);
        if (keep) {
          memory.put(name, step.state(), charge.limit());
          if (step.outcome() instanceof Passed && charge.cost() > 0) {
            memory.charged(name, charge.cost());
          }
        }
        memory.noted(() -> (keep ? "charge " : "peek ") + charge + ": " + step.outcome());
        writeStep(step, step.outcome(), charge.limit() instanceof FairShare);
      }
    }

    private void decideAll(int count, boolean keep) {
      requirePart(Batch.MULTI_CHARGE);
      var parts = new ArrayList<Plan.Part>(); // of a size that the batch has, not one it states
      var charges = new ArrayList<Charge>();
      for (int p = 0; p < count; p++) {
        var part = new Part();
        int size = in.count();
        part.combine = combine(Math.toIntExact(number()), Math.toIntExact(number()));
        part.enforced = in.flag();
        int from = charges.size();
        for (int i = 0; i < size; i++) {
          var charge = charge(keys[index()]);
          memory.charging(charge, 1);
          charges.add(charge);
          part.weights.add(number());
          part.counters.add(charge.counter());
        }
        var compiled = rule(part);
        parts.add(new Plan.Part(compiled.rule, -1, compiled.counters, from));
      }
      // All keys of a limit share one counter here, so states of a plan are identified by key.
      var plan = Plan.ofParts(parts, charges);
      var states = new ArrayList<State>(charges.size());
      for (var charge : charges) states.add(memory.get(charge.key()));
      var steps = plan.step(states, now);
      var outcomes = steps.stream().map(step -> step.outcome()).toList();
      var charged = plan.charged(outcomes);
      boolean allowed = plan.allows(outcomes);
      for (int i = 0; i < charges.size(); i++) {
        var charge = charges.get(i);
        if (keep) {
          memory.put(charge.key(), steps.get(i).state(), charge.limit());
          if (allowed && charged[i] && charge.cost() > 0)
            memory.charged(charge.key(), charge.cost());
        }
        var outcome = outcomes.get(i);
        memory.noted(() -> (keep ? "charge " : "peek ") + charge + ": " + outcome);
        writeStep(steps.get(i), outcome, charge.limit() instanceof FairShare);
      }
    }

    private static Combine combine(int code, int permille) {
      return switch (code) {
        case Batch.ALL -> new Combine.All();
        case Batch.ANY -> new Combine.Any();
        case Batch.WEIGHTED -> new Combine.Weighted(permille);
        default -> throw new IllegalArgumentException("unknown combination: " + code);
      };
    }

    /** Writes an outcome, and for a counter with holds the time that a receipt of it has. */
    private void writeStep(Step step, Outcome outcome, boolean fair) {
      if (outcome instanceof Passed passed && step.state() instanceof HeldState) {
        out.put(-1).put(passed.remaining()).put(passed.resetAfter()).put(passed.delay());
        out.put(HeldState.receiptFreshAt(step, now) - now);
      } else {
        writeOutcome(outcome, fair);
      }
    }

    private void writeOutcome(Outcome outcome, boolean fair) {
      switch (outcome) {
        case Passed passed ->
            out.put(0).put(passed.remaining()).put(passed.resetAfter()).put(passed.delay());
        case Refused refused -> {
          out.put(1).put(refused.remaining()).put(refused.resetAfter()).put(refused.retryAfter());
          if (fair) out.put(refused.certainFor());
        }
        case ExceedsCapacity never ->
            out.put(2).put(never.remaining()).put(never.resetAfter()).put(never.cost());
      }
      if (outcome.limit() > 0) out.put(outcome.limit());
    }

    private String text() {
      return in.text();
    }

    private long number() {
      return in.number();
    }

    private int index() {
      return in.count() - 1;
    }
  }
}
