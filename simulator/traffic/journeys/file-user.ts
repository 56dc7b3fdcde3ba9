import type { Journey, JourneyEnv } from '../journey.ts';
import { anySuccess, isAnsweredWell } from '../results.ts';
import type { GeneratedBody, HttpStep, Result, Step } from '../step.ts';
import { type Area, deleteStep, downloadStep, mark, pickBetween, refusedStep, uploadStep } from './steps.ts';

/** Documented guidance for streams. Source: extensions, Limits, file size guidance */
const longestStreamBytes = 100_000;
const chunkBytes = 65_536;
const chunksOfAFile = 3;
const rounds = 2;
/** How long a file may come behind the answer to its upload, and from one look to the next, in ms. */
const laterMs = 2000;
const pauseMs = 100;

interface TrafficFile {
  readonly path: string;
  readonly content: GeneratedBody;
}

/**
 * Uploads a file by stream, in vain once more, then two by chunks, of which the second comes where the first one was; takes all of them back,
 * deletes them, and looks whether they are gone.
 */
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
  if (isAnsweredWell(uploaded.status)) yield* takeBack(env, area, { path: stream, content: small });
  const chunkSize = Math.max(chunkBytes, area.minChunkSize);
  const length = chunkSize * (chunksOfAFile - 1) + pickBetween(env, 1, chunkSize);
  let isGone = true;
  for (let round = 0; isGone && round < rounds; round += 1)
    isGone = yield* uploadInChunks(
      env,
      area,
      {
        path: `traffic/${mark(env, 1)}.bin`,
        content: { kind: 'generated', seed: pickBetween(env, 1, 2 ** 30), length },
      },
      chunkSize,
    );
};

/** A file is sent, taken back and deleted. Stops where a chunk is refused, as what follows would be refused for that alone. @returns whether it is gone */
function* uploadInChunks(
  env: JourneyEnv,
  area: Area,
  file: TrafficFile,
  chunkSize: number,
): Generator<Step, boolean, Result> {
  for (let number = 1; ; number += 1) {
    const sent: Result = yield chunkStep(area, file, chunkSize, number);
    if (!isAnsweredWell(sent.status)) return false;
    if (number === chunksOfAFile) return yield* takeBack(env, area, file);
  }
}

function chunkStep(area: Area, file: TrafficFile, chunkSize: number, number: number): HttpStep {
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

/** Downloads, once it is there, as some look through a file or put it together behind their answer, and deletes. @returns whether it is gone */
function* takeBack(env: JourneyEnv, area: Area, { path, content }: TrafficFile): Generator<Step, boolean, Result> {
  const until = env.now() + laterMs;
  const download = downloadStep(area, path, content);
  let isThere = false;
  while (!isThere && env.now() < until) {
    const { status }: Result = yield { ...download, accept: [...anySuccess, 404] };
    isThere = status !== 404;
    if (!isThere) yield { kind: 'think', ms: pauseMs };
  }
  if (!isThere) yield download;
  else if (content.length <= longestStreamBytes) {
    const other = { ...content, seed: content.seed + 1 };
    yield refusedStep(uploadStep(area, path, other), 'upload in vain', 'files.stream.existing-file-refused');
    yield download;
  }
  const deleted: Result = yield deleteStep(area, path);
  if (!isAnsweredWell(deleted.status)) return false;
  const fresh = { ...download, headers: { 'Cache-Control': 'no-cache' } };
  yield refusedStep(fresh, 'look for deleted file', 'files.delete.removes-file');
  return true;
}
