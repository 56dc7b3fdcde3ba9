import type { Journey } from '../journey.ts';
import { isAnsweredWell } from '../results.ts';
import type { GeneratedBody, HttpStep, Result } from '../step.ts';
import { type Area, deleteStep, downloadStep, mark, pickBetween, uploadStep } from './steps.ts';

/** Documented guidance for streams. Source: extensions, Limits, file size guidance */
const longestStreamBytes = 100_000;
const chunkBytes = 65_536;
const chunksOfAFile = 3;
const rounds = 2;

/** Uploads a file by stream, then two by chunks, of which the second comes where the first one was; takes all of them back and deletes them. */
export const fileUser: Journey = function* (env) {
  const area = env.ground.fileArea;
  if (area === undefined) return;
  const small: GeneratedBody = {
    kind: 'generated',
    seed: pickBetween(env, 1, 2 ** 30),
    length: pickBetween(env, 1, Math.min(longestStreamBytes, area.maxStreamSize ?? longestStreamBytes)),
  };
  const stream = `traffic/${mark(env, 0)}.bin`;
  const uploaded: Result = yield uploadStep(area, stream, small);
  if (isAnsweredWell(uploaded.status)) yield* takeBack(area, stream, small);
  const chunkSize = Math.max(chunkBytes, area.minChunkSize);
  const length = chunkSize * (chunksOfAFile - 1) + pickBetween(env, 1, chunkSize);
  let isGone = true;
  for (let round = 0; isGone && round < rounds; round += 1)
    isGone = yield* uploadInChunks(
      area,
      `traffic/${mark(env, 1)}.bin`,
      { kind: 'generated', seed: pickBetween(env, 1, 2 ** 30), length },
      chunkSize,
    );
};

/** A file is sent, taken back and deleted. Stops where a chunk is refused, as what follows would be refused for that alone. @returns whether it is gone */
function* uploadInChunks(
  area: Area,
  path: string,
  content: GeneratedBody,
  chunkSize: number,
): Generator<HttpStep, boolean, Result> {
  for (let number = 1; number <= chunksOfAFile; number += 1) {
    const sent: Result = yield chunkStep(area, { path, content }, chunkSize, number);
    if (!isAnsweredWell(sent.status)) return false;
  }
  return yield* takeBack(area, path, content);
}

function chunkStep(
  area: Area,
  file: { readonly path: string; readonly content: GeneratedBody },
  chunkSize: number,
  number: number,
): HttpStep {
  const from = (number - 1) * chunkSize;
  const totalSize = file.content.length;
  const content = { ...file.content, from, length: Math.min(chunkSize, totalSize - from) };
  return {
    kind: 'http',
    op: 'chunk',
    method: 'POST',
    path: area.path,
    as: area.as,
    body: { kind: 'chunk', path: file.path, content, totalSize, chunkSize, number },
  };
}

/** Downloads and deletes. @returns whether it is gone */
function* takeBack(area: Area, file: string, content: GeneratedBody): Generator<HttpStep, boolean, Result> {
  yield downloadStep(area, file, content);
  const deleted: Result = yield deleteStep(area, file);
  return isAnsweredWell(deleted.status);
}
