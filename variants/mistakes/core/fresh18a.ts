import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import type { Content, StoredEntry, StoredObject, Writing } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, Step, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { mergeOf, named, operationsOf, pageLinkIn, promoteOf, readOf, withContacts, withFiles } from '../proofs.ts';
import { at, listAt, many, movePath, versionHeader } from '../service.ts';
import { changes, during, type EntryOut, perRun, perServer, whole } from '../variant-parts.ts';

const deficits = perServer(() => new Map<string, number>());
const pageCache = perServer(() => new Map<string, { answer: Answer; oid: string }>());
const editedAt = perServer(() => new Map<string, number>());
const history = perServer(() => new Map<string, Map<string, Content>>());
const batchReads = perServer(() => new Map<string, Answer>());
const sequences = perServer(() => new Map<string, number>());
const editedPorts = perServer(() => new Map<string, Set<string>>());
const underWay = perServer(() => new Map<string, Promise<unknown>>());
const outlived = perServer((): ((writing: Writing) => Promise<void>)[] => []);
const firstContents = perServer(() => new Map<string, Content>());
const buried = perServer(() => new Map<string, { object: StoredObject; ports: Map<string, readonly StoredEntry[]> }>());
const unflushed = perRun(() => new Map<string, { version: number; content: Content }>());
const longReads = perServer(() => new Map<string, Map<string, Answer>>());
const staleVersions = perServer(() => new Map<string, { at: number; shown: number }>());

function isFirstView(areas: Areas, object: StoredObject, viewId: string): boolean {
  const space = areas.configuration.spaces.get(object.spaceId);
  const [first] = space?.template.softTypes.get(object.softType)?.outputs.keys() ?? [];
  return first === viewId;
}

/** What is done again once a batch was rolled back. */
function outlives(recording: Variant): Variant {
  return together(
    recording,
    replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (route.path !== routes.batch) return right(areas, route, call);
      outlived(areas).length = 0;
      const answer = await right(areas, route, call);
      const again = outlived(areas).splice(0);
      if (answer.status >= 400)
        await areas.store.change(async (writing) => {
          for (const one of again) await one(writing);
        });
      return answer;
    }),
  );
}

const numbersInSinglePrecision = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(numbersInSinglePrecision);
  if (typeof value === 'number') return Math.fround(value);
  if (!isContent(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === '$entryId' ? member : numbersInSinglePrecision(member),
    ]),
  );
};

