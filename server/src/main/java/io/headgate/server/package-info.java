/**
 * The service: connects the limiter to the network. Contains no decision logic.
 *
 * <p>Contains the parts that are started and stopped together. Must not contain the handling of
 * single requests ({@code http}), the storage of rules ({@code rules}), or options and command
 * output ({@code cli}).
 */
@NullMarked
package io.headgate.server;

import org.jspecify.annotations.NullMarked;
