package io.headgate.server.grpc;

import com.google.protobuf.ByteString;
import io.headgate.http.HeaderText;
import io.headgate.http.PathReadings;
import io.headgate.http.TruncatedText;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.rulefile.EnvoyAttributes;
import io.headgate.server.grpc.proto.RateLimitDescriptor;
import io.headgate.server.grpc.proto.RateLimitRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Maps the descriptors of a call to limiter requests: one for each descriptor, in order.
 *
 * <p>The attributes of a subject are the domain, the keys of the entries, and the entries
 * themselves; {@link EnvoyAttributes} defines their names. Values, and with some clients keys, come
 * from end users. Entries of any bytes and length are mapped and never rejected, since an error
 * makes an Envoy that fails open admit the request. A descriptor may have no entries: Envoy sends
 * one if all of its actions have {@code skip_if_absent} and the caller omits their headers.
 */
final class Descriptors {
  static final int MAX_DESCRIPTORS = 100;

  /** The maximum number of entries; the domain and the keys take two attributes of a subject. */
  static final int MAX_ENTRIES = Subject.MAX_ATTRIBUTES - 2;

  /** The keys of entries with a path, as in the example and as the header is named. */
  private static final Set<String> PATHS = Set.of("path", ":path");

  private static final char REPLACEMENT = '\uFFFD';

  /**
   * Returns the requests of a call.
   *
   * @throws GrpcException if the call has no domain or no descriptors, which Envoy never sends
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
    for (var descriptor : call.getDescriptorsList()) {
      requests.add(Request.of(subject(domain, descriptor), cost(call, descriptor)));
    }
    return requests;
  }

  /**
   * Returns the request of a descriptor in each way in which the application may read the path of
   * an entry, if there are several; otherwise the request alone. The query is kept.
   *
   * @throws io.headgate.http.AmbiguousPathException if a path has too many readings
   */
  static List<Request> readings(RateLimitDescriptor descriptor, Request request) {
    List<Request> readings = null;
    for (int i = 0; i < descriptor.getEntriesCount(); i++) {
      var entry = descriptor.getEntries(i);
      if (!PATHS.contains(entry.getKey()) || !entry.getValue().startsWith("/")) continue;
      String path = value(entry);
      var others = PathReadings.encoded(path);
      if (others.size() == 1 && others.getFirst().equals(path)) continue;
      if (readings == null) readings = new ArrayList<>(List.of(request));
      String name = nameOf(descriptor, i);
      for (var other : others) {
        var subject = request.subject().with(name, value(other));
        readings.add(new Request(subject, request.cost(), request.costs()));
      }
    }
    return readings == null ? List.of(request) : readings;
  }

  private static String nameOf(RateLimitDescriptor descriptor, int entry) {
    var keys = descriptor.getEntriesList().stream().map(Descriptors::key).toList();
    return TruncatedText.name(EnvoyAttributes.names(keys).get(entry));
  }

  /** Returns why a call is too large to be decided and is therefore denied; empty if it is not. */
  static Optional<String> excess(RateLimitRequest call) {
    if (call.getDescriptorsCount() > MAX_DESCRIPTORS) {
      return Optional.of(
          "it has %d descriptors, at most %d are decided"
              .formatted(call.getDescriptorsCount(), MAX_DESCRIPTORS));
    }
    for (var descriptor : call.getDescriptorsList()) {
      if (descriptor.getEntriesCount() > MAX_ENTRIES) {
        return Optional.of(
            "a descriptor has %d entries, at most %d are decided"
                .formatted(descriptor.getEntriesCount(), MAX_ENTRIES));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the hits of the descriptor, where 0 means to check without charging, else those of the
   * call, where 0 means not set and counts as 1.
   */
  private static long cost(RateLimitRequest call, RateLimitDescriptor descriptor) {
    if (!descriptor.hasHitsAddend()) {
      return Math.max(1, Integer.toUnsignedLong(call.getHitsAddend()));
    }
    long hits = descriptor.getHitsAddend().getValue();
    return hits < 0 || hits > Request.MAX_COST ? Request.MAX_COST : hits; // unsigned
  }

  private static Subject subject(String domain, RateLimitDescriptor descriptor) {
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
    return text(call.getDomain(), call.getDomainBytes());
  }

  /** Returns a string as it is, or with bytes that are not UTF-8 escaped. */
  static String text(String decoded, ByteString bytes) {
    return isUtf8(decoded) ? decoded : escaped(bytes);
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

  /** Returns whether the bytes were valid UTF-8; the decoder replaces invalid ones with U+FFFD. */
  private static boolean isUtf8(String decoded) {
    return decoded.indexOf(REPLACEMENT) < 0;
  }

  private static String escaped(ByteString bytes) {
    return HeaderText.of(bytes.toByteArray());
  }

  /** Returns an attribute value; one that is too long is truncated and ends in a hash of it. */
  static String value(String value) {
    if (value.isEmpty()) return EnvoyAttributes.EMPTY;
    return TruncatedText.of(value);
  }

  private Descriptors() {}
}
