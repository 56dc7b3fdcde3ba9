import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { trafficCommand } from '../traffic.ts';
import { openMetrics } from './metrics.ts';

const folder = makeFolder();
afterEach(() => void vi.restoreAllMocks());

/** Waits until the text of an address fits, and tells what it is then. */
async function fitting(url: string, form: RegExp): Promise<string> {
  for (;;) {
    const text = await fetch(url).then(
      (response) => response.text(),
      () => '',
    );
    if (form.test(text)) return text;
    await sleep(50);
  }
}

test('figures are told while the load is made, to this machine alone, and not any more afterwards', async () => {
  const server = createVariant({ control: true });
  const profile = `${await server.listen()}/_control/profile.yaml`;
  const mix = join(folder, 'mix.yaml');
  writeFileSync(mix, 'mixVersion: 1\nobjects: 4\njourneys: { reader: { weight: 1 } }\n');
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const said = Promise.withResolvers<string>();
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    const url = /metrics at (?<url>http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(String(text))?.groups?.['url'];
    if (url !== undefined) said.resolve(url);
    return true;
  });
  const ended = trafficCommand({ profile, mix, rate: 20, duration: 4, seed: 1, metricsPort: 0, quiet: true });
  const url = await said.promise;
  const text = await fitting(url, /svc_traffic_requests_total\{op="read",outcome="200"\} [1-9]/);
  expect(text).toMatch(/\n# EOF\n$/);
  expect(text).toMatch(/svc_traffic_seen_broken 0\n/);
  expect(text).toMatch(/svc_traffic_latency_seconds\{op="read",quantile="0\.99"\} 0\.\d+/);
  const other = await fetch(new URL('/', url));
  expect(other.status).toBe(404);
  expect(await ended).toBeLessThanOrEqual(3);
  await expect(fetch(url)).rejects.toThrow();
  await server.close();
});

test('a port that is taken is refused', async () => {
  await using metrics = await openMetrics(0);
  await expect(openMetrics(Number(new URL(metrics.url).port))).rejects.toThrow(/choose another --metrics-port/);
});
