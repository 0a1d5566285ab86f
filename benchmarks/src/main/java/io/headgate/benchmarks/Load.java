package io.headgate.benchmarks;

/** What a program that makes requests has got answered. */
record Load(long requests, double perSecond) {}
