import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as fc from 'fast-check';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../../fixtures/listening.fixture.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { systemProgram } from '../../fixtures/system-program.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Run } from '../run.ts';
import { allIds, outcomeWith, runArbitrary, runWith } from '../run.fixture.ts';
import { exampleRun } from './example.fixture.ts';
import { writeHtml, writeHtmlOfAll } from '../formats.ts';
import { elementsOf, hostileMarkup, hostileRun } from './hostile.fixture.ts';

const program = systemProgram('chromium');
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const failed = 'paging.page-one.holds-the-rest';

/** Rules of two areas, and of every verdict: a page of all takes a browser long. */
const few: ReadonlySet<RuleId> = new Set([
  ...exampleRun.outcomes.filter(({ verdict }) => verdict !== 'pass').map(({ rule }) => rule),
  ...allIds.filter((id) => /^paging\.|^calls\.host\./.test(id)),
]);
const example: Run = {
  rules: exampleRun.rules.filter(({ id }) => few.has(id)),
  header: { ...exampleRun.header, selected: [...few] },
  outcomes: exampleRun.outcomes.filter(({ rule }) => few.has(rule)),
  ...(exampleRun.footer && { footer: exampleRun.footer }),
};

let browser: Browser | undefined;
const folder = makeFolder();
beforeAll(async () => {
  if (program.path !== undefined)
    browser = await chromium.launch({ executablePath: program.path, args: ['--no-sandbox'], timeout: 0 });
});
afterAll(() => browser?.close());

/** What a test says of a page that it opened from a file. */
interface Opened extends AsyncDisposable {
  readonly page: Page;
  /** Errors of scripts and of the policy, and addresses that the page asked for. */
  readonly complaints: string[];
}

