import { sample } from 'fast-check';
import { textsEnding } from '../service/texts.ts';
import { bodyOfResult, resultsOf, sendBatch } from '../service/batch.ts';
import { type CaseContext, type Generation, unlessKept } from '../case.ts';
import type { Reply, RequestSpec } from '../exchange.ts';
import {
  type BatchCommand,
  type EditCommand,
  type Emphasis,
  histories,
  type History,
  type Start,
  startingContent,
  type Stated,
  statedFor,
  tellHistory,
  withoutObject,
  withStart,
} from './command.ts';
import { type Compare, compareWhole } from './compare.ts';
import { acceptWrite, type Shape, shapeOf, type Subject, subjectOf } from './object.ts';
import { pointer } from '../json.ts';
import { bodyOf } from './requests.ts';
import { findShortest, findSimplest } from './shortest.ts';
import { applyEdit, type Edit } from './state.ts';
import { age, partsOf, type Player, writeOf } from './write.ts';
import type { Case } from '../rule.ts';
import { anyEdit, headerVersion } from '../service/writes.ts';
import { assertHistories, attemptHistory, type Failed } from './failing-history.ts';

/** Its texts are of one kind after another. */
interface Following extends Player {
  readonly compare: Compare;
  readonly looks: Looks;
  /** Told the index before each command. */
  readonly reached: (index: number) => void;
}

/**
 * When objects are compared besides at the end: at the beginning and after each command, either by everything that can be seen of them, or by the
 * first read and one route after another.
 */
type Looks = 'at the end' | 'by turns' | 'wholly';

/** Longest search for a shorter history that fails, in ms. */
const longestMs = 6000;

interface HistoryOptions {
  /** Histories that are followed in every run, whatever the seed. */
  readonly always?: readonly History[];
  /** Share of the runs that this case makes. */
  readonly share?: number;
  /** What is compared after each command; everything that can be seen unless given. */
  readonly compare?: Compare;
  /** How many are followed for another SoftType of the profile too; none unless given. */
  readonly ofOtherType?: number;
}

/** Random histories of that emphasis, each compared with the model; the shortest one that fails is reported, as a shell script. */
export function historyCase(
  emphasis: Emphasis,
  { always = [], share = 1, compare = compareWhole, ofOtherType = 0 }: HistoryOptions = {},
): Case {
  return {
    kind: 'model',
    run: async (context, generation) => {
      const numRuns = Math.max(1, Math.round(generation.runs * share));
      await followAll(context, generation, { always, numRuns });
      const other = ofOtherType > 0 ? context.other() : undefined;
      if (other !== undefined)
        await unlessKept(() => followAll(other, generation, { always: [], numRuns: ofOtherType }), context);
    },
  };

  async function followAll(
    context: CaseContext,
    generation: Generation,
    { always, numRuns }: { readonly always: readonly History[]; readonly numRuns: number },
  ): Promise<void> {
    const whole = await shapeOf(context);
    const shape = { ...whole, ports: whole.ports.slice(0, emphasis.ports) };
    const attempt = (history: History, looks: Looks): Promise<Failed | undefined> =>
      attemptHistory(generation, 0, (reached) =>
        follow({ context, shape, compare, looks, fresh: textsEnding(context.given, shape.endings), reached }, history),
      );
    const generated = sample(histories(emphasis, shape), { seed: generation.seed, numRuns });
    await assertHistories(
      [...always.map((history) => withoutMissing(history, shape)), ...generated],
      {
        attempt: (history) => attempt(history, 'by turns'),
        shorten: (history, reached, search) =>
          shortened(history, reached, (candidate, looks) => search.fails(() => attempt(candidate, looks))),
        longestMs,
        tell: tellHistory,
      },
      generation,
    );
  }
}

/** Without the commands that the target does not offer. */
function withoutMissing({ starts, commands }: History, { kinds }: Shape): History {
  return { starts, commands: commands.filter(({ kind }) => kinds.has(kind)) };
}

/**
 * The shortest history that still fails, found by leaving out commands, then objects, then what they begin with.
 * @param reached index of the command at which the whole history failed: what comes behind it is not needed
 */
async function shortened(
  history: History,
  reached: number,
  fails: (candidate: History, looks: Looks) => Promise<boolean>,
): Promise<History> {
  const commands = await findShortest(history.commands.slice(0, reached + 1), (less) =>
    fails({ ...history, commands: less }, 'wholly'),
  );
  const small = await findSimplest({ ...history, commands }, changesOf(history), (candidate) =>
    fails(candidate, 'wholly'),
  );
  await fails(small, 'at the end');
  return small;
}

function changesOf({ starts }: History): readonly ((history: History) => History)[] {
  const indexes = [...starts.keys()].toReversed();
  const plain: readonly Partial<Start>[] = [{ second: 0 }, { age: 0 }, { filled: false }, { entries: 0 }];
  return [
    ...indexes.map((index) => withoutObject<EditCommand>(index)),
    ...indexes.flatMap((index) =>
      plain.map((change) => withStart<History>(index, (start) => ({ ...start, ...change }))),
    ),
  ];
}

