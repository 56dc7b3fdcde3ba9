import type { Request } from 'autocannon';
import { headerNames, mediaTypes } from '../contract/names.ts';
import { routes } from '../contract/routes.ts';
import { Client, document, path } from './harness/client.ts';
import { compare } from './harness/compare.ts';
import { loaded, perItem, type Figure } from './harness/load.ts';
import { makeScratch } from './harness/scratch.ts';
import { startSide } from './harness/side.ts';

/** 100 edits in one batch against the same edits one after another, into a durable store. */
const edits = 100;
await using folder = await makeScratch();
await using reference = await startSide('reference', { file: folder.file('store.sqlite') });
const client = await Client.of(reference.url);

await compare({
  title: `batch of ${edits} merge edits of ${edits} objects against single ones, one connection, durable`,
  baseline: { name: 'one edit a request', round: (seconds) => edited(seconds, singles) },
  subject: { name: `${edits} edits a request`, round: async (seconds) => perItem(await edited(seconds, batch), edits) },
  goal: '>= 10',
  ratio: 'rate',
  unit: 'edit',
});

/** Fresh objects each time, so that their versions are known. */
async function edited(seconds: number, requestOf: (oids: readonly string[]) => Request): Promise<Figure> {
  const oids = await Promise.all(Array.from({ length: edits }, () => client.createDocument(0)));
  return loaded(reference, { connections: 1, seconds, requests: () => [requestOf(oids)] });
}

function singles(oids: readonly string[]): Request {
  let sent = 0;
  return {
    method: 'PATCH',
    setupRequest(request) {
      const { href, headers, body } = edit(oids[sent % edits] ?? '', Math.floor(sent / edits) + 1);
      sent += 1;
      return {
        ...request,
        path: href,
        headers: { ...client.headers, 'content-type': mediaTypes.json, ...headers },
        body: JSON.stringify(body),
      };
    },
  };
}

function batch(oids: readonly string[]): Request {
  let version = 0;
  return {
    method: 'POST',
    path: path(routes.batch, document),
    setupRequest(request) {
      version += 1;
      const body = JSON.stringify(oids.map((oid) => edit(oid, version)));
      return { ...request, headers: { ...client.headers, 'content-type': mediaTypes.json }, body };
    },
  };
}

interface Edit {
  readonly method: 'PATCH';
  readonly href: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

function edit(objectId: string, version: number): Edit {
  return {
    method: 'PATCH',
    href: path(routes.merge, { ...document, objectId }),
    headers: { [headerNames.version]: String(version) },
    body: { note: `edited at version ${version}` },
  };
}
