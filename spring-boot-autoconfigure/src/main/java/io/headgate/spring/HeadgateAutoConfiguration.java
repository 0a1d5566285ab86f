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
@AutoConfiguration(after = HeadgateRedisAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "headgate.enabled", matchIfMissing = true)
@EnableConfigurationProperties(HeadgateProperties.class)
public final class HeadgateAutoConfiguration {
  private static final Log LOG = LogFactory.getLog(HeadgateAutoConfiguration.class);

  HeadgateAutoConfiguration() {}

  /** Closed by the limiter. */
  @Bean(destroyMethod = "")
  @ConditionalOnMissingBean(Store.class)
  Store headgateStore(HeadgateProperties properties) {
    var other = properties.chosenStore().filter(store -> !store.equals("memory"));
    if (other.isPresent()) throw unusable(other.get());
    return MemoryStore.create();
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
  RateLimiter headgateRateLimiter(Store store, RuleSources sources) {
    var rules = sources.read();
    if (rules.rules().isEmpty()) {
      LOG.warn(
          "There are no rules, so every request passes. Add a headgate.yaml to the class path, set"
              + " headgate.rules-file or headgate.rules, or declare beans of type Rule.");
    }
    return RateLimiter.with(store, rules);
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
      RateLimiter limiter, HeadgateProperties properties, ObjectProvider<CheckListener> listener) {
    return new RequestChecker(limiter, properties.web().maxDelay(), CheckListeners.of(listener));
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
