/** A small shop whose requests and method calls are limited. */
@NullMarked
package io.headgate.examples.shop;

import org.jspecify.annotations.NullMarked;
