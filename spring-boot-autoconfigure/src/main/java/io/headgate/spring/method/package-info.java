/** Limits calls of methods with the annotation {@link io.headgate.spring.Limited}. */
@NullMarked
package io.headgate.spring.method;

import org.jspecify.annotations.NullMarked;
