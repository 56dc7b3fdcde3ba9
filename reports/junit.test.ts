import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { memoryPages, validateXML } from 'xmllint-wasm';
import { areas } from '../contract/areas.ts';
import { hiddenCharacters } from './hidden.fixture.ts';
import { writeJunit, writeJunitOfAll } from './junit.ts';
import { allIds, outcomeWith, runArbitrary, runWith } from './run.fixture.ts';

let schema = '';
beforeAll(async () => {
  schema = await readFile(new URL('./fixtures/junit.xsd', import.meta.url), 'utf8');
});

async function faultsIn(xml: string): Promise<readonly string[]> {
  const { errors } = await validateXML({
    xml: { fileName: 'report.xml', contents: xml },
    schema: [schema],
    maxMemoryPages: 4 * memoryPages.defaultMaxMemoryPages,
  });
  return errors.map(({ message }) => message);
}

describe('JUnit XML', () => {
  test('any run is well formed and fits the schema', async () => {
    await fc.assert(
      fc.asyncProperty(runArbitrary, async (run) => {
        const xml = writeJunit(run);
        expect(xml).not.toMatch(hiddenCharacters);
        expect(await faultsIn(xml)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  test('several runs are further suites, counted through', async () => {
    const xml = writeJunitOfAll([runWith([]), runWith([])]);
    expect(await faultsIn(xml)).toEqual([]);
    expect([...xml.matchAll(/ id="(\d+)"/g)].map((match) => Number(match[1]))).toEqual([
      ...Array(2 * areas.length).keys(),
    ]);
  });

  test('the check finds what the schema forbids', async () => {
    const xml = writeJunit(runWith([]));
    expect(await faultsIn(xml.replace(' tests="', ' test="'))).not.toEqual([]);
    expect(await faultsIn(xml.replace('</testsuites>', ''))).not.toEqual([]);
    expect(await faultsIn(xml.replace('<system-out/>', '<system-out>\u0001</system-out>'))).not.toEqual([]);
  });

  test('one test case a rule', () => {
    const xml = writeJunit(runWith([]));
    expect([...xml.matchAll(/<testcase /g)]).toHaveLength(allIds.length);
    expect([...xml.matchAll(/<testcase name="([^"]*)"/g)].map((match) => match[1])).toContain(allIds[0]);
  });
});

describe('what becomes of a verdict', () => {
  const [rule] = allIds;
  if (rule === undefined) throw new Error('no rule is built');
  const violation = { expected: 'right', actual: 'wrong', curl: ['curl it'] };
  const caseOf = (xml: string) => xml.slice(xml.indexOf(`<testcase name="${rule}"`)).split('\n<testcase')[0] ?? '';
  test.each([
    ['fail', { violation }, {}, '<failure message="expected right, found wrong" type="fail">'],
    ['broken', { reason: 'no token' }, {}, '<error message="no token" type="broken">'],
    [
      'blocked',
      { reason: 'no port' },
      {},
      '<error message="blocked without being declared under notSupported: no port" type="blocked">',
    ],
    ['blocked', { reason: 'no port' }, { notSupported: { [rule]: 'planned' } }, '<skipped message="no port"/>'],
    ['fail', { violation }, { knownFailures: { [rule]: 'ticket' } }, '<skipped message="known failure: ticket"/>'],
    ['pass', {}, { knownFailures: { [rule]: 'ticket' } }, 'type="stale-known-failure">'],
    ['warn', { violation }, {}, `${rule}: warned: expected right; actual wrong`],
    ['observed', { observations: [{ what: 'status', seen: '404' }] }, {}, `${rule}: observed: status: 404`],
  ] as const)('%s %#', (verdict, more, header, text) => {
    const xml = writeJunit(runWith([outcomeWith(rule, verdict, more)], header));
    expect(xml).toContain(text);
    expect(/<(failure|error|skipped)/.test(caseOf(xml))).toBe(text.startsWith('<') || text.startsWith('type'));
  });
});
