import { type Variant, Step, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at } from '../service.ts';

const inBatch = new Step();

/** Whatever a batch carries out is known to be inside one. */
const batchIsKnown: Variant = replaces('batch', 'runOperation', (right, areas, ...args) =>
  inBatch.run(() => right(areas, ...args)),
);

const edited = new Set<string>();

export const reading: Batch = {
  'reading.inner-version-lags-in-a-batch': {
    source: 'core: System properties, $version',
    breaks: 'The version inside data is the one beside it, also behind an edit of the same batch.',
    kind: 'combination',
    variant: together(
      batchIsKnown,
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
        if (inBatch.isOn()) edited.add(`${object.oid} ${version}`);
        return right(areas, writing, object, version, content);
      }),
      replaces('instances', 'systemMembers', (right, areas, object) => {
        const members = right(areas, object);
        if (!inBatch.isOn() || !edited.has(`${object.oid} ${object.version}`)) return members;
        return { ...members, $version: object.version - 1 };
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const { json } = await edda.batch([
        {
          method: 'PATCH',
          href: `/api/space/main/softtype/Document/documentInput/${made.oid}`,
          headers: { 'Svc-UOIVersion': '1' },
          body: { note: 'n' },
        },
        { method: 'GET', href: made.path },
      ]);
      return at(json, '/1/body/version') !== at(json, '/1/body/data/$version');
    },
  },
};
