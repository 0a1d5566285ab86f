/** What tests of Headgate and of its stores share. Never on a production class path. */
@NullMarked
package io.headgate.testkit;

import org.jspecify.annotations.NullMarked;
