package io.headgate.spring.slice;

import io.headgate.spring.test.AutoConfigureHeadgate;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.reactive.server.WebTestClient;

/** A test of controllers with WebFlux that wants the limits of the application. */
@WebFluxTest(controllers = SlicedPages.class, properties = "spring.config.name=sliced-application")
@AutoConfigureHeadgate
@Import(SlicedReports.class)
class LimitedFluxSliceTest {
  @Autowired private ApplicationContext context;

  @Test
  void filterAndAnnotationLimit() {
    var http = WebTestClient.bindToApplicationContext(context).build();
    http.get().uri("/report?user=ann").exchange().expectStatus().isOk();
    http.get().uri("/report?user=bob").exchange().expectStatus().isEqualTo(429);
    http.get().uri("/report-again?user=ann").exchange().expectStatus().isEqualTo(429);
    http.get().uri("/other?user=bob").exchange().expectStatus().isOk();
  }
}
