import { mediaTypes } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import { isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import { claimsOf as decodedClaims } from '../../../reference-server/areas/tokens.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { claimsOf, named, readCreated, tokenOf, withContacts } from '../proofs.ts';
import { at, listAt, many, versionHeader } from '../service.ts';
import { changes, during, isInstanceRead, mapEntries, sharesReads, whole } from '../variant-parts.ts';

function cutNested(content: Content): Content {
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, 10) : value]),
  );
}

const filtered = (value: string) => `?softTypeFilterId=byCategory&fileGroup.category=${value}`;

export const fresh16MoreMistakes: Mistakes = {
  'fresh16b.operations-reach-ten-inside': {
    source: 'core: Operations-based PATCH rules 3 and 4',
    breaks: 'An entry inside an entry is addressed by its id, behind the tenth as well.',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, pointer) => {
      const [port = '', id, inner = '', innerId, ...rest] = operation.tokens;
      if (innerId !== undefined && innerId !== '-') {
        const entry = await run.writing.entry(run.object.oid, port, Number(id));
        const place = itemsOf(entry?.content ?? {}, inner).findIndex((item) => String(item['$entryId']) === innerId);
        if (place >= 10 && rest.length < 9) throw new Refusal(422, 'There is no such entry.');
      }
      return right(areas, run, operation, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        files: [{ name: 'n', revisions: many(12, (n) => ({ text: `r${n}` })) }],
      });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      const inner = String(at((await edda.page(made, `files/${id}/revisions`, 1)).json, '/data/1/$entryId'));
      const path = `/files/${id}/revisions/${inner}/text`;
      return (await edda.operate(made, 1, [{ op: 'replace', path, value: 'x' }])).status >= 400;
    },
  },
  'fresh16b.grants-at-once-shared': {
    source: 'core: Authentication 3',
    breaks: 'Who asks for a token gets one of his own, also while another one asks.',
    variant: breaks('tokens', 'issueToken', (right) => {
      let pending: Promise<string> | undefined;
      return async (areas, user) => {
        if (pending !== undefined) return pending;
        pending = right(areas, user);
        setTimeout(() => (pending = undefined), 15);
        return pending;
      };
    }),
    async shows(service) {
      const both = await Promise.all([tokenOf(service, 'edda'), tokenOf(service, 'emil')]);
      return at(claimsOf(both[0]), '/sub') === at(claimsOf(both[1]), '/sub');
    },
  },
  'fresh16b.filtered-reads-at-once-shared': {
    source: 'core: Server side paging 5',
    breaks: 'A read shows what its own filter value admits, also while another one is read.',
    variant: sharesReads((route, call) =>
      isInstanceRead(route) && call.query.has('softTypeFilterId')
        ? `${call.user.name} ${call.params['objectId']} ${call.query.get('softTypeFilterId')}`
        : undefined,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        files: [
          { name: 'a', category: 'x' },
          { name: 'b', category: 'y' },
        ],
      });
      const both = await Promise.all(['x', 'y'].map((value) => edda.read(made, filtered(value))));
      return at(both[0], '/data/files/0/category') === at(both[1], '/data/files/0/category');
    },
  },
  'fresh16b.pages-at-once-shared': {
    source: 'core: Server side paging 3 and 4',
    breaks: 'Each page is the one that was asked for, also where several are read at once.',
    variant: sharesReads((route, call) =>
      route.path === routes.page
        ? `${call.user.name} ${call.params['objectId']} ${call.params['arrayPortId']} ${call.params['outputSchemaId']}`
        : undefined,
    ),
    async shows({ edda }) {
      const made = await withContacts(edda, 12);
      const both = await Promise.all([0, 1].map((number) => edda.page(made, 'contacts', number)));
      return both[0]?.text === both[1]?.text;
    },
  },
  'fresh16b.no-version-of-operations-on-others': {
    source: 'core: Common request headers, response headers',
    breaks: 'A list of operations is answered with the version, of whatever SoftType the object is.',
    variant: changes('operations', 'operateObject', (answer, _areas, call) =>
      call.object.softType === 'Document' ? answer : { status: answer.status },
    ),
    async shows({ edda }) {
      const made = await edda.make('Part');
      const answer = await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'n' }]);
      return answer.headers.get('Svc-UOIVersion') === null;
    },
  },
  'fresh16b.brief-merge-of-others-drops-the-rest': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge by another input schema leaves what that one does not have, of every SoftType.',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const { softType, view } = call.place;
      const isFirst = softType.inputs.keys().next().value === view.id;
      if (softType.id === 'Document' || isFirst) return right(areas, call, writing);
      const known = new Set(view.names.values());
      const content = Object.fromEntries(
        Object.entries(call.object.content).filter(([name]) => name.startsWith('$') || known.has(name)),
      );
      return right(areas, { ...call, object: { ...call.object, content } }, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { remark: 'r' });
      await edda.send('PATCH', `/api/space/main/softtype/Part/partBrief/${made.oid}`, {
        headers: versionHeader(1),
        body: { note: 'n' },
      });
      return at(await edda.read(made), '/data/remark') === undefined;
    },
  },
  'fresh16b.other-types-by-one-output-schema': {
    source: 'core: Endpoint table, GET softtype, second form',
    breaks: 'The data are those of the output schema that the path names, of every SoftType.',
    variant: replaces('objects', 'outputViewOf', (right, areas, softType, schemaId) => {
      const view = right(areas, softType, schemaId);
      return softType.id === 'Document' ? view : right(areas, softType, undefined);
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { remark: 'r' });
      const read = await edda.get(`/api/space/main/softtype/Part/partCard/${made.oid}`);
      return at(read.json, '/data/remark') === 'r';
    },
  },
  'fresh16b.put-cuts-inside-at-ten': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT stores its content whole, more than ten entries inside an entry too.',
    variant: during('editing', 'putObject', (step) =>
      changes('contents', 'inputFrom', (input) =>
        step.isOn()
          ? mapEntries(input, (entries) => entries.map((one) => ({ ...one, content: cutNested(one.content) })))
          : input,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const files = [{ name: 'n', revisions: many(12, (n) => ({ text: `r${n}` })) }];
      await edda.replace(made, 1, { title: 't', files });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      return listAt((await edda.page(made, `files/${id}/revisions`, 1)).json, '/data').length !== 2;
    },
  },
  'fresh16b.multi-create-cuts-arrays-of-others': {
    source: 'core: Multi-create rules 1',
    breaks: 'An item becomes an object with all entries of its arrays, of every SoftType.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) =>
      right(
        areas,
        call,
        writing,
        items,
        inputs.map((input, index) =>
          items[index]?.softType.id === 'Document' ? input : mapEntries(input, (entries) => entries.slice(0, 10)),
        ),
      ),
    ),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([{ $softType: 'Part', data: { name: 'p', usages: named(12) } }]);
      const links = listAt(await readCreated(edda, json, 0), '/links');
      return !links.some((link) => at(link, '/totalNumber') === 12);
    },
  },
  'fresh16b.appends-to-others-end-at-ten': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added to an array is there, behind ten entries too, of every SoftType.',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      const port = target.steps.at(-1)?.name ?? '';
      const count = await run.writing.countEntries(run.object.oid, port);
      if (run.softType.id === 'Document' || count < 10) await right(areas, run, target, contents);
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { usages: named(10) });
      await edda.operate(made, 1, [{ op: 'add', path: '/usages', value: { name: 'late' } }]);
      return listAt((await edda.page(made, 'usages', 1)).json, '/data').length === 0;
    },
  },
  'fresh16b.inner-ids-of-the-first-entry': {
    source: 'core: Operations-based PATCH rules 3 and 4',
    breaks: 'The id of an entry inside an entry is looked for in the entry that the path names.',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const entry = await right(areas, run, port, token);
      const inner = Object.values(entry?.content ?? {}).find((value) => Array.isArray(value) && value.some(isContent));
      if (entry === undefined || inner === undefined || run.root['$innerRight'] === true) return entry;
      const [first] = await run.writing.entries(run.object.oid, port, { from: 0, to: 1 });
      const removal = listAt(JSON.parse(String(run.call.body ?? 'null')), '').find(
        (operation) => String(at(operation, '/path')).split('/').length > 4,
      );
      return removal === undefined ? entry : (first ?? entry);
    }),
    async shows({ edda }) {
      const files = ['a', 'b'].map((name) => ({ name, revisions: [{ text: `${name}1` }] }));
      const made = await edda.make('Document', { files });
      const id = String(at(await edda.read(made), '/data/files/1/$entryId'));
      const inner = String(at(await edda.read(made), '/data/files/1/revisions/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'replace', path: `/files/${id}/revisions/${inner}/text`, value: 'x' }]);
      return at(await edda.read(made), '/data/files/1/revisions/0/text') !== 'x';
    },
  },
  'fresh16b.demote-of-the-second-level-on-the-first': {
    source: 'core: States and transitions; Endpoint table, PUT demote',
    breaks: 'A demote acts on the level that its path names.',
    variant: replaces('maturity', 'demoteObject', (right, areas, call, writing) => {
      const params = { ...call.params, levelId: 'engineering' };
      const { levelId } = call.params;
      const first = areas.maturity.levelOf({ ...call, params }, call.object);
      const isSecond = levelId !== 'engineering' && first.states.indexOf(first.current) > 0;
      return right(areas, isSecond ? { ...call, params, place: first } : call, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await edda.move(made, 2, 'promote', 'approval');
      await edda.move(made, 3, 'demote', 'approval');
      return at(await edda.read(made), '/data/engineering/state') === 'draft';
    },
  },
  'fresh16b.refused-list-applies-what-is-well-formed': {
    source: 'core: Operations-based PATCH rules 5 and 8',
    breaks: 'Of a list that is refused nothing is applied, also where an operation is none at all.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const all = route.path === routes.operations && route.method === 'PATCH' ? bodyOf(call.body) : [];
        const place = all.findIndex((one) => at(one, '/op') === 'remove' && at(one, '/value') !== undefined);
        if (error instanceof Refusal && error.status === 400 && place > 0)
          await right(areas, route, { ...call, body: Buffer.from(JSON.stringify(all.slice(0, place))) });
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { remark: 'r' });
      await edda.operate(made, 1, [
        { op: 'add', path: '/note', value: 'n' },
        { op: 'remove', path: '/remark', value: 'r' },
      ]);
      return at(await edda.read(made), '/data/note') === 'n';
    },
  },
  'fresh16b.promote-link-of-the-second-level': {
    source: 'core: What the service does (hypermedia conventions)',
    breaks: 'The link to promote a level leads to that level.',
    variant: changes('hypermedia', 'operationLinks', (links) =>
      links.map((link) => ({ ...link, href: link.href.replace(/\/release\/approval$/, '/approval/release') })),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const link = listAt(await edda.read(made), '/links').filter((one) => at(one, '/rel') === 'promote')[1];
      return (await edda.put(String(at(link, '/href')), 1)).status === 404;
    },
  },
  'fresh16b.tokens-known-by-their-signature': {
    source: 'core: Authentication 2',
    breaks: 'A token whose claims were changed is none, whatever signature it has.',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const known = new Set<string>();
      return async (areas, token) => {
        const [, payload = '', signature = ''] = token.split('.');
        const claims = known.has(signature) ? decodedClaims(Buffer.from(payload, 'base64url')) : undefined;
        if (claims !== undefined) return claims;
        const right_ = await right(areas, token);
        known.add(signature);
        return right_;
      };
    }),
    async shows(service) {
      const made = await service.edda.make('Document');
      const token = await tokenOf(service, 'edda');
      await service.nobody.get(made.path, { authorization: `Bearer ${token}` });
      const [head, , signature] = token.split('.');
      const payload = Buffer.from(JSON.stringify({ ...Object(claimsOf(token)), sub: 'emil' })).toString('base64url');
      const authorization = `Bearer ${head}.${payload}.${signature}`;
      return (await service.nobody.get(made.path, { authorization })).status === 200;
    },
  },
  'fresh16b.entries-of-others-in-reverse-behind-a-merge': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge that does not name an array leaves its entries and their ids, of every SoftType.',
    variant: changes('editing', 'mergeObject', async (answer, _areas, call, writing) => {
      const { oid, softType } = call.object;
      if (softType !== 'Part') return answer;
      const entries = await writing.entries(oid, 'usages', whole);
      await writing.replaceEntries(
        oid,
        'usages',
        entries.map(({ content }) => ({ content })),
      );
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { usages: named(2) });
      const before = at(await edda.read(made), '/data/usages/0/$entryId');
      await edda.merge(made, 1, { note: 'n' });
      return at(await edda.read(made), '/data/usages/0/$entryId') !== before;
    },
  },
  'fresh16b.content-type-of-batch-decides': {
    source: 'core: Batch operation, headers; Operations-based PATCH rules 1',
    breaks:
      'Whether an operation of a batch is a list of operations is told by its own headers, in whatever case their names are.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const own = Object.entries(operation.headers).filter(
        ([name]) => name === 'Content-Type' || !/^content-type$/i.test(name),
      );
      return right(areas, batch, { ...operation, headers: Object.fromEntries(own) });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const headers = { ...versionHeader(1), 'content-type': mediaTypes.operations };
      const href = `/api/space/main/softtype/Document/${made.oid}`;
      const operation = { method: 'PATCH', href, headers, body: [{ op: 'add', path: '/note', value: 'n' }] };
      return (await edda.batch([operation])).status === 500;
    },
  },
};

function bodyOf(body: Buffer | undefined): readonly unknown[] {
  return listAt(JSON.parse(String(body ?? 'null')), '');
}
