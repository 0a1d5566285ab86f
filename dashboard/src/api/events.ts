/** One event of a text/event-stream. */
export interface ServerEvent {
  event: string;
  data: string;
}

/**
 * Parses a text/event-stream, split into chunks in any way, into events. Comments are keep-alives
 * and are ignored.
 */
export function eventReader(onEvent: (event: ServerEvent) => void): (chunk: string) => void {
  let rest = '';
  let event = '';
  let data: string[] = [];
  const line = (text: string) => {
    if (text === '') {
      if (data.length > 0) onEvent({ event: event || 'message', data: data.join('\n') });
      event = '';
      data = [];
      return;
    }
    if (text.startsWith(':')) return;
    const colon = text.indexOf(':');
    const name = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  };
  return (chunk) => {
    rest += chunk;
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    lines.forEach(line);
  };
}
