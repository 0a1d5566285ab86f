package io.headgate.rule;

/** Names one state. */
record Place(Counter counter, String key) {}
