import { catalogue } from '../../suites/catalogue.ts';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RuleId } from '../../contract/rule.ts';
import { subtleFaults, type SubtleFaultId } from '../../variants/faults/subtle/subtle.ts';
import { startReference, type Deployment } from '../../api/deployment.ts';
import { tokenVariable } from '../curl/variables.ts';
import type { Outcome } from '../outcome.ts';
import { openContext } from '../case/open-context.ts';
import { CaseRecord } from '../case/record.ts';
import { askersOf } from '../service/roles.ts';
import { openJudge } from '../run/judge.ts';
import { closeSession, openSession } from '../run/session.ts';

const run = promisify(execFile);

async function serverWith(...faults: readonly SubtleFaultId[]): Promise<Deployment> {
  const deployment = await startReference({ faults });
  onTestFinished(() => deployment[Symbol.asyncDispose]());
  return deployment;
}

async function judged({ loaded }: Deployment, rule: RuleId, asFound = false, seed = 1): Promise<Outcome> {
  await using open = openJudge(catalogue, { loaded, seed, runs: 20, asFound });
  const { outcome } = await open.judge(rule, new AbortController().signal);
  expect(outcome).toBeDefined();
  return outcome ?? expect.fail('no outcome');
}

/** Of whoever may ask in a case. */
async function tokensOf({ loaded }: Deployment): Promise<Readonly<Record<string, string>>> {
  const session = openSession(loaded);
  const { service } = openContext(session, { name: 'token', seed: 1, record: new CaseRecord(true) });
  try {
    const tokens = askersOf(loaded.profile).map(async (name) => [tokenVariable(name), await service.token(name)]);
    return Object.fromEntries(await Promise.all(tokens));
  } finally {
    await closeSession(session);
  }
}

/** What the script prints when it is run on another service. */
async function printedOn(deployment: Deployment, lines: readonly string[], from: Deployment): Promise<string> {
  const script = lines.join('\n').replaceAll(from.loaded.profile.baseUrl, deployment.loaded.profile.baseUrl);
  const { stdout } = await run('/bin/sh', ['-c', script], {
    env: { PATH: '/usr/bin:/bin', ...(await tokensOf(deployment)) },
  });
  return stdout;
}

/** The answer without what differs from run to run. */
function withoutIds(printed: string): string {
  return printed.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id').replaceAll(/^(date|x-correlation-id|etag):.*$/gim, '');
}

test('a batch that fails by its version holds no reference that is still to be made', async () => {
  const outcome = await judged(await serverWith(), 'versioning.history.matches-model', false, 1_107_821_856);
  expect(outcome.verdict).toBe('pass');
}, 60_000);

const bySuite: Readonly<Record<string, readonly SubtleFaultId[]>> = {
  'versioning.sequence.matches-model': [
    'subtle.version.first-digits-suffice',
    'subtle.conflict.next-operations-not-stored',
    'subtle.page.version-lags-after-promote',
    'subtle.promote.second-time-skips-a-state',
    'subtle.put.second-keeps-scalars',
  ],
  'patch.operations.match-model': [
    'subtle.replace.last-beyond-first-page-not-stored',
    'subtle.filter.total-never-falls',
    'subtle.long-route.lags-after-operations',
  ],
  'paging.link.follows-growth': ['subtle.pages.last-removal-not-seen', 'subtle.links.eleventh-appended-unnoticed'],
};

describe('the suites that follow histories', () => {
  test.each(
    Object.entries(bySuite).flatMap(([rule, faults]) => faults.map((fault) => [rule as RuleId, fault] as const)),
  )('%s finds %s', async (rule, fault) => {
    expect(Object.keys(subtleFaults)).toContain(fault);
    const outcome = await judged(await serverWith(fault), rule, true);
    expect(outcome.verdict).toBe('fail');
    expect(outcome.violation?.counterexample).toMatch(/^object 1 with /);
  });
});

describe.runIf(existsSync('/usr/bin/curl'))('the script of a violation', () => {
  test.each([
    ['patch.operations.match-model', 'subtle.remove.cascade-spares-last-entry'],
    ['versioning.sequence.matches-model', 'subtle.batch.first-stays-when-last-fails'],
  ] as const)('of %s shows %s again on a fresh service, and nothing on a right one', async (rule, fault) => {
    const broken = await serverWith(fault);
    const lines = (await judged(broken, rule)).violation?.curl ?? [];
    expect(lines[0]).toMatch(/^O1=\$\(curl /);
    const [again, right] = [
      await printedOn(await serverWith(fault), lines, broken),
      await printedOn(await serverWith(), lines, broken),
    ];
    const first = withoutIds(await printedOn(broken, lines, broken));
    expect(withoutIds(again)).toBe(first);
    expect(withoutIds(right)).not.toBe(first);
    expect(`${again}${right}`).not.toContain('404 Not Found');
  });
});
