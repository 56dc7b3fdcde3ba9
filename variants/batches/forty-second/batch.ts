import { Step, type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import type { Batch } from '../mistake.ts';
import { headerNames } from '../../../contract/names.ts';
import { named } from '../proofs.ts';
import { type Made, at, editPath, listAt, many, operationsPath, pagePath } from '../service.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { mapped } from '../../dialect/choice.ts';
import { callsMistakes } from './calls.ts';

const filesMistakes: Batch = {
  'files.space-file-below-a-user': {
    source: 'extensions: File areas, rows Space and User',
    breaks: 'The area of the space and that of a user are two, also for a path that begins with user.',
    kind: 'value',
    variant: withUsersBelowTheSpace(),
    async shows({ edda }) {
      await edda.upload('user/edda/plan.txt', 'of the space');
      return (await edda.get('/api/space/main/user/fs/file/plan.txt')).status === 200;
    },
  },
};

/** What lies below `user` and a name in the area of the space lies in the area of that user. */
function withUsersBelowTheSpace(): Variant {
  const moved = ({ area, segments }: FilePlace): FilePlace => {
    const [first, userName, ...rest] = segments;
    if (area.kind !== 'space' || first !== 'user' || userName === undefined || rest.length === 0)
      return { area, segments };
    return { area: { kind: 'user', spaceId: area.spaceId, userName }, segments: rest };
  };
  return together(
    replaces('files', 'streamPlaceOf', (right, areas, call, area) => moved(right(areas, call, area))),
    replaces('files', 'filePlaceOf', (right, areas, call, area) => moved(right(areas, call, area))),
  );
}

const manyMistakes: Batch = {
  'batch.query-decoded-before-it-is-read': {
    source: 'core: Batch operation, row href',
    breaks: 'An href is the URI of a request, also where a value of its query holds an ampersand.',
    kind: 'combination',
    variant: replaces('batch', 'pathOfHref', (right, areas, batch, href) => {
      const [path = '', query] = (right(areas, batch, href) ?? '').split('?');
      return query === undefined ? right(areas, batch, href) : `${path}?${decoded(query)}`;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'c&d' }] });
      const href = `${made.path}?softTypeFilterId=byCategory&fileGroup.category=c%26d`;
      const { json } = await edda.batch([{ method: 'GET', href }]);
      return listAt(json, '/0/body/data/files').length === 0;
    },
  },

  'batch.version-header-in-lower-case': {
    source: 'core: Batch operation, row headers',
    breaks: 'The name of a header has no letter case, also inside an operation.',
    kind: 'place',
    survives:
      'core: Batch operation, row headers: a member of a JSON object is named there as the document spells it; that other spellings are known is not said.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const { [headerNames.version.toLowerCase()]: _lost, ...headers } = operation.headers;
      return right(areas, batch, { ...operation, headers });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operation = { ...edit(made, 1), headers: { 'svc-uoiversion': '1' } };
      return (await edda.batch([operation])).status !== 200;
    },
  },

  'batch.reads-of-an-earlier-batch': {
    source: 'core: Batch rules 5',
    breaks: 'A read retrieves what is there, also in a batch that was sent before.',
    kind: 'copy',
    variant: breaks('batch', 'runBatch', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, writing, table) => {
        const reads = call.json.length > 1 && call.json.every((operation) => at(operation, '/method') === 'GET');
        const key = `${call.user.name} ${JSON.stringify(call.json)}`;
        const answer = (reads ? known.get(key) : undefined) ?? (await right(areas, call, writing, table));
        if (reads) known.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'old' });
      const reads = [1, 2].map(() => ({ method: 'GET', href: made.path }));
      await edda.batch(reads);
      await edda.merge(made, 1, { title: 'new' });
      return at((await edda.batch(reads)).json, '/0/body/data/title') === 'old';
    },
  },

  'batch.reads-without-page-links': {
    source: 'core: Batch rules 6; Server side paging 2',
    breaks: 'A read in a batch gives the full response, the links to further pages included.',
    kind: 'value',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, ...rest) =>
      right(areas, call, ...rest).filter(({ rel }) => call.isSibling === undefined || rel !== 'page'),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      const { json } = await edda.batch([{ method: 'GET', href: made.path }]);
      return !listAt(json, '/0/body/links').some((link) => at(link, '/rel') === 'page');
    },
  },
};

function decoded(query: string): string {
  try {
    return decodeURIComponent(query);
  } catch {
    return query;
  }
}

function edit(made: Made, version: number): object {
  const headers = { 'Svc-UOIVersion': String(version) };
  return { method: 'PATCH', href: editPath(made), headers, body: { note: `v${version}` } };
}

