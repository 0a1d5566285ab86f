package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallerRunsExecutorTest {
  private final CallerRunsExecutor executor = new CallerRunsExecutor();

  @AfterEach
  void stop() {
    executor.close();
  }

  private Thread runner() {
    return CompletableFuture.supplyAsync(Thread::currentThread, executor)
        .orTimeout(30, TimeUnit.SECONDS)
        .join();
  }

  @Test
  void tasksOfABlockingCallerRunOnItsThread() {
    var self = Thread.currentThread();
    assertThat(executor.blocking(this::runner)).isEqualTo(self);
    assertThat(executor.blocking(() -> executor.blocking(this::runner))).isEqualTo(self);
  }

  @Test
  void otherTasksRunOnThePool() {
    var self = Thread.currentThread();
    assertThat(runner()).isNotEqualTo(self);
    executor.blocking(this::runner);
    assertThat(runner()).isNotEqualTo(self);
    assertThatThrownBy(() -> executor.blocking(CallerRunsExecutorTest::fail))
        .isInstanceOf(IllegalStateException.class);
    assertThat(runner()).isNotEqualTo(self);
  }

  @Test
  void nameOfTheServiceIsNotLookedUpByABlockingCaller() {
    for (var url : List.of("http://127.0.0.1:8080", "https://[::1]", "http://localhost:8080")) {
      assertThat(ServiceConnection.hasAddress(URI.create(url))).as(url).isTrue();
    }
    for (var url : List.of("http://headgate.internal", "https://1.example.org:8443")) {
      assertThat(ServiceConnection.hasAddress(URI.create(url))).as(url).isFalse();
    }
  }

  private static Thread fail() {
    throw new IllegalStateException("on purpose");
  }
}
