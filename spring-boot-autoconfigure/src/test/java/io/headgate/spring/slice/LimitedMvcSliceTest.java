package io.headgate.spring.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.spring.test.AutoConfigureHeadgate;
import io.headgate.store.MemoryStore;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** A test of controllers that wants the limits of the application. */
@WebMvcTest(controllers = SlicedPages.class, properties = "spring.config.name=sliced-application")
@AutoConfigureHeadgate
@Import(SlicedReports.class)
class LimitedMvcSliceTest {
  @Autowired private MockMvcTester mvc;
  @Autowired private RateLimiter limiter;

  @Test
  void filterAndAnnotationLimitWithCountersInMemory() {
    assertThat(limiter.store()).isInstanceOf(MemoryStore.class);
    assertThat(mvc.get().uri("/report?user=ann")).hasStatusOk();
    assertThat(mvc.get().uri("/report?user=bob"))
        .hasStatus(429)
        .bodyText()
        .contains("\"violated-policies\":[\"per-path\"]");
    assertThat(mvc.get().uri("/report-again?user=ann"))
        .hasStatus(429)
        .bodyText()
        .contains("SlicedReports.create");
    assertThat(mvc.get().uri("/other?user=bob")).hasStatusOk();
  }
}
