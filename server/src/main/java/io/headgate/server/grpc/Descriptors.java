package io.headgate.server.grpc;

import com.google.protobuf.ByteString;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.rulefile.EnvoyAttributes;
import io.headgate.server.api.HeaderText;
import io.headgate.server.api.TruncatedText;
import io.headgate.server.grpc.proto.RateLimitDescriptor;
import io.headgate.server.grpc.proto.RateLimitRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/**
 * Maps the descriptors of a call to requests to the limiter: one for each descriptor, in order.
 *
 * <p>The attributes of a subject are the domain, the keys of the entries, and the entries
 * themselves; {@link EnvoyAttributes} says how they are named. Callers choose values, and some
 * clients choose keys: whatever their bytes and lengths, they are mapped and never rejected, since
 * an error lets the request pass an Envoy that fails open.
 */
final class Descriptors {
  static final int MOST = 100;

  /** Two attributes of a subject are the domain and the keys. */
  static final int MOST_ENTRIES = Subject.MOST_ATTRIBUTES - 2;

  private static final char REPLACEMENT = '\uFFFD';

  /**
   * @throws BadCall for a call that Envoy does not make: without a domain, descriptors or entries
   */
  static List<Request> requests(RateLimitRequest call) {
    if (call.getDomainBytes().isEmpty()) {
      throw GrpcException.invalid("domain is empty; set domain in Envoy's rate limit filter");
    }
    int count = call.getDescriptorsCount();
    if (count == 0) {
      throw GrpcException.invalid("there are no descriptors; a call must have at least one");
    }
    String domain = domain(call);
    var requests = new ArrayList<Request>(count);
    for (int i = 0; i < count; i++) {
      var descriptor = call.getDescriptors(i);
      requests.add(Request.of(subject(domain, descriptor, i), cost(call, descriptor)));
    }
    return requests;
  }

  /** Returns why a call is too large to be decided, and therefore denied; empty if it is not. */
  static Optional<String> excess(RateLimitRequest call) {
    if (call.getDescriptorsCount() > MOST) {
      return Optional.of(
          "it has %d descriptors, at most %d are decided"
              .formatted(call.getDescriptorsCount(), MOST));
    }
    for (var descriptor : call.getDescriptorsList()) {
      if (descriptor.getEntriesCount() > MOST_ENTRIES) {
        return Optional.of(
            "a descriptor has %d entries, at most %d are decided"
                .formatted(descriptor.getEntriesCount(), MOST_ENTRIES));
      }
    }
    return Optional.empty();
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
      throw GrpcException.invalid("descriptors[%d] has no entries".formatted(index));
    }
    var keys = new ArrayList<String>(descriptor.getEntriesCount());
    for (var entry : descriptor.getEntriesList()) keys.add(key(entry));
    var names = EnvoyAttributes.names(keys);
    var attributes = new LinkedHashMap<String, String>();
    attributes.put(EnvoyAttributes.DOMAIN, value(domain));
    attributes.put(EnvoyAttributes.KEYS, value(EnvoyAttributes.joined(keys)));
    for (int i = 0; i < keys.size(); i++) {
      attributes.put(TruncatedText.name(names.get(i)), value(value(descriptor.getEntries(i))));
    }
    return Subject.of(attributes);
  }

  static String domain(RateLimitRequest call) {
    String domain = call.getDomain();
    return isUtf8(domain) ? domain : escaped(call.getDomainBytes());
  }

  static String key(RateLimitDescriptor.Entry entry) {
    String key = entry.getKey();
    if (key.isEmpty()) return EnvoyAttributes.EMPTY;
    return isUtf8(key) ? key : escaped(entry.getKeyBytes());
  }

  static String value(RateLimitDescriptor.Entry entry) {
    String value = entry.getValue();
    return isUtf8(value) ? value : escaped(entry.getValueBytes());
  }

  /** A decoder puts the replacement character where there is no UTF-8: without it, all of it is. */
  private static boolean isUtf8(String decoded) {
    return decoded.indexOf(REPLACEMENT) < 0;
  }

  private static String escaped(ByteString bytes) {
    return HeaderText.of(bytes.toByteArray());
  }

  /** A value as an attribute can have it: what is too long ends in a hash of the whole. */
  static String value(String value) {
    if (value.isEmpty()) return EnvoyAttributes.EMPTY;
    return TruncatedText.of(value);
  }

  private Descriptors() {}
}
