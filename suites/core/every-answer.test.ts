import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import type { RuleId } from '../../contract/rule.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { replaces, type Variant } from '../../variants/breaks.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { catalogue } from '../catalogue.ts';

/** A second edit loses a text that it does not name. */
const forgetsNote = replaces('editing', 'mergeObject', (right, _areas, call, writing) => {
  const { note: _, ...content } = call.object.content;
  const isSecond = call.object.version > 1 && !('note' in Object(call.json));
  return right(_areas, isSecond ? { ...call, object: { ...call.object, content } } : call, writing);
});

test('what no case looks at is seen in the answers to all of them', async () => {
  await using server = await startReference({}, (options) => createVariant({ ...options, faults: [forgetsNote] }));
  await using open = openJudge(catalogue, { loaded: server.loaded, seed: 1, runs: 1 });
  const judge = async (rule: RuleId) => (await open.judge(rule, new AbortController().signal)).outcome;
  for (const method of ['merge', 'operations', 'put'] as const)
    expect((await judge(`headers.uoi-version.on-${method}`))?.verdict).toBe('pass');
  const { verdict, violation } = (await judge('reading.answers.right-throughout')) ?? {};
  expect([verdict, violation?.actual]).toEqual(['fail', expect.stringMatching(/^"note of version \d+ is nothing/)]);
});

/** What replaces an object ends with its connection. @param times how often it does */
const losesConnections = (times: number): Variant => {
  let left = times;
  return replaces('editing', 'putObject', async (right, areas, call, writing) => {
    left -= 1;
    if (left < 0) return right(areas, call, writing);
    const cut = new Readable({ read: () => cut.destroy(new Error('cut')) });
    return { status: 200, headers: { 'Cache-Control': 'no-store' }, stream: { content: cut, size: 10 } };
  });
};

test.each([
  [Infinity, 'fail', 'blocked'],
  [3, 'pass', 'blocked'],
  [1, 'pass', 'pass'],
] as const)('a request that ends with its connection %d times', async (times, verdict, ofItsCase) => {
  const fault = losesConnections(times);
  await using server = await startReference({}, (options) => createVariant({ ...options, faults: [fault] }));
  await using open = openJudge(catalogue, { loaded: server.loaded, seed: 1, runs: 1 });
  const judge = async (rule: RuleId) => (await open.judge(rule, new AbortController().signal)).outcome;
  expect((await judge('headers.uoi-version.on-put'))?.verdict).toBe(ofItsCase);
  const outcome = await judge('reading.answers.right-throughout');
  expect(outcome?.verdict).toBe(verdict);
  if (verdict === 'fail') expect(outcome?.violation?.curl.at(-1)).toContain('--request PUT');
});

/** What was refused hides what it was about from the next one who asks for that. */
function hidesRefused(): Variant {
  const refused = new Set<string>();
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    if (refused.delete(call.url)) throw new Refusal(404, 'There is nothing.');
    try {
      return await right(areas, route, call);
    } catch (error) {
      if (error instanceof Refusal && error.status !== 404 && !call.url.includes('/batch')) refused.add(call.url);
      throw error;
    }
  });
}

/** An operation of a batch edits no flag and no number. */
const editsTextsInBatch = replaces('editing', 'mergeObject', (right, areas, call, writing) =>
  right(areas, call.isSibling === undefined ? call : { ...call, json: textsOf(Object(call.json)) }, writing),
);

function textsOf(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => typeof value === 'string'));
}

/** A multi-create of a single object keeps but the first of its members. */
const makesOneBare = replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
  const bare = inputs.map(({ content }) => ({
    content: Object.fromEntries(Object.entries(content).slice(0, 1)),
    arrays: new Map(),
  }));
  return right(areas, call, writing, items, items.length === 1 ? bare : inputs);
});

const mostSeeds = 5;

test.each([
  ['behind one that was refused', hidesRefused()],
  ['as an operation of a batch', editsTextsInBatch],
  ['as a multi-create', makesOneBare],
])('a request holds for a case %s too', async (_how, fault) => {
  const rules = [
    'patch.merge.edits-named-member',
    'patch.merge.keeps-other-members',
    'reading.create.content-reads-back',
    'paging.pages.cover-array-once',
  ] as const;
  const seen = new Set<string | undefined>();
  // which requests take a detour is chance
  for (let seed = 1; seed <= mostSeeds && !seen.has('fail'); seed += 1) {
    await using server = await startReference({}, (options) => createVariant({ ...options, faults: [fault] }));
    await using open = openJudge(catalogue, { loaded: server.loaded, seed, runs: 50 });
    const judge = async (rule: RuleId) => (await open.judge(rule, new AbortController().signal)).outcome;
    for (const rule of rules) expect((await judge(rule))?.verdict).toBe('pass');
    const outcome = await judge('reading.answers.right-throughout');
    seen.add(outcome?.verdict);
    if (outcome?.verdict === 'fail') expect(outcome.remarks).toContainEqual(expect.stringContaining('by detours'));
  }
  expect([...seen]).toContain('fail');
});

test.each([1, 2, 3, 4, 5])(
  'what goes by another type than that of its content takes no other way, under seed %i',
  async (seed) => {
    await using server = await startReference({});
    await using open = openJudge(catalogue, { loaded: server.loaded, seed, runs: 1 });
    for (const rule of ['patch.content-type.plain-json-is-not-operations', 'reading.answers.right-throughout'] as const)
      expect((await open.judge(rule, new AbortController().signal)).outcome?.verdict, rule).toBe('pass');
  },
);
