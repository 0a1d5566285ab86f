package io.headgate.simulation;

import io.headgate.redis.SimulatedStore;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.Plan;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Checks that each counter of an enforced rule is charged at least the permits that were allowed.
 * In a run without faults it checks that no more were charged, so that a denial charges nothing.
 */
final class ChargeCheck implements Check {
  /** The permits of one counter that were allowed. */
  private static final class Account {
    final Charge charge;
    long allowed;

    Account(Charge charge) {
      this.charge = charge;
    }
  }

  /** The counters of a rule that charges only some of them (any, weighted). */
  private static final class Choice {
    final Plan.Part part;
    final Map<String, Account> accounts = new LinkedHashMap<>();
    long allowed;

    Choice(Plan.Part part) {
      this.part = part;
    }
  }

  private final boolean exactly;
  private final Map<String, Account> enforced = new LinkedHashMap<>();
  private final Map<String, Account> shadow = new LinkedHashMap<>();
  private final Map<String, Choice> choices = new LinkedHashMap<>();

  /**
   * @param exactly whether the run has no faults, so that only allowed requests were charged
   */
  ChargeCheck(boolean exactly) {
    this.exactly = exactly;
  }

  @Override
  public void decided(World world, TimedDecision decision) {
    if (decision.isFallback()) return;
    for (var part : decision.plan().parts()) {
      var combine = part.rule().combine();
      boolean choice = combine instanceof Combine.Any || combine instanceof Combine.Weighted;
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var charge = decision.plan().charges().get(i);
        if (choice && part.isEnforced()) {
          var all =
              choices.computeIfAbsent(part.rule().id() + part.override(), id -> new Choice(part));
          add(all.accounts, charge, decision.isAllowed());
          if (i == part.from() && decision.isAllowed()) all.allowed += charge.cost();
        } else {
          add(part.isEnforced() ? enforced : shadow, charge, decision.isAllowed());
        }
      }
    }
  }

  private static void add(Map<String, Account> accounts, Charge charge, boolean allowed) {
    var key = SimulatedStore.key(charge.counter(), charge.key());
    var account = accounts.computeIfAbsent(key, name -> new Account(charge));
    if (allowed) account.allowed += charge.cost();
  }

  @Override
  public void ended(World world) {
    enforced.forEach((key, account) -> {
      long charged = charged(world, key, account);
      if (charged < account.allowed) {
        world.fail("%s: %d allowed, but only %d charged".formatted(key, account.allowed, charged));
      } else if (exactly && charged > account.allowed) {
        world.fail("%s: %d charged, but only %d allowed".formatted(key, charged, account.allowed));
      }
    });
    shadow.forEach((key, account) -> {
      long charged = charged(world, key, account);
      if (exactly && charged > account.allowed) {
        world.fail("%s: %d charged, but only %d allowed".formatted(key, charged, account.allowed));
      }
    });
    choices.values().forEach(choice -> check(world, choice));
  }

  private void check(World world, Choice choice) {
    var weights = new HashMap<String, Long>();
    long whole = 0;
    for (var counter : choice.part.counters()) {
      weights.put(counter.name(), counter.weight());
      whole += counter.weight();
    }
    long sum = 0;
    long weighed = 0;
    for (var entry : choice.accounts.entrySet()) {
      long charged = charged(world, entry.getKey(), entry.getValue());
      sum += charged;
      weighed += charged * weights.getOrDefault(entry.getValue().charge.counter().name(), 1L);
      if (exactly && charged > entry.getValue().allowed) {
        world.fail(
            "%s: %d charged, but only %d allowed"
                .formatted(entry.getKey(), charged, entry.getValue().allowed));
      }
    }
    boolean enough =
        choice.part.rule().combine() instanceof Combine.Weighted(int permille)
            ? weighed * 1_000 >= choice.allowed * whole * permille
            : sum >= choice.allowed;
    if (!enough) {
      world.fail(
          "rule %s (%s): %d allowed, but only %d charged to its limits"
              .formatted(
                  choice.part.rule().id(), choice.part.rule().combine(), choice.allowed, sum));
    }
  }

  private static long charged(World world, String key, Account account) {
    var shard = world.shardOf(account.charge);
    return shard.charged(key) + shard.lostCharges(key);
  }
}
