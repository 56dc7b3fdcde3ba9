import { describe, expect, test } from 'vitest';
import type { TriggerTemplate } from '../../contract/profile/calls-out.ts';
import type { Reply, RequestSpec } from '../exchange.ts';
import type { Extension } from './extension.ts';
import { bind } from '../profile.ts';
import { smallProfile } from '../small-service.fixture.ts';
import type { Target } from '../service/target.ts';
import { openTriggers, type Triggers } from './triggers.ts';

/** Triggers whose requests are answered in turn, and what was sent. */
function triggersWith(event: TriggerTemplate, answers: readonly Partial<Reply>[]) {
  const sent: RequestSpec[] = [];
  const left = [...answers];
  const send = async (request: RequestSpec) => {
    sent.push(request);
    return { status: 200, headers: {}, text: '', json: undefined, exchange: {}, ...left.shift() };
  };
  const service = { send } as unknown as Target;
  const { profile } = smallProfile('http://localhost:1');
  const triggers = openTriggers({
    record: { settlesAt: 0 },
    clock: { now: () => 0 },
    service,
    profile: bind({ ...profile, triggers: { event } }),
    unique: (prefix = 'text') => `${prefix}-1`,
    taskInput: async () => undefined,
  });
  return { triggers, sent };
}

const extension = { record: () => ({ id: 'record-1' }), registration: { id: 'r1' } } as unknown as Extension;

const subscribeThenEdit: TriggerTemplate = [
  {
    method: 'POST',
    path: '/subscription',
    body: { record: '{{recordId}}' },
    take: { subscription: '/sub/id', place: 'Location' },
  },
  { method: 'POST', path: '/object/{{place}}', body: { text: '{{payload}}', by: '{{subscription}}' } },
];

const answers = [
  { status: 201, headers: { location: '/made/o%201' }, json: { sub: { id: 7 } } },
  { status: 202, json: { id: 'queued-1', call: 'handler-1' } },
];

const fired = (triggers: Triggers) => triggers.event(extension, { own: 'content' });

describe('a trigger of several requests', () => {
  test('sends them in order, each with what those before told, and the last answer counts', async () => {
    const { triggers, sent } = triggersWith(subscribeThenEdit, answers);
    expect(await fired(triggers)).toMatchObject({ id: 'queued-1', marker: 'queued-1', reply: { status: 202 } });
    expect(sent.map(({ url, body }) => [url, body])).toEqual([
      ['/subscription', { record: 'record-1' }],
      ['/object/o%201', { text: { own: 'content' }, by: 7 }],
    ]);
  });

  test('counts the answer that is marked', async () => {
    const [first, second] = subscribeThenEdit;
    const marked = first && second ? [{ ...first, answer: true }, second] : [];
    expect(await fired(triggersWith(marked, answers).triggers)).toMatchObject({ id: 'o 1', reply: { status: 201 } });
  });

  test('goes no further where one is refused', async () => {
    const { triggers, sent } = triggersWith(subscribeThenEdit, [{ status: 500, text: 'no' }]);
    await expect(fired(triggers)).rejects.toThrow('every request of the trigger triggers.event');
    expect(sent).toHaveLength(1);
  });
});

test('the text that stands in the call may be another than the id in the queue', async () => {
  const event = { method: 'POST', path: '/event', idPath: '/id', shownPath: '/call' };
  const { triggers } = triggersWith(event, answers.slice(1));
  expect(await fired(triggers)).toMatchObject({ id: 'queued-1', marker: 'handler-1' });
});

test('an event whose content is not sent is known by its id, and where there is none the profile is told', async () => {
  const event = { method: 'POST', path: '/event', body: { record: '{{recordId}}' }, idPath: '/id' };
  const plain = async (answer: Partial<Reply> | undefined) =>
    triggersWith(event, answer === undefined ? [] : [answer]).triggers.event(extension);
  expect(await plain(answers[1])).toMatchObject({ marker: 'queued-1' });
  await expect(plain({ status: 202, json: {} })).rejects.toThrow('let triggers.event of the profile send {{payload}}');
  const whole = { ...event, body: { content: '{{payload}}' } };
  const { triggers } = triggersWith(whole, answers.slice(1));
  expect(await triggers.event(extension)).toMatchObject({ marker: 'event-1', id: 'queued-1' });
});
