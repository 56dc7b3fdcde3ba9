import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { type Deployment, startBoth, startReference } from '../api/deployment.ts';
import { areas as allAreas } from '../contract/areas.ts';
import { checkCommand } from '../cli/check.ts';
import { reportTableCommand } from '../cli/report-table.ts';
import { systemProgram } from '../fixtures/system-program.ts';

/**
 * Judges the reference server, the strange dialect and three faulty servers, an older run of the reference server as well, and writes a page
 * that holds them beside each other, with a picture of it where there is a browser: `node bench/table.ts FOLDER --areas paging,auth`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { areas: { type: 'string', default: allAreas.join() }, seed: { type: 'string', default: '1' } },
});
const [folder = 'table'] = positionals;
const areas = allAreas.filter((area) => values.areas.split(',').includes(area));

const candidates: readonly (readonly [file: string, name: string, start: () => Promise<Deployment>])[] = [
  ['before', 'reference', () => startBoth({ faults: ['paging.link.pages-count', 'versioning.mismatch.lower-409'] })],
  ['reference', 'reference', () => startBoth()],
  ['strange', 'strange', () => startReference({ dialect: 'strange' })],
  ['a-page-too-many', 'a page too many', () => startBoth({ faults: ['paging.link.pages-count'] })],
  ['no-versions', 'no versions', () => startBoth({ faults: ['versioning.mismatch.lower-409'] })],
  ['no-roles', 'no roles', () => startBoth({ faults: ['auth.role.reader-edit-403'] })],
];

const reports: string[] = [];
for (const [file, name, start] of candidates) {
  const out = join(folder, file);
  await checkCommand({ out, areas, seed: Number(values.seed), quiet: true }, () => named(name, start));
  reports.push(join(out, 'report.json'));
}
const page = join(folder, 'table.html');
await reportTableCommand(reports, { out: page });

const { path } = systemProgram('chromium');
if (path !== undefined) {
  await using browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
  const shown = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  await shown.goto(new URL(page, `file://${process.cwd()}/`).href);
  await shown.screenshot({ path: join(folder, 'table.png'), fullPage: true });
}

async function named(implementation: string, start: () => Promise<Deployment>): Promise<Deployment> {
  const deployment = await start();
  const { loaded } = deployment;
  return { ...deployment, loaded: { ...loaded, profile: { ...loaded.profile, implementation } } };
}
