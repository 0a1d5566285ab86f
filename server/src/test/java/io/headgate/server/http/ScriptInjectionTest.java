package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Rule;
import io.headgate.server.api.JsonWriter;
import io.headgate.testkit.redis.RedisServer;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ScriptInjectionTest {
  private static final Pattern SCRIPTS = Pattern.compile("number_of_cached_scripts:(\\d+)");
  private static final List<String> TEXTS =
      List.of(
          "']] redis.call('FLUSHALL') --",
          "\\\"; redis.call('FLUSHALL') --",
          "\\r\\n*1\\r\\n$8\\r\\nFLUSHALL\\r\\n".replace("\\r\\n", " "),
          "{0}",
          "}{",
          "%s%n$1",
          "nil",
          "1e309",
          "headgate:{x}y");

  private static String scripts(RedisServer redis) {
    var found = SCRIPTS.matcher(redis.call("INFO", "memory").toString());
    assertThat(found.find()).isTrue();
    return found.group(1);
  }

  @Test
  void callerTextIsDataAndScriptsStayTheSame() {
    var each =
        Rule.named("each")
            .match("key", "*")
            .match("path", "*")
            .limit(FixedWindow.of(Rate.perHour(2)))
            .build();
    var all = Rule.named("all").limit(TokenBucket.of(Rate.perHour(100))).build();
    try (var redis = RedisServer.start();
        var service = RunningService.over(RedisStore.connect(redis.uri()), each, all)) {
      redis.call("SET", "sentinel", "here");
      assertThat(check(service, "plain").body()).contains("\"source\":\"store\"");
      String before = scripts(redis);
      for (var text : TEXTS) {
        assertThat(check(service, text).body()).as(text).contains("\"remaining\":1,");
        assertThat(check(service, text).body()).as(text).contains("\"remaining\":0,");
        assertThat(check(service, text).status()).as(text).isEqualTo(429);
      }
      assertThat(scripts(redis)).isEqualTo(before);
      assertThat(redis.call("GET", "sentinel")).hasToString("here");
    }
  }

  private static RawAnswer check(RunningService service, String text) {
    var body = new JsonWriter().begin().name("subject").begin();
    body.name("key").value(text).name("path").value(text);
    return service.post("/v1/check", body.end().end().toString());
  }
}
