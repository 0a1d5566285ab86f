package io.headgate.spring.app;

import io.headgate.spring.LimitExceededException;
import io.headgate.spring.Limited;
import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

/** An application with Spring MVC. */
@SpringBootConfiguration
@EnableAutoConfiguration(
    excludeName = "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration")
@Import({
  MvcApplication.Pages.class,
  MvcApplication.Handled.class,
  MvcApplication.Reports.class,
  MvcApplication.Slow.class
})
public class MvcApplication {
  /** Counts calls of a limited method. */
  @Component
  public static class Reports {
    @Limited(rule = "reports", key = "#user")
    public String create(String user) {
      return "report of " + user;
    }

    @Limited(rule = "reports", key = "'async-' + #user")
    public CompletionStage<String> createLater(String user) {
      return CompletableFuture.completedFuture("report of " + user);
    }
  }

  /** Holds requests until the test completes them. */
  @Component
  public static class Slow {
    private final AtomicReference<DeferredResult<String>> pending = new AtomicReference<>();

    DeferredResult<String> hold() {
      var result = new DeferredResult<String>(60_000L);
      pending.set(result);
      return result;
    }

    public void awaitHeld() {
      Eventually.holds("a request waits", Duration.ofSeconds(20), () -> pending.get() != null);
    }

    public void complete() {
      pending.getAndSet(null).setResult("slow");
    }
  }

  /** The pages. */
  @RestController
  public static class Pages {
    private final Reports reports;
    private final Slow slow;

    Pages(Reports reports, Slow slow) {
      this.reports = reports;
      this.slow = slow;
    }

    @GetMapping("/hello")
    String hello() {
      return "hello";
    }

    @GetMapping("/users/{id}")
    String user(@PathVariable String id) {
      return "user " + id;
    }

    @GetMapping("/users/me")
    String me() {
      return "me";
    }

    @GetMapping("/report")
    String report(@RequestParam String user) {
      return reports.create(user);
    }

    @GetMapping("/report-later")
    CompletionStage<String> reportLater(@RequestParam String user) {
      return reports.createLater(user);
    }

    @GetMapping("/slow")
    DeferredResult<String> slow() {
      return slow.hold();
    }
  }

  /** A controller that handles denials itself. */
  @RestController
  public static class Handled {
    private final Reports reports;

    Handled(Reports reports) {
      this.reports = reports;
    }

    @GetMapping("/handled")
    String report(@RequestParam String user) {
      return reports.create(user);
    }

    @ExceptionHandler
    ResponseEntity<String> denied(LimitExceededException denial) {
      return ResponseEntity.status(HttpStatus.CONFLICT)
          .body("retry after " + denial.retryAfter().orElseThrow().toHours() + " h");
    }
  }
}
