import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { systemProgram } from '../fixtures/system-program.ts';
import { exampleRun } from '../reports/page/example.fixture.ts';
import { writeHtml } from '../reports/formats.ts';

/** Pictures of report.html for the documents: its head, a failed rule and a schedule, light and dark, as docs/report-*.png. */
const most = 150_000;
const rule = 'paging.page-one.holds-the-rest';
const scheduled = 'delivery.event.retry-gaps';
const schemes = ['light', 'dark'] as const;

const { path } = systemProgram('chromium');
if (path === undefined) throw new Error('chromium is not installed; install it and run this again');
const folder = mkdtempSync(join(tmpdir(), 'svc-screenshots-'));
const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
try {
  const page = join(folder, 'report.html');
  writeFileSync(page, writeHtml(exampleRun));
  for (const scheme of schemes) await picturesIn(browser, pathToFileURL(page).href, scheme);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

async function picturesIn(browser: Browser, address: string, colorScheme: (typeof schemes)[number]): Promise<void> {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1200, height: 760 } });
  await page.goto(address);
  save(`report-summary-${colorScheme}.png`, await page.screenshot());
  await page.selectOption('select[name=verdict]', 'fail');
  await page.locator('#rules').evaluate((rules) => rules.scrollIntoView());
  await page.locator(`[id="${rule}"]`).waitFor();
  save(`report-failed-rule-${colorScheme}.png`, await page.screenshot());
  await page.selectOption('select[name=area]', 'delivery');
  await page.locator(`[id="${scheduled}"]`).evaluate((shown) => shown.closest('.area')?.scrollIntoView());
  await page.setViewportSize({ width: 1200, height: 680 });
  save(`report-timeline-${colorScheme}.png`, await page.screenshot());
  await page.close();
}

function save(name: string, picture: Buffer): void {
  if (picture.length > most)
    throw new Error(`${name} has ${picture.length} bytes; a picture for the documents has at most ${most}`);
  writeFileSync(fileURLToPath(new URL(`../docs/${name}`, import.meta.url)), picture);
  process.stdout.write(`docs/${name}: ${picture.length} bytes\n`);
}
