import type { Areas } from '../../../reference-server/areas.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { inputJsonSchema, isArrayMember } from '../../../reference-server/areas/soft-type.ts';
import type { Answer, Call } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { StoredObject } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { mergeOf, named, part } from '../proofs.ts';
import { at, listAt, type Made, many, type Service, versionHeader } from '../service.ts';
import { changes, patOf } from '../variant-parts.ts';

/** How long a cache takes that is a host of its own. */
const writeBackMs = 3;

export const readingMistakes: Mistakes = {
  'reading.schema-of-a-filtered-read': {
    source: 'core: SoftType read response',
    breaks: 'A read response has the schema of the instance, also where a filter was asked for.',
    variant: changes('instances', 'assembleInstance', (body, _areas, _call, _reading, _object, _view, filter) =>
      filter === undefined ? body : { ...body, schema: undefined as never },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return at(await edda.read(made, '?softTypeFilterId=drawings'), '/schema') === undefined;
    },
  },
  'reading.packed-is-kept': {
    source: 'core: Endpoint table, GET softtype; Versioning 1',
    breaks: 'A read shows the instance as it is now, to a client that takes packed answers too.',
    variant: keepsPacked(() => true),
    shows: ({ edda }) => isKeptPacked(edda),
  },
  'reading.packed-is-kept-for-personal-tokens': {
    source: 'core: Endpoint table, GET softtype; Versioning 1',
    breaks: 'A read shows the instance as it is now, to a program with a personal token that takes packed answers too.',
    variant: keepsPacked((call) => patOf(call) !== undefined),
    shows: ({ edda }) => isKeptPacked(edda),
  },
  'schema.names-of-the-definition': {
    source: 'core: SoftType read response, row schema',
    breaks: 'The schema is that of the instance as it is read, in the names of the output schema.',
    survives: 'What a schema tells of members, and in which language, is open.',
    variant: replaces('instances', 'schemaOf', (right, areas, softType, view) =>
      right(areas, softType, { ...view, names: new Map([...view.names.values()].map((name) => [name, name])) }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { label: 'l' });
      const read = await edda.read(made);
      return at(read, '/data/displayLabel') === 'l' && at(read, '/schema/properties/displayLabel') === undefined;
    },
  },
  'reading.schema-of-the-default-in-a-batch': {
    source: 'core: SoftType read response, row schema',
    breaks: 'The schema is that of the instance as it is read, also by an operation of a batch.',
    variant: changes('instances', 'assembleInstance', (read, areas, call, reading, object) => {
      if (!('insertObject' in reading)) return read;
      const softType = areas.objects.softTypeOf(call.space, object.softType);
      return { ...read, schema: areas.instances.schemaOf(softType, areas.objects.outputViewOf(softType, undefined)) };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document');
      const href = `/api/space/main/softtype/Document/documentSummary/${oid}`;
      const answer = await edda.batch([{ method: 'GET', href }]);
      return at(answer.json, '/0/body/schema/properties/files') !== undefined;
    },
  },
  'reading.schema-of-the-first-soft-type': {
    source: 'core: SoftType read response, row schema',
    breaks: 'The schema is that of the instance, of whichever SoftType it is.',
    variant: replaces('instances', 'schemaOf', (right, areas, softType, view) => {
      const first = areas.configuration.spaces.get('main')?.template.softTypes.get('Document') ?? softType;
      const isFirst = softType.id === first.id || first === softType;
      return right(areas, first, isFirst ? view : areas.objects.outputViewOf(first, undefined));
    }),
    async shows({ edda }) {
      const made = await edda.make('Part');
      return at(await edda.read(made), '/schema/properties/files') !== undefined;
    },
  },
  'reading.nothing-in-a-narrow-view': {
    source: 'core: SoftType read response, data',
    breaks: 'The data hold what the output schema has, zero and the empty text too.',
    variant: changes('instances', 'dataOf', (data, _areas, space, object, view) => {
      const all = space.template.softTypes.get(object.softType)?.members.size ?? 0;
      if (view.names.size === all) return data;
      return Object.fromEntries(Object.entries(data).filter(([, value]) => Boolean(value))) as typeof data;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { pageCount: 0 });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/pageCount') === undefined;
    },
  },
  'reading.filtered-by-the-long-route-without-schema': {
    source: 'core: SoftType read response, row schema',
    breaks: 'A read has a schema, also one through the long route with a filter.',
    variant: changes('instances', 'assembleInstance', (instance, _areas, call, _reading, _object, _view, filter) => {
      if (filter === undefined || call.params['outputSchemaId'] === undefined) return instance;
      const { schema: _lost, ...rest } = instance;
      return rest as typeof instance;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { files: [{ name: 'n', category: 'drawing' }] });
      const read = await edda.get(`/api/space/main/softtype/Document/documentFull/${oid}?softTypeFilterId=drawings`);
      return read.status === 200 && at(read.json, '/schema') === undefined;
    },
  },
  'schema.input-of-the-same-name': {
    source: 'core: SoftType read response',
    breaks: 'The schema is that of the instance as it is read, where an input schema has the same name too.',
    survives: 'What the schema of an instance holds is not said: whether data fit it is recorded.',
    variant: replaces('instances', 'schemaOf', (right, areas, softType, view) => {
      const input = softType.inputs.get(view.id);
      return input === undefined ? right(areas, softType, view) : inputJsonSchema(softType, input);
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Requirement', { text: 't', priority: 1 });
      const read = await edda.get(`/api/space/main/softtype/Requirement/requirementText/${oid}`);
      return at(read.json, '/schema/properties/priority') === undefined;
    },
  },
  'reading.other-view-before-the-promote': {
    source: 'core: SoftType read response, version',
    breaks: 'A read tells the current version, under each output schema and whoever read it before.',
    variant: otherViewsBehindPromotes(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'kept' });
      const path = longPath(made, 'documentSummary');
      await edda.get(path);
      await edda.move(made, 1);
      return at((await edda.get(path)).json, '/version') === 1;
    },
  },
  'read.kept-after-the-write': {
    source: 'core: SoftType read response, version',
    breaks: 'A read shows the object as the last accepted edit left it.',
    museum: true,
    variant: (classes) => {
      const kept = new Map<string, Map<string, Answer>>();
      return together(
        replaces('memory', 'rememberedRead', async (right, areas, call, reading, object, view, assemble) => {
          const variant = `${view.id} ${areas.memory.rightsOf(call)}`;
          const known = kept.get(object.oid)?.get(variant);
          if (known !== undefined) return known;
          const answer = await right(areas, call, reading, object, view, assemble);
          void keepLate(areas, kept, object.oid, variant, answer);
          return answer;
        }),
        replaces('memory', 'forgetReads', (right, areas, spaceId, oid) => {
          kept.delete(oid);
          right(areas, spaceId, oid);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document');
      for (let version = 1; version <= 60; version += 1) {
        const merge = { isUnderWay: true };
        const merged = edda.merge(made, version, { note: String(version) }).finally(() => (merge.isUnderWay = false));
        // one of the reads is answered just before the merge, however long that takes, and kept just after it
        while (merge.isUnderWay) await edda.read(made);
        await merged;
        for (let reads = 0; reads < 5; reads += 1)
          if (at(await edda.read(made), '/version') !== version + 1) return true;
      }
      return false;
    },
  },
  'reading.version-of-unchanged-view': {
    source: 'core: SoftType read response',
    breaks:
      'A read shows the version that the object has now, also when nothing that its output schema shows has changed.',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, { readonly content: string; readonly answer: Answer }>();
      return async (areas, call, reading, object, view, assemble) => {
        if (view === areas.objects.viewOfRead({ ...call, params: {} }, object).view)
          return right(areas, call, reading, object, view, assemble);
        const body = await assemble();
        const key = `${object.oid} ${view.id} ${areas.memory.rightsOf(call)}`;
        const content = JSON.stringify({ ...body.data, $version: 0 });
        const known = kept.get(key);
        if (known?.content === content) return known.answer;
        const answer = { status: 200, body };
        kept.set(key, { content, answer });
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'card', remark: 'seen' });
      const path = `/api/space/main/softtype/Document/documentSummary/${made.oid}`;
      await edda.get(path);
      await edda.merge(made, 1, { note: 'not on the card' });
      return at((await edda.get(path)).json, '/version') !== 2;
    },
  },
  'reading.schema-for-readers': {
    source: 'core: SoftType read response',
    breaks: 'The data is that of the output schema in the path, whatever role the user has.',
    variant: replaces('objects', 'viewOfRead', (right, areas, call, object) => {
      const onlyReads = areas.auth.rolesOf(call.user, call.space).every((role) => role === 'reader');
      const { outputSchemaId: _named, ...params } = call.params;
      return right(areas, onlyReads && call.params['pageNumber'] === undefined ? { ...call, params } : call, object);
    }),
    async shows({ edda, rita }) {
      const { oid } = await edda.make('Document', { title: 'summary', note: 'not in it' });
      const read = await rita.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/note') !== undefined;
    },
  },
  'reading.version-beside-a-filter': {
    source: 'core: SoftType read response, row version',
    breaks:
      'The version of a read is the current one, also of a filtered read after an edit that followed another read.',
    variant: breaks('instances', 'readInstance', (right) => {
      const versions = new Map<string, number>();
      return async (areas, call, reading) => {
        const answer = await right(areas, call, reading);
        const { oid, version } = call.object;
        if (!call.query.has('softTypeFilterId')) versions.set(oid, version);
        const kept = versions.get(oid) ?? version;
        return isContent(answer.body) ? { ...answer, body: { ...answer.body, version: kept } } : answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.read(made);
      await edda.merge(made, 1, { note: 'n' });
      return at(await edda.read(made, '?softTypeFilterId=drawings'), '/version') !== 2;
    },
  },
  'reading.schema-of-the-read-before': {
    source: 'core: SoftType read response',
    breaks: 'The data of a read is that of the output schema asked for, whatever schema was asked for before.',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, ReturnType<typeof right>>();
      return (areas, call, reading, object, view, assemble) => {
        const answer = () => right(areas, call, reading, object, view, assemble);
        if ('insertObject' in reading) return answer();
        const key = `${object.oid} ${object.version} ${areas.memory.rightsOf(call)}`;
        kept.set(key, kept.get(key) ?? answer());
        return kept.get(key) ?? answer();
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'two schemas', note: 'in one of them' });
      await edda.read(made);
      const summary = await edda.get(`/api/space/main/softtype/Document/documentSummary/${made.oid}`);
      return at(summary.json, '/data/note') !== undefined;
    },
  },
  'reading.version-after-a-failed-batch': {
    source: 'core: SoftType read response, version',
    breaks: 'A read tells the version that the object has, and no edit of a batch that failed counts.',
    variant: countingWhatWasUndone(),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const edit = mergeOf(made, 1, { note: 'n' });
      await edda.batch([edit, { ...edit, headers: versionHeader(9) }]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'paging.readers-see-no-pages-of-references': {
    source: 'core: SoftType read response, row links; Server side paging 2',
    breaks: 'A page link is there for everybody who may read, also for pages of references.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const mayEdit = areas.auth.mayUse(call.user, call.space, 'PATCH');
      const shown = slices.filter(({ section }) => mayEdit || section.member.kind !== 'references');
      return right(areas, call, object, view, shown, filter);
    }),
    async shows({ edda, rita }) {
      const parts = many(11, (index) => part(`p${index}`, `n${index}`));
      const describes = parts.map(({ $id }) => ({ id: $id, value: { instanceRef: $id, softTypeId: 'Part' } }));
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes } };
      const made = await edda.multiCreate([...parts, document]);
      const read = await rita.get(String(at(made.json, '/11/href')));
      return !listAt(read.json, '/links').some((link) => at(link, '/sectionPath') === 'describes');
    },
  },
  'reading.value-of-a-filter-on-the-long-route': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'The value of a filter is the one in the query, on the route with definition and schema as well.',
    variant: changes('entries', 'filterOf', (applied, _areas, call, _softType, parameter) => {
      const isLong = call.params.outputSchemaId !== undefined && parameter === 'softTypeFilterId';
      return applied === undefined || !isLong || applied.filter.equals !== undefined
        ? applied
        : { ...applied, value: applied.value.toLowerCase() };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', category: 'Plan' }] });
      const path = `/api/space/main/softtype/Document/documentFull/${made.oid}`;
      const read = await edda.get(`${path}?softTypeFilterId=byCategory&fileGroup.category=Plan`);
      return read.status === 200 && listAt(read.json, '/data/files').length === 0;
    },
  },
  'paging.page-of-what-was-deleted': {
    source: 'core: Errors',
    breaks: 'What was deleted is not found, by the route of its pages neither.',
    variant: breaks('objects', 'locateObject', (right) => {
      const known = new Map<string, StoredObject>();
      return async (areas, call, reading) => {
        const { objectId = '', pageNumber } = call.params;
        try {
          const object = await right(areas, call, reading);
          known.set(objectId, object);
          return object;
        } catch (error) {
          const object = pageNumber === '0' ? known.get(objectId) : undefined;
          if (object?.spaceId !== call.space.id) throw error;
          return object;
        }
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'deleted', files: named(12) });
      await edda.delete(made.path);
      return (await edda.page(made, 'files', 0)).status === 200;
    },
  },
  'paging.array-of-an-entry-that-is-gone': {
    source: 'core: Errors, 404',
    breaks: 'An array inside an entry that does not exist is not found.',
    survives:
      'How the pages of an array inside an entry are reached is not said (nested-array-paging), nor what an array that does not exist has: recorded of a port.',
    variant: replaces('paging', 'locateSection', async (right, areas, reading, object, view, softType, path) => {
      try {
        return await right(areas, reading, object, view, softType, path);
      } catch (error) {
        const [root = '', id = '', port = '', ...more] = path.split('/');
        const array = softType.members.get(view.names.get(root) ?? '');
        const member = array?.kind === 'entries' ? array.members.get(port) : undefined;
        if (!(error instanceof Refusal) || !/^\d+$/.test(id) || !isArrayMember(member) || more.length > 0) throw error;
        return { path, port, member, items: [] };
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(1) });
      return (await edda.page(made, 'files/99/revisions', 0)).status === 200;
    },
  },
  'reading.ids-that-are-no-guid': {
    source: 'core: Errors 404',
    breaks: 'What is not found is a 404, also under an id that looks unlike any that was given.',
    survives:
      'The form of an object id is not said: a text that can be none may be refused as malformed. Ids that could be are asked for by reading.missing-object.status-404.',
    variant: replaces('objects', 'locateObject', (right, areas, call, reading) => {
      if (/^[0-9a-f-]{36}$/.test(call.params.objectId ?? '')) return right(areas, call, reading);
      throw new Refusal(400, 'An id is a GUID.');
    }),
    shows: async ({ edda }) => (await edda.get('/api/space/main/softtype/none')).status !== 404,
  },
  'reading.deleted-by-its-long-path': {
    source: 'core: Errors 404',
    breaks: 'An object that was deleted is found by no path, also not by the long one by which it was read before.',
    variant: breaks('objects', 'locateObject', (right) => {
      const seen = new Map<string, StoredObject>();
      return async (areas, call, reading) => {
        const isLong = call.method === 'GET' && call.params['outputSchemaId'] !== undefined;
        const found = await right(areas, call, reading).catch((error: unknown) => {
          const kept = isLong ? seen.get(call.url) : undefined;
          if (kept === undefined) throw error;
          return kept;
        });
        if (isLong) seen.set(call.url, found);
        return found;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'gone' });
      const path = `/api/space/main/softtype/Document/documentSummary/${made.oid}`;
      await edda.get(path);
      await edda.delete(made.path);
      return (await edda.get(path)).status === 200;
    },
  },
  'reading.schema-of-the-first-read': {
    source: 'core: SoftType read response, row schema',
    breaks: 'The schema is that of this read, also where the object was first read through another output schema.',
    variant: breaks('instances', 'assembleInstance', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>['schema']>();
      return async (areas, call, reading, object, view, filter) => {
        const body = await right(areas, call, reading, object, view, filter);
        const schema = known.get(object.oid) ?? body.schema;
        known.set(object.oid, schema);
        return { ...body, schema };
      };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { note: 'n' });
      const [, full] = ['partCard', 'partFull'].map((view) => `/api/space/main/softtype/Part/${view}/${oid}`);
      await edda.get(`/api/space/main/softtype/Part/partCard/${oid}`);
      return at((await edda.get(String(full))).json, '/schema/properties/note') === undefined;
    },
  },
  'reading.lost-with-what-it-refers-to': {
    source: 'core: Errors 200',
    breaks: 'An object that is there is read, also where what it refers to has gone.',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      const entries = await right(areas, reading, object, section, range, filter);
      if (section.member.kind !== 'references') return entries;
      for (const { content } of entries) {
        const oid = String(at(content, '/value/$oid'));
        if ((await reading.object(object.spaceId, oid)) === undefined) throw new Refusal(404, `${oid} has gone.`);
      }
      return entries;
    }),
    async shows({ edda }) {
      const { oid, path } = await edda.make('Part');
      const made = await edda.make('Document', { describes: [{ value: { $oid: oid } }] });
      await edda.delete(path);
      return (await edda.get(made.path)).status === 404;
    },
  },
};

