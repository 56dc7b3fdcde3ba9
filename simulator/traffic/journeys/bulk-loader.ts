import type { Ground } from '../ground.ts';
import type { Journey, JourneyEnv } from '../journey.ts';
import { anySuccess, isAnsweredWell } from '../results.ts';
import type { GeneratedBody, HttpStep, Result, Step } from '../step.ts';
import {
  type Area,
  deleteStep,
  downloadStep,
  jsonHeaders,
  mark,
  pickBetween,
  refusedStep,
  uploadStep,
} from './steps.ts';

const pauseMs = 100;

/**
 * Puts a file where one of a directory on the host would go, lets the service take the directory, waits for its files, and looks at all of
 * them: the one that was there before stays. A signature over another path opens nothing, and nothing lies beside the target.
 */
export const bulkLoader: Journey = function* (env) {
  const { bulk, fileArea: area } = env.ground;
  const [first, ...others] = bulk?.files ?? [];
  if (bulk === undefined || area === undefined || first === undefined) return;
  const target = `traffic/${mark(env, 0)}`;
  const kept: GeneratedBody = {
    kind: 'generated',
    seed: pickBetween(env, 1, 2 ** 30),
    length: pickBetween(env, 1, 999),
  };
  const wronglySigned = bulkStep(bulk, target, bulk.otherSignature);
  yield refusedStep(wronglySigned, wronglySigned.op, 'signing.bulk.wrong-path-refused');
  const placed: Result = yield uploadStep(area, `${target}/${first.name}`, kept);
  const taken: Result = yield bulkStep(bulk, target, bulk.signature);
  if (isAnsweredWell(taken.status)) {
    yield refusedStep(
      downloadStep(area, `traffic/${first.name}`, first.content),
      'look beside',
      'bulk-upload.target-directory.honoured',
    );
    for (const { name, content } of others)
      if (yield* hasCome(env, area, `${target}/${name}`, bulk.waitMs))
        yield downloadStep(area, `${target}/${name}`, content);
  }
  if (isAnsweredWell(placed.status)) yield downloadStep(area, `${target}/${first.name}`, kept);
  for (const { name } of bulk.files) yield { ...deleteStep(area, `${target}/${name}`), accept: [...anySuccess, 404] };
};

type Bulk = NonNullable<Ground['bulk']>;

function bulkStep({ path, sourceDirectory }: Bulk, targetDirectory: string, bearer: string): HttpStep {
  return {
    kind: 'http',
    op: 'bulk upload',
    method: 'POST',
    path,
    as: { bearer },
    headers: jsonHeaders,
    body: JSON.stringify({ sourceDirectory, writeLog: false, targetDirectory }),
  };
}

/** The answer may come before the files are there. One that does not come in time is a violation where the service says that it is not there. */
function* hasCome(env: JourneyEnv, area: Area, file: string, waitMs: number): Generator<Step, boolean, Result> {
  const until = env.now() + waitMs;
  for (;;) {
    const begunAt = env.now();
    const { status }: Result = yield {
      kind: 'http',
      op: 'look for file',
      method: 'GET',
      path: `${area.path}/${file}`,
      as: area.as,
      accept: [...anySuccess, 404],
    };
    if (isAnsweredWell(status)) return true;
    if (begunAt > until) {
      if (status === 404)
        yield {
          kind: 'check',
          rule: 'bulk-upload.space.uploads-tree',
          ok: false,
          detail: `${file} did not come within ${waitMs} ms`,
        };
      return false;
    }
    yield { kind: 'think', ms: pauseMs };
  }
}
