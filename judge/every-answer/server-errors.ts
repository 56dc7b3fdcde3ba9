import { routes } from '../../contract/routes.ts';
import type { Reply, RequestSpec } from '../exchange.ts';
import type { ValidatorChanges } from '../extension/validator-changes.ts';
import { reading } from '../case/part.ts';

/** An answer with a server error, and on whose behalf the request was sent. */
interface ServerError {
  readonly reply: Reply;
  /** Rule, or part of the run. */
  readonly sentBy: string;
}

/** Those behind are only counted. */
const mostKept = 100;
/** What they say is right where something is not offered, or not now. */
const explained: ReadonlySet<number> = new Set([501, 503]);
/** What the answer to a promote says rightly where an extension that validates it fails. */
const explainedByOthers: ReadonlySet<number> = new Set([502, 504]);

/** The path of every promote holds it. */
const [, promoteSegment = ''] = /\/(\w+)\/promote\//.exec(routes.promote) ?? [];

/** Whether that promote says that somebody who validates the object could not be asked. */
export function isOnOthers({ status, exchange: { request } }: Pick<Reply, 'status' | 'exchange'>): boolean {
  return explainedByOthers.has(status) && request.url.includes(promoteSegment);
}

/** Answers of a run with a server error that no sentence asks for. Source: core, Errors 500 */
export class ServerErrors {
  readonly #validatorChanges: Pick<ValidatorChanges, 'isAround'>;
  readonly #kept: ServerError[] = [];
  #count = 0;

  constructor(validatorChanges: Pick<ValidatorChanges, 'isAround'>) {
    this.#validatorChanges = validatorChanges;
  }

  note({ mayFail }: RequestSpec, reply: Reply, sentBy: string): void {
    if (reply.status < 500 || mayFail === true || explained.has(reply.status)) return;
    if (isOnOthers(reply)) return;
    this.#count += 1;
    if (this.#kept.length < mostKept) this.#kept.push({ reply, sentBy });
  }

  /** All that are kept, and how many there were: without promotes that another case took a validation extension from meanwhile. */
  all(): { readonly kept: readonly ServerError[]; readonly count: number } {
    const kept = this.#kept.filter(({ reply: { exchange } }) => {
      if (!exchange.request.url.includes(promoteSegment)) return true;
      return reading('departures', () => Number(this.#validatorChanges.isAround(exchange))) === 0;
    });
    return { kept, count: this.#count - this.#kept.length + kept.length };
  }
}
