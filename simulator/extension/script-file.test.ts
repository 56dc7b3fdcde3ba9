import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { loadScript, ScriptError, scriptFrom } from './script-file.ts';

const folder = makeFolder();

function errorOf(text: string): string {
  try {
    scriptFrom(text, 'my.yaml');
  } catch (error) {
    if (error instanceof ScriptError) return error.message;
    throw error;
  }
  throw new Error('this script was taken');
}

const steps = 'answers:\n  - when: { kind: event }\n    steps:\n      - { status: 503 }\n';

test.each([
  ['a misspelt key', 'answres: []\n', 'my.yaml:1:1: unknown key "answres" in the script; did you mean "answers"?'],
  [
    'a misspelt key in a step',
    steps.replace('status', 'statsu'),
    'my.yaml:4:11: unknown key "statsu" in answers.0.steps.0; did you mean "status"?',
  ],
  [
    'a status that is none',
    steps.replace('503', '99'),
    'my.yaml:4:19: answers.0.steps.0.status must be 200 or more, found 99',
  ],
  [
    'a kind that no request has',
    steps.replace('event', 'evnet'),
    'my.yaml:2:19: answers.0.when.kind must be one of "metadata", "event", "validation", "task", "email", "action", "endpoint", "other", found "evnet"; did you mean "event"?',
  ],
  ['no steps', 'answers:\n  - steps: []\n', 'my.yaml:2:12: answers.0.steps must be a list of 1 or more, found []'],
  ['steps left out', 'answers:\n  - per: path\n', 'my.yaml:2:5: answers.0 lacks "steps"'],
  ['a list', '- 1\n', 'my.yaml:1:1: the script must be a mapping, found [1]'],
  ['nothing', '', 'my.yaml:1:1: the script must be a mapping, found null'],
])('%s is told with its place', (_what, text, message) => {
  expect(errorOf(text)).toBe(message);
});

test('no YAML is told with its place', () => {
  expect(errorOf('answers: [')).toMatch(/^my\.yaml:1:\d+: this is no YAML: /);
});

test('whatever is put in the place of a part of a script, the answer is a script or a sentence with a place', () => {
  const script = { answers: [{ when: { kind: 'event' }, steps: [{ status: 503, headers: { a: 'b' } }], per: 'path' }] };
  const places = [
    ['answers'],
    ['answers', 0],
    ['answers', 0, 'when'],
    ['answers', 0, 'steps', 0],
    ['answers', 0, 'per'],
  ];
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.jsonValue(), (place, value) => {
      const changed = structuredClone(script);
      const parent = place.slice(0, -1).reduce<object>((inner, part) => Reflect.get(inner, part) as object, changed);
      Reflect.set(parent, place.at(-1) ?? '', value);
      const text = stringify(changed);
      try {
        scriptFrom(text, 'my.yaml');
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error;
        const [, line = '', column = '', sentence = ''] = /^my\.yaml:(\d+):(\d+): (.*)$/s.exec(error.message) ?? [];
        expect(text.split('\n')[Number(line) - 1]?.length).toBeGreaterThanOrEqual(Number(column) - 1);
        expect(sentence).toMatch(/^answers\.0|^answers (must|lacks)|^unknown key /);
        expect(sentence).not.toMatch(/must NOT|must match|required property|instancePath/);
      }
    }),
    { examples: [[['answers', 0, 'steps', 0], { '': 1 }]] },
  );
});

test.each([
  ['export const script = 5;', 'expected an export "script" that is a function or an array of answers'],
  [
    'export const script = [{ steps: [{ status: 1 }] }];',
    'in its export "script", answers.0.steps.0.status must be 200',
  ],
  ['export const script = ;', 'the module cannot be loaded'],
])('a module %j is refused', async (text, message) => {
  const file = join(folder, `script-${message.length}.mjs`);
  writeFileSync(file, text);
  await expect(loadScript(file)).rejects.toThrow(message);
});

test('a file that is not there is named', async () => {
  await expect(loadScript(join(folder, 'none.yaml'))).rejects.toThrow(
    /none\.yaml: the script cannot be read: there is no such file/,
  );
});
