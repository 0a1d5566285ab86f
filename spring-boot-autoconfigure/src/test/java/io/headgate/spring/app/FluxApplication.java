package io.headgate.spring.app;

import io.headgate.spring.Limited;
import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** An application with WebFlux and Spring Cloud Gateway. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({FluxApplication.Pages.class, FluxApplication.Reports.class})
public class FluxApplication {
  @Bean
  KeyResolver keyResolver() {
    return exchange ->
        Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-Gateway-Key"));
  }

  @Bean
  RouteLocator routes(RouteLocatorBuilder routes) {
    return routes
        .routes()
        .route(
            "backend",
            route ->
                route
                    .path("/gateway/**")
                    .filters(filters -> filters.requestRateLimiter(options -> {}))
                    .uri("forward:/hello"))
        .build();
  }

  /** Has a limited method. */
  @Component
  public static class Reports {
    @Limited(value = "reports", key = "'report-' + #user")
    public Mono<String> create(String user) {
      return Mono.just("report of " + user);
    }
  }

  /** The pages. */
  @RestController
  public static class Pages {
    private final Reports reports;
    private final AtomicReference<Sinks.One<String>> pending = new AtomicReference<>();

    Pages(Reports reports) {
      this.reports = reports;
    }

    @GetMapping("/hello")
    Mono<String> hello() {
      return Mono.just("hello");
    }

    @GetMapping("/users/{id}")
    Mono<String> user(@PathVariable String id) {
      return Mono.just("user " + id);
    }

    @GetMapping("/thread")
    Mono<String> thread() {
      return Mono.fromSupplier(() -> Thread.currentThread().getName());
    }

    @GetMapping("/report")
    Mono<String> report(@RequestParam String user) {
      return reports.create(user);
    }

    @GetMapping("/slow")
    Mono<String> slow() {
      var sink = Sinks.<String>one();
      pending.set(sink);
      return sink.asMono();
    }

    public void awaitHeld() {
      Eventually.holds("a request waits", Duration.ofSeconds(20), () -> pending.get() != null);
    }

    public void complete() {
      pending.getAndSet(null).tryEmitValue("slow").orThrow();
    }
  }
}
