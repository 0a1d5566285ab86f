package io.headgate.benchmarks;

/** The limiters compared on Redis. */
public enum RemoteLimiter {
  ONE_CALL("one GCRA script a call"),
  HEADGATE("**Headgate**"),
  HEADGATE_UNCACHED("Headgate, two permits per request: denials are not cached"),
  BUCKET4J("bucket4j"),
  BUCKET4J_BATCHING("bucket4j, batching"),
  REDISSON("Redisson"),
  GATEWAY("same commands as Spring Cloud Gateway");

  final String title;

  RemoteLimiter(String title) {
    this.title = title;
  }

  /**
   * Opens the limiter.
   *
   * @param name distinguishes its keys from those of other limiters
   */
  public Remote open(String uri, String name, Quota quota, int keys) {
    return switch (this) {
      case ONE_CALL -> ScriptRemote.oneCall(uri, name, quota, keys);
      case HEADGATE -> HeadgateRemote.open(uri, name, quota, keys);
      case HEADGATE_UNCACHED -> HeadgateRemote.exhaustedByTwos(uri, name, keys);
      case BUCKET4J -> Bucket4jRemote.open(uri, name, quota, keys, false);
      case BUCKET4J_BATCHING -> Bucket4jRemote.open(uri, name, quota, keys, true);
      case REDISSON -> RedissonRemote.open(uri, name, quota, keys);
      case GATEWAY -> ScriptRemote.gateway(uri, name, quota, keys);
    };
  }
}
