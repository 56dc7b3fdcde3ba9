import type { Expectation } from '../contract/profile.ts';
import type { Reply } from './exchange.ts';

/** What a case records beside its verdict. */
export interface Notes {
  /** Records a short fact (status, form, count): `notes.observe('status of an unknown port', reply.status)`. */
  observe(what: string, seen: string | number | boolean | null, seenIn?: Reply): void;
  /** As observe, and compares with what the profile binds under `expect`, where it does: then a difference is a violation. */
  bound(key: Expectation, what: string, seen: string | number | boolean, seenIn?: Reply): void;
  /** Something a person should look at, though no rule forbids it (a 5xx, data that leaks). */
  remark(sentence: string, seenIn?: Reply): void;
  /** Remarks a 5xx where no rule speaks of the request. */
  remarkServerError(reply: Reply): void;
}
