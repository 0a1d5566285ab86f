package io.headgate.benchmarks;

/** The result of a load generator: successful requests and their rate. */
record Load(long requests, double perSecond) {}
