import type { Need } from '../../contract/needs.ts';
import type { CaseContext } from '../case.ts';
import { isSuccess, type Exchange, type Reply } from '../exchange.ts';
import type { CaseRecord } from '../case/record.ts';
import type { Session } from '../run/session.ts';
import { messageOf } from '../../contract/thrown.ts';

/** A route of the profile that refuses what it is there for. */
export function aboutReply(reply: Reply, key: string): Trial {
  if (isSuccess(reply.status) || reply.status === 304) return undefined;
  const { method, url } = reply.exchange.request;
  return { failure: `${method} ${url} answered ${reply.status}: correct ${key}`, exchange: reply.exchange };
}

/** Something that a profile declares, tried on the deployment. */
export interface Examination {
  /** What was tried, in words. */
  readonly what: string;
  /** Needs that stand or fall with it. */
  readonly needs: readonly Need[];
  /** What is wrong, and the key to change; absent when all is well. */
  readonly failure?: string;
  /** The request on which it failed and its answer; secrets are still in it. */
  readonly exchange?: Exchange;
}

/** What examinations act with. */
export interface Bench {
  readonly context: CaseContext;
  readonly session: Session;
  readonly record: CaseRecord;
}

/** What came of a trial: a sentence where it failed, with the exchange where it is not the last one. */
export type Trial = string | undefined | { readonly failure: string; readonly exchange: Exchange };

/** Tries one thing. What is thrown counts as its failure. */
export async function examine(
  { record }: Bench,
  what: string,
  needs: readonly Need[],
  work: () => Promise<Trial>,
): Promise<Examination> {
  record.begin();
  const tried = await work().catch(messageOf);
  if (tried === undefined) return { what, needs };
  const { failure, exchange } =
    typeof tried === 'string' ? { failure: tried, exchange: record.history().at(-1)?.exchange } : tried;
  return { what, needs, failure, ...(exchange && { exchange }) };
}

/** One after the other, so that the last exchange is that of the one which failed. */
export async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