/** Notes of every promote which version it started from. */
function notesPromotes(versions: Map<string, number>): Variant {
  return replaces('maturity', 'versionAfterPromote', (right, areas, object) => {
    versions.set(object.oid, object.version);
    return right(areas, object);
  });
}

function otherViewsBehindPromotes(): Variant {
  const before = new Map<string, number>();
  return together(
    notesPromotes(before),
    breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, { version: number; answer: Awaited<ReturnType<typeof right>> }>();
      return async (areas, call, reading, object, view, assemble) => {
        const { softType, version, oid } = object;
        const usual = areas.objects.outputViewOf(areas.objects.softTypeOf(call.space, softType), undefined);
        if (view === usual) return right(areas, call, reading, object, view, assemble);
        const key = `${oid} ${view.id} ${call.user.name}`;
        const known = kept.get(key);
        if (known !== undefined && known.version === before.get(oid) && version === known.version + 1)
          return known.answer;
        const answer = await right(areas, call, reading, object, view, assemble);
        kept.set(key, { version, answer });
        return answer;
      };
    }),
  );
}

function longPath({ definition, oid }: Made, view: string): string {
  return `/api/space/main/softtype/${definition}/${view}/${oid}`;
}

/** As a cache does that is a host of its own: its answer to a write comes when others had a turn. */
async function keepLate(
  { clock }: Areas,
  kept: Map<string, Map<string, Answer>>,
  oid: string,
  variant: string,
  answer: Answer,
): Promise<void> {
  await clock.sleep(writeBackMs, { tag: 'write-back' });
  const own = kept.get(oid) ?? new Map<string, Answer>();
  kept.set(oid, own.set(variant, answer));
}