/** Does what the history says and compares with the model. @throws {Violation} where the service differs */
async function follow(following: Following, { starts, commands }: History): Promise<void> {
  const { context, shape, compare, looks } = following;
  const closely = looks !== 'at the end';
  const wholly = looks === 'wholly';
  const subjects: Subject[] = [];
  for (const start of starts) subjects.push(await started(following, start));
  if (closely)
    for (const [index, subject] of subjects.entries())
      await compare({ context, shape, subject, where: `object ${index + 1}`, wholly });
  for (const [index, command] of commands.entries()) {
    following.reached(index);
    const touched =
      command.kind === 'batch'
        ? await followBatch(following, subjects, command)
        : await followEdit(following, subjects, command);
    // the last look of all shows what this one would
    for (const subject of closely && index < commands.length - 1 ? touched : [])
      await compare({
        context,
        shape,
        subject,
        where: `object ${subjects.indexOf(subject) + 1} after ${command.kind}`,
        wholly,
      });
  }
  following.reached(commands.length);
  for (const [index, subject] of subjects.entries())
    await compare({ context, shape, subject, where: `object ${index + 1} at the end`, wholly: true });
}

async function started(following: Following, start: Start): Promise<Subject> {
  const { context, shape, fresh } = following;
  const { given, service } = context;
  const content = startingContent(start, shape, fresh);
  const subject = subjectOf(await given.object(bodyOf(context, shape, content)), content);
  await age({ ...following, fresh: () => given.unique() }, subject, start.age, async (request) => {
    given.succeeded(await service.send(request), 'a merge edit', ['patch.merge.edits-named-member']);
    return true;
  });
  return subject;
}

/** Sends the write unless the document leaves open what becomes of it; returns the objects to look at. */
async function followEdit(
  following: Following,
  subjects: readonly Subject[],
  command: EditCommand,
): Promise<readonly Subject[]> {
  const { context } = following;
  const subject = subjects[command.object % Math.max(1, subjects.length)];
  const write = subject && (await writeOf(following, subject, command));
  if (write === undefined) return [];
  const version = statedFor(command, write.subject.state.version);
  const reply = await context.service.send(write.request, { version });
  judgeEdit(context, write.subject, write.edit, command.version, reply);
  return [write.subject];
}

/** Holds the answer to a write against what the documents make of it. */
export function judgeEdit(context: CaseContext, subject: Subject, edit: Edit, stated: Stated, reply: Reply): void {
  const { expect } = context;
  const next = applyEdit(subject.state, edit);
  if (next === undefined) return expect(reply).toBeRefused();
  if (stated !== 'current') return expect(reply).toAnswer(stated === 'absent' ? 412 : 409);
  expect(reply).toSucceed();
  expect(headerVersion(reply.headers) ?? next.version, `version header after ${edit.kind}`, reply).toEqual(
    next.version,
  );
  acceptWrite(context, subject, next, edit);
}

/** Sends one write for each of some objects as a batch; with a failing one among them nothing may have happened to any. */
async function followBatch(
  following: Following,
  subjects: readonly Subject[],
  command: BatchCommand,
): Promise<readonly Subject[]> {
  const { context } = following;
  const parts = await partsOf(following, subjects, command);
  const [one] = parts;
  if (one === undefined) return [];
  const requests = parts.map(({ request }) => request);
  if (command.failing !== undefined) {
    // each write is read back before the batch fails: what such a read was told must not outlive it
    const reads = parts.map(({ subject }) => context.service.requests.read(subject.thing));
    const failing = failingWrite(following, one.subject, command);
    const writes = requests.toSpliced(command.failing, 0, failing);
    context
      .expect(await sendBatch(context, command.failing === 0 ? writes : [...requests, ...reads, failing]))
      .toAnswer(500);
    return subjects;
  }
  const reply = await sendBatch(context, requests);
  context.expect(reply).toAnswer(200);
  for (const [index, result] of resultsOf(reply).slice(0, parts.length).entries()) {
    const next = parts[index]?.next.version;
    context
      .expect(bodyOfResult(result)['version'] ?? next, `version in result ${index} of the batch`, reply)
      .toEqual(next);
  }
  for (const { subject, next, edit } of parts) acceptWrite(context, subject, next, edit);
  return parts.map(({ subject }) => subject);
}

/** A write that cannot pass, since its version was never there or is left out. */
function failingWrite({ context, shape }: Following, { thing, state }: Subject, command: BatchCommand): RequestSpec {
  const { service, given } = context;
  const [scalar] = shape.scalars;
  const ways = [
    service.requests.edit(thing, anyEdit(context)),
    ...(scalar === undefined || !shape.kinds.has('replace scalar')
      ? []
      : [service.requests.operations(thing, [{ op: 'replace', path: pointer(scalar), value: given.unique() }])]),
    ...(shape.kinds.has('promote') ? [service.requests.promote(thing)] : []),
  ];
  const request = ways[command.parts.length % ways.length] ?? service.requests.edit(thing, anyEdit(context));
  return { ...request, version: command.failing === 1 ? null : state.version + 7 };
}
