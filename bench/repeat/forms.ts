import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { peerProgram } from '../../fixtures/system-program.ts';
import type { LoadedProfile } from '../../judge/profile/load.ts';
import { secretsOf } from '../../judge/redact/profile-secrets.ts';
import { curlScript } from '../../reports/repeat/curl.ts';
import { httpFile } from '../../reports/repeat/http.ts';
import { hurlFile } from '../../reports/repeat/hurl.ts';
import type { Told } from '../../reports/repeat/told.ts';

/** What came of a script: 1 where it shows what was found, 0 where it does not, another number where that cannot be told. */
export interface Ran {
  readonly code: number;
  readonly said: string;
}

/** A way to write the requests of a finding, and the program that runs what was written. */
export interface Form {
  /** Ending of the names of its files. */
  readonly name: 'sh' | 'hurl' | 'http';
  /** Undefined where that form cannot say it. */
  readonly write: (told: Told) => string | undefined;
  /** @param more variables that stand in no profile */
  readonly run: (file: Written, loaded: LoadedProfile, more: Readonly<Record<string, string>>) => Promise<Ran>;
}

/** A script in a file, with the address of the target for which it was written. */
interface Written {
  readonly file: string;
  readonly text: string;
  readonly baseUrl: string;
}

const shell: Form = {
  name: 'sh',
  write: curlScript,
  run: ({ file }, loaded, more) => runScript(file, loaded, more),
};

/** Of Hurl 4 is a condition that does not hold; a file that has to fail itself says so by the command on top of it. */
const hurl: Form = {
  name: 'hurl',
  write: hurlFile,
  run: async ({ file, text, baseUrl }, loaded, more) => {
    const { code, said } = await runAsTold({ file, text: movedTo(text, baseUrl, loaded, more) }, 'hurl', loaded, more);
    if (text.includes('; case $? in')) return { code, said };
    return { code: endOf(code, 4), said };
  },
};

/** Of httpYac 20 is a test that fails. */
const http: Form = {
  name: 'http',
  write: httpFile,
  run: async ({ file, text, baseUrl }, loaded, more) => {
    const moved = movedTo(text, baseUrl, loaded, more);
    const { code, said } = await runAsTold({ file, text: moved }, 'httpyac', loaded, more);
    return { code: endOf(code, 20), said };
  },
};

function endOf(code: number, shows: number): number {
  if (code === shows) return 1;
  return code === 0 ? 0 : 2;
}

export const forms: Readonly<Record<Form['name'], Form>> = { sh: shell, hurl, http };

function movedTo(
  text: string,
  from: string,
  { profile }: LoadedProfile,
  { BASE_URL = profile.baseUrl.replace(/\/+$/, '') }: Readonly<Record<string, string>>,
): string {
  return text.replaceAll(from, BASE_URL);
}

/** Runs a script as somebody would who has the secrets of the profile. */
export function runScript(
  file: string,
  loaded: LoadedProfile,
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const BASE_URL = loaded.profile.baseUrl.replace(/\/+$/, '');
  const { path = '' } = loaded.profile.bulk?.hostDirectory ?? {};
  const env = { ...secretsIn(loaded), BASE_URL, ...(path !== '' && { HOST_DIRECTORY: path }), ...more };
  return run([file], '.', { PATH: '/usr/bin:/bin', ...env });
}

/** Does what stands in the comments on top of a file: the lines of a shell that make its variables, then the command. */
export function runAsTold(
  { file, text }: Pick<Written, 'file' | 'text'>,
  name: 'hurl' | 'httpyac',
  loaded: LoadedProfile,
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  writeFileSync(file, text);
  const { path = '' } = peerProgram(name);
  const lines = text.split('\n').flatMap((line) => /^# (\w+=.*|(?:hurl|httpyac) .*)$/.exec(line)?.slice(1) ?? []);
  const script = ['set -u', ...lines].join('\n').replace(/\bFILE\b(?=[^\n]*$)/, `'${file}'`);
  const env = { ...secretsIn(loaded), ...more };
  return run(['-c', script], dirname(file), { PATH: [dirname(path), '/usr/bin', '/bin'].join(delimiter), ...env });
}

export function secretsIn(loaded: LoadedProfile): Readonly<Record<string, string>> {
  return Object.fromEntries(secretsOf(loaded).map(({ variable, value }) => [variable, value]));
}

function run(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  const limits = { timeout: 600_000, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile('/bin/sh', args, { cwd, env, ...limits }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : Number(error !== null) * 9;
      resolve({ code, said: `${stderr.trim().replaceAll('\n', ' ')} | ${stdout.trim()}`.slice(0, 400) });
    });
  });
}
