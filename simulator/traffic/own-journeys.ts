import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hintAt } from '../../contract/spelling.ts';
import { messageOf } from '../../contract/thrown.ts';
import { type Journey, type JourneyEnv, journeyNames } from './journey.ts';
import { journeys } from './journeys/journeys.ts';
import { bodyWith, createStep, editStep, mark, pick, pickBetween, readStep } from './journeys/steps.ts';
import type { Mix } from './mix.ts';
import { jsonIn, objectIn, oidIn, versionIn } from './results.ts';

/** Steps that are judged as those of the bundled journeys are, and what reads their answers. */
const tools = {
  bodyWith,
  createStep,
  editStep,
  mark,
  pick,
  pickBetween,
  readStep,
  jsonIn,
  objectIn,
  oidIn,
  versionIn,
} as const;

/** What one user does, as whoever writes a mix says it: each `yield` of a step gives back its answer. */
export type OwnJourney = (env: JourneyEnv, steps: typeof tools) => ReturnType<Journey>;

export type OwnJourneys = ReadonlyMap<string, Journey>;

/** Journeys that cannot be used; the message is a sentence that names the file. */
export class OwnJourneysError extends Error {
  override readonly name = 'OwnJourneysError';
}

/** Those that the mix names; nothing where it names none. @throws {OwnJourneysError} */
export async function loadOwnJourneys({ own }: Pick<Mix, 'own'>): Promise<OwnJourneys> {
  if (own === undefined) return new Map();
  const { module: file, journeys: named } = own;
  if (!existsSync(file)) throw new OwnJourneysError(`${file}: the module cannot be loaded: there is no such file`);
  const exported: unknown = await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw new OwnJourneysError(`${file}: the module cannot be loaded (${messageOf(error)})`);
  });
  const found: unknown = Reflect.get(Object(exported), 'journeys');
  return new Map(
    Object.keys(named).map((name) => {
      if (journeyNames.some((one) => one === name))
        throw new OwnJourneysError(`${file}: ${name} is the name of a bundled journey; choose another one`);
      const journey: unknown = Object.hasOwn(Object(found), name) ? Reflect.get(Object(found), name) : undefined;
      if (!isOwnJourney(journey))
        throw new OwnJourneysError(
          `${file}: expected the export "journeys" to hold a generator function "${name}"${hintAt(name, Object.keys(Object(found)))}`,
        );
      return [name, (env: JourneyEnv) => toldBy(name, file, journey(env, tools))] as const;
    }),
  );
}

/** Goes on as the journey does; what it stumbles over is told with its name and the line. */
function* toldBy(name: string, file: string, journey: ReturnType<Journey>): ReturnType<Journey> {
  try {
    return yield* journey;
  } catch (error) {
    const place = basename(file);
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    const at = stack.split('\n').find((line) => line.includes(`${place}:`));
    const line = at === undefined ? undefined : /:(\d+):\d+\)?$/.exec(at)?.[1];
    throw new OwnJourneysError(
      `the journey ${name} of ${place}${line === undefined ? '' : `:${line}`} stumbled: ${messageOf(error)}`,
    );
  }
}

function isOwnJourney(value: unknown): value is OwnJourney {
  return typeof value === 'function';
}

/** One of the mix. @throws {RangeError} nobody made it */
export function journeyNamed(name: string, own?: OwnJourneys): Journey {
  const bundled = journeyNames.find((one) => one === name);
  const journey = bundled === undefined ? own?.get(name) : journeys[bundled];
  if (journey === undefined) throw new RangeError(`Expected a journey that is bundled or your own, found ${name}.`);
  return journey;
}