async function opened(
  document: string,
  { hash = '', ...options }: BrowserContextOptions & { readonly hash?: string } = {},
): Promise<Opened> {
  if (browser === undefined) throw new Error('no browser');
  const file = join(folder, 'report.html');
  await writeFile(file, document);
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(0);
  const complaints: string[] = [];
  const address = `${pathToFileURL(file)}${hash}`;
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('request', (request) => {
    if (request.url() !== address.replace(/#.*/, '')) complaints.push(request.url());
  });
  await page.goto(address);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** Waits by selector: a function that waits would be made from a text in the page, which its policy refuses. */
function focused(page: Page, id: string): Promise<void> {
  return page.locator(`[id="${id}"] > :focus`).waitFor();
}

function shown(page: Page): Promise<number> {
  return page.locator('details.rule:not([hidden])').count();
}

describe.skipIf(program.path === undefined)(`the page in a browser${program.note}`, () => {
  test('narrows the rules by verdict, area, level, side and text, and shows all again', async () => {
    await using view = await opened(writeHtml(example));
    const { page } = view;
    expect(await shown(page)).toBe(few.size);
    await page.selectOption('select[name=verdict]', 'fail');
    expect(await shown(page)).toBe(3);
    await page.selectOption('select[name=area]', 'paging');
    expect(await page.locator('details.rule:not([hidden])').getAttribute('id')).toBe(failed);
    expect(await page.locator('output').textContent()).toBe(`1 of ${few.size} rules shown`);
    await page.click('button[type=reset]');
    await page.locator('output', { hasText: new RegExp(`^${few.size} `) }).waitFor();
    await page.fill('input[name=text]', 'node-4.INTERNAL location');
    expect(await shown(page)).toBe(1);
    await page.fill('input[name=text]', '');
    await page.selectOption('select[name=side]', 'extension');
    const extension = await shown(page);
    expect(extension).toBeGreaterThan(0);
    await page.selectOption('select[name=level]', 'observe');
    expect(await shown(page)).toBeLessThan(extension);
    expect(view.complaints).toEqual([]);
  });

  test('keeps filter and selected rule in the address, from which another reader gets the same', async () => {
    await using view = await opened(writeHtml(example));
    const { page } = view;
    await page.selectOption('select[name=verdict]', 'fail');
    await page.fill('input[name=text]', 'page 1');
    await page.locator(`[id="${failed}"] > summary`).click();
    await page.locator(`[id="${failed}"] > summary`).click();
    const hash = `#${failed}?verdict=fail&text=page+1`;
    expect(new URL(page.url()).hash).toBe(hash);
    await using other = await opened(writeHtml(example), { hash });
    expect(await shown(other.page)).toBe(1);
    expect(await other.page.inputValue('select[name=verdict]')).toBe('fail');
    await focused(other.page, failed);
    await other.page.click('button[type=reset]');
    await other.page.waitForURL((address) => address.hash === `#${failed}`);
    expect([...view.complaints, ...other.complaints]).toEqual([]);
  });

  test('lets the rules begin on the second screen, however much failed or was not tested', async () => {
    const bad = allIds.map((id, index) =>
      index % 2 === 0
        ? outcomeWith(id, index % 4 === 0 ? 'fail' : 'warn', { violation: { expected: 'a', actual: 'b', curl: [] } })
        : outcomeWith(id, 'blocked', {
            reason: `the profile does not meet need-${index}: add it`,
            missing: [`need-${index}`],
          }),
    );
    await using view = await opened(writeHtml(runWith(bad)), { viewport: { width: 1200, height: 800 } });
    const top = await view.page.evaluate<number>(`document.getElementById('rules').getBoundingClientRect().top`);
    expect(top).toBeLessThan(2 * 800);
    expect(await view.page.locator('#findings li').count()).toBe(Math.ceil(bad.length / 2));
  });

  test('shows JSON as JSON and backticks as code', async () => {
    await using view = await opened(writeHtml(example));
    const rule = view.page.locator(`[id="${failed}"]`);
    expect(await rule.locator('pre code').allTextContents()).toContainEqual(
      expect.stringContaining('\n    {"$id":"12"},\n'),
    );
    expect(await rule.locator('.statement code').allTextContents()).toEqual(['$entryId']);
  });

  test('opens and focuses the rule that a link names, even one that is filtered out', async () => {
    await using view = await opened(writeHtml(example), { hash: '#reading.missing-neighbours.status' });
    const { page } = view;
    const isOpen = (id: string) => page.evaluate<boolean>(`document.getElementById('${id}').open`);
    expect(await isOpen('reading.missing-neighbours.status')).toBe(true);
    await focused(page, 'reading.missing-neighbours.status');
    await page.selectOption('select[name=verdict]', 'fail');
    await page.click('#untested summary >> nth=0');
    await page.click('#untested a >> nth=0');
    const linked = (await page.locator('#untested a >> nth=0').textContent()) ?? '';
    await focused(page, linked);
    expect(await isOpen(linked)).toBe(true);
    expect(await page.locator(`[id="${linked}"]`).isVisible()).toBe(true);
  });

  test.each([
    ['with the clipboard', ''],
    ['without a clipboard', `Object.defineProperty(navigator, 'clipboard', { value: undefined })`],
    [
      'with a clipboard that refuses',
      `Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error('denied')) } })`,
    ],
  ])('copies a curl line %s', async (_name, before) => {
    await using view = await opened(writeHtml(example));
    const { page } = view;
    if (before !== '') await page.evaluate(before);
    const button = page.locator(`[id="${failed}"] .copy >> nth=1`);
    const line = await button.locator('xpath=..').locator('code').textContent();
    await button.click();
    await expect.poll(() => page.locator('#said').textContent()).toBe('Copied');
    await page.locator('input[name=text]').focus();
    await page.keyboard.press('Control+V');
    expect(await page.inputValue('input[name=text]')).toBe(line);
    expect(line).toContain('curl ');
  });

  test('selects the text where nothing may copy, and copies a script as a whole', async () => {
    await using view = await opened(writeHtml(example));
    const { page } = view;
    await page.evaluate(
      `Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: async (text) => { window.copied = text; } } })`,
    );
    await page.click(`[id="${failed}"] .copy-all`);
    await expect.poll(() => page.locator('#said').textContent()).toBe('Copied');
    expect(await page.evaluate('window.copied')).toBe(
      (await page.locator(`[id="${failed}"] ol code`).allTextContents()).join('\n'),
    );
    await page.evaluate(
      `Object.defineProperty(navigator, 'clipboard', { value: undefined }); document.execCommand = () => false`,
    );
    await page.click(`[id="${failed}"] .copy >> nth=1`);
    await expect.poll(() => page.locator('#said').textContent()).toContain('Ctrl+C');
    expect(await page.evaluate('getSelection().toString()')).toContain('curl ');
  });

  test('says first how it ended and what failed, then what was not tested, the rules, classes, counts by level and area, what is left open, and the run', async () => {
    await using view = await opened(
      writeHtml({
        ...example,
        header: {
          ...example.header,
          expired: [{ list: 'notSupported', entry: 'put-route', reason: 'planned', until: '2026-01-31' }],
        },
      }),
    );
    const { page } = view;
    expect(await page.locator('h2').allTextContents()).toEqual([
      'Findings',
      'What was not tested, and why',
      'Rules',
      'Classes',
      'By level and area',
      'Where the documents are silent',
      'The run',
    ]);
    expect(await page.locator('.counts').textContent()).toBe(
      `3 failed1 warned1 broken2 blocked1 observed${few.size - 8} passed`,
    );
    expect(await page.locator('#findings li a').first().textContent()).toBe(failed);
    expect(await page.locator('#findings caption').allTextContents()).toEqual([
      'Expired entries of the profile: renew them or take them out',
    ]);
    expect(await page.locator('#summary tr', { hasText: 'must' }).locator('td.fail').textContent()).toBe('3');
    expect(await page.locator('#summary tr', { hasText: 'paging' }).locator('td.fail').textContent()).toBe('1');
    expect(await page.locator('#untested summary').first().textContent()).toBe(
      'needs demote-route, 1 rule: the path of the demote action; add routes.demote',
    );
    expect(await page.locator('#ledger td code').allTextContents()).toEqual([
      'expect.unknownSpace',
      'expect.mismatchedRoute',
    ]);
    const facts = await page.locator('#facts dt').allTextContents();
    expect(facts).toEqual(expect.arrayContaining(['Seed', 'Duration', 'Profile', 'Version of the suite']));
  });

  test('shows a history that was made small as numbered steps, each line of its script to copy', async () => {
    await using view = await opened(writeHtml(example));
    const rule = view.page.locator('[id="patch.operations.match-model"]');
    expect(await rule.locator('ol').first().locator('li').allTextContents()).toEqual([
      'object 1 with 11 entries',
      'remove on object 1, at 10, choice 0',
    ]);
    expect(await rule.locator('ol').nth(1).locator('li button').count()).toBe(2);
    expect(await rule.locator('.copy-all').getAttribute('aria-label')).toBe(
      'Copy all 2 lines of patch.operations.match-model',
    );
  });

  test('draws a schedule: what is off is a cross, what is missing an empty ring, and a table says the same', async () => {
    await using view = await opened(writeHtml(example), { viewport: { width: 360, height: 740 } });
    const rule = view.page.locator('[id="delivery.event.retry-gaps"]');
    const drawing = rule.locator('svg.schedule');
    expect(await drawing.locator('circle.seen').count()).toBe(3);
    expect(await drawing.locator('.cross title').allTextContents()).toEqual([
      'attempt 4: 10.060 s',
      'attempt 5: 33.210 s',
    ]);
    expect(await drawing.locator('circle.missing').count()).toBe(1);
    expect(await drawing.locator('rect').count()).toBe(7);
    expect(await rule.locator('tr.off td:nth-child(4)').allTextContents()).toEqual([
      'early by 3.995 s',
      'late by 6.339 s',
      '1 missing',
    ]);
    const width = (await drawing.boundingBox())?.width;
    expect(width).toBeGreaterThan(250);
    expect(width).toBeLessThan(360);
    await view.page.emulateMedia({ media: 'print' });
    expect(await drawing.isVisible()).toBe(true);
  });

  test('is used by keyboard alone', async () => {
    await using view = await opened(writeHtml(example));
    const { page } = view;
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toBe('skip');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.name')).toBe('verdict');
    await page.locator('details.rule:not([open]) > summary').first().focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.parentElement.open')).toBe(true);
    expect(await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`)).toBe('solid');
  });

  test.each([
    ['light', ''],
    ['dark', `{ runOnly: { type: 'rule', values: ['color-contrast'] } }`],
  ] as const)('axe finds nothing in %s', async (colorScheme, options) => {
    await using view = await opened(writeHtml(example), { colorScheme });
    const { page } = view;
    await page.evaluate(
      `for (const one of document.querySelectorAll('details')) if (!one.matches('[data-verdict=pass]')) one.open = true`,
    );
    await page.evaluate(await readFile(axe, 'utf8'));
    const faults = await page.evaluate(
      `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 2).map(({ html }) => html).join(' ')))`,
    );
    expect(faults).toEqual([]);
  });

  test('fits a phone without scrolling sideways', async () => {
    await using view = await opened(writeHtml(example), { viewport: { width: 360, height: 740 }, isMobile: true });
    const { page } = view;
    await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  test('is printed with failed rules open and without what only a screen needs', async () => {
    await using view = await opened(writeHtml(example));
    const { page } = view;
    await page.evaluate(`document.querySelectorAll('details.rule').forEach((one) => { one.open = false; })`);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    expect(await page.locator('details.rule[open]').count()).toBe(3);
    expect(await page.locator('#filter').isVisible()).toBe(false);
  });

  test('is printed on ten pages, however much failed', async () => {
    const body = JSON.stringify({
      data: { files: Array.from({ length: 30 }, (_, id) => ({ $entryId: id, name: 'x' })) },
    });
    const request = { method: 'GET', url: 'http://127.0.0.1:8080/api/x', headers: [], body: '' } as const;
    const exchange = { request, response: { status: 200, headers: [], body }, sentAt: 0, durationMs: 1 };
    const violation = { expected: 'a', actual: 'b', curl: Array.from({ length: 30 }, () => 'curl x'), exchange };
    const bad = allIds.map((id, index) =>
      outcomeWith(id, index < 100 ? 'fail' : 'pass', index < 100 ? { violation } : {}),
    );
    await using view = await opened(writeHtml(runWith(bad)));
    const pages = (await view.page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g);
    expect(pages?.length).toBeGreaterThan(1);
    expect(pages?.length).toBeLessThanOrEqual(10);
  });

  test('works under a policy that a host adds', async () => {
    const server = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.setHeader(
        'Content-Security-Policy',
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
      );
      response.end(writeHtml(example));
    });
    await using listening = await listen(server);
    await using view = await opened('');
    const { page, complaints } = view;
    complaints.length = 0;
    await page.goto(`${listening.url}/`);
    await page.selectOption('select[name=verdict]', 'fail');
    expect(await shown(page)).toBe(3);
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.bar')).display`)).toBe('block');
    expect(complaints.filter((one) => !/^http:\/\/127\.0\.0\.1:\d+\/(?:favicon\.ico)?$/.test(one))).toEqual([]);
  });
});

