import { setTimeout as sleep } from 'node:timers/promises';
import { expect as assert, test } from 'vitest';
import { scenario } from '../case.ts';
import type { Outcome } from '../outcome.ts';
import { runCase } from '../case/run-case.ts';
import { sendJson, smallProfile, smallService } from '../small-service.fixture.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { sessionFor } from '../run/session.fixture.ts';

/** Longer than what is waited for without knowing, in ms. */
const lagMs = 700;

/** Answers a registration, then asks for the metadata (of later than the first `inTurn` it has got them by then), and puts them to use a while later. What it is told before it accepts and forgets. */
async function laggingService(inTurn = Infinity): Promise<string> {
  const known = new Map<string, string>();
  let registrations = 0;
  const fetchRecords = async (hostUri: string, got: () => void): Promise<void> => {
    const records = (await (await fetch(`${hostUri}/svc/extension`)).json()) as { id: string; endpoint: string }[];
    got();
    await sleep(lagMs);
    for (const { id, endpoint } of records) known.set(id, `${hostUri}/${endpoint}`);
  };
  const { url } = await smallService(async ({ url: path, body }, response) => {
    const sent = body.length === 0 ? {} : (JSON.parse(body.toString()) as Record<string, unknown>);
    const answer = (): void => sendJson({ id: 'one' }, response, 201);
    if (path.endsWith('/svcExtension')) {
      const isFirst = (registrations += 1) > inTurn;
      if (!isFirst) answer();
      return fetchRecords(String(sent['hostUri']), isFirst ? answer : () => undefined).catch(() => undefined);
    }
    answer();
    const called = known.get(String(sent['recordId']));
    if (called !== undefined) await fetch(called, { method: 'POST', body: JSON.stringify(sent) });
  });
  return url;
}

async function judge(
  trigger: 'event' | 'actionRibbon',
  type: 'ExternalEvent' | 'ExternalAction',
  { inTurn, before = 0 }: { readonly inTurn?: number; readonly before?: number } = {},
): Promise<Outcome> {
  const url = await laggingService(inTurn);
  const payload = trigger === 'event' ? ", payload: '{{payload}}'" : '';
  const template = `{ method: POST, path: /trigger, as: editor, body: { recordId: '{{recordId}}'${payload} } }`;
  const loaded = smallProfile(
    url,
    `listener: { bind: '127.0.0.1:0', publicUrl: 'http://127.0.0.1:{port}' }\ntriggers: { ${trigger}: ${template} }`,
  );
  const { editor } = loaded.profile.identities;
  const identities = { ...loaded.profile.identities, administrator: editor };
  const session = sessionFor({ ...loaded, profile: { ...loaded.profile, identities } });
  const theCase = scenario(async ({ given, triggers, expect }) => {
    for (let made = 0; made < before; made += 1) await given.extension({ types: [type] });
    const extension = await given.extension({ types: [type] });
    if (trigger === 'event') await triggers.event(extension);
    else await triggers.actionRibbon(extension);
    const call = await extension.arrived({}, { withinMs: 300 });
    expect(call?.kind, 'the call').toBePresent();
  });
  const rule = catalogue.get('reading.create.status-201');
  return runCase(rule, theCase, { session, seed: 1, runs: 5, deadlineMs: 30_000 });
}

test('how long metadata take to be used is learned from one event, before any case relies on it', async () => {
  const outcome = await judge('event', 'ExternalEvent');
  assert(outcome).toMatchObject({ verdict: 'pass' });
  assert(outcome.retries).toBeUndefined();
});

test('where no event can tell, a case that nobody called runs once more', async () => {
  assert(await judge('actionRibbon', 'ExternalAction')).toMatchObject({
    verdict: 'pass',
    retries: [assert.stringContaining('no call came')],
  });
});

test('metadata that are once got after the answer may be so each time, whatever comes first', async () => {
  // the second registration is that from which the time is learned
  const outcome = await judge('event', 'ExternalEvent', { inTurn: 2, before: 1 });
  assert(outcome).toMatchObject({ verdict: 'pass' });
  assert(outcome.retries).toBeUndefined();
});
