package io.headgate.limit;

/** The result of applying a limit to a request: the next state of the counter and the outcome. */
public record Step(State state, Outcome outcome) {}
