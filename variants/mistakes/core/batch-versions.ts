import type { SpaceCall } from '../../../reference-server/http/call.ts';
import type { StoredObject } from '../../../reference-server/ports/store.ts';
import { replaces, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { mergeOf, operationsOf, promoteOf, putOf } from '../proofs.ts';
import { type Client, versionHeader } from '../service.ts';

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
