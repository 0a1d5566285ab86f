/**
 * Network support for tests: a fault-injecting proxy, certificates and free ports. It works with
 * TCP and TLS and is independent of any protocol above them.
 */
@NullMarked
package io.headgate.testkit.net;

import org.jspecify.annotations.NullMarked;
