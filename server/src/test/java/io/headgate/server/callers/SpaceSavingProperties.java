package io.headgate.server.callers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.headgate.server.stats.CallerStatsFixtures;
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

/** Tests the sketch against exact counts. */
class SpaceSavingProperties {
  private static final double TOLERANCE = 1e-6;

  /** Checks of one caller or, if the name is empty, the passage of time. */
  record Event(String name, int weight) {}

  @Provide
  Arbitrary<List<Event>> events() {
    // A few frequent names, and many that occur once.
    var frequent = Arbitraries.integers().between(1, 6).map(i -> "often" + i);
    var rare = Arbitraries.integers().between(1, 10_000).map(i -> "rare" + i);
    var names =
        Arbitraries.oneOf(frequent, frequent, frequent, rare, rare, rare, Arbitraries.just(""));
    return Combinators.combine(names, Arbitraries.integers().between(1, 5))
        .as(Event::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(400);
  }

  /** The sketch and the exact counts after the same events. */
  private record Both(SpaceSaving sketch, Map<String, Double> exact) {
    static Both of(int capacity, List<Event> events) {
      var both = new Both(new SpaceSaving(capacity), new HashMap<>());
      for (var event : events) {
        if (event.name.isEmpty()) {
          both.sketch.decay(0.9);
          both.exact.replaceAll((name, weight) -> weight * 0.9);
        } else {
          both.sketch.add(event.name, event.weight);
          both.exact.merge(event.name, (double) event.weight, Double::sum);
        }
      }
      return both;
    }

    double total() {
      return exact.values().stream().mapToDouble(Double::doubleValue).sum();
    }
  }

  @Property(tries = 300)
  void weightIsNeverTooLowAndAtMostItsErrorTooHigh(
      @ForAll("events") List<Event> events, @ForAll @IntRange(min = 1, max = 20) int capacity) {
    var both = Both.of(capacity, events);
    double total = both.total();
    assertThat(both.sketch.total()).isCloseTo(total, offset(TOLERANCE));
    for (var entry : both.sketch.entries()) {
      double exact = both.exact.getOrDefault(entry.name(), 0.0);
      assertThat(entry.weight()).isGreaterThanOrEqualTo(exact - TOLERANCE);
      assertThat(entry.weight() - entry.error()).isLessThanOrEqualTo(exact + TOLERANCE);
      assertThat(entry.error()).isLessThanOrEqualTo(total / capacity + TOLERANCE);
    }
  }

  @Property(tries = 300)
  void heavyElementsArePresentAndOthersAreBelowTheFloor(
      @ForAll("events") List<Event> events, @ForAll @IntRange(min = 1, max = 20) int capacity) {
    var both = Both.of(capacity, events);
    double bound = both.total() / capacity;
    assertThat(both.sketch.floor()).isLessThanOrEqualTo(bound + TOLERANCE);
    both.exact.forEach((name, weight) -> {
      if (weight > bound + TOLERANCE) assertThat(both.sketch.has(name)).as(name).isTrue();
      if (!both.sketch.has(name)) {
        assertThat(weight).isLessThanOrEqualTo(both.sketch.floor() + TOLERANCE);
      }
    });
  }

  @Property(tries = 100)
  void replacedElementsAreReturnedAndTheCapacityHolds(
      @ForAll("events") List<Event> events, @ForAll @IntRange(min = 1, max = 20) int capacity) {
    var sketch = new SpaceSaving(capacity);
    var present = new java.util.HashSet<String>();
    for (var event : events) {
      if (event.name.isEmpty()) continue;
      sketch.add(event.name, event.weight).ifPresent(present::remove);
      present.add(event.name);
    }
    assertThat(present).hasSizeLessThanOrEqualTo(capacity);
    assertThat(sketch.entries().stream().map(SpaceSaving.Entry::name))
        .containsExactlyInAnyOrderElementsOf(present);
  }

  @Property(tries = 100)
  void mergedListsBoundTheExactCounts(
      @ForAll("events") List<Event> events, @ForAll @IntRange(min = 2, max = 4) int instances) {
    int capacity = 8;
    var parts =
        IntStream.range(0, instances)
            .mapToObj(i ->
                IntStream.range(0, events.size())
                    .filter(at -> at % instances == i || events.get(at).name.isEmpty())
                    .mapToObj(events::get)
                    .toList())
            .map(part -> Both.of(capacity, part))
            .toList();
    var merged = CallerMerge.of(parts.stream().map(SpaceSavingProperties::list).toList());
    var exact = new HashMap<String, Double>();
    parts.forEach(both -> both.exact.forEach((name, w) -> exact.merge(name, w, Double::sum)));
    for (var caller : merged.callers()) {
      double real = exact.getOrDefault(caller.caller(), 0.0);
      assertThat(caller.allowed() - caller.error()).isLessThanOrEqualTo(real + TOLERANCE);
      assertThat(caller.allowed() + merged.floor()).isGreaterThanOrEqualTo(real - TOLERANCE);
    }
    double bound = exact.values().stream().mapToDouble(Double::doubleValue).sum() / capacity;
    assertThat(merged.floor()).isLessThanOrEqualTo(bound + TOLERANCE);
    assertThat(merged.instances()).isEqualTo(instances);
    var listed = merged.callers().stream().map(CallerStats::caller).toList();
    exact.forEach((name, weight) -> {
      if (weight > bound + TOLERANCE) assertThat(listed).contains(name);
    });
  }

  private static CallerList list(Both both) {
    var callers =
        both.sketch.entries().stream()
            .map(entry -> CallerStatsFixtures.caller(entry.name(), entry.weight(), entry.error()))
            .toList();
    return new CallerList(0, 1, callers.size(), both.sketch.floor(), both.sketch.total(), callers);
  }
}
