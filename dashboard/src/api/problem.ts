import type { Flaw } from './types';

/** A failed request. `status` 0 means that there was no response. */
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
    new Problem(0, `Cannot reach the service (${cause instanceof Error ? cause.message : String(cause)}).`);

  static of(cause: unknown): Problem {
    return cause instanceof Problem ? cause : Problem.unreachable(cause);
  }

  /**
   * Creates a problem from a response outside 2xx: a problem document, or the response of a proxy.
   */
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
      // not JSON: handled below
    }
    return new Problem(response.status, `The service answered ${response.status} ${response.statusText}`.trim() + '.');
  }
}
