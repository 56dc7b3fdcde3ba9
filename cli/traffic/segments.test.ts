import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { mergeCommand } from '../merge.ts';
import type { TrafficOptions } from '../options.ts';
import { trafficCommand } from '../traffic.ts';
import { moment, segmentOfLoad } from '../values.ts';

const folder = makeFolder();
afterAll(() => vi.restoreAllMocks());
const at = (name: string): string => join(folder, name);
const reportIn = (name: string): TrafficReport => JSON.parse(readFileSync(at(name), 'utf8'));

// a machine that does much else may take longer to make what four loads need than they wait for it
test(
  'four segments, one of two threads, make the journeys of one process, begin together, and are merged',
  { retry: 2 },
  async () => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    writeFileSync(
      at('mix.yaml'),
      'mixVersion: 1\nobjects: 8\njourneys: { reader: { weight: 2 }, author: { weight: 1 } }\n',
    );
    const server = createVariant({ control: true });
    const profile = `${await server.listen()}/_control/profile.yaml`;
    const usual: TrafficOptions = { profile, mix: at('mix.yaml'), rate: 40, duration: 2, seed: 3, quiet: true };
    await trafficCommand({ ...usual, report: [{ format: 'json', file: at('whole.json') }] });
    const startAt = Date.now() + 15_000;
    const files = ['1/4', '2/4', '3/4', '4/4'].map((text, index) => ({ text, file: `${index}.json` }));
    const exitCodes = await Promise.all(
      files.map(({ text, file }, index) =>
        trafficCommand({
          ...usual,
          segment: segmentOfLoad(text),
          startAt,
          ...(index === 1 && { workers: 2 }),
          report: [{ format: 'json', file: at(file) }],
        }),
      ),
    );
    expect(
      exitCodes.every((code) => code === 0 || code === 3),
      exitCodes.join(' '),
    ).toBe(true);
    expect(Date.now()).toBeGreaterThanOrEqual(startAt + 1900);
    await mergeCommand(
      files.map(({ file }) => at(file)),
      { report: [{ format: 'json', file: at('merged.json') }] },
    );
    await server.close();
    const [whole, merged] = [reportIn('whole.json'), reportIn('merged.json')];
    const madeIn = ({ journeys }: TrafficReport): unknown =>
      journeys.map(({ journey, begun, steps }) => [journey, begun, steps?.map(({ op, requests }) => [op, requests])]);
    expect(madeIn(merged)).toEqual(madeIn(whole));
    expect(merged.violations).toEqual([]);
    expect(merged.all.requests).toBe(whole.all.requests);
    expect(merged.judged.exchanges).toBe(whole.all.requests);
    expect(merged).toMatchObject({ workers: 5, load: whole.load });
    expect(files.map(({ file }) => reportIn(file).segment)).toEqual(
      [1, 2, 3, 4].map((number) => ({ number, of: 4, startAt: new Date(startAt).toISOString() })),
    );
  },
);

test('a time that is past when everything is there is told', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  writeFileSync(at('mix.yaml'), 'mixVersion: 1\nobjects: 1\njourneys: { reader: { weight: 2 } }\n');
  const server = createVariant({ control: true });
  const profile = `${await server.listen()}/_control/profile.yaml`;
  const exitCode = await trafficCommand({ profile, mix: at('mix.yaml'), startAt: Date.now() - 1, quiet: true });
  await server.close();
  expect(exitCode).toBe(3);
  expect(said.mock.calls.join('')).toMatch(/was to begin at .* too late for that/);
});

test.each(['5/4', '0/4', '1/0', '2', '1/2000'])('%s is no part of a load', (text) => {
  expect(() => segmentOfLoad(text)).toThrow('as 2/4');
});

test.each(['2027-01-31', '12:00', '2027-01-31T12:00:00', '2027-13-31T12:00:00Z'])('%s is no time', (text) => {
  expect(() => moment(text)).toThrow('with its zone');
});
