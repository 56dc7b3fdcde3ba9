import { breaks, within } from '../breaks.ts';
import type { Batch } from './mistake.ts';
import { at, listAt, many } from './service.ts';

/** Made in a service of another make, in another language, and seen by nobody there. */
export const laboratory: Batch = {
  'reading.references-come-whole': {
    source: 'core: Server side paging 1',
    breaks: 'An array of references holds no more than ten in a read, like every array of entries.',
    kind: 'place',
    variant: breaks('entries', 'firstSlice', (right) => async (areas, reading, object, section, filter) => {
      const softType = areas.configuration.spaces.get(object.spaceId)?.template.softTypes.get(object.softType);
      const isReferring = softType?.members.get(section.port)?.kind === 'references';
      const whole = within(areas, { entries: { firstReadRange: () => ({ from: 0, to: 100_000 }) } });
      return right(isReferring ? whole : areas, reading, object, section, filter);
    }),
    async shows(service) {
      const edda = service.as('edda');
      const parts = many(11, (index) => ({ $id: `p${index}`, $softType: 'Part', data: { name: `n${index}` } }));
      const describes = parts.map(({ $id }) => ({ id: $id, value: { instanceRef: $id, softTypeId: 'Part' } }));
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes } };
      const made = await edda.multiCreate([...parts, document]);
      const read = await edda.get(String(at(made.json, '/11/href')));
      return listAt(read.json, '/data/describes').length !== 10;
    },
  },
  'maturity.second-level-keeps-the-version': {
    source: 'core: Versioning 2',
    breaks: 'A promote raises the version of the object, whichever level it is on.',
    kind: 'value',
    variant: breaks('maturity', 'promoteObject', (right) => (areas, call, writing) => {
      const still = within(areas, { maturity: { versionAfterPromote: (object) => object.version } });
      return right(call.params['levelId'] === 'approval' ? still : areas, call, writing);
    }),
    async shows(service) {
      const edda = service.as('edda');
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1, 'promote', 'approval');
      return at(await edda.read(made), '/version') !== 2;
    },
  },
};
