package io.headgate.kotlin

import io.headgate.RateLimiter
import io.headgate.client.HeadgateClient
import io.headgate.rule.Rule
import io.headgate.rule.RuleSet
import io.headgate.server.Service
import io.headgate.server.ServiceSettings
import io.headgate.server.api.AccessControl
import io.headgate.server.grpc.GrpcSettings
import io.headgate.server.metrics.StoreMetrics
import io.headgate.server.rules.InMemoryRuleRepository
import io.headgate.server.stats.StatsSettings
import io.headgate.store.MemoryStore
import io.headgate.store.Ticker
import java.time.Duration
import java.util.Optional

/** A real Headgate service on a port of its own, and a client of it. */
internal class RunningService(vararg rules: Rule) : AutoCloseable {
  val limiter: RateLimiter = RateLimiter.with(MemoryStore.create(), RuleSet.of(*rules))

  private val service =
      Service.start(
          ServiceSettings(
              "127.0.0.1",
              0,
              AccessControl(Optional.empty(), Optional.empty()),
              Duration.ofMinutes(1),
              Duration.ZERO,
              1,
          ),
          GrpcSettings.DEFAULT,
          StatsSettings.DEFAULT,
          limiter,
          InMemoryRuleRepository.of(limiter.rules()),
          StoreMetrics(),
          Ticker.system(),
      )

  val client: HeadgateClient =
      HeadgateClient.connect("http://127.0.0.1:${service.port()}").within(Duration.ofSeconds(10))

  override fun close() {
    client.close()
    service.close()
    limiter.close()
  }
}
