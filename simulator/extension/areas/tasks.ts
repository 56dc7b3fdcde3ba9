import type { Readable } from 'node:stream';
import { messageOf } from '../../../contract/thrown.ts';
import { callbackHeaders, type Call } from '../call.ts';
import { CallbackError, type Outgoing } from '../client.ts';
import { OutOfTimeError, within } from '../within.ts';
import type { Step } from '../step.ts';
import { HostArea, type Surroundings } from '../surroundings.ts';
import { linkOf, withQueryToken } from '../task/links.ts';
import { Spool } from '../task/spool.ts';
import { namesOf, taskOf, type Outcome, type ReportedPaths, type Task, type TaskSettings } from '../task/task.ts';
import type { Background } from './background.ts';
import type { Reports } from './reports.ts';
import type { Uploads } from './uploads.ts';

/** Source: extensions, Payloads by extension type, ExternalTask */
const usualTimeoutSeconds = 600;
/** Longest wait that a timer of Node takes, in ms. */
const longestMs = 2 ** 31 - 1;
/** Part of a task's time that is kept for its last reports, and most of it in ms. */
const reservedShare = 0.25;
const mostReservedMs = 5000;
/** Longest time for the last reports of a task whose own time is over, in ms. */
const closingMs = 60_000;
const mostInputBytes = 1024 ** 3;

/** The areas that work on a task. */
export interface TasksParts {
  readonly background: Background;
  readonly uploads: Uploads;
  readonly reports: Reports;
}

/** Tasks of jobs: reads the input, works, uploads a result and a log, and reports the end. Source: extensions, Calls to extensions, ExternalTask */
export class Tasks extends HostArea {
  readonly #background: Background;
  readonly #uploads: Uploads;
  readonly #reports: Reports;

  constructor(surroundings: Surroundings, { background, uploads, reports }: TasksParts) {
    super(surroundings);
    this.#background = background;
    this.#uploads = uploads;
    this.#reports = reports;
  }

  /** Takes a task, also one that comes again. */
  async answer(call: Call): Promise<Step> {
    await this.#background.start(call, (signal) => this.#work(call, signal));
    return { status: 200 };
  }

  /** Time from the call until the service gives a task up, in ms. Source: extensions, Payloads by extension type, ExternalTask */
  timeLimitMs({ timeout }: Readonly<Record<string, unknown>>): number {
    const seconds = typeof timeout === 'number' && timeout > 0 ? timeout : usualTimeoutSeconds;
    return Math.min(seconds * 1000, longestMs);
  }

