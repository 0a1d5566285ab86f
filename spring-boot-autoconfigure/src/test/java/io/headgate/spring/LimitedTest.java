package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.RateLimiter;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.spring.method.HeadgateMethodAutoConfiguration;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AliasFor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class LimitedTest {
  private static final String RULES =
      """
      rules:
        - { id: one, match: { key: "*" }, limit: { algorithm: token-bucket, rate: 1/1h } }
        - { id: per-plan, match: { user: "*", plan: free }, limit: { algorithm: token-bucket, rate: 1/1h } }
        - { id: bytes, match: { key: "*" }, limit: { algorithm: token-bucket, rate: 100/1h } }
        - { id: slot, match: { key: "*" }, limit: { algorithm: concurrency, max: 1, lease: 5m } }
        - { id: shaped, match: { key: "*" }, limit: { algorithm: leaky-bucket, rate: 10/1s, queue: 5 } }
      """;

  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @Limited(rule = "one", key = "'composed'")
  @interface Once {
    @AliasFor(annotation = Limited.class, attribute = "fallback")
    String otherwise() default "";
  }

  /** Has a method for each way to limit one. */
  static class Calls {
    @Limited(value = "one", key = "#user")
    String one(String user) {
      return user;
    }

    @Limited(value = "per-plan", key = "{user: #user, plan: #plan}")
    String perPlan(String user, String plan) {
      return user + plan;
    }

    @Limited(value = "bytes", key = "'all'", cost = "#data.length")
    int bytes(byte[] data) {
      return data.length;
    }

    @Limited("2/1h")
    String inline() {
      return "inline";
    }

    @Limited(value = "{algorithm: fixed-window, rate: 1/1h}", key = "#p0")
    String inlinePerKey(String key) {
      return key;
    }

    @Once
    String composed() {
      return "composed";
    }

    @Once(otherwise = "fallback")
    String composedWithFallback() {
      return "composed";
    }

    @SuppressWarnings("unused")
    private String fallback(LimitExceededException denial) {
      return "denied by " + denial.result().rule().orElseThrow().id();
    }

    @Limited(value = "slot", key = "'blocking'")
    String slot(Runnable inside) {
      inside.run();
      return "slot";
    }

    @Limited(value = "slot", key = "'stage'")
    CompletionStage<String> stage(CompletableFuture<String> result) {
      return result;
    }

    @Limited(value = "slot", key = "'mono'")
    Mono<String> mono(Mono<String> result) {
      return result;
    }

    @Limited(value = "one", key = "'flux'", fallback = "noFlux")
    Flux<Integer> flux() {
      return Flux.just(1, 2, 3);
    }

    Flux<Integer> noFlux() {
      return Flux.just(0);
    }

    @Limited(value = "shaped", key = "'now'")
    void shaped() {}

    @Limited(value = "shaped", key = "'mono'")
    Mono<String> shapedMono() {
      return Mono.just("shaped");
    }

    @Limited(value = "missing", key = "'a'")
    void missing() {}

    @Limited(value = "one", fallback = "nothing")
    void missingFallback() {}

    @Limited(value = "one", key = "'failing'")
    Mono<String> failing() {
      throw new IllegalStateException("failed");
    }
  }

  /** Has an annotation for all methods. */
  @Limited(value = "one", key = "#root.name")
  public static class Annotated {
    public String getName() {
      return "annotated";
    }

    public String first() {
      return "first";
    }

    @Limited(value = "one", key = "'other'")
    public String second() {
      return "second";
    }
  }

  private static void run(Consumer<ApplicationContext> test) {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                AopAutoConfiguration.class,
                HeadgateAutoConfiguration.class,
                HeadgateMethodAutoConfiguration.class))
        .withBean(RuleSet.class, () -> RuleSet.of(RuleFile.read(RULES)))
        .withBean(Calls.class)
        .withBean(Annotated.class)
        .run(context -> {
          assertThat(context).hasNotFailed();
          test.accept(context);
        });
  }

  private static void runCalls(Consumer<Calls> test) {
    run(context -> test.accept(context.getBean(Calls.class)));
  }

  @Test
  void eachKeyHasACounter() {
    runCalls(calls -> {
      assertThat(calls.one("ann")).isEqualTo("ann");
      assertThat(calls.one("bob")).isEqualTo("bob");
      assertThatThrownBy(() -> calls.one("ann"))
          .isInstanceOfSatisfying(
              LimitExceededException.class,
              denial ->
                  assertThat(denial.retryAfter().orElseThrow())
                      .isBetween(Duration.ofMinutes(59), Duration.ofHours(1)))
          .hasMessageContaining("Calls.one was denied");
    });
  }

  @Test
  void mapHasTheAttributesOfTheSubject() {
    runCalls(calls -> {
      assertThat(calls.perPlan("ann", "free")).isEqualTo("annfree");
      assertThatThrownBy(() -> calls.perPlan("ann", "free"))
          .isInstanceOf(LimitExceededException.class);
      assertThat(calls.perPlan("ann", "pro")).isEqualTo("annpro");
      assertThat(calls.perPlan("ann", "pro")).isEqualTo("annpro");
    });
  }

  @Test
  void costIsCharged() {
    runCalls(calls -> {
      assertThat(calls.bytes(new byte[80])).isEqualTo(80);
      assertThatThrownBy(() -> calls.bytes(new byte[40]))
          .isInstanceOf(LimitExceededException.class);
      assertThat(calls.bytes(new byte[20])).isEqualTo(20);
    });
  }

  @Test
  void limitInTheAnnotationNeedsNoRule() {
    runCalls(calls -> {
      assertThat(calls.inline()).isEqualTo("inline");
      assertThat(calls.inline()).isEqualTo("inline");
      assertThatThrownBy(calls::inline).isInstanceOf(LimitExceededException.class);
      assertThat(calls.inlinePerKey("a")).isEqualTo("a");
      assertThat(calls.inlinePerKey("b")).isEqualTo("b");
      assertThatThrownBy(() -> calls.inlinePerKey("a")).isInstanceOf(LimitExceededException.class);
    });
  }

  @Test
  void composedAnnotationsWork() {
    runCalls(calls -> {
      assertThat(calls.composed()).isEqualTo("composed");
      assertThatThrownBy(calls::composed).isInstanceOf(LimitExceededException.class);
      assertThat(calls.composedWithFallback()).isEqualTo("denied by one");
    });
  }

  @Test
  void annotationOfTheClassLimitsItsMethods() {
    run(context -> {
      var annotated = context.getBean(Annotated.class);
      assertThat(annotated.first()).isEqualTo("first");
      assertThatThrownBy(annotated::first).isInstanceOf(LimitExceededException.class);
      assertThat(annotated.second()).isEqualTo("second");
    });
  }

  @Test
  void slotIsHeldDuringTheCall() {
    runCalls(calls -> {
      calls.slot(() ->
          assertThatThrownBy(() -> calls.slot(() -> {}))
              .isInstanceOf(LimitExceededException.class));
      assertThatThrownBy(() ->
              calls.slot(() -> {
                throw new IllegalArgumentException("inside");
              }))
          .hasMessage("inside");
      assertThat(calls.slot(() -> {})).isEqualTo("slot");
    });
  }

  @Test
  void slotIsHeldUntilTheStageIsComplete() {
    runCalls(calls -> {
      var pending = new CompletableFuture<String>();
      var first = calls.stage(pending).toCompletableFuture();
      var denied = calls.stage(CompletableFuture.completedFuture("b")).toCompletableFuture();
      assertThatThrownBy(denied::join)
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(LimitExceededException.class);
      pending.complete("a");
      assertThat(first.join()).isEqualTo("a");
      var failed = calls.stage(CompletableFuture.failedFuture(new IllegalStateException("c")));
      assertThatThrownBy(() -> failed.toCompletableFuture().join()).hasRootCauseMessage("c");
      assertThat(calls.stage(CompletableFuture.completedFuture("d")).toCompletableFuture().join())
          .isEqualTo("d");
    });
  }

  @Test
  void slotIsHeldUntilTheMonoEnds() {
    runCalls(calls -> {
      var open = calls.mono(Mono.never()).subscribe();
      assertThatThrownBy(() -> calls.mono(Mono.just("b")).block())
          .isInstanceOf(LimitExceededException.class);
      open.dispose();
      assertThat(calls.mono(Mono.just("c")).block()).isEqualTo("c");
      assertThatThrownBy(() -> calls.mono(Mono.error(new IllegalStateException("d"))).block())
          .hasMessage("d");
      var twice = calls.mono(Mono.just("e"));
      assertThat(twice.block()).isEqualTo("e");
      assertThat(twice.block()).isEqualTo("e");
    });
  }

  @Test
  void eachSubscriptionOfAFluxIsChecked() {
    runCalls(calls -> {
      var flux = calls.flux();
      assertThat(flux.collectList().block()).containsExactly(1, 2, 3);
      assertThat(flux.collectList().block()).containsExactly(0);
    });
  }

  @Test
  void queuedCallsWaitForTheirTurn() {
    runCalls(calls -> {
      long start = System.nanoTime();
      calls.shaped();
      calls.shaped();
      assertThat(calls.shapedMono().block()).isEqualTo("shaped");
      assertThat(calls.shapedMono().block()).isEqualTo("shaped");
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThanOrEqualTo(Duration.ofMillis(190));
    });
  }

  @Test
  void errorsAreNoWayAroundALimit() {
    runCalls(calls -> {
      assertThatThrownBy(() -> calls.one(null)).hasMessageContaining("key of @Limited on");
      assertThatThrownBy(() -> calls.one("")).hasMessageContaining("is empty");
      assertThatThrownBy(calls::missing)
          .hasMessageContaining("names the rule 'missing', which does not exist; rules: [one,");
      assertThatThrownBy(calls::missingFallback)
          .hasMessageContaining("names the fallback 'nothing'");
      assertThatThrownBy(() -> calls.failing().block()).hasMessage("failed");
    });
  }

  @Test
  void changedRulesApplyToTheNextCall() {
    run(context -> {
      var calls = context.getBean(Calls.class);
      calls.one("ann");
      assertThatThrownBy(() -> calls.one("ann")).isInstanceOf(LimitExceededException.class);
      context
          .getBean(RateLimiter.class)
          .replaceRules(
              RuleSet.of(
                  RuleFile.read(
                      "[{id: one, match: {key: '*'}, mode: off, limit: {algorithm: token-bucket, rate: 1/1h}}]")));
      assertThat(calls.one("ann")).isEqualTo("ann");
    });
  }

  @Test
  void stateIsSharedWithTheRuleOfTheLimiter() {
    run(context -> {
      var limiter = context.getBean(RateLimiter.class);
      context.getBean(Calls.class).perPlan("ann", "free");
      var subject = io.headgate.rule.Subject.of(Map.of("user", "ann", "plan", "free"));
      assertThat(limiter.check(subject).isAllowed()).isFalse();
    });
  }
}
