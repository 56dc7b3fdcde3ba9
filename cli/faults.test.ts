import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { RuleId } from '../contract/rule.ts';
import { killMatrixSchema } from '../contract/schemas/kill-matrix.ts';
import { losingHeaders } from './check/bad-target.fixture.ts';
import { startReference, type Deployment } from '../api/deployment.ts';
import { faultsCommand } from './faults.ts';
import { exitCodeOfMatrix } from './kill-matrix/matrix.ts';
import { killMatrix } from './kill-matrix/try-faults.ts';
import { captureOutput } from './output.fixture.ts';

const validateMatrix = new Ajv({ allErrors: true }).compile(killMatrixSchema);
const etag: RuleId = 'caching.etag.present';
const location: RuleId = 'headers.location.on-create';
const unharmed: RuleId = 'caching.match.still-needs-access';
const lostBy: Readonly<Partial<Record<string, readonly string[]>>> = { [etag]: ['etag'], [location]: ['location'] };

/** A server behind a proxy that takes out the headers without which a rule is broken. */
async function start(fault: string): Promise<Deployment> {
  const inner = await startReference();
  const { profile } = inner.loaded;
  const proxy = await losingHeaders(lostBy[fault] ?? [], profile.baseUrl);
  return {
    loaded: { ...inner.loaded, profile: { ...profile, baseUrl: proxy.url } },
    temporary: true,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await inner[Symbol.asyncDispose]();
    },
  };
}

test('faults are listed with what they break, subtle ones among them where nothing is selected', async () => {
  const [all, some] = [
    await captureOutput(() => faultsCommand({ list: true })),
    await captureOutput(() => faultsCommand({ list: true, rules: ['caching.etag.*'] })),
  ];
  expect(all.printed).toMatch(/^caching\.etag\.present: \S/m);
  expect(all.printed).toMatch(/^subtle\.retry\.fourth-gap-of-tasks$/m);
  expect(some.printed.split('\n').every((line) => line === '' || line.startsWith('caching.etag.'))).toBe(true);
});

describe('the kill matrix', () => {
  test('a fault is killed by the case of its rule, one that breaks nothing survives, the control lives', async () => {
    const matrix = await killMatrix({
      faults: [etag, unharmed],
      all: false,
      control: [etag, location],
      runs: 2,
      start,
    });
    expect(matrix.control).toEqual({ cases: 2, killedBy: [] });
    expect(matrix.faults.map(({ fault, verdict }) => [fault, verdict])).toEqual([
      [etag, 'killed'],
      [unharmed, 'survived'],
    ]);
    expect(exitCodeOfMatrix(matrix)).toBe(1);
    expect(validateMatrix(matrix), JSON.stringify(validateMatrix.errors)).toBe(true);
  });

  test('a server that is wrong without a fault kills the control', async () => {
    const matrix = await killMatrix({ faults: [], all: false, control: [etag], runs: 2, start: () => start(etag) });
    expect(matrix.control.killedBy).toMatchObject([{ rule: etag, verdict: 'fail' }]);
    expect(exitCodeOfMatrix(matrix)).toBe(1);
  });

  test('each fault meets a server of its own', async () => {
    const matrix = await killMatrix({ faults: [location], all: false, control: [etag], runs: 2, start });
    expect(matrix.faults).toMatchObject([{ fault: location, verdict: 'killed' }]);
  });
});

describe('faults', () => {
  async function complaining(
    options: Parameters<typeof faultsCommand>[0],
  ): Promise<{ readonly exitCode: number; readonly said: string }> {
    const { exitCode, stderr } = await captureOutput(() => faultsCommand(options));
    return { exitCode, said: stderr };
  }

  test('a selection without a fault is 3', async () => {
    const { exitCode, said } = await complaining({ rules: ['signing.extension-host.other-notation'] });
    expect(exitCode).toBe(3);
    expect(said).toContain('nothing to try');
  });

  test('a pattern without a match is 2', async () => {
    const { exitCode, said } = await complaining({ rules: ['pagign.*'] });
    expect(exitCode).toBe(2);
    expect(said).toContain('did you mean');
  });

  test('a mistake that there is none of is 2, and so is to publish any', async () => {
    const unknown = await complaining({ mistakes: ['core/paging', 'pagign.*'] });
    expect(unknown).toMatchObject({ exitCode: 2, said: expect.stringContaining('there is no mistake pagign.*') });
    expect(await complaining({ mistakes: true, publish: true })).toMatchObject({ exitCode: 2 });
  });
});
