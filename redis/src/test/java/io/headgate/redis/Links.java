package io.headgate.redis;

import java.util.concurrent.CompletionStage;

/** Links for tests, which open one and use it for many stores. */
final class Links {
  private Links() {}

  /** The same link, which those who use it don't close. */
  static Link shared(Link link) {
    return new Passing(link);
  }

  /** Passes on everything but its end. */
  static class Passing implements Link {
    private final Link link;

    Passing(Link link) {
      this.link = link;
    }

    @Override
    public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
      return link.decide(keys, argument);
    }

    @Override
    public CompletionStage<Long> announce(byte[] key, byte[] instance, byte[] millis) {
      return link.announce(key, instance, millis);
    }

    @Override
    public CompletionStage<Long> forget(byte[] key) {
      return link.forget(key);
    }

    @Override
    public CompletionStage<Long> size() {
      return link.size();
    }

    @Override
    public int laneOf(String key) {
      return link.laneOf(key);
    }

    @Override
    public void close() {}
  }
}
