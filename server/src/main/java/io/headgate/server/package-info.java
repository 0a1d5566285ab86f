/** The service. Wires the limiter to the network; decides nothing itself. */
@NullMarked
package io.headgate.server;

import org.jspecify.annotations.NullMarked;
