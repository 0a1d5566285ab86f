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
}
