import { setTimeout as sleep } from 'node:timers/promises';
import { headerNames } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { SpaceCall } from '../../../reference-server/http/call.ts';
import type { StoredObject } from '../../../reference-server/ports/store.ts';
import { replaces, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { mergeOf, operationsOf, promoteOf, putOf } from '../proofs.ts';
import { at, type Client, listAt, versionHeader } from '../service.ts';

export const batchVersionsMistakes: Mistakes = {
  'batch-version.promote-behind-an-edit': {
    source: 'core: Errors, rule 1',
    breaks: 'A promote behind an edit of the same batch is refused where it names a version of long ago.',
    variant: takesBehindEdits(({ url }, sent, { version }) => url.includes('/promote/') && sent <= version),
    shows: ({ edda }) => isTaken(edda, (made) => promoteOf(made, 1)),
  },
  'batch-version.operations-ahead-behind-an-edit': {
    source: 'core: Errors, rule 1',
    breaks: 'Operations behind an edit of the same batch are refused where they name a version that nobody made.',
    variant: takesBehindEdits(({ body }, sent, { version }) => body?.toString()[0] === '[' && sent > version),
    shows: ({ edda }) => isTaken(edda, (made) => operationsOf(made, 5, [{ op: 'add', path: '/remark', value: 'r' }])),
  },
  'batch-version.put-behind-an-edit-without': {
    source: 'core: Errors, rule 2',
    breaks: 'A PUT behind an edit of the same batch needs a version.',
    variant: takesBehindEdits(({ method }, sent) => method === 'PUT' && Number.isNaN(sent)),
    shows: ({ edda }) =>
      isTaken(edda, (made) => ({ ...putOf(made, 1, { title: 't' }), headers: versionHeader(undefined) })),
  },
  'batch-version.second-operation-beside-another-write': {
    source: 'core: Errors 1',
    breaks:
      'Of a batch and a merge for one version of an object that are sent at the same time one is refused, also where another edit stands before in the batch.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (route.path !== routes.batch) return right(areas, route, call);
      const operations = listAt(JSON.parse(call.body?.toString() || 'null'), '');
      const current = (operation: unknown) =>
        areas.store.read((reading) =>
          reading.object(call.params['spaceId'] ?? '', String(at(operation, '/href')).split('/').at(-1) ?? ''),
        );
      const before = await Promise.all(operations.map(current));
      await sleep(15);
      const after = await Promise.all(operations.map(current));
      const body = operations.map((operation, index) => {
        const headers = at(operation, '/headers');
        const [was, is] = [before[index]?.version, after[index]?.version];
        if (!isContent(operation) || !isContent(headers) || index === 0 || was === is || is === undefined)
          return operation;
        const isRight = String(headers[headerNames.version]) === String(was);
        return isRight ? { ...operation, headers: { ...headers, [headerNames.version]: String(is) } } : operation;
      });
      return right(areas, route, operations.length === 0 ? call : { ...call, body: Buffer.from(JSON.stringify(body)) });
    }),
    async shows({ edda }) {
      const [made, other] = [await edda.make('Document'), await edda.make('Document')];
      const edits = [mergeOf(other, 1, { note: 'o' }), mergeOf(made, 1, { remark: 'r' })];
      const both = [edda.batch(edits), edda.merge(made, 1, { note: 'n' })];
      return (await Promise.all(both)).every(({ status }) => status < 300);
    },
  },
  'batch-version.first-edit-told-by-the-last': {
    source: 'core: Batch result, body',
    breaks: 'The version in a result is the one that its operation made.',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const last = new Map<unknown, unknown>();
      for (const { body } of results)
        if (at(body, '/data') === undefined && at(body, '/href') !== undefined)
          last.set(at(body, '/href'), at(body, '/version'));
      return right(
        areas,
        results.map((result) =>
          isContent(result.body) && 'version' in result.body && last.has(result.body['href'])
            ? { ...result, body: { ...result.body, version: last.get(result.body['href']) } }
            : result,
        ),
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { json } = await edda.batch([mergeOf(made, 1, { note: 'n' }), mergeOf(made, 2, { note: 'm' })]);
      return at(json, '/0/body/version') !== 2;
    },
  },
};

/** Whether a batch of an edit and another operation is, for an object at version 3. */
async function isTaken(client: Client, other: (made: Parameters<typeof mergeOf>[0]) => object): Promise<boolean> {
  const made = await client.make('Document');
  for (const version of [1, 2]) await client.merge(made, version, { note: `n${version}` });
  return (await client.batch([mergeOf(made, 3, { note: 'n' }), other(made)])).status === 200;
}

/** Takes some edits of an object that the batch itself has changed, whatever version they name; NaN stands for none. */
function takesBehindEdits(isTaken: (call: SpaceCall, sent: number, object: StoredObject) => boolean): Variant {
  return replaces('versioning', 'assertVersion', (right, areas, call, object) => {
    const sent = Number(call.headers['svc-uoiversion']);
    return isBehind(call, object) && isTaken(call, sent, object) ? object.version : right(areas, call, object);
  });
}

function isBehind(call: object, { oid }: StoredObject): call is SpaceCall {
  return 'isChangedHere' in call && typeof call.isChangedHere === 'function' && call.isChangedHere(oid) === true;
}
