import { editor } from '../harness/client.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Entry } from '../../simulator/extension/entry.ts';
import { type ExtensionHost, startExtensionHost } from '../../simulator/extension/host.ts';
import type { MetadataRecord } from '../../simulator/extension/metadata.ts';

/** A request for an event as the host saw it. */
export interface Sighting {
  /** Id of the envelope. */
  readonly id?: string;
  /** The host answered 200, whatever became of the answer. */
  readonly taken: boolean;
  /** The host answered 200 and sent the answer to its end. */
  readonly acknowledged: boolean;
}

/** An extension host that outlives what is killed, and what it has seen of each event, known by a marker of its own. */
export interface Witness extends AsyncDisposable {
  readonly url: string;
  seen(marker: string): readonly Sighting[];
}

/** An event that the service accepted. */
export interface Accepted {
  readonly marker: string;
  readonly id: string;
}

/** Endpoints, so that calls which a dead server had begun do not take all places until their leases end. */
const endpoints = 32;

/** Given up after five retries, or never. */
type Patience = 'usual' | 'endless';

const recordsWith = (patience: Patience): readonly MetadataRecord[] =>
  Array.from({ length: endpoints }, (_, number) => ({
    id: recordIdOf(number),
    version: '1.0.0',
    name: `Events ${number}`,
    endpoint: `event/${number}`,
    extensionType: 'ExternalEvent',
    category: 'bench',
    rateLimitNumberOfExecutions: 10_000,
    retryForever: patience === 'endless',
  }));

export async function startWitness(patience: Patience = 'usual'): Promise<Witness> {
  const host = await startExtensionHost({
    records: recordsWith(patience),
    script: [{ when: { contains: 'failsOnce' }, steps: [{ status: 503 }], per: 'correlation-id' }],
  });
  const index = indexOf(host);
  return {
    url: host.url,
    seen: (marker) =>
      index(marker).map(({ envelope, status, ending }) => ({
        ...(envelope?.id !== undefined && { id: envelope.id }),
        taken: status === 200,
        acknowledged: status === 200 && ending === 'answered',
      })),
    [Symbol.asyncDispose]: () => host.close(),
  };
}

function recordIdOf(number: number): string {
  return `event-${number}`;
}

/** Entries by marker; each entry is sorted in once. */
function indexOf(host: ExtensionHost): (marker: string) => readonly Entry[] {
  const known = new Map<string, Entry[]>();
  let indexed = 0;
  return (marker) => {
    for (const entry of host.entries(({ number }) => number > indexed)) {
      indexed = entry.number;
      const found = /"marker":"([^"]*)"/.exec(Buffer.from(entry.body).toString())?.[1];
      if (found !== undefined) known.set(found, [...(known.get(found) ?? []), entry]);
    }
    return known.get(marker) ?? [];
  };
}

/** No token is asked for: that would take most of a short life. */
const headers = {
  ...editor,
  [headerNames.informationFilter]: btoa('{}'),
  'content-type': mediaTypes.json,
};

/**
 * Sends the event of that number; the host fails each tenth once.
 * @throws {RangeError} it was refused
 * @throws {Error} the connection broke, as a kill makes it
 */
export async function sendEvent(serviceUrl: string, registrationId: string, number: number): Promise<Accepted> {
  const marker = `event ${number}.`;
  const body = {
    registrationId,
    recordId: recordIdOf(number % endpoints),
    contentPayload: { marker, ...(number % 10 === 0 && { failsOnce: true }) },
  };
  const answer = await fetch(`${serviceUrl}/api/space/main/externalEvent`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new RangeError(`Expected an event to be accepted, found ${answer.status}.`);
  const { id } = (await answer.json()) as { readonly id: string };
  return { marker, id };
}
