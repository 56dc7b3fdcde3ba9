import type { Ground } from '../ground.ts';
import type { Journey } from '../journey.ts';
import type { GeneratedBody, HttpStep, Result } from '../step.ts';
import { between, mark } from './words.ts';

/** Documented guidance for streams. Source: extensions, Limits, file size guidance */
const longestStreamBytes = 100_000;
const chunkBytes = 65_536;
const chunksOfAFile = 3;

/** Uploads a file by stream and one by chunks, takes both back and deletes them. */
export const fileUser: Journey = function* (env) {
  const area = env.ground.fileArea;
  if (area === undefined) return;
  const small: GeneratedBody = { kind: 'generated', seed: between(env, 1, 2 ** 30), length: between(env, 1, longestStreamBytes) };
  const stream = `traffic/${mark(env, 0)}.bin`;
  yield {
    kind: 'http', op: 'upload', method: 'POST', path: `${area.path}/stream/${stream}`, headers: { 'Content-Type': 'application/octet-stream' },
    body: small, as: area.as, about: { kind: 'upload', content: small },
  };
  yield* taken(area, stream, small);
  const chunkSize = Math.max(chunkBytes, area.minChunkSize);
  const large: GeneratedBody = { kind: 'generated', seed: between(env, 1, 2 ** 30), length: chunkSize * (chunksOfAFile - 1) + between(env, 1, chunkSize) };
  const chunked = `traffic/${mark(env, 1)}.bin`;
  for (let number = 1; number <= chunksOfAFile; number += 1) {
    const from = (number - 1) * chunkSize;
    const content = { ...large, from, length: Math.min(chunkSize, large.length - from) };
    yield {
      kind: 'http', op: 'chunk', method: 'POST', path: area.path, as: area.as,
      body: { kind: 'chunk', path: chunked, content, totalSize: large.length, chunkSize, number },
      about: { kind: 'upload', content },
    };
  }
  yield* taken(area, chunked, large);
};

/** Downloads and deletes. */
function* taken(area: NonNullable<Ground['fileArea']>, file: string, content: GeneratedBody): Generator<HttpStep, void, Result> {
  const path = `${area.path}/${file}`;
  yield { kind: 'http', op: 'download', method: 'GET', path, as: area.as, about: { kind: 'download', content } };
  yield { kind: 'http', op: 'delete file', method: 'DELETE', path, as: area.as };
}
