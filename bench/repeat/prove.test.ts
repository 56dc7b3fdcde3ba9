import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { startReference } from '../../api/deployment.ts';
import type { RuleId } from '../../contract/rule.ts';
import { mapAtOnce } from '../../cli/kill-matrix/map-at-once.ts';
import { secretsOf } from '../../judge/redact/profile-secrets.ts';
import { startCallee } from '../../simulator/extension/callee.ts';
import { runScript } from './forms.ts';
import { findingOf, prove } from './prove.ts';

const hasCurl = existsSync('/usr/bin/curl');

/**
 * Of every area whose rules show in plain answers; `npm run bench:repeat` takes all. None that shows in what is waited for in vain: on a
 * starved machine nobody can tell.
 */
const sample: readonly RuleId[] = [
  'api-keys.acquire.exact-permissions',
  'api-keys.host.request-matches-metadata',
  'api-keys.key.administration-on-bulk',
  'api-keys.rotation.across-restart',
  'auth.grant.returns-access-token',
  'auth.jwt.signature-verifies',
  'auth.jwt.tampered-refused',
  'auth.role.no-role-403',
  'batch.failure.status-500',
  'batch.rollback.creates-undone',
  'bulk-upload.log.written',
  'bulk-upload.structure.preserved',
  'calls.action.form-fields',
  'calls.event.content-payload-equal',
  'calls.extension.right-throughout',
  'calls.host.uses-core-headers',
  'calls.query-token.email',
  'calls.simple.headers',
  'calls.token.jwt-form',
  'calls.trusted.existing-query-kept',
  'calls.validation.malformed-is-error',
  'calls.validation.payload-fields',
  'caching.match.status-304',
  'caching.restart.same-tag',
  'collection.admin.is-served',
  'delivery.permanent.client-errors',
  'delivery.rate.endpoint-registrations',
  'files.auth.chunk-missing-credential-401',
  'files.chunk.partial-deletable',
  'headers.location.leads-to-object',
  'headers.no-content.empty-body',
  'hypermedia.link.paging-members',
  'maturity.demote.version-guarded',
  'multi-create.reference.forward',
  'openapi.dynamic.lists-every-soft-type',
  'paging.page-body.href-leads-back',
  'patch.add.appends-with-marker',
  'patch.add.lands-last',
  'patch.target.unknown-object-404',
  'reading.entries.ids-stable-between-reads',
  'registration.active.false-not-called-endpoint',
  'signing.extension-call.query-excluded',
  'signing.extension-host.wrong-key-refused',
  'tasks.links.ids-and-methods',
  'tasks.links.upload-chunk-usable',
  'versioning.later.same-versions',
  'versioning.mismatch.lower-409',
  'versioning.race.different-objects-independent',
  'versioning.race.one-writer-wins',
  'versioning.refused.changes-nothing',
];

const folder = makeFolder();

