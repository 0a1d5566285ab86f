package io.headgate.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UInt64Value;
import io.headgate.RateLimiter;
import io.headgate.http.TruncatedText;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.CombinedPlan;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.rulefile.EnvoyAttributes;
import io.headgate.server.api.RateLimitHeaders;
import io.headgate.server.grpc.proto.RateLimitDescriptor;
import io.headgate.server.grpc.proto.RateLimitRequest;
import io.headgate.server.grpc.proto.RateLimitResponse.Code;
import io.headgate.server.grpc.proto.RateLimitUnit;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Every call is decided, except a call without domain or descriptors. Descriptors of different
 * bytes are different subjects, and no entry hides another.
 *
 * <p>The input is read twice: as a message of protobuf, and as lines of any bytes. The first line
 * is the domain, {@code key=value} is an entry, an empty line begins another descriptor, {@code +N}
 * is its hits and {@code !N} its own limit per unit N.
 */
public final class DescriptorsFuzzTarget {
  private static final Ticker CLOCK = () -> 1_000_000;
  private static final List<Rule> RULES =
      List.of(
          Rule.named("tenants")
              .match("domain", "shop")
              .match("tenant", "*")
              .limit(FixedWindow.of(Rate.perDay(3)))
              .build(),
          Rule.named("login")
              .match("path", "/login*")
              .per("domain")
              .limit(FixedWindow.of(Rate.perDay(3)))
              .build());
  private static final DescriptorStatuses STATUSES =
      new DescriptorStatuses(new RateLimitHeaders(CLOCK));

  public static void fuzzerTestOneInput(byte[] input) {
    try {
      requireDecided(RateLimitRequest.parseFrom(input));
    } catch (InvalidProtocolBufferException e) {
      // Not a message: rejected before the mapping.
    }
    requireDecided(call(new String(input, StandardCharsets.ISO_8859_1)));
  }

  private static void requireDecided(RateLimitRequest call) {
    if (Descriptors.excess(call).isPresent()) return;
    boolean isComplete = !call.getDomainBytes().isEmpty() && call.getDescriptorsCount() > 0;
    List<Request> requests;
    try {
      requests = Descriptors.requests(call);
    } catch (GrpcException e) {
      assertThat(isComplete).as(e.reason()).isFalse();
      return;
    }
    assertThat(isComplete).isTrue();
    assertThat(requests).hasSize(call.getDescriptorsCount());
    for (int i = 0; i < requests.size(); i++) {
      requireEveryEntry(call.getDescriptors(i), requests.get(i).subject());
      requireNoEntryHidesAnother(call, call.getDescriptors(i));
      for (int j = 0; j < i; j++) {
        assertThat(requests.get(i).subject().equals(requests.get(j).subject()))
            .as("descriptors %d and %d of %s", i, j, call)
            .isEqualTo(bytes(call.getDescriptors(i)).equals(bytes(call.getDescriptors(j))));
      }
    }
    requireStatuses(call, requests);
  }

  private static void requireEveryEntry(RateLimitDescriptor descriptor, Subject subject) {
    assertThat(subject.attributes()).hasSize(descriptor.getEntriesCount() + 2);
    for (var entry : descriptor.getEntriesList()) {
      if (!entry.getValueBytes().isValidUtf8() || entry.getValue().length() > 900) continue;
      String text = entry.getValue().isEmpty() ? EnvoyAttributes.EMPTY : entry.getValue();
      if (text.indexOf('\ufffd') < 0) assertThat(subject.attributes()).containsValue(text);
    }
  }

  /** The key of a second entry may be chosen to equal the shortened form of the first. */
  private static void requireNoEntryHidesAnother(
      RateLimitRequest call, RateLimitDescriptor descriptor) {
    int entries = descriptor.getEntriesCount();
    if (entries == 0 || entries == Descriptors.MAX_ENTRIES) return;
    String chosen = TruncatedText.name(Descriptors.key(descriptor.getEntries(0)));
    var more =
        descriptor.toBuilder()
            .addEntries(RateLimitDescriptor.Entry.newBuilder().setKey(chosen).setValue("second"));
    var one =
        RateLimitRequest.newBuilder().setDomainBytes(call.getDomainBytes()).addDescriptors(more);
    assertThat(Descriptors.requests(one.build()).getFirst().subject().attributes())
        .hasSize(more.getEntriesCount() + 2);
  }

  /** The bytes that identify a descriptor. An empty text equals its replacement, as documented. */
  private static List<ByteString> bytes(RateLimitDescriptor descriptor) {
    var all = new ArrayList<ByteString>();
    for (var entry : descriptor.getEntriesList()) {
      all.add(orEmpty(entry.getKeyBytes()));
      all.add(orEmpty(entry.getValueBytes()));
    }
    return all;
  }

  private static ByteString orEmpty(ByteString bytes) {
    return bytes.isEmpty() ? ByteString.copyFromUtf8(EnvoyAttributes.EMPTY) : bytes;
  }

  private static void requireStatuses(RateLimitRequest call, List<Request> requests) {
    var limiter = RateLimiter.with(MemoryStore.create(CLOCK, 1_000), RULES);
    var ownLimits = new DescriptorLimits();
    var plans = new ArrayList<Plan>(limiter.plans(requests));
    for (int i = 0; i < plans.size(); i++) {
      var own =
          ownLimits.plan(
              limiter.rules(),
              plans.get(i),
              requests.get(i),
              Descriptors.domain(call),
              call.getDescriptors(i));
      if (own.isPresent()) plans.set(i, own.get());
    }
    var decided = limiter.checkAllAsync(CombinedPlan.of(plans)).toCompletableFuture().join();
    var response = STATUSES.of(decided);
    assertThat(response.getOverallCode()).isIn(Code.OK, Code.OVER_LIMIT);
    assertThat(response.getStatusesCount()).isEqualTo(requests.size());
  }

  private static RateLimitRequest call(String text) {
    var lines = text.split("\n", -1);
    var call = RateLimitRequest.newBuilder().setDomainBytes(latin1(lines[0]));
    Optional<RateLimitDescriptor.Builder> current = Optional.empty();
    for (int i = 1; i < lines.length; i++) {
      String line = lines[i];
      if (line.isEmpty()) {
        current.ifPresent(call::addDescriptors);
        current = Optional.empty();
        continue;
      }
      if (current.isEmpty()) current = Optional.of(RateLimitDescriptor.newBuilder());
      add(current.get(), line);
    }
    current.ifPresent(call::addDescriptors);
    return call.build();
  }

  private static void add(RateLimitDescriptor.Builder descriptor, String line) {
    if (line.matches("\\+[0-9]{1,18}")) {
      descriptor.setHitsAddend(UInt64Value.of(Long.parseLong(line.substring(1)) - 1));
    } else if (line.matches("![0-9]")) {
      var unit = RateLimitUnit.forNumber(line.charAt(1) - '0');
      descriptor.setLimit(
          RateLimitDescriptor.RateLimitOverride.newBuilder()
              .setRequestsPerUnit(line.charAt(1))
              .setUnit(unit == null ? RateLimitUnit.UNKNOWN : unit));
    } else {
      int equals = line.indexOf('=');
      var entry = RateLimitDescriptor.Entry.newBuilder();
      entry.setKeyBytes(latin1(equals < 0 ? line : line.substring(0, equals)));
      if (equals >= 0) entry.setValueBytes(latin1(line.substring(equals + 1)));
      descriptor.addEntries(entry);
    }
  }

  private static ByteString latin1(String text) {
    return ByteString.copyFrom(text, StandardCharsets.ISO_8859_1);
  }

  private DescriptorsFuzzTarget() {}
}
