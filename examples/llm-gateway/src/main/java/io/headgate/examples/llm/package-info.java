/**
 * A proxy for language models with the API of OpenAI. It limits the tokens of each team and model:
 * an estimate is reserved when a call begins, and the real usage is settled when it ends.
 */
@NullMarked
package io.headgate.examples.llm;

import org.jspecify.annotations.NullMarked;
