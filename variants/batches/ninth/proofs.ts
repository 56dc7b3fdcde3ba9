import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { type Client, type Made, type Service, at, listAt, many } from '../service.ts';

export const events = '/api/space/main/externalEvent';

/** A document whose array `contacts` has so many entries, named by their place from 1 on. */
export function withContacts(client: Client, count: number): Promise<Made> {
  return client.make('Document', { title: 't', contacts: many(count, (number) => ({ name: `c${number}` })) });
}

/** Names of the entries of a page. */
export function namesOn(page: unknown): string {
  return listAt(page, '/data')
    .map((entry) => String(at(entry, '/name')))
    .join();
}

/** A host with one record, and what calls it for events. */
export async function eventHost(
  service: Service,
  record: Partial<MetadataRecord> = {},
  script: Script = [],
): Promise<{ readonly host: ExtensionHost; fire(headers?: Readonly<Record<string, string>>): Promise<string> }> {
  const host = await service.host(() => [{ id: 'e', endpoint: '/e', ...record }], script);
  return {
    host,
    async fire(headers = {}) {
      const answer = await service.edda.post(events, { recordId: 'e', contentPayload: {} }, headers);
      if (answer.status !== 201) throw new Error(`Expected an event, found ${answer.status}: ${answer.text}`);
      return answer.headers.get('location') ?? '';
    },
  };
}
