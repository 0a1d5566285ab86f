package io.headgate.spring.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** A test of controllers, as applications have it. */
@WebMvcTest(controllers = SlicedPages.class, properties = "spring.config.name=sliced-application")
@Import(DenyingReports.class)
class MvcSliceTest {
  @Autowired private MockMvcTester mvc;
  @Autowired private ApplicationContext context;

  @Test
  void testOfControllersHasNoLimits() {
    assertThat(context.getBeanProvider(RateLimiter.class).getIfAvailable()).isNull();
    for (int i = 0; i < 3; i++) {
      assertThat(mvc.get().uri("/report?user=ann")).hasStatusOk();
    }
  }

  @Test
  void deniedMethodCallIsMappedToAResponse() {
    assertThat(mvc.get().uri("/report?user=denied"))
        .hasStatus(429)
        .hasHeader("Retry-After", "3600")
        .hasContentType("application/problem+json");
  }
}
