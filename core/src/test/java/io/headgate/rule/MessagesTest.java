package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Invalid input is rejected with a message that names the value and a remedy. */
class MessagesTest {
  private static final TokenBucket LIMIT = TokenBucket.of(Rate.perSecond(1));
  private static final LocalDateTime NEW_YEAR = LocalDateTime.of(2026, 1, 1, 0, 0);

  static Stream<Arguments> mistakes() {
    return Stream.of(
        // names
        mistake(
            () -> Rule.named("").limit(LIMIT).build(),
            "a rule's id must be 1 to 128 letters, digits or any of . _ - / : @, got ''"),
        mistake(
            () -> Rule.named("per user").limit(LIMIT).build(),
            "a rule's id must be 1 to 128 letters, digits or any of . _ - / : @, got 'per user'"),
        mistake(
            () -> Rule.named("é").limit(LIMIT).build(),
            "a rule's id must be 1 to 128 letters, digits or any of . _ - / : @, got 'é'"),
        mistake(
            () -> Rule.named("x".repeat(129)).limit(LIMIT).build(),
            "a rule's id must be 1 to 128 letters, digits or any of . _ - / : @, got '"
                + "x".repeat(40)
                + "…'"),
        mistake(
            () -> RuleLimit.of("a\nb", LIMIT),
            "a limit's name must be 1 to 128 letters, digits or any of . _ - / : @, got 'a\nb'"),
        // rules
        mistake(() -> Rule.named("r").build(), "rule 'r' has no limit; give it at least one"),
        mistake(
            () -> Rule.named("r").limit(LIMIT).limit(LIMIT).build(),
            "rule 'r' has two limits named 'r'; give each a name of its own"),
        mistake(
            () ->
                Rule.named("r")
                    .limit(LIMIT)
                    .override(
                        new LimitOverride(
                            Match.EVERYTHING,
                            List.of(RuleLimit.of("a", LIMIT), RuleLimit.of("a", LIMIT))))
                    .build(),
            "rule 'r' has two limits named 'a'; give each a name of its own"),
        mistake(
            () -> Rule.named("r").property("a b", "v"),
            "a property's name must be 1 to 128 letters, digits or any of . _ - / : @, got 'a b'"),
        mistake(
            () -> Rule.named("r").property("p", "v".repeat(257)),
            "property 'p' of rule 'r' may have at most 256 characters, got 257"),
        mistake(
            () -> new LimitOverride(Match.EVERYTHING, List.of()),
            "an override must give the limit that replaces the rule's"),
        // limits in rules
        mistake(
            () -> RuleLimit.of("bytes", LIMIT).withWeight(0),
            "weight of limit 'bytes' must be 1 to 1000000, got 0"),
        mistake(
            () -> RuleLimit.of("bytes", LIMIT).withWeight(1_000_001),
            "weight of limit 'bytes' must be 1 to 1000000, got 1000001"),
        mistake(
            () -> new Combine.Weighted(0),
            "threshold must be more than 0 and at most 1 (100%), got 0.0"),
        mistake(
            () -> new Combine.Weighted(1001),
            "threshold must be more than 0 and at most 1 (100%), got 1.001"),
        // patterns
        mistake(
            () -> Match.of("key", ""),
            "the pattern for 'key' is empty; use '*' to match any value"),
        mistake(() -> Pattern.anyOf(List.of()), "a list of patterns must name at least one"),
        mistake(
            () -> Match.of("ip", "10.0.0.0/40"),
            "'10.0.0.0/40' is neither an IP address nor a block such as 10.0.0.0/8 or"
                + " 2001:db8::/32"),
        mistake(
            () -> Match.of("key", "a").and("key", "b"),
            "there are two patterns for 'key', 'a' and 'b'; use a list to match either"),
        // schedules
        mistake(
            () ->
                new Schedule(
                    EnumSet.noneOf(DayOfWeek.class),
                    Optional.empty(),
                    ZoneOffset.UTC,
                    Optional.empty(),
                    Optional.empty()),
            "days must name at least one; to switch a rule off, use mode: off"),
        mistake(
            () -> new Schedule.Hours(LocalTime.NOON, LocalTime.NOON),
            "hours 12:00-12:00 are empty; leave them out for the whole day"),
        mistake(
            () ->
                new Schedule(
                    EnumSet.allOf(DayOfWeek.class),
                    Optional.empty(),
                    ZoneOffset.UTC,
                    Optional.of(NEW_YEAR),
                    Optional.of(NEW_YEAR)),
            "from 2026-01-01T00:00 must be before until 2026-01-01T00:00"),
        // failure policies
        mistake(
            () -> new FailurePolicy.AllowThenDeny(Duration.ZERO),
            "allow-then-deny needs a positive time, got PT0S; to deny at once, use deny"),
        // subjects
        mistake(
            () -> Subject.of(""), "attribute 'key' is empty; leave it out if the request has none"),
        mistake(
            () -> Subject.of("user", "x".repeat(1025)),
            "attribute 'user' may have at most 1024 characters, got 1025; send a hash of it"
                + " instead"),
        mistake(
            () -> Subject.of("", "x"),
            "an attribute's name must have 1 to 64 characters, got 0: ''"),
        mistake(
            () -> Subject.of("n".repeat(65), "x"),
            "an attribute's name must have 1 to 64 characters, got 65: '" + "n".repeat(40) + "…'"),
        mistake(
            () -> Subject.of(attributes(33)), "a subject may have at most 32 attributes, got 33"),
        // requests
        mistake(
            () -> Request.of(Subject.of("x"), -1), "cost must be 0 to 4503599627370496, got -1"),
        mistake(
            () -> Request.of(Subject.of("x"), (1L << 52) + 1),
            "cost must be 0 to 4503599627370496, got 4503599627370497"),
        mistake(
            () -> new Request(Subject.of("x"), 1, Map.of("bytes", -5L)),
            "cost 'bytes' must be 0 to 4503599627370496, got -5"),
        mistake(
            () -> new Request(Subject.of("x"), 1, costs(17)),
            "a request may have at most 16 named costs, got 17"));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void invalidInputIsRejectedWithAMessage(ThrowingCallable mistake, String message) {
    assertThatThrownBy(mistake)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("%s", message);
  }

  private static Arguments mistake(ThrowingCallable mistake, String message) {
    return Arguments.of(mistake, message);
  }

  private static Map<String, String> attributes(int count) {
    var attributes = new HashMap<String, String>();
    for (int i = 0; i < count; i++) attributes.put("a" + i, "x");
    return attributes;
  }

  private static Map<String, Long> costs(int count) {
    var costs = new HashMap<String, Long>();
    for (int i = 0; i < count; i++) costs.put("c" + i, 1L);
    return costs;
  }
}
