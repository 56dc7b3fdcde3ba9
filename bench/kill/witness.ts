import type { Entry } from '../../simulator/extension/entry.ts';
import { startExtensionHost, type ExtensionHost } from '../../simulator/extension/host.ts';
import type { MetadataRecord } from '../../simulator/extension/metadata.ts';
import type { Sighting } from './ledger.ts';

/** Endpoints, so that calls which a dead server had begun do not take all places until their leases end. */
const endpoints = 32;

const records: readonly MetadataRecord[] = Array.from({ length: endpoints }, (_, number) => ({
  id: `event-${number}`,
  version: '1.0.0',
  name: `Events ${number}`,
  endpoint: `event/${number}`,
  extensionType: 'ExternalEvent',
  category: 'bench',
  rateLimitNumberOfExecutions: 10_000,
}));

/** An extension host that outlives the servers, and what it has seen of each event. */
export interface Witness extends AsyncDisposable {
  readonly url: string;
  readonly recordIds: readonly string[];
  seen(marker: string): readonly Sighting[];
}

export async function startWitness(): Promise<Witness> {
  const host = await startExtensionHost({
    records,
    script: [{ when: { contains: 'failsOnce' }, steps: [{ status: 503 }], per: 'correlation-id' }],
  });
  const index = indexOf(host);
  return {
    url: host.url,
    recordIds: records.map(({ id }) => id),
    seen: (marker) =>
      index(marker).map((entry) => ({ acknowledged: entry.status === 200 && entry.ending === 'answered' })),
    [Symbol.asyncDispose]: () => host.close(),
  };
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
