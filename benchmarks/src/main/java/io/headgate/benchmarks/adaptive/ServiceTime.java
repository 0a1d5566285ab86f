package io.headgate.benchmarks.adaptive;

import java.util.random.RandomGenerator;

/** The distribution of the work of a request, in seconds of one worker. */
sealed interface ServiceTime {
  double mean();

  double sample(RandomGenerator random);

  /** The same work for each request. */
  record Fixed(double mean) implements ServiceTime {
    @Override
    public double sample(RandomGenerator random) {
      return mean;
    }
  }

  /** Exponentially distributed work. */
  record Exponential(double mean) implements ServiceTime {
    @Override
    public double sample(RandomGenerator random) {
      return -mean * StrictMath.log(1 - random.nextDouble());
    }
  }

  /** Fast requests, with a share of slow ones among them. */
  record Bimodal(double fast, double slow, double slowShare) implements ServiceTime {
    @Override
    public double mean() {
      return fast * (1 - slowShare) + slow * slowShare;
    }

    @Override
    public double sample(RandomGenerator random) {
      return random.nextDouble() < slowShare ? slow : fast;
    }
  }

  /** Work that is uniform between 0 and twice its mean. */
  record Uniform(double mean) implements ServiceTime {
    @Override
    public double sample(RandomGenerator random) {
      return 2 * mean * random.nextDouble();
    }
  }

  /** Work whose logarithm is normally distributed with a standard deviation of 1. */
  record LogNormal(double mean) implements ServiceTime {
    @Override
    public double sample(RandomGenerator random) {
      double normal =
          StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()))
              * StrictMath.cos(2 * Math.PI * random.nextDouble());
      return mean * StrictMath.exp(normal - 0.5);
    }
  }

  /** Exponential work, of which a share is slower than the rest. */
  record Mixed(double fast, double slow, double slowShare) implements ServiceTime {
    @Override
    public double mean() {
      return fast * (1 - slowShare) + slow * slowShare;
    }

    @Override
    public double sample(RandomGenerator random) {
      double mean = random.nextDouble() < slowShare ? slow : fast;
      return -mean * StrictMath.log(1 - random.nextDouble());
    }
  }
}
