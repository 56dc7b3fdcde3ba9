import { headerNames } from '../../../contract/names.ts';
import { jsonOf } from '../../../contract/json.ts';
import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { StoredEntry, Writing } from '../../../reference-server/ports/store.ts';
import { replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentOf, namesOn, part, readCreated, readPageLink, withFiles } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';
import { isRefusal, mapTexts, perRun, perServer, whole } from '../variant-parts.ts';

const runOf = perRun(() => ({}));

/** What a request that was refused, a first read or a restart leaves to those that follow. */
export const leftBehindMistakes: Mistakes = {
  'left-behind.totals-of-the-first-read': {
    source: 'core: Link object',
    breaks: 'After a restart the total of an array counts what was added before.',
    variant: totalsOfBefore(),
    async shows({ edda, restart }) {
      const made = await withFiles(edda, 12);
      await readPageLink(edda, made);
      await edda.operate(
        made,
        1,
        many(2, () => ({ op: 'add', path: '/files/-', value: { name: 'x' } })),
      );
      await restart();
      return at(await readPageLink(edda, made), '/totalNumber') === 12;
    },
  },
  'left-behind.filters-of-no-read-yet': {
    source: 'core: Server side paging 5',
    breaks: 'A filter applies to a page, also where no instance was read with it before.',
    variant: filtersOnceRead(),
    async shows({ edda }) {
      const files = ['drawing', 'letter', 'letter'].map((category) => ({ name: 'n', category }));
      const made = await edda.make('Document', { files });
      return listAt((await edda.page(made, 'files', 0, '?softTypeFilter=drawings')).json, '/data').length === 3;
    },
  },
  'left-behind.places-after-a-restart': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What was appended is the last entry after a restart too.',
    variant: losesPlaces(),
    async shows({ edda, restart }) {
      const made = await edda.make('Document', { contacts: [{ name: 'a' }, { name: 'b' }] });
      await edda.operate(made, 1, [{ op: 'add', path: '/contacts/-', value: { name: 'c' } }]);
      await restart();
      return namesOn((await edda.page(made, 'contacts', 0)).json) === 'c,a,b';
    },
  },
  'left-behind.names-of-a-refused-multi-create': {
    source: 'core: Multi-create item, $id',
    breaks:
      'A name of an item means the item of its own request, also where a request before with that name was refused.',
    variant: keepsNamesOfRefused(),
    async shows({ edda }) {
      const items = [part('a'), documentOf('d', ['a'])];
      await edda.multiCreate([...items, { $softType: 'Part', data: { name: 'p', nonsense: 1 } }]);
      const { json } = await edda.multiCreate(items);
      const target = at(await readCreated(edda, json, 1), '/data/describes/0/value/$oid');
      return target !== undefined && !String(at(json, '/0/href')).endsWith(`/${String(target)}`);
    },
  },
  'left-behind.refusals-of-another-space': {
    source: 'core: Authentication 7',
    breaks: 'Whoever was refused in one space may do in another one what his role there allows.',
    variant: keepsRefusals(),
    async shows({ rita }) {
      await rita.post('/api/space/main/softtype/Part/partInput', { name: 'p' });
      return (await rita.post('/api/space/depot/softtype/Dossier/dossierInput', { title: 't' })).status === 403;
    },
  },
  'left-behind.date-of-a-refused-list': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A replaced dated value has the date of the filter of its own request.',
    variant: leavesDates(),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '1' });
      const [one, other] = ['2021-01-01T00:00:00Z', '2022-02-02T00:00:00Z'];
      await edda.operate(made, 1, [{ op: 'replace', path: '/note', value: 'n' }], { time: one });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '2' }], { time: other });
      return at(await edda.read(made), '/data/price/effectivity') === one;
    },
  },
};

