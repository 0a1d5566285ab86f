package io.headgate.server.grpc;

import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.rulefile.EnvoyAttributes;
import io.headgate.server.grpc.proto.RateLimitDescriptor;
import io.headgate.server.grpc.proto.RateLimitRequest;
import io.headgate.server.http.Shortened;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * What a call asks, as requests to the limiter: one for each descriptor, in their order.
 *
 * <p>The attributes of a subject are the domain, the keys of the entries, and the entries
 * themselves; {@link EnvoyAttributes} says how they are named.
 */
final class Descriptors {
  static final int MOST = 100;

  /** Callers choose values; one that is too long must not be a way around a limit. */
  static List<Request> requests(RateLimitRequest call) {
    if (call.getDomain().isEmpty()) {
      throw BadCall.invalid("domain is empty; set domain in Envoy's rate limit filter");
    }
    int count = call.getDescriptorsCount();
    if (count == 0) {
      throw BadCall.invalid("there are no descriptors; a call must have at least one");
    }
    if (count > MOST) {
      throw BadCall.invalid(
          "a call may have at most %d descriptors, got %d".formatted(MOST, count));
    }
    var requests = new ArrayList<Request>(count);
    for (int i = 0; i < count; i++) {
      var descriptor = call.getDescriptors(i);
      requests.add(Request.of(subject(call.getDomain(), descriptor, i), cost(call, descriptor)));
    }
    return requests;
  }

  /**
   * The descriptor's own, where 0 means to look; else the call's, where 0 means nothing was said.
   */
  private static long cost(RateLimitRequest call, RateLimitDescriptor descriptor) {
    if (!descriptor.hasHitsAddend()) {
      return Math.max(1, Integer.toUnsignedLong(call.getHitsAddend()));
    }
    long hits = descriptor.getHitsAddend().getValue();
    return hits < 0 || hits > Request.HIGHEST_COST ? Request.HIGHEST_COST : hits; // it is unsigned
  }

  private static Subject subject(String domain, RateLimitDescriptor descriptor, int index) {
    if (descriptor.getEntriesCount() == 0) {
      throw BadCall.invalid("descriptors[%d] has no entries".formatted(index));
    }
    var keys = new ArrayList<String>(descriptor.getEntriesCount());
    for (var entry : descriptor.getEntriesList()) keys.add(entry.getKey());
    try {
      var names = EnvoyAttributes.names(keys);
      var attributes = new LinkedHashMap<String, String>();
      attributes.put(EnvoyAttributes.DOMAIN, value(domain));
      attributes.put(EnvoyAttributes.KEYS, value(EnvoyAttributes.joined(keys)));
      for (int i = 0; i < keys.size(); i++) {
        attributes.put(names.get(i), value(descriptor.getEntries(i).getValue()));
      }
      return Subject.of(attributes);
    } catch (IllegalArgumentException e) {
      throw BadCall.invalid("descriptors[%d]: %s".formatted(index, e.getMessage()));
    }
  }

  /** A value as an attribute can have it: what is too long ends in a hash of the whole. */
  static String value(String value) {
    if (value.isEmpty()) return EnvoyAttributes.EMPTY;
    return Shortened.of(value);
  }

  private Descriptors() {}
}
