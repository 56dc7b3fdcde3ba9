import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../usage.ts';
import { hintAt } from '../../contract/spelling.ts';
import { readTextFile } from '../../contract/named-file.ts';
import { checkBySchema, ProfileDocument } from '../../judge/profile/document.ts';
import { operationsIn } from '../../simulator/traffic/k6/operations.ts';
import { journeyNames } from '../../simulator/traffic/journey.ts';
import { type Mix, mixSchema } from '../../simulator/traffic/mix.ts';
import { thresholdFrom } from '../../simulator/traffic/thresholds.ts';

const bundledMix = fileURLToPath(new URL('../../fixtures/mix.yaml', import.meta.url));

/** A mix from a YAML file, the bundled one where none is named. @throws {UsageError | ProfileError} the latter with line and column */
export function loadMix(file: string = bundledMix): Mix {
  const document = new ProfileDocument(textIn(file), file);
  const mix = checkBySchema<Mix>(document, mixSchema);
  assertMix(document, mix);
  if (mix.own === undefined) return mix;
  return { ...mix, own: { ...mix.own, module: resolve(dirname(file), mix.own.module) } };
}

function textIn(file: string): string {
  return readTextFile(file, (why) => new UsageError(`Cannot read the mix ${file} (${why}); name an existing file.`));
}

/** What no schema says of a mix. @throws {ProfileError} with line and column */
function assertMix(document: ProfileDocument, mix: Mix): void {
  assertLoad(document, mix);
  assertJourneys(document, mix);
  assertStages(document, mix);
  for (const [index, text] of (mix.thresholds ?? []).entries()) assertThreshold(document, mix, index, text);
}

function assertLoad(document: ProfileDocument, { load }: Mix): void {
  if (load === undefined || Object.keys(load).length === 1) return;
  throw document.errorAt(
    ['load'],
    `load must be users of a closed loop or a rate of an open model, found ${Object.keys(load).length === 0 ? 'neither' : 'both'}`,
  );
}

function assertJourneys(document: ProfileDocument, { journeys, own }: Mix): void {
  for (const [name, journey] of Object.entries(journeys)) {
    const [shortest, longest] = journey.thinkMs ?? [0, 0];
    if (shortest <= longest) continue;
    throw document.errorAt(
      ['journeys', name, 'thinkMs'],
      `journeys.${name}.thinkMs must be the shortest pause and then the longest, found ${shortest} and ${longest}`,
    );
  }
  if ([...Object.values(journeys), ...Object.values(own?.journeys ?? {})].every(({ weight }) => weight === 0))
    throw document.errorAt(['journeys'], 'journeys must hold one of a weight above 0, found none: nothing would begin');
}

function assertStages(document: ProfileDocument, { stages, rampSeconds, durationSeconds }: Mix): void {
  if (stages === undefined) return;
  if (stages.every(({ to }) => to === 0))
    throw document.errorAt(['stages'], 'stages must rise above 0 somewhere, found none that does: nothing would begin');
  for (const [name, value] of Object.entries({ rampSeconds, durationSeconds }))
    if (value !== undefined)
      throw document.errorAt(
        [],
        `${name} cannot stand beside stages, which take its place; leave one of them out`,
        name,
      );
}

function assertThreshold(document: ProfileDocument, mix: Mix, index: number, text: string): void {
  const { op } = understood(document, index, text);
  const wrong = wrongOperation(mix, op);
  if (wrong !== undefined) throw document.errorAt(['thresholds', index], `thresholds.${index} names ${wrong}`);
}

/** What is wrong with the operation that a limit names; undefined where the mix has it, or may have. */
export function wrongOperation(mix: Mix, op: string | undefined): string | undefined {
  const known = ['all', ...operationsIn(mix)];
  // what a journey of your own asks for is known when it is made
  if (op === undefined || mix.own !== undefined || known.includes(op)) return undefined;
  const journey = journeyNames.find((name) => name === op);
  if (journey === undefined) return `the operation "${op}", which no journey of the mix has${hintAt(op, known)}`;
  const own = operationsIn({ journeys: { [journey]: { weight: 1 } } });
  return `the journey "${op}", and limits are of operations; those of ${op} are ${own.join(', ')}`;
}

function understood(document: ProfileDocument, index: number, text: string): ReturnType<typeof thresholdFrom> {
  try {
    return thresholdFrom(text);
  } catch (error) {
    throw error instanceof RangeError ? document.errorAt(['thresholds', index], error.message) : error;
  }
}
