import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Need } from '../../contract/needs.ts';
import type { Profile } from '../../contract/profile.ts';
import { leanProfile } from '../../fixtures/lean-profile.ts';
import type { Server } from '../../reference-server/server.ts';
import { loadProfile } from '../../judge/profile/load.ts';
import { closeSession, openSession } from '../../judge/run/session.ts';
import { breachesOf } from '../../judge/model/register.ts';
import { journeyNames } from './journey.ts';
import { createVariant } from '../../variants/create-variant.ts';
import type { Mix } from './mix.ts';
import { openModel } from './open-model.ts';
import { makeTraffic, type TrafficEnd } from './traffic.ts';

const mix: Mix = {
  mixVersion: 1,
  objects: 8,
  journeys: Object.fromEntries(journeyNames.map((name) => [name, { weight: 1 }])),
};
/** What any service may do: end a connection, where nobody can know whether the request took effect, or ask for patience. */
const usual = ['closed before the answer', 'ECONNRESET', '429', '503'];

let server: Server;
let url: string;
beforeEach(() => {
  server = createVariant({ control: true });
});
afterEach(() => server.close());

async function traffic(change: (profile: Profile) => Profile = (profile) => profile): Promise<TrafficEnd> {
  url = await server.listen();
  const loaded = await loadProfile(`${url}/_control/profile.yaml`);
  const session = openSession(loaded);
  try {
    return await makeTraffic({
      profile: change(loaded.profile),
      plan: { mix, load: { model: 'open', rate: 40 }, durationMs: 1000, rampMs: 0, seed: 4 },
      engine: openModel,
      tokenOf: session.tokens.current,
      judging: { ratio: 1, breachesOf },
      signal: new AbortController().signal,
    });
  } finally {
    await closeSession(session);
  }
}

/** Operations that had an error, with how they were answered. */
function failedIn({ tally }: TrafficEnd): Readonly<Record<string, unknown>> {
  const outcomes = tally.operations().map(({ op, errors, outcomes }) => [op, errors, outcomes] as const);
  const failed = outcomes.filter(
    ([, errors, found]) => errors > usual.reduce((sum, name) => sum + (found[name] ?? 0), 0),
  );
  return Object.fromEntries(failed.map(([op, , found]) => [op, found]));
}

function requestsOf({ tally }: TrafficEnd, op: string): number {
  return tally.operations().find((operation) => operation.op === op)?.requests ?? 0;
}

test.each(['strange', 'foreign'] as const)(
  'a service that is %s in all that is left open is found to be right',
  async (dialect) => {
    await server.close();
    server = createVariant({ control: true, dialect });
    const end = await traffic();
    expect({ violations: end.violations, failed: failedIn(end) }).toEqual({ violations: [], failed: {} });
    expect(end.remarks.filter((remark) => /\bstays?\b/.test(remark))).toEqual([]);
    for (const op of ['batch', 'read by a stranger', 'expired token', 'demote', 'chunk', 'trigger event'])
      expect(requestsOf(end, op)).toBeGreaterThan(0);
  },
);

test('where names are taken once, and files are there later, no rule is said to be broken', async () => {
  await server.close();
  server = createVariant({ control: true, dialect: 'peculiar' });
  const end = await traffic();
  expect(end.violations).toEqual([]);
  expect(failedIn(end)['create']).toBeUndefined();
  expect(requestsOf(end, 'download')).toBeGreaterThan(0);
});

describe('when it is over', () => {
  /** How a GET of that path is answered to the editor. */
  const got = ({ authorizationOf }: TrafficEnd, path: string): Promise<Response> =>
    fetch(`${url}/api/space/main/${path}`, {
      headers: { Authorization: authorizationOf('editor'), 'Svc-InformationFilter': 'e30=' },
    });
  const statuses = (end: TrafficEnd): Promise<readonly number[]> =>
    Promise.all(end.ground.objects.map(async ({ oid }) => (await got(end, `softtype/${oid}`)).status));

  test('nothing that was made is there', async () => {
    const end = await traffic();
    expect(await statuses(end)).toEqual(Array(8).fill(404));
    expect(await (await got(end, 'instances/Document?text=')).json()).toMatchObject({ data: [] });
  });

  test('it is said what is, where nobody says how it is deleted', async () => {
    const end = await traffic(({ routes: { softTypeDelete: _delete, ...routes } = {}, ...rest }) => ({
      ...rest,
      routes,
    }));
    expect(await statuses(end)).toEqual(Array(8).fill(200));
    expect(end.remarks.join(' ')).toMatch(/\d+ of \d+ objects of this traffic stay in the space main, known by note,/);
  });
});

describe('a profile that leaves out all but what it must does no harm', () => {
  const lean =
    (...needs: readonly Need[]) =>
    (profile: Profile): Profile =>
      leanProfile(profile, needs);
  const withTriggers =
    (triggers: Profile['triggers']) =>
    (profile: Profile): Profile => ({ ...profile, triggers: { ...profile.triggers, ...triggers } });
  test.each<[string, (profile: Profile) => Profile, RegExp]>([
    [
      'all that can be taken away',
      lean(),
      /^author was left out: .*softTypes\.primary\.scalars.*approver was left out: .*maturity.*file-user was left out: .*files\.areas/,
    ],
    ['all but text members', lean('scalar-members'), /^author was left out: notSupported.*approver was left out/],
    [
      'all but text members and operations',
      lean('scalar-members', 'operations'),
      /author went without edits of entries/,
    ],
    ['all but the array', lean('array-port'), /^author was left out.*reader went without reads through a filter/],
    ['all but files of a user', lean('file-area-user'), /^author was left out.*softTypes\.primary\.scalars/],
    [
      'the last state and the way down',
      lean('scalar-members', 'maturity'),
      /approver went without demotes and batches/,
    ],
    [
      'the payload of events',
      withTriggers({
        event: {
          method: 'POST',
          path: '/api/space/{{spaceId}}/externalEvent',
          body: { recordId: '{{recordId}}', registrationId: '{{registrationId}}' },
        },
      }),
      /^extension-life was left out: the body of triggers\.event sends no \{\{payload\}\}/,
    ],
    [
      'one request of several by which an event comes',
      withTriggers({ event: [{ method: 'POST', path: '/a', body: { a: '{{payload}}' } }] }),
      /extension-life was left out: triggers\.event is several requests, and traffic sends one\./,
    ],
    [
      'the files that tasks are given',
      ({ files: _files, ...rest }) => rest,
      /task-runner was left out: the body of triggers\.task asks for \{\{inputPath\}\}/,
    ],
    [
      'the SoftTypes',
      ({ softTypes: _softTypes, ...rest }) => rest,
      /^reader was left out.*importer was left out.*approver was left out/,
    ],
  ])('%s', async (_what, change, remarks) => {
    const end = await traffic(change);
    expect({ violations: end.violations, failed: failedIn(end) }).toEqual({ violations: [], failed: {} });
    expect(end.tally.all.summary('all').requests).toBeGreaterThan(0);
    expect(end.remarks.join(' ')).toMatch(remarks);
  });

  test('without anything to do the load does not begin', async () => {
    const bare = traffic(
      ({ softTypes: _softTypes, files: _files, caching: _caching, listener: _listener, ...rest }) => rest,
    );
    await expect(bare).rejects.toThrow(
      'No journey of the mix can be made with this profile. reader was left out: the profile does not name softTypes.primary.',
    );
  });
});