describe.runIf(hasCurl)('the script of a finding', () => {
  test('shows it on a fresh faulty server, and not on the right one', async () => {
    const proofs = await mapAtOnce(sample, 2, (fault) => prove({ fault, rule: fault }, folder));
    expect(proofs.filter(({ end }) => end !== 'proven')).toEqual([]);
  });

  test.each([
    // spells headers and escapes JSON otherwise each time, and ends kept connections
    ['strange', 'paging.link.pages-count'],
    // a number is expected where the id is a text, and the other way round
    ['strange', 'reading.entries.ids-stable-between-reads'],
    // links without a scheme, and ids with quotes
    ['foreign', 'paging.link.expanded-href-works'],
    // members that are null
    ['foreign', 'patch.path.member-addressed'],
    // registrations that are put to use, and keys that are brought, behind the answer
    ['foreign', 'api-keys.acquire.posts-to-callback'],
    // nobody is registered whose host does not answer
    ['peculiar', 'registration.auth.missing-credential-401'],
  ] as const)('shows it in the %s dialect, and only there where it is wrong: %s', async (dialect, fault) => {
    expect(await prove({ fault, rule: fault }, folder, { dialect })).toMatchObject({ end: 'proven' });
  });

  test.each([
    // a place for a number that is encoded is no name, and is none of what is caught
    ['links.template-is-encoded-before-a-query', 'paging.link.href-holds-template'],
    // a link to one page is followed; one that is a template, as it should be, is not
    ['links.template-is-encoded-before-a-query', 'paging.filter.shapes-links'],
    // what lacks is missing from the page behind those that tell the rest
    ['paging.page-of-two-digits', 'patch.add.lands-last'],
    // a number of all pages is in none of them
    ['paging.last-page-is-full', 'paging.page.holds-at-most-ten'],
    // the later of two attempts, in which what was found stands twice
    ['envelope.id-in-memory-alone', 'delivery.success.not-sent-after-restart'],
    // an attempt without its content is none of those that are counted
    ['retry.without-body', 'delivery.event.recovery-stops-retries'],
    // the case sends more requests than a script may have, most of them about other objects
    ['merge.second-level-back', 'patch.merge.keeps-other-members'],
  ] as const)(
    'shows a mistake that is no fault of the rule, and nothing at the right server: %s by %s',
    async (fault, rule) => {
      expect(await prove({ fault, rule }, folder)).toMatchObject({ end: 'proven' });
    },
  );

  test('is none where no line of an answer holds what was found', async () => {
    const trial = {
      fault: 'create.same-content-of-another-user',
      rule: 'reading.create.new-identity-each-time',
    } as const;
    expect(await findingOf(trial)).toEqual({ reason: expect.stringContaining('no answer that does') });
  });

  test('is none where a token tells nobody who sends it', async () => {
    const found = await findingOf({
      fault: 'access.tokens-are-kept-by-client',
      rule: 'auth.missing-token.answers-401',
    });
    expect(found).toEqual({ reason: expect.stringContaining('one token to two users') });
  });

  test('holds no secret', async () => {
    await using deployment = await startReference();
    const texts = sample.map((fault) => readFileSync(join(folder, `${fault}.sh`), 'utf8')).join('\n');
    for (const { value } of secretsOf(deployment.loaded)) expect(texts).not.toContain(value);
    // an information filter begins like a token, and has one part
    expect(texts).not.toMatch(/eyJ[\w-]{8,}\./);
  });

  test('is none where what requests left that meet each other shows it', async () => {
    const rule = 'batch.commit.visible-together';
    const found = await findingOf({ fault: rule, rule });
    expect(found).toEqual({ reason: expect.stringContaining('requests meet each other') });
  });

  test('takes back what it has registered, so that it can be played again under the same names', async () => {
    await using deployment = await startReference();
    await using callee = await startCallee();
    const file = join(folder, 'calls.simple.headers.sh');
    const play = () => runScript(file, deployment.loaded, { LISTENER_URL: callee.url, MARK: '0badcafe' });
    const [first, second] = [await play(), await play()];
    expect([first.code, second.code, second.said]).toEqual([0, 0, expect.stringContaining('201')]);
  });

  test('starts what the service calls by itself, and ends it', async () => {
    await using deployment = await startReference();
    const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
    const file = join(folder, 'calls.simple.headers.sh');
    const suite = { SVC_CONFORMANCE: `${process.execPath} ${main}` };
    // it is waited for until all that holds its output has ended
    expect(await runScript(file, deployment.loaded, suite)).toMatchObject({ code: 0 });
  });

  test('leaves what is exported as it is', async () => {
    const { code, said } = await (async () => {
      await using deployment = await startReference();
      const file = join(folder, 'versioning.mismatch.lower-409.sh');
      return await runScript(file, deployment.loaded, { EDITOR_TOKEN: 'somebody-elses' });
    })();
    expect([code, said.slice(0, 3)]).toEqual([2, '401']);
  });
});
