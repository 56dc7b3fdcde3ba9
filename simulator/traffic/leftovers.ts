import { withoutSlash } from '../../contract/address.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Send } from './drive.ts';
import type { EngineSetup } from './engine.ts';
import { envOf } from './drive.ts';
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
    const reasons = new Map<string, number>();
    const stays = (reason: string, count = 1): void => void reasons.set(reason, (reasons.get(reason) ?? 0) + count);
    if (template === undefined) stays('the profile has no routes.softTypeDelete', open.length + this.#unknown);
    else {
      stays('there were too many to know them all', this.#unknown);
      await this.#delete(send, template, { open, signal, stays });
    }
    const sentences = [...reasons].filter(([, count]) => count > 0);
    return [
      ...sentences.map(([reason, count]) => `${count} of ${all} objects of this traffic ${this.#place()}: ${reason}.`),
      ...(evidence.length === 0
        ? []
        : [
            `What broken rules were seen at stays to be looked at: ${evidence.map((oid) => this.#uriOf(oid)).join(', ')}.`,
          ]),
    ];
  }

  async #delete(
    send: Send,
    template: string,
    { open, signal, stays }: { open: string[]; signal: AbortSignal; stays: (reason: string, count?: number) => void },
  ): Promise<void> {
    let [isAnyGone, refusals] = [false, 0];
    const isInVain = (): boolean => !isAnyGone && refusals >= mostInVain;
    const worker = async (): Promise<void> => {
      while (!signal.aborted && !isInVain()) {
        const oid = open.pop();
        if (oid === undefined) return;
        const refusal = await this.#refusalOf(send, template, oid);
        if (refusal === undefined) isAnyGone = true;
        else {
          refusals += 1;
          stays(refusal);
        }
      }
    };
    await Promise.all(Array.from({ length: width }, worker));
    stays(
      isInVain() ? 'as the first ones, they were not deleted' : 'the run ended before they were deleted',
      open.length,
    );
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
