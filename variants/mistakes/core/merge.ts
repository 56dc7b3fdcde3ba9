import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { isArrayMember, statesMember } from '../../../reference-server/areas/soft-type.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { isoTime } from '../../../reference-server/rfc3339.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { filesOf, named } from '../proofs.ts';
import { at, listAt, many, versionHeader } from '../service.ts';
import { changes, during, mapEntries, mapTexts, perServer, withoutValue } from '../variant-parts.ts';

const mergedStates = perServer(() => new Map<string, unknown>());

export const mergeMistakes: Mistakes = {
  'merge.of-an-array-resets-the-last-level': {
    source: 'core: Endpoint table, PATCH (merge); States and transitions',
    breaks: 'A merge that names an array leaves the states of the object.',
    variant: during('editing', 'mergeObject', (step) => {
      let named = false;
      return together(
        changes('contents', 'editsFrom', (edits) => {
          named = edits.arrays.size > 0;
          return edits;
        }),
        replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
          const states = content['$states'];
          const last = isContent(states) ? Object.keys(states).at(-1) : undefined;
          if (!step.isOn() || !named || last === undefined || !isContent(states))
            return right(areas, writing, object, version, content);
          const first = areas.configuration.spaces
            .get(object.spaceId)
            ?.template.softTypes.get(object.softType)
            ?.maturity?.levels.get(last)?.[0];
          const state = { ...Object(states[last]), state: first };
          return right(areas, writing, object, version, { ...content, $states: { ...states, [last]: state } });
        }),
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1, 'promote', 'approval');
      await edda.merge(made, 2, { files: filesOf(1) });
      return at(await edda.read(made), '/data/approval/state') !== 'checked';
    },
  },
  'merge.same-as-before-ignored': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge edits what it names, also where it was sent before and others have come in between.',
    variant: breaks('editing', 'mergeObject', (right) => {
      const sent = new Set<string>();
      return async (areas, call, writing) => {
        const { object, json } = call;
        const key = `${object.oid} ${JSON.stringify(json)}`;
        if (!sent.has(key)) {
          const answer = await right(areas, call, writing);
          sent.add(key);
          return answer;
        }
        const version = areas.versioning.versionAfterMerge(object, json);
        await areas.versioning.storeEdit(writing, object, version, object.content);
        return areas.versioning.editedAnswer(version);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      for (const [index, note] of ['one', 'other', 'one'].entries()) await edda.merge(made, index + 1, { note });
      return at(await edda.read(made), '/data/note') !== 'one';
    },
  },
  'merge.by-another-schema-edits-one-field': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'Every field in the body is edited, whichever input schema the path names.',
    variant: replaces('contents', 'editsFrom', (right, areas, call, softType, view, body) => {
      const isFirst = view === softType.inputs.values().next().value;
      const edits = isFirst || !isContent(body) ? body : Object.fromEntries(Object.entries(body).slice(0, 1));
      return right(areas, call, softType, view, edits);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const path = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      const body = { note: 'n', remark: 'r' };
      await edda.send('PATCH', path, { headers: versionHeader(1), body });
      return at(await edda.read(made), '/data/remark') === undefined;
    },
  },
  'merge.takes-ten-entries': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge with more than ten entries leaves them all.',
    variant: during('editing', 'mergeObject', (step) =>
      replaces('editing', 'replaceArray', (right, areas, writing, oid, port, items) =>
        right(areas, writing, oid, port, step.isOn() ? items.slice(0, 10) : items),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.merge(made, 1, { contacts: many(12, (n) => ({ name: `c${n}` })) });
      return listAt((await edda.page(made, 'contacts', 1)).json, '/data').length !== 2;
    },
  },
  'writing.merge-drops-empty-texts-inside-objects': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A member inside an object is edited to an empty text as to any other.',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const cleaned = Object.entries(edits).map(([name, edit]) => [name, withoutEmptyTexts(edit)] as const);
      return right(areas, target, Object.fromEntries(cleaned));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { dimensions: { width: '1', height: '2' } });
      await edda.merge(made, 1, { dimensions: { width: '', height: '2' } });
      return at(await edda.read(made), '/data/dimensions/width') !== '';
    },
  },
  'merge.stamps-what-it-leaves-alone': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge leaves the fields alone that its body does not name, the date of a dated element included.',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const merged = Object.entries(right(areas, target, edits)).map(([name, value]) => {
        const isDated = isContent(value) && 'effectivity' in value && !(name in edits);
        return [name, isDated ? { ...value, effectivity: isoTime(areas.clock.now()) } : value];
      });
      return Object.fromEntries(merged) as ReturnType<typeof right>;
    }),
    shows: async ({ edda }) => {
      const price = { value: '10', effectivity: '2020-01-01T00:00:00Z' };
      const made = await edda.make('Document', { title: 'dated', price });
      await edda.merge(made, 1, { note: 'other' });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(price.effectivity);
    },
  },
  'merge.one-array-empties-the-others': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'Fields that the body does not name stay, also arrays when it names another array.',
    variant: replaces('editing', 'replaceArrays', (right, areas, call, writing, object, softType, arrays) => {
      if (call.method !== 'PATCH' || arrays.size === 0) return right(areas, call, writing, object, softType, arrays);
      const ports = softType.members
        .entries()
        .filter(([, member]) => isArrayMember(member) && member.kind === 'entries');
      const emptied = new Map(ports.map(([port]) => [port, []] as const));
      return right(areas, call, writing, object, softType, new Map([...emptied, ...arrays]));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'f' }], contacts: [{ name: 'c' }] });
      await edda.merge(made, 1, { contacts: [{ name: 'd' }] });
      return listAt(await edda.read(made), '/data/files').length === 0;
    },
  },
  'editing.merge-of-false': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A field in the body of a merge has afterwards the value that the body gives it, false as well.',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const members = Object.entries(edits).map(([name, edit]) => [name, edit === false ? null : edit]);
      return right(areas, target, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'false', confidential: true });
      await edda.merge(made, 1, { confidential: false });
      return at(await edda.read(made), '/data/confidential') !== false;
    },
  },
  'editing.merge-cuts-long-arrays': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'What the body of a merge leaves out stays, all pages of a long array included.',
    variant: changes('editing', 'mergeObject', async (answer, _areas, call, writing) => {
      const { oid } = call.object;
      if ((await writing.countEntries(oid, 'files')) > 20)
        await writing.replaceEntries(oid, 'files', await writing.entries(oid, 'files', { from: 0, to: 20 }));
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'long', files: many(25, (n) => ({ name: `file ${n}` })) });
      await edda.merge(made, 1, { note: 'edited' });
      return listAt((await edda.page(made, 'files', 2)).json, '/data').length !== 5;
    },
  },
  'merge.first-array-empties-the-second': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'What the body of a merge leaves out stays, also the second array where the body has the first.',
    variant: during('editing', 'mergeObject', (step) =>
      replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
        if (step.isOn() && port === 'files') await writing.replaceEntries(oid, 'contacts', []);
        return right(areas, writing, oid, port, items);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { contacts: named(1) });
      await edda.merge(made, 1, { files: named(1) });
      return listAt(await edda.read(made), '/data/contacts').length === 0;
    },
  },
  'merge.second-level-back': {
    source: 'core: Endpoint table, PATCH (merge); States and transitions',
    breaks: 'A merge moves no current state, that of the second level included.',
    variant: changes('editing', 'mergePatch', (merged) => {
      const states = merged['$states'];
      if (!isContent(states) || !isContent(states['approval'])) return merged;
      return { ...merged, $states: { ...states, approval: { ...states['approval'], state: 'open' } } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'approved' });
      await edda.move(made, 1, 'promote', 'approval');
      await edda.merge(made, 2, { note: 'edited' });
      return at(await edda.read(made), '/data/approval/state') === 'open';
    },
  },
  'merge.falsy-values-dropped': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge edits every field that its body names, whatever value the field gets.',
    museum: true,
    variant: replaces('contents', 'editsFrom', (right, areas, call, softType, view, body) =>
      right(areas, call, softType, view, isContent(body) ? withoutFalsy(body) : body),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { confidential: true });
      await edda.merge(made, 1, { confidential: false });
      return at(await edda.read(made), '/data/confidential') === true;
    },
  },
  'editing.merge-of-an-empty-text': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A field in the body of a merge has afterwards the value that the body gives it, an empty text as well.',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const members = Object.entries(edits).map(([name, edit]) => [name, edit === '' ? null : edit]);
      return right(areas, target, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'empty', note: 'something' });
      await edda.merge(made, 1, { note: '' });
      return at(await edda.read(made), '/data/note') !== '';
    },
  },
  'editing.merge-that-reorders-a-list': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks:
      'A field in the body of a merge has afterwards the value that the body gives it, also where only its order is new.',
    survives: 'In which order an array of plain texts is kept is not said.',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const old: Content = isContent(target) ? target : {};
      const dirty = Object.entries(edits).filter(([name, edit]) => !hasSameItems(old[name], edit));
      return right(areas, target, Object.fromEntries(dirty));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'list', keywords: ['one', 'two'] });
      await edda.merge(made, 1, { keywords: ['two', 'one'] });
      return at(await edda.read(made), '/data/keywords/0') !== 'two';
    },
  },
  'editing.merge-of-a-large-integer': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'An integer beyond 32 bits is kept by a merge as it was sent.',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const members = Object.entries(edits).map(([name, edit]) => [
        name,
        Number.isSafeInteger(edit) ? Number(edit) | 0 : edit,
      ]);
      return right(areas, target, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.merge(made, 1, { pageCount: 3_000_000_000 });
      return at(await edda.read(made), '/data/pageCount') !== 3_000_000_000;
    },
  },
  'merge.inner-members-of-another-object': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge gives an object the members of its body, and none of what was merged into another one.',
    variant: breaks('editing', 'mergePatch', (right) => {
      let shared: object = {};
      return (areas, target, edits) => {
        const merged = right(areas, target === undefined ? shared : target, edits);
        if (target === undefined) shared = merged;
        return merged;
      };
    }),
    async shows({ edda }) {
      const one = await edda.make('Document');
      const other = await edda.make('Document');
      await edda.merge(one, 1, { dimensions: { width: '1' } });
      await edda.merge(other, 1, { dimensions: { height: '2' } });
      return at(await edda.read(other), '/data/dimensions/width') !== undefined;
    },
  },
  'editing.second-schema-loses-objects': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'Fields that the body leaves out stay, also objects that the input schema of the path does not have.',
    variant: replaces('editing', 'mergeObject', (right, areas, call, writing) => {
      const { view } = call.place;
      const known = new Set(view.names.values());
      const kept = Object.entries(call.object.content).filter(
        ([name, value]) => name.startsWith('$') || known.has(name) || typeof value !== 'object',
      );
      return right(areas, { ...call, object: { ...call.object, content: Object.fromEntries(kept) } }, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { dimensions: { width: '1' } });
      await edda.send('PATCH', `/api/space/main/softtype/Document/documentBrief/${made.oid}`, {
        headers: versionHeader(1),
        body: { note: 'n' },
      });
      return at(await edda.read(made), '/data/dimensions') === undefined;
    },
  },
  'editing.merge-of-the-same': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'An accepted merge answers 204, also when each field has the value already.',
    variant: changes('editing', 'mergeObject', (answer, _areas, call) => {
      const edits = isContent(call.json) ? Object.entries(call.json) : [];
      const isSame = edits.every(([name, value]) => call.object.content[name] === value);
      return isSame ? { ...answer, status: 200, body: { message: 'not changed' } } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'same' });
      return (await edda.merge(made, 1, { note: 'same' })).status !== 204;
    },
  },
  'merge.other-arrays-as-read': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge that names one array leaves the others as they are, beyond what a first read shows as well.',
    variant: replaces('editing', 'replaceArrays', async (right, areas, call, writing, object, softType, arrays) => {
      const others = softType.members.entries().filter(([port, member]) => isArrayMember(member) && !arrays.has(port));
      for (const [port] of arrays.size === 0 ? [] : others) {
        const shown = await writing.entries(object.oid, port, areas.entries.firstReadRange());
        await writing.replaceEntries(object.oid, port, shown);
      }
      return right(areas, call, writing, object, softType, arrays);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'merge', files: named(12) });
      await edda.merge(made, 1, { contacts: named(1) });
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 2;
    },
  },
  'merge.text-column-of-64k': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A text that a merge has taken is there to its end.',
    variant: changes('contents', 'editsFrom', (input) => ({
      ...input,
      content: mapTexts(input.content, (text) => text.slice(0, 65_535)) as Content,
    })),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const note = 'n'.repeat(70_000);
      return (await edda.merge(made, 1, { note })).status === 204 && at(await edda.read(made), '/data/note') !== note;
    },
  },
  'merge.false-in-objects-is-none': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge brings the truth value that it names inside an object, also when it is false.',
    variant: changes('contents', 'editsFrom', (input) => ({
      ...input,
      content: mapValues(input.content, (value) => (isContent(value) ? withoutValue(value, false) : value)),
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { dimensions: { width: '1', height: '2', nominal: true } });
      await edda.merge(made, 1, { dimensions: { width: '1', height: '2', nominal: false } });
      return at(await edda.read(made), '/data/dimensions/nominal') !== false;
    },
  },
  'merge.hundred-entries-at-once': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'An array that a merge has taken is there with all its entries.',
    variant: changes('contents', 'editsFrom', (input) => mapEntries(input, (entries) => entries.slice(0, 100))),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.merge(made, 1, { files: named(101) });
      return listAt((await edda.page(made, 'files', 10)).json, '/data').length !== 1;
    },
  },
  'merge.brings-back-what-goes-meanwhile': {
    source: 'core: Errors 404',
    breaks: 'A merge that is under way when its object is deleted does not bring it back.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (route.path !== routes.merge || call.method !== 'PATCH') return right(areas, route, call);
      const { spaceId = '', objectId = '' } = call.params;
      const before = await areas.store.read((reading) => reading.object(spaceId, objectId));
      await sleep(15);
      const after = await areas.store.read((reading) => reading.object(spaceId, objectId));
      if (before !== undefined && after === undefined)
        await areas.store.change((writing) => writing.insertObject(before));
      return right(areas, route, call);
    }),
    async shows({ edda }) {
      for (let left = 10; left > 0; left -= 1) {
        const made = await edda.make('Document');
        const edit = edda.merge(made, 1, { note: 'n' });
        await sleep(4);
        const gone = await edda.delete(made.path);
        if ((await edit).status === 204 && gone.status === 204 && (await edda.get(made.path)).status === 200)
          return true;
      }
      return false;
    },
  },
  'merge.others-by-their-brief-schema-drop-the-rest': {
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
      const made = await edda.make('Part', { dimensions: { width: 'w' } });
      await edda.send('PATCH', `/api/space/main/softtype/Part/partBrief/${made.oid}`, {
        headers: versionHeader(1),
        body: { note: 'n' },
      });
      return at(await edda.read(made), '/data/dimensions') === undefined;
    },
  },
  'merge.narrow-schema-cuts-references': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge under a narrow input schema leaves the references which that does not know.',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { softType, view } = call.place;
      const known = new Set(view.names.values());
      for (const [port, { kind }] of softType.members)
        if (kind === 'references' && !known.has(port)) await writing.replaceEntries(call.object.oid, port, []);
      return answer;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part');
      const made = await edda.make('Document', { describes: [{ value: { $oid: oid } }] });
      const path = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      await edda.send('PATCH', path, { headers: versionHeader(1), body: { note: 'n' } });
      return listAt(await edda.read(made), '/data/describes').length === 0;
    },
  },
  'editing.merge-brings-back-a-state': {
    source: 'core: Endpoint table, PATCH (merge); States and transitions',
    breaks: 'A merge leaves the state as it is, also when the object was promoted between two merges.',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const { object } = call;
      const states = mergedStates(areas).get(object.oid) ?? object.content[statesMember];
      const content = states === undefined ? object.content : { ...object.content, [statesMember]: states };
      const answer = await right(areas, { ...call, object: { ...object, content } }, writing);
      mergedStates(areas).set(object.oid, states);
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.merge(made, 1, { note: 'one' });
      await edda.move(made, 2);
      await edda.merge(made, 3, { note: 'two' });
      return at(await edda.read(made), '/data/engineering/state') === 'draft';
    },
  },
  'merge.list-missing-in-a-snapshot': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'Members that merges do not name stay, however many merges there are.',
    variant: changes('instances', 'dataOf', ({ keywords, ...data }, _areas, _space, { version }) =>
      version > 22 || keywords === undefined ? data : { ...data, keywords },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { keywords: ['one'] });
      for (let version = 1; version <= 22; version += 1) await edda.merge(made, version, { note: `edit ${version}` });
      return at(await edda.read(made), '/data/keywords') === undefined;
    },
  },
};

function withoutEmptyTexts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== ''));
}

function withoutFalsy(body: Content): Content {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value === null || Boolean(value)));
}

function hasSameItems(old: unknown, edit: unknown): boolean {
  if (!Array.isArray(old) || !Array.isArray(edit) || old.length !== edit.length) return false;
  return edit.every((item) => old.includes(item));
}

function mapValues(content: Content, change: (value: unknown) => unknown): Content {
  return Object.fromEntries(Object.entries(content).map(([name, value]) => [name, change(value)])) as Content;
}
