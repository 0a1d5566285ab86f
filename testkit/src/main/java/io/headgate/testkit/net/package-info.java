/**
 * The network as tests meet it: a proxy that fails on demand, certificates, free ports. Knows TCP
 * and TLS; nothing here knows a protocol above them.
 */
@NullMarked
package io.headgate.testkit.net;

import org.jspecify.annotations.NullMarked;
