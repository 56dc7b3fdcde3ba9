import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, beforeAll, vi } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import type { Conversation, InitOptions } from './answers.ts';

/** Variables that the reference server can be logged in with, and what they are. */
export const secrets = { SVC_PASSWORD: 'edda-password', SVC_CLIENT_SECRET: 'conformance-secret' };
export const environmentNames = { clientSecretEnv: 'SVC_CLIENT_SECRET', passwordEnv: 'SVC_PASSWORD' };

/** A place for first profiles, there as long as the tests of a file run, and the variables that they name. */
export interface Place {
  readonly folder: () => string;
  /** A file in a folder of its own, which is not there yet. */
  readonly file: () => string;
  /** Everything that `init` needs to know about the reference server. */
  readonly answers: (url: string, more?: Partial<InitOptions>) => InitOptions;
}

export function placeForProfiles(): Place {
  const folder = makeFolder();
  beforeAll(() => {
    for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value);
  });
  afterAll(() => vi.unstubAllEnvs());
  const file = (): string => join(mkdtempSync(join(folder, 'out-')), 'profile.yaml');
  const known = { space: 'main', username: 'edda', clientId: 'conformance', participant: 'owner', ...environmentNames };
  return {
    folder: () => folder,
    file,
    answers: (url, more = {}) => ({ url, ...known, out: file(), yes: true, ...more }),
  };
}

/** Nobody is there to answer unless lines are given. */
export function conversation(
  lines?: readonly string[],
  environment: Conversation['environment'] = secrets,
): Conversation & { readonly asked: () => string } {
  const [input, asked] = [new PassThrough(), [] as string[]];
  const left = [...(lines ?? [])];
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      asked.push(chunk.toString());
      const line = chunk.toString().endsWith(': ') ? left.shift() : '';
      if (line === undefined) setImmediate(() => input.end());
      else if (line !== '') setImmediate(() => input.write(`${line}\n`));
      done();
    },
  });
  return { input, output, isTerminal: lines !== undefined, environment, asked: () => asked.join('') };
}