const writingMistakes: Batch = {
  'create.same-content-of-another-user': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'A create makes an object of its own, also where somebody else has just sent the same content.',
    kind: 'copy',
    variant: breaks('editing', 'createObject', (right) => {
      let last: { text: string; user: string; answer: Awaited<ReturnType<typeof right>> } | undefined;
      return async (areas, call, writing) => {
        const text = `${call.url} ${JSON.stringify(call.json)}`;
        if (last !== undefined && last.text === text && last.user !== call.user.name) return last.answer;
        const answer = await right(areas, call, writing);
        last = { text, user: call.user.name, answer };
        return answer;
      };
    }),
    async shows({ edda, emil }) {
      const one = await edda.make('Document', { title: 'same' });
      return (await emil.make('Document', { title: 'same' })).oid === one.oid;
    },
  },

  'operations.nothing-into-an-empty-object': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member that does not exist is added, also as the first one of an object.',
    kind: 'value',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const holder = run.root[operation.tokens[0] ?? ''];
      const isEmpty = isContent(holder) && Object.keys(holder).length === 0;
      if (operation.op === 'add' && operation.tokens.length > 1 && isEmpty)
        throw new Refusal(422, 'There is nothing to add to.');
      return right(areas, run, operation);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: 'w' } });
      await edda.operate(made, 1, [{ op: 'remove', path: '/dimensions/width' }]);
      const added = await edda.operate(made, 2, [{ op: 'add', path: '/dimensions/height', value: 'h' }]);
      return added.status >= 300;
    },
  },

  'operations.replace-makes-in-the-depth': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The target of a replace has to exist, also in an item of an array inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) => {
      const isInItem = target.row.entry !== undefined && target.steps.length === 2;
      if (target.kind === 'member' && target.value === undefined && isInItem)
        return areas.operations.addValue(run, target, value, place);
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const files = [{ name: 'n', revisions: [{ author: 'a' }] }];
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made);
      const id = String(at(read, '/data/files/0/$entryId'));
      const inner = String(at(read, '/data/files/0/revisions/0/$entryId'));
      const path = `/files/${id}/revisions/${inner}/text`;
      return (await edda.operate(made, 1, [{ op: 'replace', path, value: 'made' }])).status < 300;
    },
  },

  'operations.remove-with-value-in-a-batch': {
    source: 'core: Patch operation, row value',
    breaks: 'A remove with a value is refused, also as an operation of a batch.',
    kind: 'combination',
    variant: withLenientRemoves(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      const { status } = await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { 'Svc-UOIVersion': '1', 'Content-Type': 'application/json-patch+json' },
          body: [{ op: 'remove', path: '/note', value: 'n' }],
        },
      ]);
      return status === 200;
    },
  },

  'multi-create.inner-object-of-the-item-before': {
    source: 'core: Multi-create item, row data',
    breaks: 'An instance holds its own data, also in an object that the item before it has as well.',
    kind: 'copy',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const mixed = inputs.map((input, index) => {
        const before = inputs[index - 1]?.content['dimensions'];
        const own = input.content['dimensions'];
        if (!isContent(before) || !isContent(own)) return input;
        return { ...input, content: { ...input.content, dimensions: { ...before, ...own } } };
      });
      return right(areas, call, writing, items, mixed);
    }),
    async shows({ edda }) {
      const part = (name: string, dimensions: object) => ({ $softType: 'Part', data: { name, dimensions } });
      const made = await edda.multiCreate([part('one', { width: 'w', height: 'h' }), part('two', { width: 'x' })]);
      const read = await edda.get(String(at(made.json, '/1/href')));
      return at(read.json, '/data/dimensions/height') === 'h';
    },
  },

  'multi-create.last-item-of-fifty-unknown': {
    source: 'core: Multi-create rules 2 and 3',
    breaks: 'An item may refer to any other one, also to the fiftieth.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) =>
      right(areas, items.slice(0, 49), $id, referrer),
    ),
    async shows({ edda }) {
      const parts = many(49, (index) => ({ $id: `p${index}`, $softType: 'Part', data: { name: `n${index}` } }));
      const describes = [{ id: 'last', value: { instanceRef: 'p49', softTypeId: 'Part' } }];
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes } };
      return (await edda.multiCreate([document, ...parts])).status >= 300;
    },
  },
};

/** A value in a remove is passed over in a batch. */
function withLenientRemoves(): Variant {
  return (classes) => {
    const operation = new Step();
    return together(
      replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) =>
        operation.run(() => right(areas, prepared, writing)),
      ),
      replaces('operations', 'operationOf', (right, areas, item, place) => {
        if (!operation.isOn() || !isContent(item) || item['op'] !== 'remove') return right(areas, item, place);
        return right(areas, { op: item['op'], path: item['path'] }, place);
      }),
    )(classes);
  };
}

