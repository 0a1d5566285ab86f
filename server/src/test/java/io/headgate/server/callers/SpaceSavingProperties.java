package io.headgate.server.callers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.headgate.server.stats.Figuring;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Against an oracle that remembers everybody. */
class SpaceSavingProperties {
  private static final double TINY = 1e-6;

  /** A check or several at once, or, if nobody is named, time that passes. */
  record Event(String name, int weight) {}

  @Provide
  Arbitrary<List<Event>> events() {
    // A few that come again and again, and many that come once.
    var often = Arbitraries.integers().between(1, 6).map(i -> "often" + i);
    var rarely = Arbitraries.integers().between(1, 10_000).map(i -> "rare" + i);
    var names =
        Arbitraries.oneOf(often, often, often, rarely, rarely, rarely, Arbitraries.just(""));
    return Combinators.combine(names, Arbitraries.integers().between(1, 5))
        .as(Event::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(400);
  }

  /** Both, after the same events. */
  private record Both(SpaceSaving kept, Map<String, Double> truth) {
    static Both of(int most, List<Event> events) {
      var both = new Both(new SpaceSaving(most), new HashMap<>());
      for (var event : events) {
        if (event.name.isEmpty()) {
          both.kept.fade(0.9);
          both.truth.replaceAll((name, weight) -> weight * 0.9);
        } else {
          both.kept.add(event.name, event.weight);
          both.truth.merge(event.name, (double) event.weight, Double::sum);
        }
      }
      return both;
    }

    double total() {
      return truth.values().stream().mapToDouble(Double::doubleValue).sum();
    }
  }

  @Property(tries = 300)
  void noWeightIsTooLowAndNoneTooHighByMoreThanItsError(
      @ForAll("events") List<Event> events, @ForAll @IntRange(min = 1, max = 20) int most) {
    var both = Both.of(most, events);
    double total = both.total();
    assertThat(both.kept.total()).isCloseTo(total, offset(TINY));
    for (var entry : both.kept.entries()) {
      double truth = both.truth.getOrDefault(entry.name(), 0.0);
      assertThat(entry.weight()).isGreaterThanOrEqualTo(truth - TINY);
      assertThat(entry.weight() - entry.error()).isLessThanOrEqualTo(truth + TINY);
      assertThat(entry.error()).isLessThanOrEqualTo(total / most + TINY);
    }
  }

  @Property(tries = 300)
  void whoeverWeighsMoreThanTheBoundIsKeptAndOthersWeighNoMoreThanTheFloor(
      @ForAll("events") List<Event> events, @ForAll @IntRange(min = 1, max = 20) int most) {
    var both = Both.of(most, events);
    double bound = both.total() / most;
    assertThat(both.kept.floor()).isLessThanOrEqualTo(bound + TINY);
    both.truth.forEach((name, weight) -> {
      if (weight > bound + TINY) assertThat(both.kept.has(name)).as(name).isTrue();
      if (!both.kept.has(name)) {
        assertThat(weight).isLessThanOrEqualTo(both.kept.floor() + TINY);
      }
    });
  }

  @Property(tries = 100)
  void itTellsWhoHadToGoAndKeepsNoMoreThanItMay(
      @ForAll("events") List<Event> events, @ForAll @IntRange(min = 1, max = 20) int most) {
    var kept = new SpaceSaving(most);
    var present = new java.util.HashSet<String>();
    for (var event : events) {
      if (event.name.isEmpty()) continue;
      kept.add(event.name, event.weight).ifPresent(present::remove);
      present.add(event.name);
    }
    assertThat(present).hasSizeLessThanOrEqualTo(most);
    assertThat(kept.entries().stream().map(SpaceSaving.Entry::name))
        .containsExactlyInAnyOrderElementsOf(present);
  }

  @Property(tries = 100)
  void severalListsTogetherBoundTheTruthOfAll(
      @ForAll("events") List<Event> events, @ForAll @IntRange(min = 2, max = 4) int instances) {
    int most = 8;
    var shares =
        IntStream.range(0, instances)
            .mapToObj(i ->
                IntStream.range(0, events.size())
                    .filter(at -> at % instances == i || events.get(at).name.isEmpty())
                    .mapToObj(events::get)
                    .toList())
            .map(part -> Both.of(most, part))
            .toList();
    var merged = CallerMerge.of(shares.stream().map(SpaceSavingProperties::list).toList());
    var truth = new HashMap<String, Double>();
    shares.forEach(both -> both.truth.forEach((name, w) -> truth.merge(name, w, Double::sum)));
    for (var caller : merged.callers()) {
      double real = truth.getOrDefault(caller.caller(), 0.0);
      assertThat(caller.allowed() - caller.error()).isLessThanOrEqualTo(real + TINY);
      assertThat(caller.allowed() + merged.floor()).isGreaterThanOrEqualTo(real - TINY);
    }
    double bound = truth.values().stream().mapToDouble(Double::doubleValue).sum() / most;
    assertThat(merged.floor()).isLessThanOrEqualTo(bound + TINY);
    assertThat(merged.instances()).isEqualTo(instances);
    var listed = merged.callers().stream().map(CallerStats::caller).toList();
    truth.forEach((name, weight) -> {
      if (weight > bound + TINY) assertThat(listed).contains(name);
    });
  }

  private static CallerList list(Both both) {
    var callers =
        both.kept.entries().stream()
            .map(entry -> Figuring.caller(entry.name(), entry.weight(), entry.error()))
            .toList();
    return new CallerList(0, 1, callers.size(), both.kept.floor(), both.kept.total(), callers);
  }
}
