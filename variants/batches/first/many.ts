import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many } from '../service.ts';

export const multiCreateMistakes: Batch = {
  'multi-create.late-failure': {
    source: 'core: Multi-create rules 1',
    breaks: 'All instances are one change set: none is there when the last item refers to an object that is not.',
    kind: 'moment',
    variant: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return areas.messages.problemAnswer(call, error);
      }
    }),
    async shows({ edda }) {
      const name = `part ${randomUUID()}`;
      const describes = [{ value: { $oid: randomUUID() } }];
      await edda.multiCreate([
        { $id: 'part', $softType: 'Part', data: { name } },
        { $id: 'document', $softType: 'Document', data: { title: 'document', describes } },
      ]);
      const listed = await edda.get(`/api/space/main/instances/Part?text=${encodeURIComponent(name)}`);
      return listAt(listed.json, '/data').length > 0;
    },
  },

  'multi-create.fifty': {
    source: 'core: Multi-create rules 3',
    breaks: 'One request may create fifty instances.',
    kind: 'value',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      if (items.length === 50) throw new Refusal(422, 'A multi-create takes fewer than 50 items.');
      return right(areas, items);
    }),
    async shows({ edda }) {
      const items = many(50, (number) => ({ $id: `p${number}`, $softType: 'Part', data: { name: `part ${number}` } }));
      return (await edda.multiCreate(items)).status >= 400;
    },
  },
};

export const maturityMistakes: Batch = {
  'maturity.second-level': {
    source: 'core: States and transitions',
    breaks: 'Each maturity level has its own state: to promote the second leaves that of the first.',
    kind: 'place',
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
};

export const accessMistakes: Batch = {
  'headers.log-of-refusals': {
    source: 'core: Common request headers',
    breaks: 'A correlation id that is given stands in every log message of its request, also in that of a refusal.',
    kind: 'combination',
    variant: replaces('messages', 'logRefusal', (_right, areas, call, { status, message }) => {
      areas.log.warn({ method: call.method, status, detail: message }, 'refused');
    }),
    async shows({ edda, log }) {
      const made = await edda.make('Document', { title: 'log' });
      const correlationId = randomUUID();
      await edda.send('PATCH', editPath(made), { headers: { [headerNames.correlationId]: correlationId }, body: {} });
      return !(await log(correlationId)).includes('"refused"');
    },
  },

  'openapi.fourth-soft-type': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition tells of every SoftType that is configured.',
    kind: 'place',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const softTypes = new Map([...space.template.softTypes].slice(0, 3));
      return right(areas, { ...space, template: { ...space.template, softTypes } });
    }),
    async shows({ edda }) {
      const { text } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !text.includes('ChangeRequest');
    },
  },
};
