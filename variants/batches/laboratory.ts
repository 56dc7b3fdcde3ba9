import { isContent } from '../../reference-server/areas/content.ts';
import { isoTime } from '../../reference-server/rfc3339.ts';
import { within, replaces } from '../breaks.ts';
import type { Batch } from './mistake.ts';
import { at, listAt, many } from './service.ts';

/** Made in services of another make, in other languages, and seen by nobody there, or by a model alone. */
export const laboratory: Batch = {
  'reading.references-come-whole': {
    source: 'core: Server side paging 1',
    breaks: 'An array of references holds no more than ten in a read, like every array of entries.',
    kind: 'place',
    variant: replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) => {
      const softType = areas.configuration.spaces.get(object.spaceId)?.template.softTypes.get(object.softType);
      const isReferring = softType?.members.get(section.port)?.kind === 'references';
      const whole = within(areas, { entries: { firstReadRange: () => ({ from: 0, to: 100_000 }) } });
      return right(isReferring ? whole : areas, reading, object, section, filter);
    }),
    async shows({ edda }) {
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
    variant: replaces('maturity', 'promoteObject', (right, areas, call, writing) => {
      const still = within(areas, { maturity: { versionAfterPromote: (object) => object.version } });
      return right(call.params['levelId'] === 'approval' ? still : areas, call, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1, 'promote', 'approval');
      return at(await edda.read(made), '/version') !== 2;
    },
  },
  'operations.an-entry-with-entries-stays': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that lost a mandatory member goes, whatever else is in it.',
    kind: 'value',
    variant: replaces('operations', 'complies', (right, areas, members, content) => {
      const holdsEntries = Object.values(content).some((value) => Array.isArray(value) && value.some(isContent));
      return holdsEntries || right(areas, members, content);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        title: 't',
        files: [{ name: 'n', revisions: [{ author: 'a', text: 'l' }] }],
      });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/name` }]);
      return listAt(await edda.read(made), '/data/files').length === 1;
    },
  },
  'operations.later-ones-have-no-date': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The date of the filter is that of every dated element that the list replaces, whatever stands before it.',
    kind: 'place',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      if (place.startsWith('/0/')) return right(areas, run, target, value, place);
      const dateless = { ...run, rules: { ...run.rules, effectivity: () => isoTime(areas.clock.now()) } };
      await right(areas, dateless, target, value, place);
      run.root = dateless.root;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '12' });
      const operations = ['/title', '/price'].map((path) => ({ op: 'replace', path, value: '13' }));
      await edda.operate(made, 1, operations, { time: '2019-03-04T00:00:00Z' });
      return !String(at(await edda.read(made), '/data/price/effectivity')).startsWith('2019-03-04');
    },
  },
  'operations.a-position-inside-an-entry': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A position removes nothing from an array inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      const [port = '', id = '', inner = '', position = '', ...rest] = operation.tokens;
      const entry = operation.op === 'remove' ? await areas.operations.entryAt(run, port, id) : undefined;
      const items: unknown = entry?.content[inner];
      const ids = (Array.isArray(items) ? items.filter(isContent) : []).map((item) => String(item['$entryId']));
      const found = ids.includes(position) ? undefined : ids[Number(position || NaN)];
      return right(
        areas,
        run,
        found === undefined ? operation : { ...operation, tokens: [port, id, inner, found, ...rest] },
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        title: 't',
        files: [{ name: 'n', revisions: [{ author: 'a', text: 'l' }] }],
      });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/revisions/0/` }]);
      return listAt(await edda.read(made), '/data/files/0/revisions').length === 0;
    },
  },
  'api-keys.of-a-neighbour': {
    source: 'extensions: Acquiring API keys',
    breaks: 'An extension is granted what its own record asks for, not what another one of the same host does.',
    kind: 'role',
    variant: replaces('apiKeys', 'extensionHolders', async (right, areas, reading, id) => {
      const own = await right(areas, reading, id);
      const beside = await Promise.all(own.map(({ registrationId }) => right(areas, reading, registrationId)));
      return [...own, ...beside.flat()];
    }),
    async shows(service) {
      const asked = (url: string, name: 'AdministrationAPI' | 'SnapshotAPI') => ({
        id: name,
        permissions: { tokenCallback: `${url}/keys`, permissions: [name] },
      });
      const host = await service.host(
        (url) => [asked(url, 'AdministrationAPI'), asked(url, 'SnapshotAPI')],
        [{ steps: [{ status: 200 }], afterwards: 'last' }],
      );
      const { status } = await service.cora.post(
        '/api/collection/externalExtension/acquireAccessToken/AdministrationAPI',
        {
          tokenCallback: `${host.url}/keys`,
          permissions: ['SnapshotAPI'],
        },
      );
      return status < 300;
    },
  },
};