const readingMistakes: Batch = {
  'reading.last-who-passed': {
    source: 'core: What the service does',
    breaks: 'A user needs a role in the space that he asks for, whatever space he was let into just before.',
    kind: 'moment',
    variant: breaks('auth', 'mayUse', (right) => {
      let last: string | undefined;
      return (areas, user, space, method) => {
        const isKnown = last === user.name && areas.auth.rolesOf(user, space).length === 0;
        if (!right(areas, user, space, method)) return isKnown;
        last = user.name;
        return true;
      };
    }),
    async shows({ edda, otto }) {
      const secret = await edda.make('Document', { title: 'secret' });
      const open = await otto.make('Dossier', { title: 'open' });
      await otto.read(open);
      return (await otto.get(secret.path)).status === 200;
    },
  },

  'openapi.input-with-the-id-of-an-output': {
    source: 'core: What the service does',
    breaks: 'The definitions tell of every route, also where an input and an output schema share their id.',
    kind: 'combination',
    survives:
      'core: What the service does: the definitions are those of all configured SoftTypes; which of their routes a definition tells of is not said.',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const document = right(areas, space);
      const paths = Object.entries(Object(document['paths'])).map(([path, item]) => {
        const { get: _lost, ...edits } = Object(item);
        return [path, 'patch' in edits ? edits : item];
      });
      return { ...document, paths: Object.fromEntries(paths) };
    }),
    async shows({ edda }) {
      const { json } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      const path = '/api/space/main/softtype/Requirement/requirementText/{objectId}';
      return at(at(json, '/paths'), `/${path.replaceAll('/', '~1')}/get`) === undefined;
    },
  },

  'paging.readers-see-no-pages-of-references': {
    source: 'core: SoftType read response, row links; Server side paging 2',
    breaks: 'A page link is there for everybody who may read, also for pages of references.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const mayEdit = areas.auth.mayUse(call.user, call.space, 'PATCH');
      const shown = slices.filter(({ section }) => mayEdit || section.member.kind !== 'references');
      return right(areas, call, object, view, shown, filter);
    }),
    async shows({ edda, rita }) {
      const parts = many(11, (index) => ({ $id: `p${index}`, $softType: 'Part', data: { name: `n${index}` } }));
      const describes = parts.map(({ $id }) => ({ id: $id, value: { instanceRef: $id, softTypeId: 'Part' } }));
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes } };
      const made = await edda.multiCreate([...parts, document]);
      const read = await rita.get(String(at(made.json, '/11/href')));
      return !listAt(read.json, '/links').some((link) => at(link, '/sectionPath') === 'describes');
    },
  },

  'reading.filtered-by-the-long-route-without-schema': {
    source: 'core: SoftType read response, row schema',
    breaks: 'A read has a schema, also one through the long route with a filter.',
    kind: 'place',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => {
      const instance = await right(areas, call, reading, object, view, filter);
      if (filter === undefined || call.params['outputSchemaId'] === undefined) return instance;
      const { schema: _lost, ...rest } = instance;
      return rest as typeof instance;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'drawing' }] });
      const read = await edda.get(`/api/space/main/softtype/Document/documentFull/${oid}?softTypeFilterId=drawings`);
      return read.status === 200 && at(read.json, '/schema') === undefined;
    },
  },

  'paging.edited-entry-without-id': {
    source: 'core: Page response, row data',
    breaks: 'Every entry of a page has its id, also one that was edited since it was made.',
    kind: 'moment',
    variant: withEditedEntriesUnnamed(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      const page = await edda.page(made, 'files', 1);
      const id = String(at(page.json, '/data/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'replace', path: `/files/${id}/name`, value: 'edited' }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/$entryId') === undefined;
    },
  },

  'paging.page-of-another-value': {
    source: 'core: Server side paging 5',
    breaks: 'A page holds what its own filter value admits, whatever value was asked for before.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const pages = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const key = [object.oid, object.version, view.id, section.path, page, filter?.filter.id].join(' ');
        const body = pages.get(key) ?? (await right(areas, call, reading, object, view, section, page, filter));
        if (filter !== undefined) pages.set(key, body);
        return body;
      };
    }),
    async shows({ edda }) {
      const files = ['c', 'd'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 't', files });
      const pageOf = (value: string) =>
        edda.get(`${pagePath(made, 'files', 0)}?softTypeFilter=byCategory&fileGroup.category=${value}`);
      await pageOf('c');
      return at((await pageOf('d')).json, '/data/0/name') === 'c';
    },
  },
};

/** Entries that were edited have no id on a page. */
function withEditedEntriesUnnamed(): Variant {
  return (classes) => {
    const edited = new Set<string>();
    return together(
      replaces('operations', 'setMember', (right, areas, run, target, value) => {
        const { entry } = target.row;
        if (entry !== undefined) edited.add(`${run.object.oid} ${entry.port} ${entry.entryId}`);
        return right(areas, run, target, value);
      }),
      replaces('paging', 'assemblePage', async (right, areas, ...args) => {
        const [, , object, , section] = args;
        const page = await right(areas, ...args);
        const data = page.data.map((entry) => {
          const isEdited = edited.has(`${object.oid} ${section.port} ${String(entry.$entryId)}`);
          return isEdited ? mapped(entry, ({ $entryId: _lost, ...rest }) => rest) : entry;
        });
        return { ...page, data: data as typeof page.data };
      }),
    )(classes);
  };
}

/** Drawn by lot: sixty sentences of both documents, each broken in a circumstance that was drawn too, by somebody who had seen no check. */
export const fortySecond: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...callsMistakes,
};