function totalsOfBefore(): Variant {
  const keptIn = perServer(() => new Map<string, { readonly run: object; readonly total: number }>());
  const editedIn = perRun(() => new Set<string>());
  return together(
    replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
      editedIn(areas).add(object.oid);
      return right(areas, writing, object, version, content);
    }),
    replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
      const total = await right(areas, reading, object, section, filter);
      if (filter !== undefined || section.items !== undefined) return total;
      const key = `${object.oid}/${section.port}`;
      const kept = keptIn(areas).get(key);
      if (kept === undefined) keptIn(areas).set(key, { run: runOf(areas), total });
      if (kept === undefined || kept.run === runOf(areas) || editedIn(areas).has(object.oid)) return total;
      return kept.total;
    }),
  );
}

function filtersOnceRead(): Variant {
  const readIn = perRun(() => new Set<string>());
  return replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
    const applied = right(areas, call, softType, parameter);
    if (applied === undefined) return applied;
    if (parameter === 'softTypeFilterId') readIn(areas).add(applied.filter.id);
    return readIn(areas).has(applied.filter.id) ? applied : undefined;
  });
}

function losesPlaces(): Variant {
  const addedIn = perServer(() => new Map<string, object>());
  return together(
    replaces('operations', 'operateObject', (right, areas, call, writing) => {
      const appendEntries: Writing['appendEntries'] = async (oid, port, contents) => {
        const ids = await writing.appendEntries(oid, port, contents);
        for (const id of ids) addedIn(areas).set([oid, port, id].join(), runOf(areas));
        return ids;
      };
      return right(areas, call, { ...writing, appendEntries });
    }),
    replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (filter !== undefined || section.items !== undefined)
        return right(areas, reading, object, section, range, filter);
      const all = await right(areas, reading, object, section, whole, filter);
      const isEarly = ({ entryId }: StoredEntry) => {
        const run = addedIn(areas).get([object.oid, section.port, entryId].join());
        return run !== undefined && run !== runOf(areas);
      };
      const ordered = [...all.filter(isEarly), ...all.filter((entry) => !isEarly(entry))];
      return ordered.slice(range.from, range.to);
    }),
  );
}

function keepsNamesOfRefused(): Variant {
  const namesIn = perServer(() => new Map<string, string>());
  return together(
    replaces('multiCreate', 'identifyItems', (right, areas, items) => {
      const all = right(areas, items);
      for (const { $id, oid } of all) if ($id !== undefined && !namesIn(areas).has($id)) namesIn(areas).set($id, oid);
      return all;
    }),
    replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      namesIn(areas).clear();
      return answer;
    }),
    replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const targetOf = (text: string) => {
        const item = items.find(({ oid }) => oid === text);
        return namesIn(areas).get(item?.$id ?? '') ?? text;
      };
      const appendEntries: Writing['appendEntries'] = (oid, port, contents) =>
        writing.appendEntries(
          oid,
          port,
          contents.map((content) => {
            const changed = mapTexts(content, targetOf);
            return isContent(changed) ? changed : content;
          }),
        );
      return right(areas, call, { ...writing, appendEntries }, items, inputs);
    }),
  );
}

function keepsRefusals(): Variant {
  const refusedIn = perRun(() => new Set<string>());
  return replaces('auth', 'authorize', (right, areas, user, access, call) => {
    const key = `${user.name} ${call.method}`;
    if (access !== 'space') return right(areas, user, access, call);
    if (refusedIn(areas).has(key)) throw new Refusal(403, 'No role allows that.');
    try {
      right(areas, user, access, call);
    } catch (error) {
      if (isRefusal(error, 403)) refusedIn(areas).add(key);
      throw error;
    }
  });
}

function leavesDates(): Variant {
  const leftIn = perRun((): { time: unknown } => ({ time: undefined }));
  const filterName = headerNames.informationFilter.toLowerCase();
  return together(
    replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const filter = jsonOf(Buffer.from(call.headers[filterName] ?? '', 'base64').toString());
        if (route.path === routes.operations && error instanceof Refusal) leftIn(areas).time = at(filter, '/time');
        throw error;
      }
    }),
    replaces('contents', 'effectivityOf', (right, areas, call) => {
      const { time } = leftIn(areas);
      leftIn(areas).time = undefined;
      return typeof time === 'string' ? time : right(areas, call);
    }),
  );
}
