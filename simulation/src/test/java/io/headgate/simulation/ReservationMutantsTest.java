package io.headgate.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationCommand.Action;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.store.ForwardingStore;
import io.headgate.store.ReservationStore;
import io.headgate.store.ReservedPlan;
import io.headgate.store.Store;
import io.headgate.store.UnsweptStores;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Breaks the store of reservations, and requires that the simulation finds each defect. */
@SuppressWarnings("UnnecessaryLambda") // each run of a mutant has a state of its own
class ReservationMutantsTest {
  private static final int SEEDS = 40;

  /** Histories in which a released hold is returned once more are rare: the first is seed 332. */
  private static final int FIRST_OF_RARE = 320;

  /** Calls of a store, some of which are changed. */
  private interface Mutant {
    Object call(ReservationStore real, String method, Object[] arguments, Call next)
        throws Throwable;
  }

  private interface Call {
    Object run(Object... arguments) throws Throwable;
  }

  static Stream<Arguments> mutants() {
    return Stream.of(
        Arguments.of("a settlement that is repeated is charged again", settlesTwice()),
        Arguments.of("a reservation does not charge its estimate", countsAfterwards()),
        Arguments.of("an update lowers the reported usage", losesReports()),
        Arguments.of("a growth is not checked against the limit", growsUnchecked()));
  }

  private static Function<Set<String>, Mutant> settlesTwice() {
    return settled ->
        (real, method, arguments, next) -> {
          var result = next.run(arguments);
          if (method.equals("apply")
              && arguments[0] instanceof ReservationCommand command
              && command.action() == Action.SETTLE
              && !settled.add(command.nonce())) {
            var unused =
                real.charge(
                    command.entries().stream()
                        .filter(entry -> entry.target() > 0)
                        .map(entry -> entry.reserved().charge().withCost(entry.target()))
                        .toList());
          }
          return result;
        };
  }

  private static Function<Set<String>, Mutant> countsAfterwards() {
    return state ->
        (real, method, arguments, next) ->
            method.equals("reserve") && arguments[0] instanceof Plan plan
                ? next.run(plan.atZeroCost())
                : next.run(arguments);
  }

  /** Drops the usage of every second update. */
  private static Function<Set<String>, Mutant> losesReports() {
    return seen ->
        (real, method, arguments, next) -> {
          if (method.equals("apply")
              && arguments[0] instanceof ReservationCommand command
              && command.action() == Action.UPDATE
              && !seen.add(command.nonce())) {
            var entries =
                command.entries().stream()
                    .map(entry ->
                        new ReservationCommand.Entry(
                            entry.reserved(), ReservationCommand.UNREPORTED, entry.more()))
                    .toList();
            return next.run(command.with(entries));
          }
          return next.run(arguments);
        };
  }

  private static Function<Set<String>, Mutant> growsUnchecked() {
    return state ->
        (real, method, arguments, next) -> {
          if (method.equals("apply")
              && arguments[0] instanceof ReservationCommand command
              && command.grows()) {
            List<Charge> more =
                command.entries().stream()
                    .map(entry -> entry.reserved().charge().withCost(entry.more()))
                    .toList();
            var unused = real.charge(more);
          }
          return next.run(arguments);
        };
  }

  private static Store mutated(Store store, Function<Set<String>, Mutant> mutants) {
    var mutant = mutants.apply(new HashSet<>());
    return new ForwardingStore(store) {
      @Override
      public Optional<ReservationStore> reservations() {
        return super.reservations().map(real -> proxy(real, mutant));
      }
    };
  }

  private static ReservationStore proxy(ReservationStore real, Mutant mutant) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          try {
            return mutant.call(
                real, method.getName(), arguments, changed -> method.invoke(real, changed));
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        };
    return (ReservationStore)
        Proxy.newProxyInstance(
            ReservationStore.class.getClassLoader(),
            new Class<?>[] {ReservationStore.class},
            handler);
  }

  @Test
  void bucketThatDropsItsReturnsIsFound() {
    assertThat(isFound(dropsReturns(), 1)).isTrue();
  }

  @Test
  void receiptThatIncludesHoldsIsFound() {
    assertThat(isFound(includesHolds(), FIRST_OF_RARE)).isTrue();
  }

  /** A receipt has the time at which the counter is fresh after all leases have ended. */
  private static Function<Set<String>, Mutant> includesHolds() {
    return state ->
        (real, method, arguments, next) -> {
          if (!method.equals("reserve")) return next.run(arguments);
          var made = real.reserve((Plan) arguments[0]).toCompletableFuture().join();
          var receipts = new ArrayList<ReservedPlan.@Nullable Receipt>();
          for (int i = 0; i < made.receipts().size(); i++) {
            var receipt = made.receipts().get(i);
            long reset = made.result().outcomes().get(i).resetAfter();
            receipts.add(
                receipt == null
                    ? null
                    : new ReservedPlan.Receipt(receipt.at(), receipt.at() + reset));
          }
          return CompletableFuture.completedStage(new ReservedPlan(made.result(), receipts));
        };
  }

  private static Function<Set<String>, Mutant> dropsReturns() {
    return state ->
        (real, method, arguments, next) -> {
          UnsweptStores.dropReturns(real);
          return next.run(arguments);
        };
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  void defectIsFound(String name, Function<Set<String>, Mutant> mutants) {
    assertThat(isFound(mutants, 1)).as(name).isTrue();
  }

  private static boolean isFound(Function<Set<String>, Mutant> mutants, long first) {
    var scenario = new ReservationScenario(store -> mutated(store, mutants));
    for (long seed = first; seed < first + SEEDS; seed++) {
      if (scenario.run(scenario.script(seed), false).failure() != null) {
        return true;
      }
    }
    return false;
  }
}
