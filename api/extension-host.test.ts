import { expect, test } from 'vitest';
import { metadataPath } from '../contract/names.ts';
import { watchOpen } from '../fixtures/left-open.fixture.ts';
import { calling } from '../simulator/extension/service.fixture.ts';
import { signatureOf } from '../simulator/extension/signature.ts';
import { type ExtensionHost, type ScriptedAnswer, startExtensionHost } from './index.ts';

/** Statuses of calls of these kinds, each with an id of its own. */
async function statusesOf({ url, apiKey }: ExtensionHost, ...kinds: readonly string[]): Promise<readonly number[]> {
  const send = calling(url, apiKey);
  const statuses: number[] = [];
  for (const kind of kinds) statuses.push((await send(kind, { id: crypto.randomUUID(), payload: {} })).status);
  return statuses;
}

const busy: ScriptedAnswer = { when: { kind: 'event' }, steps: [{ status: 503 }], afterwards: 'last' };

test('answers are added behind those that are there, whose counts go on; a function gives way', async () => {
  await using host = await startExtensionHost({ script: [{ when: { kind: 'event' }, steps: [{ status: 503 }] }] });
  expect(await statusesOf(host, 'event')).toEqual([503]);
  host.script.append({ when: { kind: 'email' }, steps: [{ status: 502 }], afterwards: 'last' });
  expect(await statusesOf(host, 'event', 'email')).toEqual([200, 502]);
  host.script.set(() => ({ status: 500 }));
  expect(await statusesOf(host, 'event')).toEqual([500]);
  host.script.append(busy);
  expect(await statusesOf(host, 'event', 'email')).toEqual([503, 200]);
  host.script.clear();
  expect(await statusesOf(host, 'event')).toEqual([200]);
});

test('a reset takes script, records, journal and clock back, and keeps what the host was started with', async () => {
  await using host = await startExtensionHost({ script: [busy] });
  const authorization = `Bearer ${signatureOf(host.apiKey, metadataPath)}`;
  const shown = async (): Promise<unknown> =>
    (await fetch(host.url + metadataPath, { headers: { authorization } })).json();
  const before = await shown();
  host.script.clear();
  expect(await statusesOf(host, 'event')).toEqual([200]);
  host.setRecords([]);
  expect(await shown()).not.toEqual(before);
  await host.clock.advance({ days: 1 });
  await host.reset();
  expect([host.journal.calls().length, host.clock.isRunning]).toEqual([0, true]);
  expect(host.clock.now().getTime()).toBeLessThan(Date.now() + 3_600_000);
  expect(await shown()).toEqual(before);
  expect(await statusesOf(host, 'event')).toEqual([503]);
});

test('a key that is no Base64 is refused, and is not shown', async () => {
  const refusal = { code: 'OPTION', message: 'Expected Base64 with padding as apiKey of startExtensionHost.' };
  for (const apiKey of ['???', 'abc', '']) await expect(startExtensionHost({ apiKey })).rejects.toMatchObject(refusal);
});

test('faults change while it runs, and a reset brings those of the start back', async () => {
  const id = 'signing.extension-host.missing-signature-refused';
  await using host = await startExtensionHost();
  const unsigned = async (): Promise<number> => {
    const send = calling(host.url);
    return (await send('event', { id: crypto.randomUUID(), payload: {} })).status;
  };
  expect(await unsigned()).toBe(401);
  await host.faults.set([id]);
  expect([[...host.faults], await unsigned()]).toEqual([[id], 200]);
  await host.faults.clear();
  expect(await unsigned()).toBe(401);
  await host.faults.set([id]);
  await host.reset();
  expect([[...host.faults], await unsigned()]).toEqual([[], 401]);
  await expect(host.faults.set(['headers.uoi-version.on-create'])).rejects.toThrow(/There is no fault/);
  // @ts-expect-error there is no such rule
  await expect(host.faults.set([id.replace('signature', 'signatur')])).rejects.toThrow(`did you mean "${id}"?`);
});

test('a filter that nothing can fit is refused, and not waited for', async () => {
  await using host = await startExtensionHost();
  const { journal } = host;
  // @ts-expect-error there is no such kind
  await expect(journal.waitFor({ kind: 'evnt' })).rejects.toThrow('did you mean "event"?');
  // @ts-expect-error there is no such member
  expect(() => journal.calls({ knd: 'event' })).toThrow('did you mean "kind"?');
  // @ts-expect-error there is no such option
  await expect(journal.waitFor({}, { timeoutms: 5 })).rejects.toMatchObject({ code: 'OPTION' });
  await expect(journal.waitFor({ kind: 'event' }, { timeoutMs: 5 })).rejects.toMatchObject({ code: 'JOURNAL_TIMEOUT' });
});

test('hundreds of them leave nothing open, in the middle of what they do', async () => {
  const leftOpen = await watchOpen();
  for (let batch = 0; batch < 10; batch += 1) {
    const hosts = await Promise.all(Array.from({ length: 20 }, () => startExtensionHost()));
    const slow = hosts[0];
    slow?.script.set([{ steps: [{ delayMs: 60_000 }] }]);
    const cut = slow === undefined ? undefined : calling(slow.url, slow.apiKey)('event', { id: 'a', payload: {} });
    await slow?.journal.waitFor({ kind: 'event' });
    await Promise.all([...hosts.map((host) => host.close()), expect(cut).rejects.toThrow()]);
  }
  expect(await leftOpen()).toEqual([]);
});

test('a script that is not right is refused with a sentence, wherever it is handed over', async () => {
  const wrong = [{ when: { kind: 'evnt' }, steps: [{ status: 503 }] }] as unknown as readonly ScriptedAnswer[];
  const refusal = { code: 'SCRIPT', message: expect.stringMatching(/^answers\.0\.when\.kind .*did you mean "event"/) };
  await expect(startExtensionHost({ script: wrong })).rejects.toMatchObject(refusal);
  await using host = await startExtensionHost({ script: [busy] });
  expect(() => host.script.set(wrong)).toThrow(expect.objectContaining(refusal));
  expect(() => host.script.append(...wrong)).toThrow(expect.objectContaining(refusal));
  expect(await statusesOf(host, 'event')).toEqual([503]);
});