  async #work(call: Call, signal: AbortSignal): Promise<void> {
    const { clock } = this.surroundings;
    const task = taskOf(call);
    const limitMs = this.timeLimitMs(call.payload);
    const reservedMs = Math.min(limitMs * reservedShare, mostReservedMs);
    const leftMs = limitMs - (clock.now() - call.entry.arrivedAt) - reservedMs;
    const outcome = await this.#outcomeOf(task, Math.max(0, leftMs), signal);
    await within(clock, closingMs, signal, 'the end of a task', async (signal) => {
      await this.#deleteParts(task, reservedMs / 3, signal);
      const logFilePath = await this.#uploadLog(task, outcome, reservedMs / 3, signal);
      await this.#report(task, outcome, logFilePath, signal);
    });
  }

  async #outcomeOf(task: Task, leftMs: number, signal: AbortSignal): Promise<Outcome> {
    try {
      return await within(this.surroundings.clock, leftMs, signal, 'task', (signal) => this.#carryOut(task, signal));
    } catch (error) {
      signal.throwIfAborted();
      const problem = messageOf(error);
      return { status: 'Failed', problem, ...(error instanceof OutOfTimeError && { isLate: true }) };
    }
  }

  async #carryOut(task: Task, signal: AbortSignal): Promise<Outcome> {
    const { activity, clock } = this.surroundings;
    await this.#reports.reportProgress(task, 'The task has started.', signal);
    const result = await activity.work(() => Spool.open());
    try {
      const transformation = await this.#transformInput(task, result, signal);
      await this.#reports.reportProgress(task, `The input has ${transformation.counts()}.`, signal);
      const { seconds } = task.settings;
      if (seconds > 0) await clock.sleep(Math.min(seconds * 1000, longestMs), signal, 'task work');
      return await this.#conclude(task, result, signal);
    } finally {
      await activity.work(() => result.close());
    }
  }

  /** Where the input is asked for, and with which headers: the token stands in the query where the link has a place for it. @throws {CallbackError} */
  async inputRequest(task: Task, _signal: AbortSignal): Promise<Pick<Outgoing, 'url' | 'headers'>> {
    const { url } = linkOf(task.links, 'inputFile');
    const inQuery = withQueryToken(url, task.token);
    return { url: inQuery ?? url, headers: callbackHeaders(task.id, inQuery === undefined ? task.token : '') };
  }

  /** Reads the input while it arrives, and keeps what becomes of it. @throws {CallbackError} */
  async #transformInput(task: Task, result: Spool, signal: AbortSignal): Promise<Transformation> {
    const { url, headers } = await this.inputRequest(task, signal);
    return this.surroundings.client.download(url, headers, signal, async (body: Readable) => {
      const transformation = new Transformation(task.settings.operation);
      for await (const piece of body as AsyncIterable<Buffer>) {
        await result.append(transformation.take(piece));
        if (transformation.bytes > mostInputBytes)
          throw new CallbackError(`The input is longer than ${mostInputBytes} bytes`);
      }
      await result.append(transformation.end());
      return transformation;
    });
  }

  /** What the settings want to come of it; a result is uploaded. */
  async #conclude(task: Task, result: Spool, signal: AbortSignal): Promise<Outcome> {
    const { cancel, fail, noOutput, operation } = task.settings;
    if (cancel) return { status: 'Canceled', problem: 'The task was canceled.' };
    if (fail !== undefined) return { status: 'Failed', problem: `The task failed: ${fail}` };
    if (noOutput) return { status: 'Completed' };
    const { directory, output } = namesOf(task);
    const type = operation === 'copy' ? 'application/octet-stream' : 'text/plain; charset=utf-8';
    await this.#uploads.send(task, { directory, name: output, type }, result, signal);
    await this.#reports.reportProgress(task, `The result is ${directory}${output}.`, signal);
    return { status: 'Completed', outputFilePath: directory + output };
  }

  async #report(task: Task, outcome: Outcome, logFilePath: string | undefined, signal: AbortSignal): Promise<void> {
    const { status, outputFilePath } = outcome;
    const paths: ReportedPaths = {
      ...(outputFilePath !== undefined && { outputFilePath }),
      ...(logFilePath !== undefined && { logFilePath }),
    };
    if (status === 'Failed') await this.#reports.reportFailure(task, outcome, paths, signal);
    else await this.#reports.reportEnd(task, status, paths, signal);
  }

  /** What an upload that failed, or ran out of time, left there. Source: extensions, File routes, chunk upload */
  async #deleteParts(task: Task, patienceMs: number, signal: AbortSignal): Promise<void> {
    for (const part of task.parts)
      await within(this.surroundings.clock, patienceMs, signal, 'deletion of a part', (signal) =>
        this.#uploads.deletePart(task, part, signal),
      );
    signal.throwIfAborted();
  }

  /** Path of the log, which goes first, so that the last report can name it; undefined where the service does not take it in that time. */
  async #uploadLog(
    task: Task,
    { problem }: Outcome,
    patienceMs: number,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { clock, say } = this.surroundings;
    const lines = problem === undefined ? task.log : [...task.log, problem];
    try {
      const { directory, log } = namesOf(task);
      const file = { directory, name: log, type: 'text/plain; charset=utf-8' };
      const text = lines.map((line) => `${line}\n`).join('');
      await within(clock, patienceMs, signal, 'log of a task', (signal) =>
        this.#uploads.sendText(task, file, text, signal),
      );
      return directory + log;
    } catch (error) {
      signal.throwIfAborted();
      say(`The log of task ${task.id} was not taken: ${messageOf(error)}`);
      return undefined;
    }
  }
}

/** A text on its way through a task: pieces in, pieces out, and what was counted. */
export class Transformation {
  readonly #operation: TaskSettings['operation'];
  readonly #decoder = new TextDecoder();
  /** Bytes of the input. */
  bytes = 0;
  /** Line ends of the input. */
  lines = 0;

  constructor(operation: TaskSettings['operation']) {
    this.#operation = operation;
  }

  /** A piece of the result; the pieces may be cut anywhere. */
  take(piece: Uint8Array): Uint8Array {
    this.bytes += piece.length;
    this.lines += piece.reduce((lines, byte) => (byte === 0x0a ? lines + 1 : lines), 0);
    return this.#operation === 'copy' ? piece : upperCase(this.#decoder.decode(piece, { stream: true }));
  }

  /** The end of the result: what a cut character left over, and the counts. */
  end(): Uint8Array {
    if (this.#operation === 'copy') return new Uint8Array();
    const rest = upperCase(this.#decoder.decode());
    return Buffer.concat([rest, Buffer.from(`-- ${this.counts()}\n`)]);
  }

  counts(): string {
    return `${this.lines} lines, ${this.bytes} bytes`;
  }
}

function upperCase(text: string): Buffer {
  return Buffer.from(text.toUpperCase());
}
