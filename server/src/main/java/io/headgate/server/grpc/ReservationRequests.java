package io.headgate.server.grpc;

import io.headgate.Costs;
import io.headgate.http.TextSyntax;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.Subject;
import io.headgate.server.grpc.proto.CostAmounts;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Maps messages of the reservation service to requests of the limiter. The bounds are those of the
 * HTTP API. Every method throws a {@link GrpcException} with INVALID_ARGUMENT that names the field.
 */
final class ReservationRequests {
  private ReservationRequests() {}

  /** Returns the request to reserve or charge; a plain cost that is absent is 1. */
  static Request request(Map<String, String> subject, CostAmounts costs) {
    var read = costs("costs", costs);
    return new Request(subject(subject), read.plain().orElse(1), read.named());
  }

  private static Subject subject(Map<String, String> attributes) {
    if (attributes.isEmpty()) {
      throw GrpcException.invalid("subject has no attributes; give one such as user = 42");
    }
    requireCount("subject", attributes.size(), Subject.MAX_ATTRIBUTES);
    attributes.forEach((name, value) -> {
      requireName("subject", name);
      String field = "subject." + name;
      if (value.isEmpty()) {
        throw GrpcException.invalid(field + " is empty; leave it out if the request has none");
      }
      if (value.length() > Subject.MAX_VALUE_LENGTH) {
        throw GrpcException.invalid(
            "%s may have at most %d characters, got %d; send a hash of it instead"
                .formatted(field, Subject.MAX_VALUE_LENGTH, value.length()));
      }
      requireText(field, value);
    });
    return Subject.of(attributes);
  }

  /** Returns costs of which at least one must be reported. */
  static Costs reported(String field, CostAmounts amounts) {
    if (!amounts.hasCost() && amounts.getNamedCount() == 0) {
      throw GrpcException.invalid(
          "%s is missing; give a named cost such as tokens = 200, or a plain cost"
              .formatted(field));
    }
    return costs(field, amounts);
  }

  static Costs costs(String field, CostAmounts amounts) {
    var named = amounts.getNamedMap();
    requireCount(field, named.size(), Request.MAX_NAMED_COSTS);
    named.forEach((name, cost) -> {
      requireName(field, name);
      requireCost(field + "." + name, cost);
    });
    if (!amounts.hasCost()) return Costs.of(named);
    if (named.containsKey(Request.PLAIN_COST)) {
      throw GrpcException.invalid(
          "%s has the plain cost twice, as cost and as named cost; give it once".formatted(field));
    }
    requireCost(field + ".cost", amounts.getCost());
    return new Costs(OptionalLong.of(amounts.getCost()), named);
  }

  /** Returns the time to live; the longest one, which the rules shorten, if it is not given. */
  static Duration ttl(long millis) {
    if (millis == 0) return ReservationSettings.MAX_TTL;
    long min = ReservationSettings.MIN_TTL.toMillis();
    long max = ReservationSettings.MAX_TTL.toMillis();
    if (millis < min || millis > max) {
      throw GrpcException.invalid("ttl_ms must be %d to %d, got %d".formatted(min, max, millis));
    }
    return Duration.ofMillis(millis);
  }

  static String id(String id) {
    if (id.isEmpty()) {
      throw GrpcException.invalid("id is missing; send the id of the reservation");
    }
    return id;
  }

  private static void requireCount(String field, int count, int max) {
    if (count > max) {
      throw GrpcException.invalid(
          "%s may have at most %d entries, got %d".formatted(field, max, count));
    }
  }

  private static void requireName(String field, String name) {
    if (name.isEmpty()) {
      throw GrpcException.invalid(field + " has an empty name; name each attribute and cost");
    }
    if (name.length() > Subject.MAX_NAME_LENGTH) {
      throw GrpcException.invalid(
          "%s has too long a name (%d characters); the longest is %d"
              .formatted(field, name.length(), Subject.MAX_NAME_LENGTH));
    }
    requireText("a name in " + field, name);
  }

  private static void requireText(String field, String text) {
    TextSyntax.flaw(text)
        .ifPresent(flaw -> {
          throw GrpcException.invalid(field + " " + flaw);
        });
  }

  private static void requireCost(String field, long cost) {
    if (cost < 0 || cost > Request.MAX_COST) {
      throw GrpcException.invalid(
          "%s must be 0 to %d, got %d".formatted(field, Request.MAX_COST, cost));
    }
  }
}
