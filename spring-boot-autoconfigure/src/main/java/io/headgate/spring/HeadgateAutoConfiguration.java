package io.headgate.spring;

import io.headgate.RateLimiter;
import io.headgate.http.CheckListener;
import io.headgate.http.RequestChecker;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ResourceLoader;

/** Creates the limiter, its rules and, if no other store is configured, a store in memory. */
@AutoConfiguration(
    after = HeadgateRedisAutoConfiguration.class,
    afterName = "io.headgate.spring.service.HeadgateServiceAutoConfiguration")
@ConditionalOnBooleanProperty(name = "headgate.enabled", matchIfMissing = true)
@EnableConfigurationProperties(HeadgateProperties.class)
public final class HeadgateAutoConfiguration {
  private static final Log LOG = LogFactory.getLog(HeadgateAutoConfiguration.class);

  HeadgateAutoConfiguration() {}

  /** Closed by the limiter. */
  @Bean(destroyMethod = "")
  @ConditionalOnMissingBean(Store.class)
  Store headgateStore(HeadgateProperties properties) {
    if (properties.service().isUsed()) return MemoryStore.create(); // for limits of @Limited
    var other = properties.chosenStore().filter(store -> !store.equals("memory"));
    if (other.isPresent()) throw unusable(other.get());
    return MemoryStore.create();
  }

  private static StoreStartException withoutClient() {
    return new StoreStartException(
        "The property headgate.service.url is set, but headgate-client is not on the class path.",
        "Add the dependency io.headgate:headgate-client.");
  }

  private static StoreStartException unusable(String store) {
    if (store.startsWith("redis")) {
      return new StoreStartException(
          "The property headgate.store is an address of Redis, but headgate-redis is not on the"
              + " class path.",
          "Add the dependency io.headgate:headgate-redis.");
    }
    if (store.equals("spring")) {
      return new StoreStartException(
          "The property headgate.store is spring, but the application does not use Spring Data"
              + " Redis, or headgate-redis is not on the class path.",
          "Add the missing dependency, or set headgate.store to an address or to memory.");
    }
    return new StoreStartException(
        "The property headgate.store names no known store.",
        "Set it to memory, spring or an address such as redis://localhost:6379.");
  }

  @Bean
  @ConditionalOnMissingBean
  RuleSources headgateRuleSources(
      HeadgateProperties properties,
      ResourceLoader loader,
      ObjectProvider<Rule> rules,
      ObjectProvider<RuleSet> ruleSets) {
    List<Rule> beans =
        Stream.concat(
                rules.orderedStream(),
                ruleSets.orderedStream().flatMap(set -> set.rules().stream()))
            .toList();
    return RuleSources.of(properties, loader, beans);
  }

  @Bean
  @ConditionalOnMissingBean
  RateLimiter headgateRateLimiter(Store store, RuleSources sources, HeadgateProperties properties) {
    var rules = sources.read();
    if (properties.service().isUsed()) {
      if (!rules.rules().isEmpty()) throw ruledTwice();
    } else if (rules.rules().isEmpty()) {
      LOG.warn(
          "There are no rules, so every request passes. Add a headgate.yaml to the class path, set"
              + " headgate.rules-file or headgate.rules, or declare beans of type Rule.");
    }
    return RateLimiter.with(store, rules);
  }

  private static StoreStartException ruledTwice() {
    return new StoreStartException(
        "The property headgate.service.url is set, and the application has rules of its own.",
        "Apply the rules to the service with 'headgate rules apply', and remove headgate.yaml,"
            + " headgate.rules and beans of type Rule, or do not set headgate.service.url.");
  }

  @Bean
  @ConditionalOnMissingBean
  RuleReloader headgateRuleReloader(
      RateLimiter limiter, RuleSources sources, HeadgateProperties properties) {
    return new RuleReloader(limiter, sources, properties.rulesReloadInterval());
  }

  @Bean
  @ConditionalOnMissingBean
  RequestChecker headgateRequestChecker(
      RateLimiter limiter,
      HeadgateProperties properties,
      ObjectProvider<CheckListener> listener,
      ObjectProvider<CheckerDecorator> decorators) {
    if (properties.service().isUsed()) throw withoutClient(); // which would be the checker
    return CheckerDecorator.of(decorators)
        .decorate(
            RequestChecker.of(limiter, properties.web().maxDelay(), CheckListeners.of(listener)));
  }

  @Bean
  @ConditionalOnMissingBean
  StoreStatus headgateStoreStatus(Store store) {
    return new LocalStoreStatus(store);
  }

  @Bean
  @ConditionalOnMissingBean
  RevisionNumber headgateRevisionNumber(RuleReloader reloader) {
    return reloader::revision;
  }
}
