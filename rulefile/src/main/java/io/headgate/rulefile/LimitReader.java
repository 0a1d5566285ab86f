package io.headgate.rulefile;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Algorithm;
import io.headgate.limit.Concurrency;
import io.headgate.limit.Deny;
import io.headgate.limit.FairShare;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.LeakyBucket.Queue;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.SlidingWindow.Bound;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Unlimited;
import java.util.List;
import java.util.Optional;

/** Reads the algorithm of a limit and its parameters. */
final class LimitReader {
  private static final String COUNT = "a count such as 100 or 10k";
  private static final String DURATION = "a duration such as 250ms, 10s or 5m";

  /** Returns the fields of an algorithm's parameters. */
  static List<String> fields(Algorithm algorithm) {
    return switch (algorithm) {
      case TOKEN_BUCKET -> List.of("rate", "burst", FairSharingReader.FIELD, TuningReader.FIELD);
      case LEAKY_BUCKET -> List.of("rate", "queue", "max-wait", "mode");
      case FIXED_WINDOW -> List.of("rate", "align", "zone");
      case SLIDING_WINDOW -> List.of("rate", "buckets", "bound");
      case ROLLING_WINDOW -> List.of("rate", "min-interval");
      case CONCURRENCY -> List.of("max", "lease");
      case ADAPTIVE_CONCURRENCY -> List.of("min", "max", "initial", "lease");
      case DENY, SHED, UNLIMITED -> List.of();
    };
  }

  /** Reads a limit; empty if a parameter is invalid, which is then among the problems. */
  static Optional<? extends Limit> read(Algorithm algorithm, MappingReader section) {
    return switch (algorithm) {
      case TOKEN_BUCKET -> tokenBucketOrFairShare(section);
      case LEAKY_BUCKET -> leakyBucket(section);
      case FIXED_WINDOW -> fixedWindow(section);
      case SLIDING_WINDOW -> slidingWindow(section);
      case ROLLING_WINDOW -> rollingWindow(section);
      case CONCURRENCY -> concurrency(section);
      case ADAPTIVE_CONCURRENCY -> adaptiveConcurrency(section);
      case DENY -> Optional.of(new Deny());
      case SHED -> Optional.empty(); // a field of the rule
      case UNLIMITED -> Optional.of(new Unlimited());
    };
  }

  private enum Align {
    EPOCH,
    CALENDAR
  }

  private enum LeakyMode {
    QUEUE,
    REJECT
  }

  private static Optional<? extends Limit> tokenBucketOrFairShare(MappingReader section) {
    var bucket = tokenBucket(section);
    var fair = section.find(FairSharingReader.FIELD);
    if (fair.isEmpty()) return bucket;
    var sharing = fair.flatMap(FairSharingReader::read);
    if (bucket.isEmpty() || sharing.isEmpty()) return Optional.empty();
    return fair.get().attempt(() -> new FairShare(bucket.get(), sharing.get()));
  }

  private static Optional<TokenBucket> tokenBucket(MappingReader section) {
    var rate = rate(section);
    var burst = section.read("burst", COUNT, CountSyntax::parse);
    if (rate.isEmpty() || (section.has("burst") && burst.isEmpty())) return Optional.empty();
    return section
        .findOrSelf(burst.isPresent() ? "burst" : "rate")
        .attempt(() -> new TokenBucket(rate.get(), burst.orElse(rate.get().permits())));
  }

  private static Optional<LeakyBucket> leakyBucket(MappingReader section) {
    var rate = rate(section);
    var queue = queue(section);
    if (rate.isEmpty() || queue.isEmpty()) return Optional.empty();
    String field = section.has("queue") ? "queue" : section.has("max-wait") ? "max-wait" : "rate";
    return section.findOrSelf(field).attempt(() -> new LeakyBucket(rate.get(), queue.get()));
  }

  private static Optional<? extends Queue> queue(MappingReader section) {
    var mode = section.choose("mode", LeakyMode.class);
    var length = section.read("queue", COUNT, text -> new Queue.Length(CountSyntax.parse(text)));
    var wait =
        section.read("max-wait", DURATION, text -> new Queue.Wait(DurationSyntax.parse(text)));
    if (section.has("queue") && section.has("max-wait")) {
      section.problem("max-wait", "the queue is already bounded by queue; remove one of the two");
    }
    for (var bound : List.of("queue", "max-wait")) {
      if (mode.equals(Optional.of(LeakyMode.REJECT)) && section.has(bound)) {
        section.problem(bound, "has no effect with mode: reject, which never queues; remove one");
      }
    }
    boolean queues = section.has("queue") || section.has("max-wait");
    if (mode.equals(Optional.of(LeakyMode.QUEUE)) && !queues) {
      section
          .findOrSelf("mode")
          .problem("'queue' needs a bound; add queue: (how many may wait) or max-wait: (how long)");
    }
    return queues ? length.<Queue>map(q -> q).or(() -> wait) : Optional.of(new Queue.None());
  }

