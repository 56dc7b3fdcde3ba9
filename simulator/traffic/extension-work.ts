import { setTimeout as sleep } from 'node:timers/promises';
import type { RuleId } from '../../contract/rule.ts';
import type { Entry } from '../extension/entry.ts';
import { isObject } from '../extension/envelope.ts';
import type { Send } from './drive.ts';
import { jsonHeaders } from './journeys/steps.ts';
import type { Complain } from './judging/violations.ts';
import { isAnsweredWell, isRefusal, jsonIn } from './results.ts';
import type { HttpStep, Result } from './step.ts';

/** What an extension has to know of the service to do its work. */
export interface Workplace {
  readonly send: Send;
  readonly space: string;
  readonly readJob?: (job: string) => HttpStep;
  /** Permission that journeys ask keys for. */
  readonly permission: string;
}

/** How long a job may take to show what was reported, and how long the work may take when the load is over, in ms. */
const [shownMs, pauseMs, restMs] = [10_000, 100, 15_000];

/** What the extension of the traffic does with tasks, as an external service would, and how it finds what is brought to it. */
export class ExtensionWork {
  readonly #place: Workplace;
  readonly #complain: Complain;
  readonly #signal: AbortSignal;
  readonly #underWay = new Set<Promise<void>>();
  readonly #jobs = new Set<string>();

  constructor(place: Workplace, complain: Complain, signal: AbortSignal) {
    this.#place = place;
    this.#complain = complain;
    this.#signal = signal;
  }

  /** A task that was acknowledged. It may come again where the acknowledgement was lost; what a second report does is not said. */
  takeTask({ number, envelope: { id: job, accessToken: bearer } = {} }: Entry): void {
    if (job === undefined || bearer === undefined || this.#jobs.has(job)) return;
    this.#jobs.add(job);
    const work = this.#workOn(job, bearer, `traffic is at work, ${number}`).finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  /** Members are those that were asked for, each with a key. How often a callback that fails is tried again is not said, so none is missed. */
  takeKeys({ json }: Entry): void {
    const members = isObject(json) ? Object.entries(json) : [];
    const names = members.map(([name]) => name).join(', ');
    const { permission } = this.#place;
    if (names !== permission)
      return this.#complain('api-keys.acquire.exact-permissions', `a key for ${permission}`, names || 'no object');
    for (const [name, member] of members) {
      const key = isObject(member) ? member['apiKey'] : undefined;
      if (typeof key !== 'string' || key === '')
        this.#complain('api-keys.acquire.key-shape', `${name} with a text as apiKey`, 'none');
    }
  }

  /** Resolves once all tasks are done, as far as they get done. */
  async finish(): Promise<void> {
    const ended = new AbortController();
    const signal = AbortSignal.any([this.#signal, ended.signal]);
    const rest = sleep(restMs, undefined, { signal }).catch(() => undefined);
    // a timer that goes on keeps the process from its end
    await Promise.race([Promise.all(this.#underWay), rest]).finally(() => ended.abort());
  }

  async #workOn(job: string, bearer: string, message: string): Promise<void> {
    const report = (
      of: string,
      rest: string,
      as: NonNullable<HttpStep['as']> | null,
      body: object,
    ): Promise<Result | undefined> =>
      this.#answerTo({
        kind: 'http',
        op: 'report',
        method: 'PUT',
        path: `/api/space/${encodeURIComponent(this.#place.space)}/dx/${encodeURIComponent(of)}/${rest}`,
        as,
        headers: jsonHeaders,
        body: JSON.stringify(body),
      });
    const progress = (of: string, as: NonNullable<HttpStep['as']> | null) => report(of, 'progress', as, { message });
    this.#expectRefused('tasks.callback.missing-credential-401', await progress(job, null), [401]);
    this.#expectRefused('tasks.callback.unknown-job-fails', await progress(`${job}-unknown`, { bearer }));
    const told = await progress(job, { bearer });
    this.#expectTaken('tasks.progress.message-shown', told);
    if (told !== undefined && isAnsweredWell(told.status)) await this.#waitUntilShown(job, message);
    this.#expectTaken('tasks.status.completed', await report(job, 'status/Completed', { bearer }, {}));
  }

  async #waitUntilShown(job: string, message: string): Promise<void> {
    const { readJob } = this.#place;
    if (readJob === undefined) return;
    const until = performance.now() + shownMs;
    for (;;) {
      const begunAt = performance.now();
      const read = await this.#answerTo(readJob(job));
      if (read === undefined || !isAnsweredWell(read.status) || plainTextIn(read).includes(message)) return;
      if (begunAt > until) return this.#complain('tasks.progress.message-shown', `${message} on the job`, read.body);
      await sleep(pauseMs);
    }
  }

  /** Undefined where none came, or the load is interrupted: what a target does that goes away is no violation. */
  async #answerTo(step: HttpStep): Promise<Result | undefined> {
    const { result, error } = await this.#place.send(step);
    return error === undefined && !this.#signal.aborted ? result : undefined;
  }

  #expectRefused(rule: RuleId, result: Result | undefined, statuses?: readonly number[]): void {
    if (result !== undefined && !isRefusal(result.status, statuses))
      this.#complain(rule, statuses?.join(' or ') ?? 'a refusal', String(result.status));
  }

  #expectTaken(rule: RuleId, result: Result | undefined): void {
    if (result !== undefined && result.status < 500 && result.status !== 429 && !isAnsweredWell(result.status))
      this.#complain(rule, '2xx', `${result.status} ${result.body}`);
  }
}

/** The body without the escapes that JSON leaves to the service. */
function plainTextIn(read: Result): string {
  const value = jsonIn(read);
  return value === undefined ? read.body : JSON.stringify(value);
}
