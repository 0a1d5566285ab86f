package io.headgate.redis.internal.script;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.Limit;
import io.headgate.limit.Window;
import io.headgate.redis.internal.connection.RedisKeys;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.Plan;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Questions that go to the server in one call, in the words of the script; {@code plan.lua} and
 * {@code prelude.lua} say which these are. Keys and limits that several have in common are sent
 * once.
 */
public final class Batch {
  private static final int LOOK = 0;
  private static final int DECIDE = 1;
  private static final int RENEW = 2;
  private static final int RELEASE = 3;
  private static final int GIVE_BACK = 4;
  private static final int TAKE = 5;
  private static final int REPORT = 6;
  private static final int ALL = 0;
  private static final int ANY = 1;
  private static final int WEIGHTED = 2;

  private final RedisKeys names;
  private final Map<String, Integer> indexes = new HashMap<>();
  private final List<byte[]> keys = new ArrayList<>();
  private final List<Limit> limits = new ArrayList<>();
  private final MessagePackWriter plans = new MessagePackWriter();
  private boolean hasSeveral;
  private boolean hasCalendar;

  /** The charge that was written last, by itself, which may be asked again: a hot key. */
  private @Nullable Charge last;

  private int times;

  public Batch(RedisKeys names) {
    this.names = names;
  }

  void write(Plan plan, boolean keep) {
    if (plan.charges().size() == 1) {
      writeSingle(plan.charges().getFirst(), keep);
      return;
    }
    begin(keep ? DECIDE : LOOK).put(plan.parts().size());
    hasSeveral = true;
    for (var part : plan.parts()) {
      var combine = part.rule().combine();
      plans.put(part.counters().size()).put(code(combine));
      plans.put(combine instanceof Combine.Weighted(int permille) ? permille : 0);
      plans.put(part.isEnforced() ? 1 : 0);
      for (int i = 0; i < part.counters().size(); i++) {
        write(plan.charges().get(part.from() + i));
        plans.put(part.counters().get(i).weight());
      }
    }
  }

  void write(List<Charge> charges, boolean keep) {
    if (charges.size() == 1) {
      writeSingle(charges.getFirst(), keep);
      return;
    }
    begin(keep ? DECIDE : LOOK).put(charges.size());
    hasSeveral = true;
    for (var charge : charges) {
      plans.put(1).put(ALL).put(0).put(1); // a part each, so that two of one counter add up
      write(charge);
      plans.put(charge.counter().weight());
    }
  }

  void write(Charge charge, ScriptCommand.Change change) {
    switch (change) {
      case RENEW -> writeSlot(RENEW, charge);
      case RELEASE -> writeSlot(RELEASE, charge);
    }
  }

  void writeGiveBack(ChargeReceipt receipt) {
    begin(GIVE_BACK).put(0);
    write(receipt.charge());
    plans.put(receipt.at()).put(receipt.freshAt());
  }

  void write(Charge charge, HoldRequest take) {
    var usage = take.usage();
    begin(TAKE).put(keyOf(charge)).put(limitOf(charge)).put(take.holder());
    plans.put(take.order());
    plans.put(usage.spent()).put(usage.held()).put(usage.until());
    plans.put(take.cost()).put(take.want()).put(take.lease());
  }

  void writeReport(Charge charge) {
    begin(REPORT).put(keyOf(charge)).put(limitOf(charge)).put(charge.cost());
  }

  private void writeSlot(int change, Charge slot) {
    begin(change).put(keyOf(slot)).put(limitOf(slot)).put(Long.toString(slot.holder()));
  }

  private void writeSingle(Charge charge, boolean keep) {
    if (keep && isAskedAgain(charge)) {
      times++;
      return;
    }
    begin(keep ? DECIDE : LOOK).put(0);
    write(charge);
    times = 1;
    if (keep && !(charge.limit() instanceof Concurrency)) last = charge;
    else plans.put(1);
  }

  @SuppressWarnings("ReferenceEquality")
  private boolean isAskedAgain(Charge charge) {
    return last != null
        && last.limit() == charge.limit()
        && last.cost() == charge.cost()
        && last.key().equals(charge.key())
        && last.counter().equals(charge.counter());
  }

  private MessagePackWriter begin(int mode) {
    end();
    return plans.put(mode);
  }

  private void end() {
    if (last != null) plans.put(times);
    last = null;
  }

  private void write(Charge charge) {
    plans.put(keyOf(charge)).put(limitOf(charge)).put(charge.cost());
    if (charge.limit() instanceof Concurrency) plans.put(Long.toString(charge.holder()));
  }

  private static int code(Combine combine) {
    return switch (combine) {
      case Combine.All all -> ALL;
      case Combine.Hierarchical hierarchical -> ALL;
      case Combine.Priority priority -> ALL;
      case Combine.Any any -> ANY;
      case Combine.Weighted weighted -> WEIGHTED;
    };
  }

  private int keyOf(Charge charge) {
    var name = names.of(charge.counter(), charge.key());
    var known = indexes.putIfAbsent(name, keys.size() + 1);
    if (known != null) return known;
    keys.add(name.getBytes(StandardCharsets.UTF_8));
    return keys.size();
  }

  /** Few limits are used at once, and of these most often the last. */
  @SuppressWarnings("ReferenceEquality")
  private int limitOf(Charge charge) {
    var limit = charge.limit();
    for (int i = limits.size() - 1; i >= 0; i--) {
      if (limits.get(i) == limit) return i + 1;
    }
    limits.add(limit);
    hasCalendar |= limit instanceof FixedWindow window && window.cut() instanceof Window.Calendar;
    return limits.size();
  }

  /** Whether the server needs ends of windows from here. */
  boolean hasCalendar() {
    return hasCalendar;
  }

  public byte[][] keys() {
    return keys.toArray(byte[][]::new);
  }

  /**
   * @param now the time to go by; -1 for the server's own
   * @param estimate the server's time as far as it is known here, for what only a calendar tells
   */
  public byte[] argument(long now, long estimate) {
    end();
    var all = new MessagePackWriter().put(now).put(hasSeveral ? 1 : 0).put(limits.size());
    for (var limit : limits) {
      for (long number : LimitEncoding.of(limit, estimate)) all.put(number);
    }
    return all.put(plans).array();
  }
}
