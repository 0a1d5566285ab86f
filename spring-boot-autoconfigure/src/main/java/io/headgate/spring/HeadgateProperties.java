package io.headgate.spring;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of Headgate.
 *
 * @param enabled Whether requests and method calls are limited. If false, no beans are created.
 * @param rulesFile Location of a rule file, such as file:/etc/headgate.yaml. A file is reloaded
 *     when it changes. The default is classpath:headgate.yaml, if that exists.
 * @param rulesReloadInterval Time between two checks whether the rule file has changed.
 * @param rules Rules, each with the fields of a rule in a rule file.
 * @param store Where counters are stored: memory, an address such as redis://localhost:6379, or
 *     spring for the Redis of spring.data.redis. The default is spring if the application uses
 *     Spring Data Redis, and otherwise memory.
 * @param requireStore Whether the start fails if the store is unavailable. If false, each rule's
 *     on-store-failure policy decides until the store is available.
 * @param redis Options of a store in Redis.
 * @param service Options of a Headgate service that decides requests instead of this application.
 * @param web Options of the filter for HTTP requests.
 * @param methods Options of method calls with the annotation Limited.
 */
@ConfigurationProperties("headgate")
public record HeadgateProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String rulesFile,
    @DefaultValue("1s") Duration rulesReloadInterval,
    @DefaultValue List<Map<String, Object>> rules,
    @Nullable String store,
    @DefaultValue("false") boolean requireStore,
    @DefaultValue Redis redis,
    @DefaultValue Service service,
    @DefaultValue Web web,
    @DefaultValue Methods methods) {
  /** The location of the rule file if none is set. */
  public static final String DEFAULT_RULES_FILE = "classpath:headgate.yaml";

  /** Validates the interval; throws {@link IllegalArgumentException} if it is not positive. */
  public HeadgateProperties {
    if (rulesReloadInterval.isNegative() || rulesReloadInterval.isZero()) {
      throw new IllegalArgumentException(
          "headgate.rules-reload-interval must be positive, got " + rulesReloadInterval);
    }
    rules = List.copyOf(rules);
  }

  /** Returns the store that is set; empty for the default. */
  Optional<String> chosenStore() {
    return Optional.ofNullable(store).map(String::strip).filter(text -> !text.isEmpty());
  }

  /**
   * Options of a store in Redis.
   *
   * @param prefix Prefix of every key. Applications with the same servers and prefix share
   *     counters.
   * @param layout How counters are distributed over keys: separate, or compact, which takes half of
   *     the memory for rules with several limits. Applications that share counters use the same.
   * @param deadline How long a check waits for Redis before the failure policy of its rule decides.
   * @param ca PEM file of certificates to trust instead of the system's, for TLS connections.
   */
  public record Redis(
      @DefaultValue("headgate:") String prefix,
      @DefaultValue("separate") Layout layout,
      @DefaultValue("50ms") Duration deadline,
      @Nullable String ca) {
    /** How counters are distributed over the keys of Redis. */
    public enum Layout {
      /** Each counter has a key of its own. */
      SEPARATE,
      /** The counters of a subject under one rule share a key. */
      COMPACT
    }
  }

  /**
   * Options of a Headgate service.
   *
   * @param url Address of the service, such as https://headgate.internal:8080. If it is set, the
   *     service has the rules and decides all HTTP requests.
   * @param token Check token of the service, if it requires one.
   * @param deadline How long a check waits for the service before the failure mode decides.
   * @param failureMode How requests are decided while the service is unavailable: allow, or deny
   *     with status 503.
   * @param localLeases For how many subjects at once permits of the service are held, so that their
   *     requests need no call. 0 for none.
   */
  public record Service(
      @Nullable String url,
      @Nullable String token,
      @DefaultValue("250ms") Duration deadline,
      @DefaultValue("allow") Failure failureMode,
      @DefaultValue("0") int localLeases) {
    /** How requests are decided while the service is unavailable. */
    public enum Failure {
      /** They pass. */
      ALLOW,
      /** They are denied with status 503. */
      DENY
    }

    /** Returns whether a service decides requests. */
    public boolean isUsed() {
      return url != null && !url.isBlank();
    }

    /** Leaves out the token. */
    @Override
    public String toString() {
      return "Service[url=%s, deadline=%s, failureMode=%s]".formatted(url, deadline, failureMode);
    }
  }

  /**
   * Options of the filter for HTTP requests.
   *
   * @param enabled Whether HTTP requests are limited.
   * @param urlPatterns URL patterns of the servlet filter. WebFlux limits all requests.
   * @param order Order of the filter. The default follows the filter chain of Spring Security, so
   *     that the principal is known.
   * @param trustedProxies Addresses and CIDR blocks of proxies whose forwarding headers are
   *     evaluated.
   * @param forwardedHeaders Forwarding headers that the proxies set: X-Forwarded-For, X-Real-IP or
   *     Forwarded. The default is all of them.
   * @param headers Headers to add to the subject, each with the name of its attribute.
   * @param route Whether the path pattern of the handler, such as /users/{id}, is the attribute
   *     route.
   * @param maxDelay How long a request may wait in the queue of a leaky bucket. A longer delay is a
   *     denial.
   * @param headersOnAllowed Whether allowed requests get rate-limit headers, too.
   */
  public record Web(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("/*") List<String> urlPatterns,
      @DefaultValue("-90") int order,
      @DefaultValue List<String> trustedProxies,
      @DefaultValue List<String> forwardedHeaders,
      @DefaultValue Map<String, String> headers,
      @DefaultValue("false") boolean route,
      @DefaultValue("5s") Duration maxDelay,
      @DefaultValue("true") boolean headersOnAllowed) {
    /** Copies the collections. */
    public Web {
      urlPatterns = List.copyOf(urlPatterns);
      trustedProxies = List.copyOf(trustedProxies);
      forwardedHeaders = List.copyOf(forwardedHeaders);
      headers = Map.copyOf(headers);
    }
  }

  /**
   * Options of method calls.
   *
   * @param enabled Whether calls of methods with the annotation Limited are limited.
   * @param order Order of the advice among the others of a method. The default precedes
   *     transactions.
   */
  public record Methods(@DefaultValue("true") boolean enabled, @DefaultValue("-100") int order) {}
}
