package io.headgate.rulefile;

import io.headgate.limit.Rate;
import io.headgate.limit.Tuning;
import io.headgate.load.SignalKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads and writes {@code adapt} of a limit: how its rate follows a signal. */
final class TuningReader {
  static final String FIELD = "adapt";
  private static final String BETWEEN = "between";
  private static final String PIN = "pin";
  private static final String BOUNDS = "a list of two rates such as [100/1s, 5000/1s]";

  /** Reads the value of the field; empty if it is invalid, which is then among the problems. */
  static Optional<Tuning> read(FieldValue value) {
    return value
        .section("a map such as { between: [100/1s, 5000/1s], signal: latency, target: 250ms }")
        .flatMap(TuningReader::read);
  }

  private static Optional<Tuning> read(MappingReader section) {
    int before = section.self().problems().count();
    section.allowOnly(List.of(BETWEEN, ShedReader.SIGNAL, ShedReader.TARGET, PIN));
    if (!section.has(BETWEEN)) section.missing(BETWEEN, "give " + BOUNDS);
    var bounds = section.find(BETWEEN).map(TuningReader::bounds).orElse(List.of());
    var signal = ShedReader.signal(section);
    var target = signal.flatMap(known -> ShedReader.target(section, known));
    var pin = section.read(PIN, RateSyntax.WANTED, text -> RateSyntax.parse(text).rate());
    if (section.self().problems().count() != before) return Optional.empty();
    return section
        .findOrSelf(pin.isPresent() ? PIN : BETWEEN)
        .attempt(() -> tuning(bounds, signal.orElseThrow(), target.orElseThrow(), pin));
  }

  private static Tuning tuning(
      List<Rate> bounds, SignalKind signal, double target, Optional<Rate> pin) {
    return new Tuning(bounds.getFirst(), bounds.getLast(), signal, target, pin);
  }

  private static List<Rate> bounds(FieldValue value) {
    var items = value.items(BOUNDS);
    if (items.isEmpty()) return List.of();
    if (items.get().size() != 2) {
      value.problem("must be %s, got %d items".formatted(BOUNDS, items.get().size()));
      return List.of();
    }
    return items.get().stream()
        .flatMap(
            item -> item.read(RateSyntax.WANTED, text -> RateSyntax.parse(text).rate()).stream())
        .toList();
  }

  static OutputNode write(Tuning tuning) {
    Map<String, OutputNode> fields = new LinkedHashMap<>();
    fields.put(
        BETWEEN,
        new OutputNode.Items(
            List.of(
                new OutputNode.Text(RateSyntax.text(tuning.low())),
                new OutputNode.Text(RateSyntax.text(tuning.high())))));
    fields.put(ShedReader.SIGNAL, new OutputNode.Text(EnumNames.text(tuning.signal())));
    fields.put(ShedReader.TARGET, ShedReader.target(tuning.policy()));
    tuning.pin().ifPresent(pin -> fields.put(PIN, new OutputNode.Text(RateSyntax.text(pin))));
    return new OutputNode.Fields(fields);
  }

  private TuningReader() {}
}
