import { catalogue } from '../../suites/catalogue.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../reference-server/server.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { parseRun } from '../../reports/run.ts';
import { listedRules } from '../rule-list.ts';
import { unmetNeeds } from '../../judge/needs.ts';
import { loadProfile } from '../../judge/profile/load.ts';
import { objectStore, sendJson, type Handle } from '../../judge/small-service.fixture.ts';
import { checkCommand } from '../check.ts';
import { answering } from '../doctor/broken-target.fixture.ts';
import { initCommand } from '../init.ts';
import { captureOutput, type Output } from '../output.fixture.ts';
import { conversation, placeForProfiles } from './init.fixture.ts';
import { mostLines } from './profile-text.ts';

const place = placeForProfiles();

describe.each(['plain', 'strange'] as const)('a first profile of the %s server', (dialect) => {
  let server: Server;
  let written: Output;
  let out: string;

  beforeAll(async () => {
    server = createVariant(dialect === 'strange' ? { dialect } : {});
    const options = place.answers(await server.listen());
    out = options.out;
    written = await captureOutput(() => initCommand(options, conversation()));
  });

  afterAll(() => server.close());

  test('is written whole, short, without secrets, and alone', () => {
    expect(written.exitCode, written.printed).toBe(0);
    const text = readFileSync(out, 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(mostLines);
    expect(text).toMatch(/^# yaml-language-server: \$schema=\S+docs\/profile\.schema\.json\n/);
    expect(text).toContain('password: "${SVC_PASSWORD}"');
    expect(text + written.printed).not.toMatch(/edda-password|conformance-secret/);
    expect(readdirSync(join(out, '..'))).toEqual(['profile.yaml']);
  });

  test('is read by check, with most of what the service side can show', async () => {
    const { profile } = await loadProfile(out);
    const [, further = ''] = /further ones: (.*)/.exec(readFileSync(out, 'utf8')) ?? [];
    expect(Object.keys(profile.identities).filter((name) => further.includes(name))).toEqual([]);
    expect(further).toContain('outsider');
    expect(Object.keys(profile.softTypes?.primary ?? {})).toEqual(
      expect.arrayContaining(['scalars', 'arrayPort', 'secondArrayPort', 'object', 'reference', 'renamed', 'escaped']),
    );
    expect(Object.keys(profile.routes ?? {})).toEqual(
      expect.arrayContaining(['softTypePut', 'softTypeDelete', 'demote', 'lockTake', 'lockFree', 'openApiDynamic']),
    );
    expect(Object.keys(profile.files?.areas ?? {})).toEqual(['space', 'user', 'participant']);
    expect(profile).toMatchObject({
      informationFilter: { dateMember: 'time' },
      softTypes: { primary: { dated: { path: '/price', datePath: '/price/effectivity' } } },
      filters: { fixed: { id: 'drawings', matching: { category: 'drawing' } }, withValue: { member: 'category' } },
    });
    expect(profile.maturity?.states).toHaveLength(3);
    const testable = catalogue.all.filter((rule) => unmetNeeds(rule, profile).length === 0).length;
    expect(written.printed).toContain(`Testable now: ${testable} of ${catalogue.all.length} rules.`);
    expect(testable).toBeGreaterThan(250);
  });

  test('says which line unlocks more', () => {
    expect(written.printed).toMatch(
      /^ +\d+ \/ \d+ {2}add identities\.reader with username and password, token or pat, and no methods but GET$/m,
    );
    expect(written.printed).toMatch(/^Not testable yet: .*registration/m);
    expect(written.printed.match(/^ +\d+ \/ \d+ {2}add /gm)).toHaveLength(12);
    expect(written.printed).toMatch(
      /^ {2}and \d+ more: svc-conformance doctor --profile \S+ lists all, and what [^\n]+\nNext: /m,
    );
  });

  test('leaves nothing behind', () => {
    expect(written.printed).not.toContain('Not deleted');
  });

  test('is judged: green, or blocked with reasons', async () => {
    const report = join(out, '..', 'report');
    const areas = ['reading', 'openapi', 'multi-create', 'maturity'] as const;
    const { exitCode } = await captureOutput(() =>
      checkCommand({ profile: out, out: report, seed: 5, runs: 1, areas, quiet: true }),
    );
    const { outcomes } = parseRun(
      readFileSync(join(report, 'outcomes.ndjson'), 'utf8'),
      'outcomes.ndjson',
      listedRules,
    );
    expect(
      outcomes
        .filter(({ verdict }) => verdict === 'fail' || verdict === 'broken')
        .map(({ rule, reason }) => `${rule}: ${reason}`),
    ).toEqual([]);
    expect(outcomes.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(40);
    expect(outcomes.filter(({ verdict, reason }) => verdict === 'blocked' && (reason ?? '') === '')).toEqual([]);
    expect(exitCode).toBe(3);
  });
});

/** A service without a dynamic document, whose objects can be deleted or not; its static document shows settings with an ETag. */
function undescribed(canDelete: boolean): Handle {
  const objects = objectStore();
  const gone = new Set<string>();
  const paths = { '/api/space/{spaceId}/settings': { get: {} }, '/api/space/{spaceId}/news': { get: {} } };
  return (request, response, message) => {
    const { method, url } = request;
    if (url === '/auth/token') return sendJson({ access_token: 'a-token' }, response);
    if (url === '/api/openApi/space') return sendJson({ openapi: '3.1.0', paths }, response);
    if (url === '/api/space/main/settings') response.setHeader('ETag', '"1"');
    if (/\/(?:settings|news)$/.test(url)) return sendJson({}, response);
    const isKnown = url.startsWith('/api/space/main/softtype/') && method !== 'PUT' && !gone.has(url);
    if (!isKnown || (method === 'DELETE' && !canDelete)) return sendJson({}, response, 404);
    if (method !== 'DELETE') return objects(request, response, message);
    gone.add(url).add(url.replace('/softtype/', '/softtype/Document/out/'));
    response.writeHead(204).end();
  };
}

describe('a first profile of a deployment without OpenAPI of its SoftTypes', () => {
  const type = {
    definitionId: 'Document',
    inputSchemaId: 'in',
    outputSchemaId: 'out',
    body: { title: 'x {{unique}}' },
  };

  test.each([true, false])('has the usual routes that work (delete: %s) and cached resources', async (canDelete) => {
    await using target = await answering(undescribed(canDelete));
    const options = place.answers(target.url, type);
    const { exitCode, printed } = await captureOutput(() => initCommand(options, conversation()));
    expect(exitCode, printed).toBe(0);
    const { profile } = await loadProfile(options.out);
    expect(profile.caching?.resources).toEqual([{ path: '/api/space/main/settings' }]);
    const softTypeDelete = canDelete ? '/api/space/{spaceId}/softtype/{objectId}' : undefined;
    expect([profile.routes?.softTypeDelete, profile.routes?.softTypePut]).toEqual([softTypeDelete, undefined]);
    expect(printed.includes('Not deleted: '), printed).toBe(!canDelete);
  });
});
