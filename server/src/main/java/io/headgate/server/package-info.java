/**
 * The service. Wires the limiter to the network; decides nothing itself.
 *
 * <p>Lives here: what is started and stopped as a whole. May not: what one request says ({@code
 * http}), where rules come from ({@code rules}), options and texts for people ({@code cli}).
 */
@NullMarked
package io.headgate.server;

import org.jspecify.annotations.NullMarked;
