import { describe, expect, test } from 'vitest';
import { topicNames } from './options.ts';
import { captureOutput } from './output.fixture.ts';
import { run } from './run.ts';

async function helpAbout(...words: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await captureOutput(() => run(['help', ...words]));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

describe('help', () => {
  test.each(topicNames)('about %s fits a terminal', async (topic) => {
    const text = await helpAbout(topic);
    expect(text.split('\n').length).toBeGreaterThan(4);
    expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(text).not.toContain('undefined');
  });

  test.each<readonly [topic: string, parts: readonly string[]]>([
    ['profile', ['identities (required)', 'softTypes', 'notSupported']],
    ['needs', ['soft-type', 'listener']],
    ['verdicts', ['blocked', 'broken']],
    ['secrets', ['SVC_PASSWORD', 'init --password-env', 'EXTENSION_API_KEY', 'SVC_CLAIM_KEY']],
    ['gate', ['--fail-on <level>', '(must, should)', 'knownFailures']],
    ['time', ['--time-budget']],
    ['classes', ['reader', 'not offered', 'notSupported']],
    ['reports', ['har, hurl, http, nock', 'triples']],
  ])('about %s names %j', async (topic, parts) => {
    const text = await helpAbout(topic);
    for (const part of parts) expect(text).toContain(part);
  });

  test('about a key or a need alone says what stands below it, or what declares it', async () => {
    expect(await helpAbout('profile', 'softTypes.primary.arrayPort')).toMatch(
      /arrayPort\.member \(required\) +string: /,
    );
    expect(await helpAbout('needs', 'array-port')).toMatch(/declared by +softTypes\.primary\.arrayPort\n/);
  });

  test.each([
    [['profile', 'arrayPort'], 'Unknown key of a profile "arrayPort"; did you mean "softTypes.primary.arrayPort"?'],
    [['needs', 'aray-port'], 'Unknown need "aray-port"; did you mean "array-port"?'],
    [['verdicts', 'pass'], 'Unknown command or topic "verdicts pass"'],
  ])('about %j, which is not there, is refused', async (words, sentence) => {
    const { exitCode, stderr } = await captureOutput(() => run(['help', ...words]));
    expect(exitCode).toBe(2);
    expect(stderr).toContain(sentence);
  });

  test('about a command is what the command says of itself', async () => {
    for (const words of [['check'], ['rules', 'explain'], []]) {
      const { stdout } = await captureOutput(() => run([...words, '--help']));
      expect(await helpAbout(...words)).toBe(stdout);
    }
  });
});
