import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { configurationFrom, loadConfiguration } from './load-configuration.ts';
import { ConfigurationError, readSeed, readTemplates, sourceFrom } from './load-configuration.ts';

const fixture = (name: string): string => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');
const files = { 'space-template.yaml': fixture('space-template.yaml'), 'seed.yaml': fixture('seed.yaml') };

describe('the bundled files', () => {
  const configuration = loadConfiguration();
  const document = configuration.templates.get('engineering')?.softTypes.get('Document');

  test('fit their schemas, which is not looked at when they are read', () => {
    expect(readTemplates(parse(files['space-template.yaml']))).toHaveProperty('value');
    expect(readSeed(parse(files['seed.yaml']))).toHaveProperty('value');
  });

  test('are read once', () => expect(loadConfiguration()).toBe(configuration));

  test('give members in their order, mandatory or not', () => {
    expect([...(document?.members.keys() ?? [])].slice(0, 5)).toEqual(['title', 'note', 'remark', 'label', 'scale/~1']);
    expect(document?.members.get('title')).toEqual({ kind: 'string', mandatory: true });
    expect(document?.members.get('describes')).toEqual({ kind: 'references', to: 'Part', mandatory: false });
    expect(document?.members.get('price')).toEqual({ kind: 'dated', of: 'string', mandatory: false });
  });

  test('give schemas: all members, some of them, renamed ones', () => {
    expect([...(document?.inputs.get('documentInput')?.names.keys() ?? [])]).toEqual([
      ...(document?.members.keys() ?? []),
    ]);
    expect([...(document?.outputs.get('documentSummary')?.names ?? [])]).toEqual([
      ['title', 'title'],
      ['remark', 'remark'],
      ['pageCount', 'pageCount'],
      ['contacts', 'contacts'],
    ]);
    expect(document?.outputs.get('documentFull')?.names.get('displayLabel')).toBe('label');
    expect(document?.outputs.get('documentFull')?.names.has('label')).toBe(false);
  });

  test('give the maturity process, filters, spaces, users, roles and keys', () => {
    expect(document?.maturity?.levels.get('engineering')).toEqual(['draft', 'reviewed', 'released']);
    expect(configuration.templates.get('engineering')?.filters.get('byCategory')).toEqual({
      id: 'byCategory',
      softType: 'Document',
      port: 'files',
      member: 'category',
      groupId: 'fileGroup',
      criteriaPort: 'category',
    });
    expect(configuration.spaces.get('main')?.participants.get('owner')?.get('rita')).toBe('reader');
    expect(configuration.users.get('cora')).toMatchObject({ name: 'cora', collectionAdministrator: true });
    expect(configuration.users.get('edda')?.collectionAdministrator).toBe(false);
    expect(configuration.roles.get('reader')).toEqual(new Set(['GET']));
    expect(configuration.auth.signingKey.toString()).toMatch(/^svc-conformance demonstration key/);
  });
});

describe('what is wrong is named with its line and column', () => {
  test.each([
    [
      'space-template.yaml',
      'title: { kind: string, mandatory: true }',
      'title: { kind: sting, mandatory: true }',
      /^[^:]+:\d+:\d+: templates\.\w+\.softTypes\.\w+\.members\.title\.kind must be one of "string", .*, found "sting"; did you mean "string"\?$/,
    ],
    [
      'space-template.yaml',
      'title: { kind: string, mandatory: true }',
      'title: { kind: string, mandatroy: true }',
      /: unknown key "mandatroy" in templates\.\w+\.softTypes\.\w+\.members\.title; did you mean "mandatory"\?$/,
    ],
    [
      'seed.yaml',
      'methods: [GET] }',
      'methods: [LOOK] }',
      /roles\.reader\.methods\.0 must be one of "GET", .*, found "LOOK"$/,
    ],
    ['seed.yaml', /^collection:\n(?: .*\n)+/m, '', /^seed\.yaml:\d+:1: the file lacks "collection"$/],
    [
      'seed.yaml',
      'password: edda-password',
      'password: 5517',
      /users\.edda\.password must be .*, found a number that is not shown$/,
    ],
  ] as const)('%s with %s made %s, in a sentence of ours', (file, right, wrong, sentence) => {
    expect(errorOf({ ...files, [file]: files[file].replace(right, wrong) }).message).toMatch(sentence);
  });

  test.each([
    [
      'space-template.yaml',
      'title: { kind: string, mandatory: true }',
      'title: { kind: text, mandatory: true }',
      'kind',
    ],
    [
      'space-template.yaml',
      'title: { kind: string, mandatory: true }',
      'title: { kind: string, mandatroy: true }',
      'mandatroy',
    ],
    ['space-template.yaml', 'kind: references, to: Part', 'kind: references, to: Prat', 'Prat'],
    ['space-template.yaml', 'rename: { label: displayLabel }', 'rename: { lable: displayLabel }', 'lable'],
    ['space-template.yaml', 'rename: { label: displayLabel }', 'rename: { label: title }', 'one name'],
    ['space-template.yaml', 'only: [title, note, remark]', 'only: [title, nope]', 'nope'],
    ['space-template.yaml', 'maturity: release', 'maturity: relaese', 'relaese'],
    ['space-template.yaml', 'port: files, member: category, equals', 'port: flies, member: category, equals', 'flies'],
    ['space-template.yaml', 'port: files, member: category, equals', 'port: files, member: cat, equals', 'cat'],
    ['space-template.yaml', 'member: category, equals: drawing', 'member: category', 'equals'],
    ['space-template.yaml', 'name: Engineering', 'name: [Engineering', ''],
    ['seed.yaml', 'template: engineering', 'template: enginering', 'enginering'],
    ['seed.yaml', 'edda: editor, emil: reader, rita', 'edda: editor, emli: reader, rita', 'emli'],
    ['seed.yaml', 'rita: reader', 'rita: raeder', 'raeder'],
    ['seed.yaml', 'methods: [GET] }', 'methods: [LOOK] }', 'methods'],
    ['seed.yaml', 'tokenLifetimeSeconds: 3600', 'tokenLifetimeSeconds: 0', 'tokenLifetimeSeconds'],
    ['seed.yaml', /signingKey: .*/, 'signingKey: no-base64', 'signingKey'],
    ['seed.yaml', /administrationKey: .*/, 'administrationKey: no-base64', 'administrationKey'],
    ['seed.yaml', /administrationKey: .*/, 'administrationKey: MTIzNDU2Nzg5MDEyMzQ1', 'found 15 bytes'],
    ['seed.yaml', '  name: Demonstration collection\n', '', 'name'],
  ] as const)('%s with %s made %s', (file, right, wrong, complaint) => {
    const text = files[file];
    const changed = text.replace(right, wrong);
    expect(changed).not.toBe(text);
    const line = changed.split('\n').findIndex((candidate, index) => candidate !== text.split('\n')[index]) + 1;
    const error = errorOf({ ...files, [file]: changed });
    expect(error.message).toMatch(new RegExp(`^${file}:\\d+:\\d+: `));
    expect(error.message).toContain(complaint);
    if (complaint !== '' && wrong !== '')
      expect(Math.abs(Number(error.message.split(':')[1]) - line)).toBeLessThanOrEqual(1);
  });
});

function errorOf(texts: typeof files): ConfigurationError {
  try {
    configurationFrom(
      sourceFrom('space-template.yaml', texts['space-template.yaml'], readTemplates),
      sourceFrom('seed.yaml', texts['seed.yaml'], readSeed),
    );
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('the change was taken');
}
