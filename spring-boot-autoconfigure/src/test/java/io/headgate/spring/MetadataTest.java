package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The metadata with which development environments complete and explain properties. */
class MetadataTest {
  @Test
  void everyPropertyHasATypeAndADescription() throws IOException {
    List<Map<String, Object>> properties = JsonPath.read(metadata(), "$.properties");
    assertThat(properties)
        .extracting(property -> property.get("name"))
        .contains(
            "headgate.enabled",
            "headgate.rules",
            "headgate.rules-file",
            "headgate.store",
            "headgate.redis.deadline",
            "headgate.service.url",
            "headgate.web.trusted-proxies",
            "headgate.web.max-delay",
            "headgate.methods.order");
    assertThat(properties)
        .allSatisfy(property -> {
          assertThat(property).containsKeys("type", "description");
          assertThat(property.get("description").toString()).endsWith(".");
        });
  }

  @Test
  void defaultsAreInTheMetadata() throws IOException {
    List<Object> order =
        JsonPath.read(metadata(), "$.properties[?(@.name == 'headgate.web.order')].defaultValue");
    assertThat(order).containsExactly(-90);
  }

  private static String metadata() throws IOException {
    try (var in =
        MetadataTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      assertThat(in).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