describe.skipIf(program.path === undefined)(`a hostile target${program.note}`, () => {
  /** The elements and attributes of the page as parsed, and whether a script of the target ran. */
  const parsed = `({
    elements: Object.entries(Object.groupBy([...document.querySelectorAll('*')], ({ localName }) => localName)).map(([name, all]) => [name, all.length]).sort(),
    attributes: [...new Set([...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames()))].sort(),
    links: [...document.querySelectorAll('a')].every((link) => link.getAttribute('href').startsWith('#')),
    pwned: typeof window.pwned,
  })`;

  test('adds no element, no attribute and no script', async () => {
    const attributes = await inPage(example, parsed).then((result) => result.attributes);
    const runs = [hostileRun(hostileMarkup), ...fc.sample(runArbitrary, { numRuns: 4, seed: 7 })];
    for (const run of runs) {
      const document = writeHtmlOfAll([run, run]);
      await using view = await opened(document);
      const result = await view.page.evaluate<Parsed>(parsed);
      expect(result).toMatchObject({ pwned: 'undefined', links: true, elements: elementsOf(document) });
      expect(result.attributes.filter((name) => !attributes.includes(name) && name !== 'colspan')).toEqual([]);
      await view.page.fill('input[name=text]', '<script>');
      expect(await view.page.evaluate('typeof window.pwned')).toBe('undefined');
      expect(view.complaints).toEqual([]);
    }
  });

  interface Parsed {
    readonly elements: readonly (readonly [string, number])[];
    readonly attributes: readonly string[];
    readonly links: boolean;
    readonly pwned: string;
  }

  async function inPage(run: Run, expression: string): Promise<Parsed> {
    await using view = await opened(writeHtml(run));
    return await view.page.evaluate<Parsed>(expression);
  }
});