  private static Optional<FixedWindow> fixedWindow(MappingReader section) {
    var rate = section.require("rate", RateSyntax.WANTED, RateSyntax::parse);
    var align = section.choose("align", Align.class);
    var zone = section.read("zone", TimeZones.WANTED, TimeZones::parse);
    boolean calendar = align.equals(Optional.of(Align.CALENDAR));
    if (!calendar && section.has("zone") && align.isPresent() == section.has("align")) {
      section.problem("zone", "has an effect with align: calendar only; add that or remove zone");
    }
    if (rate.isEmpty() || align.isPresent() != section.has("align")) return Optional.empty();
    return section
        .findOrSelf("rate")
        .attempt(() -> {
          var written = rate.get();
          if (calendar) return written.calendar(zone.orElse(TimeZones.UTC));
          if (written.period().unit().varies()) {
            throw new IllegalArgumentException(
                "'%s' has no fixed length; add align: calendar to follow the calendar"
                    .formatted(written.period().text()));
          }
          return FixedWindow.of(written.rate());
        });
  }

  private static Optional<SlidingWindow> slidingWindow(MappingReader section) {
    var rate = rate(section);
    int buckets =
        section
            .read("buckets", "a number from 1 to 1000", CountSyntax::parseInteger)
            .orElse(SlidingWindow.DEFAULT_BUCKETS);
    var bound = section.choose("bound", Bound.class).orElse(Bound.INTERPOLATED);
    if (rate.isEmpty()) return Optional.empty();
    return section
        .findOrSelf(section.has("buckets") ? "buckets" : "rate")
        .attempt(() -> new SlidingWindow(rate.get(), buckets, bound));
  }

  private static Optional<RollingWindow> rollingWindow(MappingReader section) {
    var plain =
        rate(section)
            .flatMap(rate -> section.findOrSelf("rate").attempt(() -> RollingWindow.of(rate)));
    var interval = section.read("min-interval", DURATION, DurationSyntax::parse);
    if (plain.isEmpty() || interval.isEmpty()) return plain;
    return section
        .findOrSelf("min-interval")
        .attempt(() -> new RollingWindow(plain.get().rate(), interval.get()));
  }

  private static Optional<Concurrency> concurrency(MappingReader section) {
    var max = section.require("max", COUNT, text -> Concurrency.of(CountSyntax.parse(text)));
    var lease = section.read("lease", DURATION, DurationSyntax::parse);
    if (max.isEmpty() || lease.isEmpty()) return max;
    return section.findOrSelf("lease").attempt(() -> new Concurrency(max.get().max(), lease.get()));
  }

  private static Optional<AdaptiveConcurrency> adaptiveConcurrency(MappingReader section) {
    var max =
        section.require(
            "max", COUNT, text -> AdaptiveConcurrency.between(1, CountSyntax.parse(text)));
    var min = section.read("min", COUNT, CountSyntax::parse);
    var initial = section.read("initial", COUNT, CountSyntax::parse);
    var lease = section.read("lease", DURATION, DurationSyntax::parse);
    if (max.isEmpty()
        || section.has("min") != min.isPresent()
        || section.has("initial") != initial.isPresent()
        || section.has("lease") != lease.isPresent()) {
      return Optional.empty();
    }
    long low = min.orElse(AdaptiveConcurrency.DEFAULT_MIN);
    long high = max.get().max();
    return section
        .findOrSelf("min")
        .attempt(() -> AdaptiveConcurrency.between(low, high))
        .flatMap(limit ->
            section
                .findOrSelf("initial")
                .attempt(() -> limit.withInitial(initial.orElse(limit.initial()))))
        .flatMap(limit ->
            section
                .findOrSelf("lease")
                .attempt(() -> limit.withLease(lease.orElse(limit.lease()))));
  }

  private static Optional<Rate> rate(MappingReader section) {
    return section.require("rate", RateSyntax.WANTED, text -> RateSyntax.parse(text).rate());
  }

  private LimitReader() {}
}
