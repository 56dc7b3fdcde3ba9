import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { LoadedProfile } from '../../judge/profile/load.ts';
import { secretsOf } from '../../judge/redact/profile-secrets.ts';

/** What a program ended with, and said. */
export interface Ended {
  readonly code: number;
  readonly said: string;
}

/** Does what stands in the comments on top of a file: the lines of a shell that make its variables, then the command. */
export function runAsTold(text: string, program: string, folder: string, loaded: LoadedProfile): Promise<Ended> {
  const file = join(folder, `told.${program.endsWith('hurl') ? 'hurl' : 'http'}`);
  writeFileSync(file, text);
  const lines = text.split('\n').flatMap((line) => /^# (\w+=.*|(?:hurl|httpyac) .*)$/.exec(line)?.slice(1) ?? []);
  const script = ['set -u', ...lines].join('\n').replace(/\bFILE\b(?=[^\n]*$)/, `'${file}'`);
  const secrets = Object.fromEntries(secretsOf(loaded).map(({ variable, value }) => [variable, value]));
  return run('/bin/sh', ['-c', script], folder, {
    ...secrets,
    PATH: [dirname(program), '/usr/bin', '/bin'].join(delimiter),
  });
}

/** What each of the variables of a script is, by the lines on top of it. */
export async function valuesTold(text: string, loaded: LoadedProfile): Promise<ReadonlyMap<string, string>> {
  const secrets = Object.fromEntries(secretsOf(loaded).map(({ variable, value }) => [variable, value]));
  const lines = text.split('\n').flatMap((line) => /^# (\w+=.*)$/.exec(line)?.slice(1) ?? []);
  const names = lines.map((line) => line.slice(0, line.indexOf('=')));
  const script = ['set -eu', ...lines, ...names.map((name) => `printf '%s\\n' "$${name}"`)].join('\n');
  const { said } = await run('/bin/sh', ['-c', script], '.', { ...secrets, PATH: '/usr/bin:/bin' });
  const values = said.split('\n');
  return new Map([...Object.entries(secrets), ...names.map((name, index) => [name, values[index] ?? ''] as const)]);
}

export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  return new Promise((resolve) => {
    const limits = { timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };
    execFile(
      program,
      args,
      { cwd, env: { PATH: process.env['PATH'] ?? '', ...env }, ...limits },
      (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : Number(error !== null) * 99;
        resolve({ code, said: `${stdout}${stderr}` });
      },
    );
  });
}
