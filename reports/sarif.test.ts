import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiddenCharacters } from './hidden.fixture.ts';
import { allIds, outcomeWith, runArbitrary, runWith } from './run.fixture.ts';
import { writeSarif, writeSarifOfAll } from './sarif.ts';

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
const listOf = (items: object) => ({ type: 'array', items });
const closed = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
const message = closed({ text: { type: 'string', minLength: 1 } });
const level = { enum: ['none', 'note', 'warning', 'error'] };
const time = { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$` };

/** The members of SARIF 2.1.0 that are written here, closed; texts of messages have to be there. */
const isSarif = new Ajv().compile(
  closed({
    $schema: text,
    version: { const: '2.1.0' },
    runs: listOf(
      closed({
        tool: closed({
          driver: closed({
            name: text,
            semanticVersion: text,
            rules: listOf(
              closed({
                id: text,
                shortDescription: message,
                fullDescription: message,
                help: closed({ text: { type: 'string', minLength: 1 }, markdown: { type: 'string', minLength: 1 } }),
                defaultConfiguration: closed({ level }),
                properties: closed({ tags: listOf(text) }),
              }),
            ),
          }),
        }),
        automationDetails: closed({ id: text }),
        invocations: listOf(
          closed(
            {
              executionSuccessful: { type: 'boolean' },
              exitCode: integer,
              exitCodeDescription: text,
              commandLine: text,
              startTimeUtc: time,
              endTimeUtc: time,
              toolExecutionNotifications: listOf(closed({ level, message, descriptor: closed({ id: text }) })),
            },
            ['startTimeUtc', 'endTimeUtc'],
          ),
        ),
        results: listOf(
          closed(
            {
              ruleId: text,
              ruleIndex: { type: 'integer', minimum: 0 },
              level,
              message,
              locations: listOf(
                closed({
                  physicalLocation: closed({
                    artifactLocation: closed({ uri: { type: 'string', pattern: '^[A-Za-z0-9._~%/-]+$' } }),
                    region: closed({ startLine: { type: 'integer', minimum: 1 } }),
                  }),
                  logicalLocations: listOf(closed({ fullyQualifiedName: text, kind: text })),
                }),
              ),
              partialFingerprints: { type: 'object', additionalProperties: text },
              baselineState: { enum: ['new', 'unchanged', 'updated', 'absent'] },
              suppressions: listOf(closed({ kind: { enum: ['inSource', 'external'] }, justification: text })),
            },
            ['suppressions', 'baselineState'],
          ),
        ),
        properties: closed({ looksLike: text, reached: text }, ['looksLike', 'reached']),
      }),
    ),
  }),
);

interface Result {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly { readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } }[];
  readonly suppressions?: readonly { readonly justification: string }[];
}

interface SarifRun {
  readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
  readonly invocations: readonly {
    readonly exitCode: number;
    readonly toolExecutionNotifications: readonly unknown[];
  }[];
  readonly results: readonly Result[];
}

function runsOf(document: string): readonly SarifRun[] {
  return (JSON.parse(document) as { readonly runs: readonly SarifRun[] }).runs;
}

const [rule, other] = allIds;
if (rule === undefined || other === undefined) throw new Error('no rule is built');
const violation = { expected: 'right', actual: '[click](https://evil.example) {0}', curl: [] };

describe('SARIF', () => {
  test('any run has the members of the schema, and every result its rule', () => {
    fc.assert(
      fc.property(runArbitrary, (run) => {
        const document = writeSarif(run);
        expect(isSarif(JSON.parse(document)), JSON.stringify(isSarif.errors)).toBe(true);
        expect(document).not.toMatch(hiddenCharacters);
        for (const { tool, results } of runsOf(document))
          for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
      }),
      { numRuns: 60 },
    );
  });

  test('violations are results by level, nothing of the target is a link, what is known is suppressed', () => {
    const outcomes = [outcomeWith(rule, 'fail', { violation }), outcomeWith(other, 'warn', { violation })];
    const [run] = runsOf(writeSarif(runWith(outcomes, { knownFailures: { [other]: 'ticket' } })));
    expect(run?.results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      [rule, 'error'],
      [other, 'warning'],
    ]);
    expect(run?.results[0]?.message.text).toContain(String.raw`Actual: \[click\](https://evil.example) {{0}}`);
    expect(run?.results[0]?.suppressions).toBeUndefined();
    expect(run?.results[1]?.suppressions).toEqual([{ kind: 'external', justification: 'known failure: ticket' }]);
  });

  test('what stumbled is no result but a notification', () => {
    const [run] = runsOf(writeSarif(runWith([outcomeWith(rule, 'broken', { reason: 'no token' })])));
    expect(run?.results).toEqual([]);
    expect(run?.invocations[0]).toMatchObject({
      exitCode: 3,
      executionSuccessful: false,
      toolExecutionNotifications: [{ level: 'error', descriptor: { id: rule } }],
    });
  });

  test.each([
    ['check --profile their.yaml', 'their.yaml'],
    ["check --profile 'profiles/my own.yaml' --seed 1", 'profiles/my%20own.yaml'],
    ['check --profile ./a/b.yaml', 'a/b.yaml'],
    ['check --profile ../b.yaml', 'profile.yaml'],
    ['check --profile /etc/b.yaml', 'profile.yaml'],
    ['check', 'profile.yaml'],
  ])('%s is shown at %s', (command, uri) => {
    const [run] = runsOf(writeSarif(runWith([outcomeWith(rule, 'fail', { violation })], { command })));
    expect(run?.results[0]?.locations[0]?.physicalLocation.artifactLocation.uri).toBe(uri);
  });

  test('several runs stand beside each other', () => {
    expect(runsOf(writeSarifOfAll([runWith([]), runWith([])]))).toHaveLength(2);
  });
});
