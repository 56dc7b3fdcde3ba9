import { setTimeout as sleep } from 'node:timers/promises';
import { headerNames } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { type CurrentStates, statesMember, storedStates } from '../../../reference-server/areas/soft-type.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import type { Content, StoredObject } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, type Variant, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { multiCreateOf, pageLinkIn, pair, withRevisions } from '../proofs.ts';
import { at, movePath, versionHeader } from '../service.ts';
import { changes, during, keeps, perServer, whole } from '../variant-parts.ts';

/** When an object was last edited, and to which version. */
const lastEdits = perServer(() => new Map<string, { readonly time: number; readonly version: number }>());

const cachedContent = perServer(() => new Map<string, StoredObject['content']>());

export const maturityMistakes: Mistakes = {
  'maturity.put-ends-a-level': {
    source: 'core: States and transitions',
    breaks: 'An object carries a state for each maturity level, also behind a PUT, whose body names none.',
    variant: changes('editing', 'putObject', async (answer, _areas, call, writing) => {
      const object = await writing.object(call.space.id, call.object.oid);
      const [moved] = Object.entries(object === undefined ? {} : storedStates(object)).filter(
        ([, { state }]) => state === 'reviewed',
      );
      if (object === undefined || moved === undefined) return answer;
      const { [moved[0]]: _gone, ...states } = storedStates(object);
      await writing.updateObject(call.space.id, object.oid, object.version, {
        ...object.content,
        [statesMember]: states,
      });
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await edda.replace(made, 2, { title: 'again' });
      return at(await edda.read(made), '/data/engineering') === undefined;
    },
  },
  'maturity.moved-by-way-of-another-space': {
    source: 'core: Authentication, rules 6 and 7',
    breaks: 'A role in one space moves no object of another one.',
    variant: together(
      replaces('objects', 'locateObject', async (right, areas, call, reading) => {
        const isMove = call.url.includes('/maturityAction/');
        return (isMove && (await reading.object('main', call.params['objectId'] ?? ''))) || right(areas, call, reading);
      }),
      replaces('maturity', 'levelOf', (right, areas, call, object) => {
        const params = { ...call.params, spaceId: 'main' };
        return right(areas, { ...call, space: areas.auth.spaceOf({ ...call, params }) }, object);
      }),
    ),
    async shows({ edda, otto }) {
      const made = await edda.make('Document');
      await otto.put(movePath(made, 'promote', 'engineering').replace('/main/', '/depot/'), 1);
      return at(await edda.read(made), '/data/engineering/state') === 'reviewed';
    },
  },
  'maturity.state-after-a-demote': {
    source: 'core: States and transitions',
    breaks: 'A current state has its own identifier and definition, also after a demote.',
    variant: replaces('maturity', 'demoteObject', (right, areas, call, writing) => {
      const bare = within(areas, {
        maturity: {
          contentInState(content, level, state) {
            const states = content[statesMember];
            return { ...content, [statesMember]: { ...(isContent(states) && states), [level]: { id: level, state } } };
          },
        },
      });
      return right(bare, call, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      return at(await edda.read(made), '/data/engineering/$oid') === undefined;
    },
  },
  'states.second-promote-drops-the-definition': {
    source: 'core: States and transitions',
    breaks: 'A current state has all its members in the last state as well.',
    variant: changes('maturity', 'contentInState', (next, _areas, content, level) => {
      const states: unknown = next['$states'];
      if (at(content, `/$states/${level}/state`) === 'draft' || level !== 'engineering' || !isRecord(states))
        return next;
      const { $softType: _definition, ...rest } = Object(states[level]);
      return { ...next, $states: { ...states, [level]: rest } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await edda.move(made, 2);
      const state = at(await edda.read(made), '/data/engineering');
      return at(state, '/state') === 'released' && at(state, '/$softType') === undefined;
    },
  },
  'reading.last-state-of-a-level': {
    source: 'core: States and transitions',
    breaks: 'An instance carries the current state of each level, also of one that has come to its last.',
    variant: changes('instances', 'dataOf', (data, areas, space, object) => {
      const levels = areas.objects.softTypeOf(space, object.softType).maturity?.levels ?? [];
      for (const [level, states] of levels)
        if (at(data, `/${level}/state`) === states.at(-1)) Reflect.deleteProperty(data, level);
      return data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'released' });
      await edda.move(made, 1);
      await edda.move(made, 2);
      return at(await edda.read(made), '/data/engineering/state') !== 'released';
    },
  },
  'multi-create.objects-have-no-states': {
    source: 'core: States and transitions',
    breaks: 'An instance carries its current states, however it was created.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const insertObject: typeof writing.insertObject = ({ content: { $states: _none, ...content }, ...object }) =>
        writing.insertObject({ ...object, content });
      return right(areas, call, { ...writing, insertObject }, items, inputs);
    }),
    shows: async ({ edda }) => {
      const { json } = await edda.multiCreate(pair('stateless'));
      return at((await edda.get(String(at(json, '/1/href')))).json, '/data/engineering') === undefined;
    },
  },
  'maturity.narrow-views-show-one-level': {
    source: 'core: States and transitions, first point',
    breaks: 'An instance carries a state for each level, whichever output schema it is read with.',
    variant: changes('instances', 'dataOf', (data, areas, space, object, view) => {
      const softType = areas.objects.softTypeOf(space, object.softType);
      if (view === areas.objects.outputViewOf(softType, undefined)) return data;
      const [, ...others] = softType.maturity?.levels.keys() ?? [];
      const shown = Object.entries(data).filter(([name]) => !others.includes(name));
      return { ...data, ...Object.fromEntries(others.map((name) => [name, undefined])), ...Object.fromEntries(shown) };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document');
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/approval') === undefined;
    },
  },
  'maturity.state-without-its-id-behind-a-move': {
    source: 'core: States and transitions, first sentence',
    breaks: 'A current state has an object identifier, also on a level that has moved.',
    variant: changes('maturity', 'contentInState', (moved, _areas, _content, level) => {
      const states = moved[statesMember] as Readonly<Record<string, object>>;
      return { ...moved, [statesMember]: { ...states, [level]: { ...states[level], $oid: undefined } } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      const state = at(await edda.read(made), '/data/engineering');
      return at(state, '/state') === 'reviewed' && at(state, '/$oid') === undefined;
    },
  },
  'maturity.second-level': {
    source: 'core: States and transitions',
    breaks: 'Each maturity level has its own state: to promote the second leaves that of the first.',
    variant: replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
      const moved = right(areas, content, level, state);
      return level === 'approval' ? right(areas, moved, 'engineering', 'draft') : moved;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'levels' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'promote', 'approval');
      return at(await edda.read(made), '/data/engineering/state') !== 'reviewed';
    },
  },
  'maturity.second-level-from-before-the-batch': {
    source: 'core: States and transitions',
    breaks: 'Each maturity level has its state, also where one batch moves two of them.',
    variant: breaks('maturity', 'promoteObject', (right) => {
      const first = new Map<string, unknown>();
      return (areas, call, writing) => {
        const { object } = call;
        if (call.isChangedHere?.(object.oid) !== true) {
          first.set(object.oid, object.content[statesMember]);
          return right(areas, call, writing);
        }
        const content = { ...object.content, [statesMember]: first.get(object.oid) };
        return right(areas, { ...call, object: { ...object, content } }, writing);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const move = (level: string, version: number) => ({
        method: 'PUT',
        href: movePath(made, 'promote', level),
        headers: versionHeader(version),
      });
      await edda.batch([move('engineering', 1), move('approval', 2)]);
      return at(await edda.read(made), '/data/engineering/state') === 'draft';
    },
  },
  'maturity.one-click-for-two-objects': {
    source: 'core: States and transitions',
    breaks: 'A promote that is accepted moves its object, also right behind that of another one.',
    variant: breaks('maturity', 'promoteObject', (right) => {
      let former: { readonly key: string; readonly at: number; readonly answer: Answer } | undefined;
      return async (areas, call, writing) => {
        const key = `${call.user.name} ${call.place.id} ${call.object.version}`;
        const now = areas.clock.now();
        if (former?.key === key && now - former.at < 300 && call.isSibling === undefined) return former.answer;
        const answer = await right(areas, call, writing);
        former = { key, at: now, answer };
        return answer;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Document'), await edda.make('Document', { title: 'b' })];
      await edda.move(one, 1);
      const moved = await edda.move(other, 1);
      return moved.status === 204 && at(await edda.read(other), '/version') !== 2;
    },
  },
  'maturity.no-states-at-the-end': {
    source: 'core: States and transitions',
    breaks: 'An instance carries a state for each level, also when all levels are at their last one.',
    variant: changes('instances', 'dataOf', (data, areas, space, object) => {
      const levels = areas.objects.softTypeOf(space, object.softType).maturity?.levels ?? new Map<string, string[]>();
      const states = storedStates(object);
      const isAtEnd = levels.size > 0 && [...levels].every(([id, all]) => states[id]?.state === all.at(-1));
      if (!isAtEnd) return data;
      const left = { ...data };
      for (const id of [...levels.keys()].slice(1)) Reflect.deleteProperty(left, id);
      return left;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const levels = ['engineering', 'engineering', 'approval', 'approval'];
      for (const [index, level] of levels.entries()) await edda.move(made, index + 1, 'promote', level);
      return at(await edda.read(made), '/data/approval') === undefined;
    },
  },
  'maturity.validated-promotes-count-twice': {
    source: 'core: States and transitions',
    breaks: 'A promote raises the version by one, also where an extension was asked about it.',
    variant: replaces('maturity', 'promoteObject', (right, areas, call, writing) => {
      const twice = within(areas, { maturity: { versionAfterPromote: (object) => object.version + 2 } });
      return right((call.verdicts?.size ?? 0) > 0 ? twice : areas, call, writing);
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      await service.host([{ id: 'check', extensionType: 'ExternalValidation', capabilities }]);
      const made = await service.edda.make('Document');
      return (await service.edda.move(made, 1)).headers.get(headerNames.version) !== '2';
    },
  },
  'maturity.demote-takes-the-other-level-along': {
    source: 'core: States and transitions',
    breaks: 'A demote moves the level that its path names, and no other one.',
    survives: 'Whether levels move independently is not said, and what a demote leads to is silent (demote-effect).',
    variant: demoteRestores(),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await edda.move(made, 2, 'promote', 'approval');
      await edda.move(made, 3, 'demote');
      return at(await edda.read(made), '/data/approval/state') !== 'checked';
    },
  },
  'maturity.states-share-their-ids': {
    source: 'core: States and transitions',
    breaks: 'The $oid of a current state identifies one object, not that of every instance of the definition.',
    survives: 'A current state names a level-state, which may be one object that all instances in it refer to.',
    variant: keeps('editing', 'startContent', (softType) => softType.id),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Document'), await edda.make('Document', { title: 'b' })];
      const [first, second] = [await edda.read(one), await edda.read(other)];
      return at(first, '/data/engineering/$oid') === at(second, '/data/engineering/$oid');
    },
  },
  'maturity.last-state-with-old-version': {
    source: 'core: States and transitions',
    breaks: 'A promote at version n gives n+1, the one into the last state as well.',
    variant: changes('maturity', 'promoteObject', (answer, _areas, call) => {
      const { states, current } = call.place;
      const headers = { ...answer.headers, 'Svc-UOIVersion': String(call.object.version) };
      return states.indexOf(current) === states.length - 2 ? { ...answer, headers } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'last' });
      await edda.move(made, 1);
      return (await edda.move(made, 2)).headers.get('svc-uoiversion') !== '3';
    },
  },
  'states.one-level-in-a-batch-of-many': {
    source: 'core: States and transitions 1',
    breaks: 'An instance has a current state for every level, also when a multi-create of a batch has made it.',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      if (call.isSibling === undefined) return right(areas, call, writing, items, inputs);
      return right(
        areas,
        call,
        {
          ...writing,
          insertObject: (object) => writing.insertObject({ ...object, content: firstLevelOnly(object.content) }),
        },
        items,
        inputs,
      );
    }),
    async shows({ edda }) {
      const body = [{ $id: 'a', $softType: 'Document', data: { title: 't' } }];
      const answer = await edda.batch([multiCreateOf(body)]);
      const href = String(at(answer.json, '/0/body/0/href'));
      return at((await edda.get(href)).json, '/data/approval') === undefined;
    },
  },
  'maturity.second-demote-with-old-version': {
    source: 'core: Endpoint table, PUT demote',
    breaks: 'Every PUT returns the new version, the second demote of an object as well.',
    variant: breaks('maturity', 'demoteObject', (right) => {
      const seen = new Set<string>();
      return async (areas, call, writing) => {
        const answer = await right(areas, call, writing);
        const { oid, version } = call.object;
        const again = seen.has(oid);
        seen.add(oid);
        return again ? { ...answer, headers: { ...answer.headers, 'Svc-UOIVersion': String(version) } } : answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'twice' });
      await edda.move(made, 1);
      await edda.move(made, 2);
      await edda.move(made, 3, 'demote');
      return (await edda.move(made, 4, 'demote')).headers.get('svc-uoiversion') !== '5';
    },
  },
  'maturity.last-step-has-content': {
    source: 'core: Endpoint table, PUT promote',
    breaks: 'A promote answers 204, also the one into the last state.',
    variant: changes('maturity', 'promoteObject', (answer, _areas, call) => {
      const { states, current } = call.place;
      return current === states.at(-2) ? { ...answer, status: 200, body: { state: states.at(-1) } } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      return (await edda.move(made, 2)).status !== 204;
    },
  },
  'maturity.back-to-where-it-was': {
    source: 'core: States and transitions',
    breaks: 'A promote leads to the next state, behind a demote too.',
    variant: (classes) => {
      const demoted = new Set<string>();
      return together(
        breaks('maturity', 'demoteObject', (right) => (areas, call, writing) => {
          demoted.add(`${call.object.oid} ${call.place.id}`);
          return right(areas, call, writing);
        }),
        changes('maturity', 'promotable', (move, _areas, { object }) => {
          const { states, id } = move.level;
          const beyond = states[states.indexOf(move.state) + 1];
          return demoted.has(`${object.oid} ${id}`) && beyond !== undefined ? { ...move, state: beyond } : move;
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      await edda.move(made, 3);
      return at(await edda.read(made), '/data/engineering/state') === 'released';
    },
  },
  'maturity.demote-cuts-inner-arrays': {
    source: 'core: States and transitions',
    breaks: 'A demote moves the state and leaves arrays inside entries as they are.',
    variant: replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      for (const { entryId, content } of await writing.entries(call.object.oid, 'files', whole)) {
        const cut = Object.entries(content).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.slice(0, 10) : value,
        ]);
        await writing.updateEntry(call.object.oid, 'files', entryId, Object.fromEntries(cut));
      }
      return answer;
    }),
    async shows(service) {
      const { made, port } = await withRevisions(service, 11);
      await service.edda.move(made, 1);
      await service.edda.move(made, 2, 'demote');
      return pageLinkIn(await service.edda.read(made), port) === undefined;
    },
  },
  'maturity.promote-right-behind-an-edit': {
    source: 'core: Errors 1; States and transitions',
    breaks:
      'Of an edit and a promote that are sent for one version at the same time one is a conflict, whichever comes first.',
    variant: together(
      during('maturity', 'promoteObject', (step) =>
        replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
          await right(areas, writing, object, version, content);
          if (!step.isOn()) lastEdits(areas).set(object.oid, { time: Date.now(), version });
        }),
      ),
      replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const last = lastEdits(areas).get(object.oid);
        const isFresh = last?.version === object.version && Date.now() - last.time < 100;
        const isMeant = isFresh && call.url.includes('/promote/');
        const sent = call.headers[headerNames.version.toLowerCase()];
        return isMeant && sent === String(object.version - 1) ? object.version : right(areas, call, object);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const edit = edda.merge(made, 1, { note: 'n' });
      const late = new Promise((resolve) => setTimeout(resolve, 5)).then(() => edda.move(made, 1));
      return (await Promise.all([edit, late])).every(({ status }) => status < 300);
    },
  },
  'maturity.demote-of-the-second-level-on-the-first': {
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
  'maturity.levels-locked-apart': {
    source: 'core: Errors, rule 1',
    breaks:
      'Of two promotes for one version that are sent at the same time one is refused, on whichever levels they are.',
    variant: (() => {
      const arrivedIn = perServer(() => new Map<string, StoredObject | undefined>());
      return together(
        replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
          if (route.path !== routes.promote) return right(areas, route, call);
          const { spaceId = '', objectId = '' } = call.params;
          const before = await areas.store.read((reading) => reading.object(spaceId, objectId));
          arrivedIn(areas).set(call.correlationId, before);
          await sleep(15);
          return right(areas, route, call).finally(() => arrivedIn(areas).delete(call.correlationId));
        }),
        replaces('versioning', 'assertVersion', (right, areas, call, object) => {
          const before = arrivedIn(areas).get(call.correlationId);
          const level = call.params['levelId'] ?? '';
          const isFree =
            call.headers[headerNames.version.toLowerCase()] === String(before?.version) &&
            before !== undefined &&
            contentBeside(before) === contentBeside(object) &&
            stateIn(before, level) === stateIn(object, level);
          return isFree ? object.version : right(areas, call, object);
        }),
      );
    })(),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const moves = ['engineering', 'approval'].map((level) => edda.move(made, 1, 'promote', level));
      return (await Promise.all(moves)).every(({ status }) => status < 300);
    },
  },
  'maturity.promote-writes-what-was-cached': {
    source: 'core: Endpoint table, PUT promote; Versioning 2',
    breaks: 'A promote leaves the members alone, also those that were edited since they were read last.',
    variant: together(
      replaces('instances', 'readInstance', (right, areas, call, reading) => {
        cachedContent(areas).set(call.object.oid, call.object.content);
        return right(areas, call, reading);
      }),
      replaces('maturity', 'promoteObject', (right, areas, call, writing) => {
        const cached = cachedContent(areas).get(call.object.oid);
        if (cached === undefined) return right(areas, call, writing);
        const now = Object.entries(call.object.content).filter(([name]) => name.startsWith('$'));
        const then = Object.entries(cached).filter(([name]) => !name.startsWith('$'));
        const content = Object.fromEntries([...then, ...now]);
        return right(areas, { ...call, object: { ...call.object, content } }, writing);
      }),
      during('operations', 'operateObject', (step) =>
        replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
          if (!step.isOn()) cachedContent(areas).delete(object.oid);
          return right(areas, writing, object, version, content);
        }),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'old' });
      await edda.read(made);
      await edda.operate(made, 1, [{ op: 'replace', path: '/note', value: 'new' }]);
      await edda.move(made, 2);
      return at(await edda.read(made), '/data/note') === 'old';
    },
  },
  'maturity.state-missing-in-a-snapshot': {
    source: 'core: States and transitions',
    breaks: 'A promote leads on from the state that the object is in, however many edits it has behind it.',
    variant: changes('maturity', 'levelOf', (level, _areas, _call, { version }) => ({
      ...level,
      current: version > 22 ? (level.states[0] ?? level.current) : level.current,
    })),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      for (let version = 2; version <= 23; version += 1) await edda.merge(made, version, { note: `edit ${version}` });
      await edda.move(made, 24);
      return at(await edda.read(made), '/data/engineering/state') === 'reviewed';
    },
  },
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function firstLevelOnly(content: { readonly [member: string]: unknown }): { readonly [member: string]: unknown } {
  const states = content['$states'];
  if (typeof states !== 'object' || states === null) return content;
  return { ...content, $states: Object.fromEntries(Object.entries(states).slice(0, 1)) };
}

/** Undoes a promote by what it kept of all levels. */
function demoteRestores(): Variant {
  return (classes) => {
    const before = new Map<string, CurrentStates>();
    return together(
      changes('maturity', 'promoteObject', (answer, _areas, call) => {
        before.set(`${call.object.oid} ${call.place.id}`, storedStates(call.object));
        return answer;
      }),
      replaces('maturity', 'demoteObject', (right, areas, call, writing) => {
        const states = before.get(`${call.object.oid} ${call.place.id}`);
        if (states === undefined) return right(areas, call, writing);
        const contentInState = (content: Content): Content => ({ ...content, [statesMember]: states });
        return right(within(areas, { maturity: { contentInState } }), call, writing);
      }),
    )(classes);
  };
}

function contentBeside({ content }: StoredObject): string {
  return JSON.stringify({ ...content, [statesMember]: 0 });
}

function stateIn({ content }: StoredObject, level: string): unknown {
  return at(content, `/${statesMember}/${level}/state`);
}
