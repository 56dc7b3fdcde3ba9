import type { Entry } from '../../simulator/extension/entry.ts';
import type { ReceivedKind } from '../../simulator/extension/metadata.ts';
import { objectIdOf } from '../../simulator/extension/script.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Clock } from '../time/clock.ts';
import { Inconclusive, PreconditionFailed } from '../violation.ts';
import { callFrom, fits, type Call, type CallFilter } from './call.ts';
import type { Reached, Registration, WaitOptions } from './extension.ts';
import type { Place } from './listeners.ts';

export interface ReachedParts {
  readonly place: Place;
  readonly url: string;
  readonly clock: Clock;
  readonly registration: Registration | undefined;
  readonly ownListener: boolean;
  /** Calls that belong to other cases. */
  readonly isForeign?: (entry: Entry) => boolean;
}

const usualWaitMs = 5000;
/** Rules that say that a call of the kind comes at all. */
const standsOn: Readonly<Partial<Record<ReceivedKind, readonly RuleId[]>>> = {
  metadata: ['metadata.fetch.on-registration'],
  event: ['calls.extension.post-to-endpoint'],
  endpoint: ['calls.simple.method'],
};

/** What both extensions and endpoints show of what arrived. */
export function reachedAt(parts: ReachedParts): Reached {
  const { place, clock, url, registration } = parts;
  const reached: Reached = {
    url,
    registration,
    everything: () => callsAt(parts),
    calls: (filter = {}) => callsAt(parts).filter((call) => isCall(call, filter) && fits(call, filter)),
    arrived: async (filter = {}, options = {}) => (await waited(parts, filter, 1, false, options))[0],
    ended: (count, filter = {}, options = {}) => waited(parts, filter, count, true, options),
    call: async (filter = {}, options = {}) => {
      const call = await reached.arrived(filter, options);
      if (call !== undefined) return call;
      const kind = filter.kind ?? (registration?.kind === 'svcExtension' ? 'event' : 'endpoint');
      throw new PreconditionFailed(
        `a call of kind ${kind} within ${waitMs(parts, 1, options) / 1000} s`,
        undefined,
        standsOn[kind],
      );
    },
    gaps: (filter) => clock.gaps(reached.calls(filter)),
    setScript: (script) => place.site.setScript(script),
    shut: () => onOwnListener(parts, () => place.listener.shut()),
    reopen: () => onOwnListener(parts, async () => void (await place.listener.listen())),
  };
  return reached;
}

function callsAt({ place, isForeign = () => false }: ReachedParts): readonly Call[] {
  return place.listener.journal
    .entriesAt(place.site.base)
    .filter((entry) => !isForeign(entry))
    .map(callFrom);
}

function isCall({ kind }: Call, filter: CallFilter): boolean {
  return filter.kind === kind || (kind !== 'metadata' && kind !== 'other');
}

async function waited(
  parts: ReachedParts,
  filter: CallFilter,
  count: number,
  ended: boolean,
  options: WaitOptions,
): Promise<readonly Call[]> {
  const { place, clock } = parts;
  const found = (): readonly Call[] =>
    callsAt(parts)
      .filter((call) => isCall(call, filter) && fits(call, filter) && (!ended || call.endedAt !== undefined))
      .slice(0, count);
  if (found().length >= count) return found();
  const { promise, resolve } = Promise.withResolvers<void>();
  const unwatch = place.listener.journal.watch(({ base }) => {
    if (base === place.site.base && found().length >= count) resolve();
  });
  await clock.until(promise, waitMs(parts, count, options)).finally(unwatch);
  return found();
}

/** Calls that come together are late together, those that come one after another each by itself. */
function waitMs({ clock }: ReachedParts, count: number, { withinMs = usualWaitMs, oneByOne }: WaitOptions): number {
  return withinMs + (oneByOne === true ? count : 1) * clock.granularityMs;
}

async function onOwnListener({ ownListener }: ReachedParts, act: () => Promise<void>): Promise<void> {
  if (!ownListener) throw new Inconclusive('only a listener of its own can be shut: the case has to ask for one');
  await act();
}

/** Whether a validation is about none of these objects, so that it belongs to another case. */
export function foreignTo(objects: ReadonlySet<string>): (entry: Entry) => boolean {
  return (entry) => entry.kind === 'validation' && !objects.has(objectIdOf(entry) ?? '');
}
