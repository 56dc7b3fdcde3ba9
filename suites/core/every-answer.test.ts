import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import type { RuleId } from '../../contract/rule.ts';
import { openJudge } from '../../judge/run/judge.ts';
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
