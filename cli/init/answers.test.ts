import { describe, expect, test } from 'vitest';
import { createServer } from '../../reference-server/server.ts';
import { initCommand } from '../init.ts';
import { run } from '../run.ts';
import { captureOutput } from '../output.fixture.ts';
import { conversation, environmentNames, placeForProfiles, secrets } from './init.fixture.ts';

const place = placeForProfiles();

describe('answers', () => {
  test('that are missing are told at once, all of them, where nobody can be asked', async () => {
    const { exitCode, printed } = await captureOutput(() =>
      run(['init', '--yes', '--password-env', 'SVC_NOWHERE', '--out', place.file()]),
    );
    expect(exitCode).toBe(2);
    for (const word of ['--url URL', '--space ID', '--username NAME', '--client-id ID', 'export SVC_NOWHERE=…'])
      expect(printed).toContain(word);
    expect(printed).toContain('5 answers are missing');
    expect(printed).toContain('--token-env NAME takes the place of user, client and secrets');
  });

  test('are asked for on a terminal, and only those that the flags lack', async () => {
    const server = createServer();
    const url = await server.listen();
    const talk = conversation(['main', 'edda']);
    const options = { url, clientId: 'conformance', ...environmentNames, out: place.file() };
    const { exitCode } = await captureOutput(() => initCommand(options, talk));
    await server.close();
    expect(exitCode).toBe(0);
    expect(talk.asked()).toMatch(/Id of a space[^]*User with an editor role/);
    expect(talk.asked()).not.toMatch(/Address of|Client id/);
  });

  test('that cannot be used are asked for again, and an input that ends leaves the rest missing', async () => {
    const talk = conversation(['nowhere', 'http://127.0.0.1:9']);
    await expect(initCommand({ ...environmentNames, out: place.file() }, talk)).rejects.toThrow(
      /^3 answers are missing:\n {2}--space ID/,
    );
    expect(talk.asked()).toContain('Expected an address as https://service.example.com/path');
  });

  test('of a token take the place of those for the grant', async () => {
    const options = {
      url: 'http://127.0.0.1:9',
      space: 'main',
      tokenEnv: 'SVC_TOKEN',
      ...environmentNames,
      out: place.file(),
      yes: true,
    } as const;
    await expect(initCommand(options, conversation(undefined, {}))).rejects.toThrow(
      /^One answer is missing:\n {2}export SVC_TOKEN=… +Access token of the editor$/,
    );
  });

  test('that name one user for two identities are not taken, where one of them is known by what it may not do', async () => {
    const identity = [
      { identity: 'noRole', username: 'cora' },
      { identity: 'administrator', username: 'cora' },
    ] as const;
    const options = { url: 'http://127.0.0.1:9', space: 'main', username: 'edda', clientId: 'c', ...environmentNames };
    const environment = { ...secrets, SVC_NO_ROLE_PASSWORD: 'one', SVC_ADMINISTRATOR_PASSWORD: 'one' };
    await expect(
      initCommand({ ...options, identity, out: place.file(), yes: true }, conversation(undefined, environment)),
    ).rejects.toThrow(/^identities\.noRole is "cora", as is identities\.administrator: one user cannot be both/);
  });
});
