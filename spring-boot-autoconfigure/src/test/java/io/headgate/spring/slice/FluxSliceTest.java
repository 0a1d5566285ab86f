package io.headgate.spring.slice;

import io.headgate.RateLimiter;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.reactive.server.WebTestClient;

/** A test of controllers with WebFlux, as applications have it. */
@WebFluxTest(controllers = SlicedPages.class, properties = "spring.config.name=sliced-application")
@Import(DenyingReports.class)
class FluxSliceTest {
  @Autowired private ApplicationContext context;

  @Test
  void testOfControllersHasNoLimitsAndMapsDenials() {
    Assertions.assertThat(context.getBeanProvider(RateLimiter.class).getIfAvailable()).isNull();
    var http = WebTestClient.bindToApplicationContext(context).build();
    for (int i = 0; i < 3; i++) {
      http.get().uri("/report?user=ann").exchange().expectStatus().isOk();
    }
    http.get()
        .uri("/report?user=denied")
        .exchange()
        .expectStatus()
        .isEqualTo(429)
        .expectHeader()
        .valueEquals("Retry-After", "3600");
  }
}
