package io.headgate.rulefile;

import io.headgate.rule.ReservationSettings;
import io.headgate.rule.ReservationSettings.Excess;
import io.headgate.rule.ReservationSettings.OnExpiry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads and writes {@code reservation} of a rule: how it treats reservations. */
final class ReservationReader {
  static final String FIELD = "reservation";
  private static final String TTL = "ttl";
  private static final String MAX_SHARE = "max-share";
  private static final String DEFAULT = "default";
  private static final String EXCESS = "excess";
  private static final String ON_EXPIRY = "on-expiry";
  private static final String MAX_DEBT = "max-debt";

  /** Reads the value of the field; empty if it is invalid, which is then among the problems. */
  static Optional<ReservationSettings> read(FieldValue value) {
    return value
        .section("a map such as { ttl: 60s, max-share: 50%, default: 2000 }")
        .flatMap(ReservationReader::read);
  }

  private static Optional<ReservationSettings> read(MappingReader section) {
    int before = section.self().problems().count();
    section.allowOnly(List.of(TTL, MAX_SHARE, DEFAULT, EXCESS, ON_EXPIRY, MAX_DEBT));
    var plain = ReservationSettings.DEFAULT;
    var ttl =
        section.read(
            TTL, "a duration such as 60s", text -> plain.withTtl(DurationSyntax.parse(text)).ttl());
    var share =
        section.read(
            MAX_SHARE,
            "a share such as 50% or 0.5",
            text -> plain.withMaxShare(ShareSyntax.permille("shares", text)).maxSharePermille());
    var cost =
        section.read(
            DEFAULT,
            "a number of permits such as 2000",
            text -> plain.withDefaultCost(CountSyntax.parse(text)).defaultCost());
    var excess = section.choose(EXCESS, Excess.class);
    var onExpiry = section.choose(ON_EXPIRY, OnExpiry.class);
    var debt =
        section.read(
            MAX_DEBT,
            "a duration such as 10m",
            text -> plain.withMaxDebt(DurationSyntax.parse(text)).maxDebt());
    if (section.self().problems().count() != before) return Optional.empty();
    return Optional.of(
        new ReservationSettings(
            ttl.orElse(plain.ttl()),
            share.orElse(plain.maxSharePermille()),
            cost.orElse(plain.defaultCost()),
            excess.orElse(plain.excess()),
            onExpiry.orElse(plain.onExpiry()),
            debt.orElse(plain.maxDebt())));
  }

  /** Converts settings; fields with their default values are left out. */
  static OutputNode write(ReservationSettings settings) {
    var plain = ReservationSettings.DEFAULT;
    Map<String, OutputNode> fields = new LinkedHashMap<>();
    if (!settings.ttl().equals(plain.ttl())) {
      fields.put(TTL, new OutputNode.Text(DurationSyntax.text(settings.ttl())));
    }
    if (settings.maxSharePermille() != plain.maxSharePermille()) {
      fields.put(MAX_SHARE, new OutputNode.Text(ShareSyntax.percent(settings.maxSharePermille())));
    }
    if (settings.defaultCost().isPresent()) {
      long cost = settings.defaultCost().getAsLong();
      fields.put(DEFAULT, new OutputNode.Literal(Long.toString(cost)));
    }
    if (settings.excess() != plain.excess()) {
      fields.put(EXCESS, new OutputNode.Text(EnumNames.text(settings.excess())));
    }
    if (settings.onExpiry() != plain.onExpiry()) {
      fields.put(ON_EXPIRY, new OutputNode.Text(EnumNames.text(settings.onExpiry())));
    }
    settings
        .maxDebt()
        .ifPresent(debt -> fields.put(MAX_DEBT, new OutputNode.Text(DurationSyntax.text(debt))));
    return new OutputNode.Fields(fields);
  }

  private ReservationReader() {}
}