/** Edits are counted beside the store, where nothing is rolled back. */
function countingWhatWasUndone(): Variant {
  return (classes) => {
    const versions = new Map<string, number>();
    return together(
      replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
        versions.set(object.oid, version);
        return right(areas, writing, object, version, content);
      }),
      replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => ({
        ...(await right(areas, call, reading, object, view, filter)),
        version: versions.get(object.oid) ?? object.version,
      })),
    )(classes);
  };
}

/** What a client that takes packed answers has read once is what it reads ever after. */
function keepsPacked(isMeant: (call: Call) => boolean): Variant {
  return breaks('dispatcher', 'carryOutRead', (right) => {
    const kept = new Map<string, ReturnType<typeof right>>();
    return (areas, route, call, reading) => {
      if (!call.headers['accept-encoding']?.includes('gzip') || !isMeant(call))
        return right(areas, route, call, reading);
      const packed = kept.get(call.url) ?? right(areas, route, call, reading);
      kept.set(call.url, packed);
      return packed;
    };
  });
}

async function isKeptPacked(edda: Service['edda']): Promise<boolean> {
  const made = await edda.make('Document', { note: 'one' });
  const read = () => edda.get(`/api/space/main/softtype/${made.oid}`, { 'accept-encoding': 'gzip' });
  await read();
  await edda.merge(made, 1, { note: 'two' });
  return at((await read()).json, '/data/note') === 'one';
}
