package io.headgate.limit;

/** One application of a limit: the state to keep from now on, and what the request is told. */
public record Step(State state, Outcome outcome) {}
