package io.headgate.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.config.bootstrap.v3.Bootstrap;
import io.envoyproxy.envoy.extensions.filters.http.rate_limit_quota.v3.RateLimitQuotaBucketSettings;
import io.envoyproxy.envoy.extensions.filters.http.rate_limit_quota.v3.RateLimitQuotaFilterConfig;
import io.envoyproxy.envoy.extensions.filters.http.ratelimit.v3.RateLimit;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.envoyproxy.envoy.type.matcher.v3.HttpRequestHeaderMatchInput;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy.BlanketRule;
import io.headgate.rule.Request;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Parses the example for Envoy into Envoy's own configuration messages, which rejects unknown
 * fields.
 */
class EnvoyExampleTest {
  private static final Path EXAMPLES = Path.of("../examples/envoy");

  private static Bootstrap bootstrap(String file) throws IOException {
    var types =
        JsonFormat.TypeRegistry.newBuilder()
            .add(HttpConnectionManager.getDescriptor())
            .add(RateLimit.getDescriptor())
            .add(RateLimitQuotaFilterConfig.getDescriptor())
            .add(RateLimitQuotaBucketSettings.getDescriptor())
            .add(HttpRequestHeaderMatchInput.getDescriptor())
            .add(Router.getDescriptor())
            .add(HttpProtocolOptions.getDescriptor())
            .build();
    var bootstrap = Bootstrap.newBuilder();
    JsonFormat.parser().usingTypeRegistry(types).merge(json(file), bootstrap);
    return bootstrap.build();
  }

  private static String json(String file) throws IOException {
    var yaml = Files.readString(EXAMPLES.resolve(file));
    var text = new StringWriter();
    try (var out = new JsonFactory().createGenerator(text)) {
      write(new Load(LoadSettings.builder().build()).loadFromString(yaml), out);
    }
    return text.toString();
  }

  private static void write(Object value, JsonGenerator out) throws IOException {
    switch (value) {
      case Map<?, ?> map -> {
        out.writeStartObject();
        for (var field : map.entrySet()) {
          out.writeFieldName(field.getKey().toString());
          write(field.getValue(), out);
        }
        out.writeEndObject();
      }
      case Iterable<?> items -> {
        out.writeStartArray();
        for (var item : items) write(item, out);
        out.writeEndArray();
      }
      case Boolean flag -> out.writeBoolean(flag);
      case Number number -> out.writeNumber(number.toString());
      default -> out.writeString(value.toString());
    }
  }

  @Test
  void exampleUsesHttp2AndATimeoutAboveTheDeadline() throws IOException {
    var resources = bootstrap("envoy.yaml").getStaticResources();
    var filters = resources.getListeners(0).getFilterChains(0).getFiltersList();
    var manager = filters.getFirst().getTypedConfig().unpack(HttpConnectionManager.class);
    var limit = manager.getHttpFilters(0).getTypedConfig().unpack(RateLimit.class);
    var cluster = resources.getClusters(1);
    assertThat(limit.getRateLimitService().getGrpcService().getEnvoyGrpc().getClusterName())
        .isEqualTo(cluster.getName());
    assertThat(Duration.ofNanos(Durations.toNanos(limit.getTimeout())))
        .isGreaterThan(GrpcSettings.DEFAULT_DEADLINE);
    assertThat(
            cluster
                .getTypedExtensionProtocolOptionsMap()
                .values()
                .iterator()
                .next()
                .unpack(HttpProtocolOptions.class)
                .getExplicitHttpConfig()
                .hasHttp2ProtocolOptions())
        .isTrue();
    assertThat(cluster.getHealthChecks(0).getGrpcHealthCheck().getServiceName())
        .isEqualTo("envoy.service.ratelimit.v3.RateLimitService");
  }

  @Test
  void everyDescriptorOfTheExampleHasARule() throws IOException {
    var rules = RuleSet.of(RuleFile.read(EXAMPLES.resolve("rules.yaml")));
    assertThat(applies(rules, Map.of("descriptor", "remote_address", "remote_address", "::1")))
        .isEqualTo("per-address");
    assertThat(
            applies(
                rules,
                Map.of(
                    "descriptor",
                    "path,remote_address",
                    "path",
                    "/login?x",
                    "remote_address",
                    "a")))
        .isEqualTo("login");
    assertThat(applies(rules, Map.of("descriptor", "tenant", "tenant", "t")))
        .isEqualTo("per-tenant");
  }

  @Test
  void quotaExampleDeniesWithoutAnAssignment() throws IOException {
    var resources = bootstrap("rlqs.yaml").getStaticResources();
    var filters = resources.getListeners(0).getFilterChains(0).getFiltersList();
    var manager = filters.getFirst().getTypedConfig().unpack(HttpConnectionManager.class);
    var quotas =
        manager.getHttpFilters(0).getTypedConfig().unpack(RateLimitQuotaFilterConfig.class);
    assertThat(quotas.getRlqsServer().getEnvoyGrpc().getClusterName())
        .isEqualTo(resources.getClusters(1).getName());
    var matchers = quotas.getBucketMatchers();
    var actions =
        List.of(
            matchers.getMatcherList().getMatchers(0).getOnMatch().getAction(),
            matchers.getOnNoMatch().getAction());
    for (var action : actions) {
      var bucket = action.getTypedConfig().unpack(RateLimitQuotaBucketSettings.class);
      assertThat(bucket.getBucketIdBuilder().getBucketIdBuilderMap()).containsOnlyKeys("tenant");
      assertThat(bucket.getNoAssignmentBehavior().getFallbackRateLimit().getBlanketRule())
          .isEqualTo(BlanketRule.DENY_ALL);
      assertThat(bucket.getExpiredAssignmentBehavior().getFallbackRateLimit().getBlanketRule())
          .isEqualTo(BlanketRule.DENY_ALL);
    }
  }

  @Test
  void everyBucketOfTheQuotaExampleHasARule() throws IOException {
    var rules = RuleSet.of(RuleFile.read(EXAMPLES.resolve("rlqs-rules.yaml")));
    assertThat(applies(rules, Map.of("descriptor", "tenant", "tenant", "none")))
        .isEqualTo("per-tenant");
  }

  private static String applies(RuleSet rules, Map<String, String> attributes) {
    var subject = Subject.of(attributes).with("domain", "shop");
    var parts = rules.plan(Request.of(subject), 0, 0).parts();
    assertThat(parts).hasSize(1);
    return parts.getFirst().rule().id();
  }
}
