/**
 * Reads and writes rules as YAML and JSON. Start at {@link io.headgate.rulefile.RuleFile}.
 *
 * <p>{@code DocumentParser} parses a text into {@code SourceNode}s with line and column. {@code
 * RuleReader} and the other readers convert these to rules. Problems are added to a {@code
 * ProblemCollector} instead of being thrown, so that one pass reports all of them. JSON is read as
 * YAML, of which it is a subset. For writing, {@code RuleWriter} creates {@code OutputNode}s, which
 * {@code YamlPrinter} or {@code JsonPrinter} prints.
 *
 * <p>The package contains the format and its messages. It must not contain servers, stores, clocks
 * or the meaning of rules. Only {@code DocumentParser} uses the YAML library.
 */
@NullMarked
package io.headgate.rulefile;

import org.jspecify.annotations.NullMarked;
