/** Support for tests of applications that load a part of them. Needs {@code spring-boot-test}. */
@NullMarked
package io.headgate.spring.test;

import org.jspecify.annotations.NullMarked;
