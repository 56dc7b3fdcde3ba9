import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { checkCommand } from '../check.ts';
import { doctorCommand } from '../doctor.ts';
import { captureOutput, type Output } from '../output.fixture.ts';
import { serve } from '../served.fixture.ts';

/** Spoils a profile. */
export type Change = (profile: string) => string;

/** One text for another, once. */
export const swap =
  (from: string, to: string): Change =>
  (profile) =>
    profile.replace(from, to);

/** The bundled profile and its server, for as long as a test file runs. */
export interface TriedProfile {
  readonly bundled: string;
  readonly folder: string;
  /** Has the profile name another address. */
  readonly at: (url: string) => Change;
  /** Writes the profile with that change; its path. */
  readonly profileWith: (change: Change) => string;
  readonly doctorOf: (profile: string) => Promise<Output>;
  readonly checkOf: (profile: string, rules?: readonly string[]) => Promise<Output>;
}

export async function triedProfile(): Promise<TriedProfile> {
  const folder = makeFolder();
  const { url, profile: bundled } = await serve();
  return {
    bundled,
    folder,
    at: (other) => (profile) => profile.replaceAll(url, other),
    profileWith: (change) => {
      const profile = join(mkdtempSync(join(folder, 'profile-')), 'profile.yaml');
      const changed = change(bundled);
      expect(changed, 'the change changes something').not.toBe(bundled);
      writeFileSync(profile, changed);
      return profile;
    },
    doctorOf: (profile) => captureOutput(() => doctorCommand({ profile })),
    checkOf: (profile, rules = ['reading.*']) =>
      captureOutput(() =>
        checkCommand({ profile, out: join(profile, '..', 'out'), seed: 7, runs: 1, rules, quiet: true }),
      ),
  };
}

/** The lines of the profile that a text names as file:line:column. */
export function linesNamed(profile: string, printed: string): readonly string[] {
  const lines = readFileSync(profile, 'utf8').split('\n');
  const places = printed.split(`${profile}:`).slice(1);
  return places.map((place) => lines[Number.parseInt(place, 10) - 1] ?? '');
}
