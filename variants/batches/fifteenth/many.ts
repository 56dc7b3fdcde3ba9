import { headerNames } from '../../../contract/names.ts';
import { breaks, Step, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo } from '../proofs.ts';
import { at, editPath, encoded, listAt, many, movePath, versionHeader } from '../service.ts';

const replacement = new Step();

export const batchedMistakes: Batch = {
  'batch.same-read-twice': {
    source: 'core: Batch rules 6',
    breaks: 'Each read of a batch is answered with the read response, also the second one of the same instance.',
    kind: 'moment',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      const answer = await right(areas, call, writing, table);
      const seen = new Set<unknown>();
      const results = listAt(answer.body, '').map((result, index) => {
        const operation = call.json[index];
        const href = at(operation, '/method') === 'GET' ? at(operation, '/href') : undefined;
        if (href === undefined || !seen.has(href)) return (seen.add(href), result);
        return { statusCode: at(result, '/statusCode') };
      });
      return { ...answer, body: results };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'twice' });
      const { json } = await edda.batch(many(2, () => ({ method: 'GET', href: made.path })));
      return at(json, '/1/body/data/title') !== 'twice';
    },
  },

  'batch.put-merges': {
    source: 'core: Batch rules 5',
    breaks: 'PUT replaces all fields of its target, as an operation of a batch too.',
    kind: 'combination',
    variant: together(
      replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
        const work = () => right(areas, prepared, writing);
        return prepared.call.method === 'PUT' ? replacement.run(work) : work();
      }),
      replaces('editing', 'replaceContent', (right, areas, old, given) => {
        return right(areas, old, replacement.isOn() ? { ...old, ...given } : given);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'put', note: 'before' });
      const body = { title: 'put' };
      await edda.batch([{ method: 'PUT', href: editPath(made), headers: versionHeader(1), body }]);
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },

  'batch.no-demote': {
    source: 'core: Batch rules 2',
    breaks: 'A batch knows both maturity actions, demote as well as promote.',
    kind: 'place',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) => {
      return path.includes('/maturityAction/demote/') ? undefined : right(areas, table, method, path);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'demote' });
      await edda.move(made, 1);
      const operation = { method: 'PUT', href: movePath(made, 'demote'), headers: versionHeader(2) };
      return (await edda.batch([operation])).status !== 200;
    },
  },

  'batch.version-of-the-first-edit': {
    source: 'core: Batch result',
    breaks: 'The result of an edit tells the version that it made, also of the second edit of one object.',
    kind: 'copy',
    variant: breaks('batch', 'writtenBody', (right) => {
      const versions = new Map<string, unknown>();
      return (areas, call, answer) => {
        const body = right(areas, call, answer);
        const { objectId } = call.params;
        const version = at(body, '/version');
        if (objectId === undefined || version === undefined) return body;
        const key = `${call.correlationId} ${objectId}`;
        const known = versions.get(key) ?? version;
        versions.set(key, known);
        return { ...Object(body), version: known };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'edits' });
      const edits = [1, 2].map((version) => ({
        method: 'PATCH',
        href: editPath(made),
        headers: versionHeader(version),
        body: { note: `edit ${version}` },
      }));
      return at((await edda.batch(edits)).json, '/1/body/version') !== 3;
    },
  },
};

export const itemMistakes: Batch = {
  'multi-create.equal-items-once': {
    source: 'core: Multi-create rules 1',
    breaks: 'Every item of a multi-create becomes an instance, also one that is like another.',
    kind: 'value',
    variant: replaces('multiCreate', 'identifyItems', (right, areas, items) => {
      const textOf = ({ softType, data }: (typeof items)[number]) => JSON.stringify([softType.id, data]);
      const texts = items.map(textOf);
      return right(
        areas,
        items.filter((_item, index) => texts.indexOf(texts[index] ?? '') === index),
      );
    }),
    async shows({ edda }) {
      const items = ['one', 'two'].map(($id) => ({ $id, $softType: 'Part', data: { name: 'alike' } }));
      return listAt((await edda.multiCreate(items)).json, '').length !== 2;
    },
  },
};

export const accessedMistakes: Batch = {
  'auth.reader-creates-many': {
    source: 'core: Authentication 7',
    breaks: 'A role without POST creates nothing, also not by the one route that has no api before it.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isOutside = access === 'space' && call.url.startsWith('/space/');
      return right(areas, user, isOutside ? 'participant' : access, call);
    }),
    async shows({ rita }) {
      const items = [{ $id: 'p', $softType: 'Part', data: { name: 'by a reader' } }];
      return (await rita.multiCreate(items)).status < 400;
    },
  },

  'headers.long-correlation-id': {
    source: 'core: Common request headers',
    breaks: 'A correlation id is passed on as it was given, also one of a hundred characters.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => right(areas, call).slice(0, 64)),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const correlationId = 'correlation'.repeat(9);
      const headers = { [headerNames.correlationId]: correlationId };
      await service.edda.post('/api/space/main/externalEvent', { recordId: 'event' }, headers);
      await service.pass(1);
      return at(callsTo(host)[0]?.json, '/id') !== correlationId;
    },
  },

  'headers.filter-in-another-alphabet': {
    source: 'extensions: Call envelope',
    breaks:
      'An extension gets the settings of the information filter as they were sent, letters beyond ASCII included.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'passedFilter', (right, areas, call) => {
      const text = Buffer.from(right(areas, call), 'base64').toString('latin1');
      return Buffer.from(text).toString('base64');
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const headers = { [headerNames.informationFilter]: encoded({ role: 'Prüferin' }) };
      await service.edda.post('/api/space/main/externalEvent', { recordId: 'event' }, headers);
      await service.pass(1);
      const [call] = callsTo(host);
      const text = Buffer.from(call?.envelope?.informationFilter ?? '', 'base64').toString();
      return call !== undefined && !text.includes('Prüferin');
    },
  },
};
