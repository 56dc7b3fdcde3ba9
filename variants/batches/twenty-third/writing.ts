import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many, movePath, versionHeader } from '../service.ts';
import { firstFile } from './reading.ts';

const versionName = headerNames.version.toLowerCase();

export const writingMistakes: Batch = {
  'create.location-in-the-first-space': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'The location of a new object leads to it, in each of the spaces.',
    kind: 'place',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const [first = ''] = areas.configuration.spaces.keys();
      const answer = await right(areas, call, writing);
      const Location = answer.headers?.['Location'] ?? '';
      return {
        ...answer,
        headers: { ...answer.headers, Location: Location.replace(`/${call.space.id}/`, `/${first}/`) },
      };
    }),
    async shows({ edda }) {
      const { path } = await edda.make('Dossier', { title: 't' });
      return (await edda.get(path)).status !== 200;
    },
  },

  'versioning.second-try': {
    source: 'core: Errors 1',
    breaks: 'A version that is not that of the object is refused, however often it is sent.',
    kind: 'copy',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const refused = new Set<string>();
      return (areas, call, object) => {
        const sent = `${object.oid} ${object.version} ${call.headers[versionName]}`;
        if (refused.has(sent)) return object.version;
        try {
          return right(areas, call, object);
        } catch (error) {
          if (error instanceof Refusal && error.status === 409) refused.add(sent);
          throw error;
        }
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 9, { note: 'n' });
      return (await edda.merge(made, 9, { note: 'n' })).status !== 409;
    },
  },

  'versioning.header-given-once': {
    source: 'core: Errors 2',
    breaks: 'Each edit needs the version header, also one of whoever edited the object before.',
    kind: 'copy',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const editors = new Set<string>();
      return (areas, call, object) => {
        const editor = `${object.oid} ${call.headers['authorization']}`;
        if (call.headers[versionName] === undefined && editors.has(editor)) return object.version;
        const version = right(areas, call, object);
        editors.add(editor);
        return version;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { note: 'n' });
      return (await edda.merge(made, undefined, { note: 'again' })).status !== 412;
    },
  },

  'versioning.greatest-as-text': {
    source: 'core: Versioning 1',
    breaks: 'The version of an object is an integer, and the eleventh comes after the tenth.',
    kind: 'value',
    variant: replaces('versioning', 'nextVersion', (_right, _areas, version) => {
      const [greatest] = many(version, String).toSorted().toReversed();
      return Number(greatest) + 1;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (const version of many(10, Number)) await edda.merge(made, version, { note: `n${version}` });
      return at(await edda.read(made), '/version') !== 11;
    },
  },

  'versioning.promote-in-a-batch': {
    source: 'core: Versioning 3',
    breaks: 'A PUT compares the version, that of a promote in a batch too.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isMove = call.url.includes('/maturityAction/');
      if (!isMove || !('isSibling' in call)) return right(areas, call, object);
      areas.versioning.versionHeaderOf(call);
      return object.version;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.batch([{ method: 'PUT', href: movePath(made), headers: versionHeader(9) }])).status === 200;
    },
  },

  'maturity.header-of-a-demote': {
    source: 'core: Common request headers',
    breaks: 'A demote answers with the new version, as a promote does.',
    kind: 'place',
    variant: replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(call.object.version) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      return (await edda.move(made, 2, 'demote')).headers.get(headerNames.version) !== '3';
    },
  },

  'operations.path-before-op': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'The members of an operation may stand in any order.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (isContent(item) && Object.keys(item).at(-1) === 'op') throw new Refusal(400, 'An operation begins with op.');
      return right(areas, item, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      return (await edda.operate(made, 1, [{ path: '/note', op: 'remove' }])).status >= 400;
    },
  },

  'operations.document-behind-others': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'The empty path is not supported, wherever it stands in the list.',
    kind: 'place',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, place) => {
      const isWhole = operation.path === '' && operation.op === 'add' && place !== '/0';
      if (!isWhole || !isContent(operation.value)) return right(areas, run, operation, place);
      run.root = { ...run.root, ...operation.value };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const whole = { op: 'add', path: '', value: { remark: 'r' } };
      return (await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'n' }, whole])).status < 400;
    },
  },

  'operations.later-entries-by-place': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path names an entry by its id, also one beyond the first ten, with one before it gone.',
    kind: 'combination',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const place = Number(token);
      if (!(place > 10)) return right(areas, run, port, token);
      const [entry] = await run.writing.entries(run.object.oid, port, { from: place - 1, to: place });
      return entry;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      await edda.operate(made, 1, [{ op: 'remove', path: `${await firstFile(edda, made)}/` }]);
      const last = String(at((await edda.page(made, 'files', 1)).json, '/data/0/$entryId'));
      return (await edda.operate(made, 2, [{ op: 'replace', path: `/files/${last}/name`, value: 'x' }])).status >= 400;
    },
  },

  'operations.cascade-of-a-reference': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'Without its value an entry goes, also one of an array of references.',
    kind: 'place',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) =>
      entry.array.kind === 'references' ? undefined : right(areas, run, entry),
    ),
    async shows({ edda }) {
      const { oid: $oid } = await edda.make('Part', { name: 'part' });
      const made = await edda.make('Document', { title: 't', describes: [{ value: { $oid } }] });
      const id = String(at(await edda.read(made), '/data/describes/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${id}/value` }]);
      return listAt(await edda.read(made), '/data/describes').length > 0;
    },
  },
};