export const fresh18aMistakes: Mistakes = {
  'fresh18a.counter-misses-cascades': {
    source: 'core: Link object, totalNumber',
    breaks: 'The total of an array counts the entries that are there, also after one was removed for lack of a member.',
    variant: together(
      replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
        await right(areas, run, entry);
        const key = `${run.object.oid}/${entry.port}`;
        deficits(areas).set(key, (deficits(areas).get(key) ?? 0) + 1);
      }),
      replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
        const total = await right(areas, reading, object, section, filter);
        if (filter !== undefined || section.items !== undefined) return total;
        return total + (deficits(areas).get(`${object.oid}/${section.port}`) ?? 0);
      }),
    ),
    async shows({ edda }) {
      const made = await withFiles(edda, 12);
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/name` }]);
      return at(pageLinkIn(await edda.read(made), 'files'), '/totalNumber') !== 11;
    },
  },
  'fresh18a.inner-arrays-whole-on-later-pages': {
    source: 'core: Limits; Server side paging 1',
    breaks: 'An array inside an entry of a later page holds at most ten entries.',
    variant: (() => {
      const step = new Step();
      return together(
        replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
          const work = () => right(areas, call, reading, object, view, section, page, filter);
          return page > 0 ? step.run(work) : work();
        }),
        replaces('entries', 'nestedReadRange', (right, areas) => (step.isOn() ? whole : right(areas))),
      );
    })(),
    async shows({ edda }) {
      const revisions = many(12, (number) => ({ text: `r${number}` }));
      const files = many(11, (number) => ({ name: `f${number}`, revisions }));
      const made = await edda.make('Document', { files });
      return listAt((await edda.page(made, 'files', 1)).json, '/data/0/revisions').length > 10;
    },
  },
  'fresh18a.pages-begin-behind-an-id': {
    source: 'core: Server side paging 4',
    breaks: 'Later pages hold the rest behind page 0, also where an early entry was removed.',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (section.items !== undefined || filter !== undefined || range.from === 0)
        return right(areas, reading, object, section, range, filter);
      const all = await reading.entries(object.oid, section.port, whole);
      return all.filter(({ entryId }) => entryId > range.from).slice(0, range.to - range.from);
    }),
    async shows({ edda }) {
      const made = await withFiles(edda, 12);
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/` }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length === 2;
    },
  },
  'fresh18a.filtered-pages-number-anew': {
    source: 'core: System properties, $entryId',
    breaks: 'The entry id on a filtered page is the one by which the entry is edited.',
    variant: changes(
      'paging',
      'assemblePage',
      (body, _areas, _call, _reading, _object, _view, section, page, filter) => {
        if (filter === undefined || section.items !== undefined) return body;
        return {
          ...body,
          data: body.data.map((entry, index) => ({ ...entry, $entryId: page * 10 + index + 1 }) as EntryOut),
        };
      },
    ),
    async shows({ edda }) {
      const files = many(4, (n) => ({ name: `f${n}`, category: n % 2 === 0 ? 'drawing' : 'letter' }));
      const made = await edda.make('Document', { files });
      const ids = listAt(await edda.read(made), '/data/files').map((entry) => at(entry, '/$entryId'));
      const page = await edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      return at(page.json, '/data/0/$entryId') !== ids[1];
    },
  },
  'fresh18a.other-schema-shows-whole-arrays': {
    source: 'core: Server side paging 1',
    breaks: 'An array holds at most ten entries whichever output schema shows it.',
    variant: (() => {
      const step = new Step();
      return together(
        replaces('instances', 'assembleInstance', (right, areas, call, reading, object, view, filter) => {
          const work = () => right(areas, call, reading, object, view, filter);
          return isFirstView(areas, object, view.id) ? work() : step.run(work);
        }),
        replaces('entries', 'firstReadRange', (right, areas) => (step.isOn() ? whole : right(areas))),
      );
    })(),
    async shows({ edda }) {
      const made = await withContacts(edda, 12);
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${made.oid}`);
      return listAt(read.json, '/data/contacts').length > 10;
    },
  },
  'fresh18a.pages-hear-late-of-edits': {
    source: 'core: Page response, version',
    breaks: 'A page shows its entries and version as they are right after an edit.',
    variant: together(
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
        editedAt(areas).set(object.oid, Date.now());
        return right(areas, writing, object, version, content);
      }),
      replaces('dispatcher', 'carryOutRead', async (right, areas, route, call, reading) => {
        if (route.path !== routes.page) return right(areas, route, call, reading);
        const key = `${call.user.name} ${call.url}`;
        const known = pageCache(areas).get(key);
        const edited = editedAt(areas).get(call.params['objectId'] ?? '') ?? 0;
        if (known !== undefined && Date.now() - edited < 40) return known.answer;
        const answer = await right(areas, route, call, reading);
        pageCache(areas).set(key, { answer, oid: call.params['objectId'] ?? '' });
        return answer;
      }),
    ),
    async shows({ edda }) {
      const made = await withFiles(edda, 12);
      await edda.page(made, 'files', 1);
      await edda.merge(made, 1, { note: 'n' });
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },
  'fresh18a.latest-version-by-text': {
    source: 'core: SoftType read response, version',
    breaks: 'A read shows the current version of an object that was edited often, with its content.',
    variant: together(
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
        const all = history(areas).get(object.oid) ?? new Map<string, Content>();
        all.set(String(object.version), object.content).set(String(version), content);
        history(areas).set(object.oid, all);
        return right(areas, writing, object, version, content);
      }),
      replaces('instances', 'readInstance', (right, areas, call, reading) => {
        const all = history(areas).get(call.object.oid);
        const last = [...(all ?? [])].toSorted(([one], [other]) => (one < other ? 1 : -1))[0];
        if (last === undefined || call.object.version < 10) return right(areas, call, reading);
        return right(
          areas,
          { ...call, object: { ...call.object, version: Number(last[0]), content: last[1] } },
          reading,
        );
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      for (let version = 1; version < 10; version += 1) await edda.merge(made, version, { note: `n${version}` });
      return at(await edda.read(made), '/version') !== 10;
    },
  },
  'fresh18a.read-of-a-failed-batch-is-kept': {
    source: 'core: Batch rules 1',
    breaks: 'Nothing of a batch that failed is seen later, what it had read itself included.',
    variant: breaks('memory', 'rememberedRead', (right) => async (areas, call, reading, object, view, assemble) => {
      const key = [object.oid, object.version, view.id, areas.memory.rightsOf(call)].join(' ');
      if (!('insertObject' in reading))
        return batchReads(areas).get(key) ?? right(areas, call, reading, object, view, assemble);
      const answer = await right(areas, call, reading, object, view, assemble);
      batchReads(areas).set(key, answer);
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.batch([mergeOf(made, 1, { note: 'lost' }), readOf(made), mergeOf(made, 9, { note: 'x' })]);
      await edda.merge(made, 1, { note: 'kept' });
      return at(await edda.read(made), '/data/note') === 'lost';
    },
  },
  'fresh18a.versions-from-a-sequence': {
    source: 'core: Versioning 2; Batch rules 1',
    breaks: 'An edit behind a failed batch makes the next version, not the one behind that.',
    variant: (() => {
      const next = (areas: Areas, { oid }: StoredObject, version: number): number => {
        const made = Math.max(version, (sequences(areas).get(oid) ?? 0) + 1);
        sequences(areas).set(oid, made);
        return made;
      };
      return together(
        changes('versioning', 'versionAfterMerge', (version, areas, object) => next(areas, object, version)),
        changes('versioning', 'versionAfterPut', (version, areas, object) => next(areas, object, version)),
        changes('versioning', 'versionAfterOperations', (version, areas, object) => next(areas, object, version)),
      );
    })(),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.batch([mergeOf(made, 1, { note: 'lost' }), mergeOf(made, 9, { note: 'x' })]);
      return (await edda.merge(made, 1, { note: 'kept' })).headers.get('svc-uoiversion') !== '2';
    },
  },
  'fresh18a.promote-overtaken-by-a-merge': {
    source: 'core: Errors 1',
    breaks: 'Of a promote and a merge for one version that are sent at the same time one is refused.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (route.path !== routes.promote) return right(areas, route, call);
      const current = () =>
        areas.store.read((reading) => reading.object(call.params['spaceId'] ?? '', call.params['objectId'] ?? ''));
      const before = await current();
      await sleep(15);
      const after = await current();
      const isOvertaken = call.headers['svc-uoiversion'] === String(before?.version) && after !== undefined;
      const headers = { ...call.headers, ...(isOvertaken && { 'svc-uoiversion': String(after.version) }) };
      return right(areas, route, { ...call, headers });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const both = await Promise.all([edda.move(made, 1), edda.merge(made, 1, { note: 'n' })]);
      return both.every(({ status }) => status < 300);
    },
  },
  'fresh18a.arrays-are-locked-apart': {
    source: 'core: Errors 1',
    breaks:
      'Of two operations patches for one version that are sent at once one is refused, whatever arrays they change.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (route.path !== routes.operations) return right(areas, route, call);
      const oid = call.params['objectId'] ?? '';
      const version = () =>
        areas.store
          .read((reading) => reading.object(call.params['spaceId'] ?? '', oid))
          .then((object) => object?.version);
      const work = async (): Promise<Answer> => {
        const before = await version();
        const other = underWay(areas).get(oid);
        const ports = portsOf(call.body);
        const mine = (async () => {
          await sleep(10);
          await other?.catch(() => undefined);
          const after = await version();
          const lastPorts = editedPorts(areas).get(oid) ?? new Set();
          const isApart = ports.size > 0 && after !== before && lastPorts.isDisjointFrom(ports);
          const isCurrent = call.headers['svc-uoiversion'] === String(before);
          const headers = { ...call.headers, ...(isApart && isCurrent && { 'svc-uoiversion': String(after) }) };
          const answer = await right(areas, route, { ...call, headers });
          editedPorts(areas).set(oid, ports);
          return answer;
        })();
        underWay(areas).set(oid, mine);
        return mine;
      };
      return work();
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const both = await Promise.all([
        edda.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'f' } }]),
        edda.operate(made, 1, [{ op: 'add', path: '/contacts/-', value: { name: 'c' } }]),
      ]);
      return both.every(({ status }) => status < 300);
    },
  },
  'fresh18a.put-leaves-arrays-of-other-definitions': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT that leaves an array out empties it, for a second SoftType as well.',
    variant: replaces('editing', 'arraysAfterPut', (right, areas, softType, given) =>
      softType.id === 'Document' ? right(areas, softType, given) : given,
    ),
    async shows({ edda }) {
      const made = await edda.make('Part', { usages: named(2) });
      await edda.replace(made, 1, { name: 'p' });
      return listAt(await edda.read(made), '/data/usages').length === 2;
    },
  },
  'fresh18a.merge-stamps-dates-anew': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge leaves a dated member that it does not name as it is, its date included.',
    variant: replaces('editing', 'mergeObject', (right, areas, call, writing) => {
      const effectivity = new Date(areas.clock.now()).toISOString();
      const content = Object.fromEntries(
        Object.entries(call.object.content).map(([name, value]) => [
          name,
          isContent(value) && 'effectivity' in value ? { ...value, effectivity } : value,
        ]),
      );
      return right(areas, { ...call, object: { ...call.object, content } }, writing);
    }),
    async shows({ edda, pass }) {
      const made = await edda.make('Document', { price: '10' });
      const before = at(await edda.read(made), '/data/price/effectivity');
      await pass(5);
      await edda.merge(made, 1, { note: 'n' });
      return before !== at(await edda.read(made), '/data/price/effectivity');
    },
  },
  'fresh18a.inner-value-is-not-made-empty': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'Replace gives a member of an entry inside an entry its value, also where that is false, zero or empty.',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, where) => {
      const isInner = target.steps.some(({ entryId }) => entryId !== undefined);
      const isEmpty = value === false || value === 0 || value === '';
      if (isInner && isEmpty && target.kind === 'member' && target.value !== undefined) return;
      return right(areas, run, target, value, where);
    }),
    async shows({ edda }) {
      const files = [{ name: 'f', revisions: [{ text: 't', approved: true }] }];
      const made = await edda.make('Document', { files });
      const read = await edda.read(made);
      const [file, revision] = [at(read, '/data/files/0/$entryId'), at(read, '/data/files/0/revisions/0/$entryId')];
      const path = `/files/${String(file)}/revisions/${String(revision)}/approved`;
      await edda.operate(made, 1, [{ op: 'replace', path, value: false }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/approved') !== false;
    },
  },
  'fresh18a.inner-numbers-in-single-precision': {
    source: 'core: SoftType read response, data',
    breaks: 'A number of an entry inside an entry is read as it was written.',
    variant: changes(
      'entries',
      'entryOut',
      (entry) =>
        Object.fromEntries(
          Object.entries(entry).map(([name, value]) => [
            name,
            Array.isArray(value) ? numbersInSinglePrecision(value) : value,
          ]),
        ) as EntryOut,
    ),
    async shows({ edda }) {
      const files = [{ name: 'f', revisions: [{ text: 't', hours: 0.1 }] }];
      const made = await edda.make('Document', { files });
      return at(await edda.read(made), '/data/files/0/revisions/0/hours') !== 0.1;
    },
  },
  'fresh18a.demote-leaves-version-in-data': {
    source: 'core: System properties, $version',
    breaks: 'The version inside data is the one beside it, after a demote as well.',
    variant: together(
      during('maturity', 'demoteObject', (step) =>
        replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
          if (step.isOn()) staleVersions(areas).set(object.oid, { at: version, shown: object.version });
          return right(areas, writing, object, version, content);
        }),
      ),
      changes('instances', 'systemMembers', (members, areas, { oid, version }) => {
        const stale = staleVersions(areas).get(oid);
        return stale?.at === version ? { ...members, $version: stale.shown } : members;
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      const read = await edda.read(made);
      return at(read, '/data/$version') !== at(read, '/version');
    },
  },
  'fresh18a.long-read-is-kept-through-batches': {
    source: 'core: SoftType read response, version',
    breaks: 'A read by the long path shows what a batch has changed since.',
    variant: during('batch', 'carryOutOperation', (step) =>
      together(
        replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
          if (!step.isOn()) longReads(areas).delete(object.oid);
          return right(areas, writing, object, version, content);
        }),
        replaces('editing', 'eraseObject', (right, areas, writing, object) => {
          longReads(areas).delete(object.oid);
          return right(areas, writing, object);
        }),
        replaces('dispatcher', 'carryOutRead', async (right, areas, route, call, reading) => {
          if (route.path !== routes.instanceLong) return right(areas, route, call, reading);
          const oid = call.params['objectId'] ?? '';
          const all = longReads(areas).get(oid) ?? new Map<string, Answer>();
          const key = `${call.user.name} ${call.url}`;
          const answer = all.get(key) ?? (await right(areas, route, call, reading));
          longReads(areas).set(oid, all.set(key, answer));
          return answer;
        }),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const path = `/api/space/main/softtype/Document/documentFull/${made.oid}`;
      await edda.get(path);
      await edda.batch([mergeOf(made, 1, { note: 'n' })]);
      return at((await edda.get(path)).json, '/version') !== 2;
    },
  },
  'fresh18a.pages-of-deleted-objects': {
    source: 'core: Errors 404',
    breaks: 'Pages of a deleted object are not found.',
    variant: together(
      replaces('editing', 'eraseObject', async (right, areas, writing, object) => {
        const ports = new Map<string, readonly StoredEntry[]>();
        const space = areas.configuration.spaces.get(object.spaceId);
        for (const [port] of space?.template.softTypes.get(object.softType)?.members ?? [])
          ports.set(port, await writing.entries(object.oid, port, whole));
        buried(areas).set(object.oid, { object, ports });
        return right(areas, writing, object);
      }),
      replaces('objects', 'locateObject', (right, areas, call, reading) => {
        const found = buried(areas).get(call.params['objectId'] ?? '');
        return found !== undefined && call.url.includes('/softtype/page/')
          ? Promise.resolve(found.object)
          : right(areas, call, reading);
      }),
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
        const found = section.items === undefined ? buried(areas).get(object.oid)?.ports.get(section.port) : undefined;
        return found?.slice(range.from, range.to) ?? right(areas, reading, object, section, range, filter);
      }),
    ),
    async shows({ edda }) {
      const made = await withFiles(edda, 12);
      await edda.delete(made.path);
      return (await edda.page(made, 'files', 1)).status === 200;
    },
  },
  'fresh18a.promotes-are-flushed-later': {
    source: 'core: States and transitions',
    breaks: 'The state that a promote led to outlasts a restart, as the version does.',
    variant: together(
      during('maturity', 'promoteObject', (step) =>
        replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
          if (!step.isOn()) return right(areas, writing, object, version, content);
          unflushed(areas).set(object.oid, { version, content });
          return right(areas, writing, object, version, object.content);
        }),
      ),
      changes('objects', 'locateObject', (object, areas) => {
        const kept = unflushed(areas).get(object.oid);
        return kept?.version === object.version ? { ...object, content: kept.content } : object;
      }),
    ),
    async shows(service) {
      const made = await service.edda.make('Document');
      await service.edda.move(made, 1);
      await service.restart();
      return at(await service.edda.read(made), '/data/engineering/state') !== 'reviewed';
    },
  },
  'fresh18a.filter-finds-by-old-values': {
    source: 'core: Server side paging 5',
    breaks: 'A filter selects by the value that an entry has now, after an operation has replaced it.',
    variant: together(
      replaces('operations', 'replaceValue', async (right, areas, run, target, value, where) => {
        const { entry, content } = target.row;
        const key = `${run.object.oid}/${entry?.port}/${entry?.entryId}`;
        await right(areas, run, target, value, where);
        if (entry !== undefined && !firstContents(areas).has(key)) firstContents(areas).set(key, content);
      }),
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
        if (filter === undefined || section.items !== undefined || section.port !== filter.filter.port)
          return right(areas, reading, object, section, range, filter);
        const all = await reading.entries(object.oid, section.port, whole);
        return all
          .filter(({ entryId, content }) => {
            const indexed = firstContents(areas).get(`${object.oid}/${section.port}/${entryId}`) ?? content;
            return String(indexed[filter.filter.member]) === filter.value;
          })
          .slice(range.from, range.to);
      }),
    ),
    async shows({ edda }) {
      const made = await withFiles(edda, 1, 'drawing');
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'replace', path: `/files/${id}/category`, value: 'letter' }]);
      return listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/data/files').length === 1;
    },
  },
  'fresh18a.failed-batch-keeps-references': {
    source: 'core: Batch rules 1',
    breaks: 'A reference that a failed batch added is gone with it.',
    variant: outlives(
      during('batch', 'carryOutOperation', (step) =>
        replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
          const port = target.steps.at(-1)?.name ?? '';
          const isReference = 'member' in target && target.member.kind === 'references';
          if (step.isOn() && isReference)
            outlived(areas).push(async (writing) => void (await writing.appendEntries(run.object.oid, port, contents)));
          return right(areas, run, target, contents);
        }),
      ),
    ),
    async shows({ edda }) {
      const [made, part] = [await edda.make('Document'), await edda.make('Part')];
      const value = { value: { $oid: part.oid } };
      await edda.batch([
        operationsOf(made, 1, [{ op: 'add', path: '/describes/-', value }]),
        mergeOf(made, 9, { note: 'x' }),
      ]);
      return listAt(await edda.read(made), '/data/describes').length === 1;
    },
  },
  'fresh18a.failed-batch-keeps-demotes': {
    source: 'core: Batch rules 1',
    breaks: 'A demote of a failed batch is undone, the state as well as the version.',
    variant: outlives(
      during('batch', 'carryOutOperation', (inBatch) =>
        during('maturity', 'demoteObject', (step) =>
          replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
            if (step.isOn() && inBatch.isOn())
              outlived(areas).push(async (again) => {
                await again.updateObject(object.spaceId, object.oid, object.version, content);
                areas.memory.forgetReads(object.spaceId, object.oid);
              });
            return right(areas, writing, object, version, content);
          }),
        ),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      const demote = { method: 'PUT', href: movePath(made, 'demote'), headers: versionHeader(2) };
      await edda.batch([demote, promoteOf(made, 9)]);
      return at(await edda.read(made), '/data/engineering/state') === 'draft';
    },
  },
};

function portsOf(body: Buffer | undefined): Set<string> {
  try {
    const operations: unknown = JSON.parse(body?.toString() ?? '');
    const paths = listAt(operations, '').map((operation) => String(at(operation, '/path')).split('/').slice(1));
    if (paths.some((path) => path.length < 2)) return new Set();
    return new Set(paths.map(([port = '']) => port));
  } catch {
    return new Set();
  }
}
