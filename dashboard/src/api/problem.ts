import type { Flaw } from './types';

/** Why something was not answered as asked. `status` 0: nobody answered. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly field: string | null = null,
    readonly flaws: Flaw[] = [],
  ) {
    super(detail);
    this.name = 'Problem';
  }

  static readonly unreachable = (cause: unknown) =>
    new Problem(0, `The service can't be reached (${cause instanceof Error ? cause.message : String(cause)}).`);

  static of(cause: unknown): Problem {
    return cause instanceof Problem ? cause : Problem.unreachable(cause);
  }

  /** Of an answer that is none of the 2XX: a problem document, or whatever a proxy in between says. */
  static async from(response: Response): Promise<Problem> {
    const text = await response.text().catch(() => '');
    try {
      const body = JSON.parse(text) as Record<string, unknown>;
      if (typeof body['detail'] === 'string') {
        const flaws = Array.isArray(body['problems']) ? (body['problems'] as Flaw[]) : [];
        const field = typeof body['field'] === 'string' ? body['field'] : null;
        return new Problem(response.status, body['detail'], field, flaws);
      }
    } catch {
      // not JSON: said below
    }
    return new Problem(response.status, `The service answered ${response.status} ${response.statusText}`.trim() + '.');
  }
}
