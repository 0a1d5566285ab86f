/** Limits requests of Spring WebFlux without blocking a thread. */
@NullMarked
package io.headgate.spring.webflux;

import org.jspecify.annotations.NullMarked;
