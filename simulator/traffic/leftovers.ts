import { withoutSlash } from '../../contract/address.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Send } from './drive.ts';
import type { EngineSetup } from './engine.ts';
import { envOf } from './drive.ts';
import { unlessAborted } from './interruption.ts';
import { beginningOf, fillPlaceholders, readStep, versionHeader } from './journeys/steps.ts';
import type { FoundViolation } from './judging/violations.ts';
import { isAnsweredWell, objectIn } from './results.ts';
import type { HttpStep } from './step.ts';

/** Objects beyond are counted and not known one by one. */
const mostKnown = 200_000;
/** Requests under way at once. */
const width = 16;
/** So many refusals before anything was deleted, and nothing will be. */
const mostInVain = 16;
const gone: readonly number[] = [404, 410];
/** Of a DELETE that lacks the version, which nothing says that it may. */
const wantsVersion: readonly number[] = [409, 412, 428];

const noRoute = 'the profile has no routes.softTypeDelete';
const untried = 'the run ended before they were deleted';
const givenUp = `not tried any more, as the first ${mostInVain} deletions failed`;

type Setup = Pick<EngineSetup, 'ground' | 'seed'>;

/** The objects that a run has made, to be deleted when it is over: the youngest first, as they may refer to older ones. */
export class Leftovers {
  readonly #profile: Profile;
  readonly #setup: Setup;
  readonly #known = new Set<string>();
  #unknown = 0;

  constructor(profile: Profile, setup: Setup) {
    [this.#profile, this.#setup] = [profile, setup];
  }

  note(oids: readonly string[]): void {
    for (const oid of oids) {
      if (this.#known.size < mostKnown || this.#known.has(oid)) this.#known.add(oid);
      else this.#unknown += 1;
    }
  }

  /**
   * Deletes all but what broken rules were seen at, where the profile says how, until the signal aborts.
   * @returns what stays and why, in sentences for the report
   */
  async remove(send: Send, violations: readonly FoundViolation[], signal: AbortSignal): Promise<readonly string[]> {
    const shown = new Set(violations.flatMap(({ exchange }) => (exchange === undefined ? [] : idsIn(exchange.step))));
    const evidence = [...this.#known].filter((oid) => shown.has(oid));
    const open = [...this.#known].filter((oid) => !shown.has(oid));
    const all = this.#known.size + this.#unknown;
    const template = this.#profile.routes?.softTypeDelete;
    const why = new Map(open.map((oid) => [oid, template === undefined ? noRoute : untried]));
    // what got no answer yet is not waited for
    if (template !== undefined) await unlessAborted(this.#delete(send, template, why, signal), signal);
    const reasons = [
      ...Map.groupBy(why.values(), (reason) => reason)
        .entries()
        .map(([reason, same]) => [reason, same.length] as const),
      ...(this.#unknown === 0 ? [] : [['there were too many to know them all', this.#unknown] as const]),
    ];
    return [
      ...reasons.map(([reason, count]) => `${count} of ${all} objects of this traffic ${this.#place()}: ${reason}.`),
      ...(evidence.length === 0
        ? []
        : [
            `What broken rules were seen at stays to be looked at: ${evidence.map((oid) => this.#uriOf(oid)).join(', ')}.`,
          ]),
    ];
  }

  /**
   * What is refused is tried again for as long as others went meanwhile: they may have needed it, or it came at a bad moment.
   * @param stays what is there yet and why, by id
   */
  async #delete(send: Send, template: string, stays: Map<string, string>, signal: AbortSignal): Promise<void> {
    for (let before = Infinity; stays.size > 0 && stays.size < before && !signal.aborted;) {
      before = stays.size;
      await this.#sweep(send, template, stays, signal);
    }
  }

  /** Tries each once; none any more when the first ones are refused without exception. */
  async #sweep(send: Send, template: string, stays: Map<string, string>, signal: AbortSignal): Promise<void> {
    const [open, before] = [[...stays.keys()], stays.size];
    let refusals = 0;
    const isInVain = (): boolean => refusals >= mostInVain && stays.size === before;
    const worker = async (): Promise<void> => {
      for (let oid = open.pop(); oid !== undefined && !signal.aborted && !isInVain(); oid = open.pop()) {
        const refusal = await this.#refusalOf(send, template, oid);
        if (refusal === undefined) stays.delete(oid);
        else {
          refusals += 1;
          stays.set(oid, refusal);
        }
      }
    };
    await Promise.all(Array.from({ length: width }, worker));
    if (isInVain()) for (const [oid, why] of stays) stays.set(oid, why === untried ? givenUp : why);
  }

  /** Undefined when it is gone, else why it stays. */
  async #refusalOf(send: Send, template: string, oid: string): Promise<string | undefined> {
    const remove: HttpStep = { kind: 'http', op: 'delete', method: 'DELETE', path: this.#pathOf(template, oid) };
    let sent = await send(remove);
    if (wantsVersion.includes(sent.result.status)) {
      const { version } = objectIn((await send(readStep(envOf(this.#setup, 0, 0), oid))).result);
      if (typeof version === 'number') sent = await send({ ...remove, headers: versionHeader(version) });
    }
    const { status } = sent.result;
    if (isAnsweredWell(status) || gone.includes(status)) return undefined;
    return sent.error === undefined ? `DELETE was answered by ${status}` : `DELETE got no answer (${sent.error})`;
  }

  #pathOf(template: string, oid: string): string {
    const { definitionId, inputSchemaId, outputSchemaId } = this.#setup.ground.softType;
    const spaceId = this.#profile.space;
    return fillPlaceholders(template, { spaceId, definitionId, inputSchemaId, outputSchemaId, objectId: oid });
  }

  #uriOf(oid: string): string {
    return `${withoutSlash(this.#profile.baseUrl)}${readStep(envOf(this.#setup, 0, 0), oid).path}`;
  }

  /** Where they are, and by what they are known. */
  #place(): string {
    const { ground } = this.#setup;
    const [first] = ground.softType.scalars;
    const sign = first === undefined ? '' : `, known by ${first}, which begins with ${beginningOf(ground)}`;
    return `stay in the space ${this.#profile.space}${sign}`;
  }
}

/** What may be the id of an object in a request. */
function idsIn({ path, body }: HttpStep): readonly string[] {
  const parts = `${path}${typeof body === 'string' ? body : ''}`.split(/[/?#"]/);
  return parts.map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
}
