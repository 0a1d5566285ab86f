// Asks a model through the gateway with the OpenAI client library, streamed and whole, and prints a line of JSON for each.
//
//   node ask.mjs URL KEY MAX_TOKENS
import OpenAI from 'openai';

const [url, apiKey, maxTokens] = process.argv.slice(2);
const client = new OpenAI({ baseURL: url, apiKey, maxRetries: 0 });
const question = { model: 'test-model', messages: [{ role: 'user', content: 'Tell me a story.' }], max_tokens: Number(maxTokens) };

try {
  const { data, response } = await client.chat.completions.create(question).withResponse();
  console.log(JSON.stringify({
    kind: 'whole', finish: data.choices[0].finish_reason, tokens: data.usage.total_tokens,
    remaining: Number(response.headers.get('x-ratelimit-remaining-tokens')),
  }));
  const stream = await client.chat.completions.create({ ...question, stream: true, stream_options: { include_usage: true } });
  let words = 0;
  let finish = null;
  for await (const chunk of stream) {
    if (chunk.choices[0]?.delta?.content) words++;
    finish = chunk.choices[0]?.finish_reason ?? finish;
  }
  console.log(JSON.stringify({ kind: 'stream', finish, words }));
} catch (error) {
  if (!(error instanceof OpenAI.APIError)) throw error;
  console.log(JSON.stringify({ kind: 'error', type: error.constructor.name, status: error.status, code: error.code }));
}
