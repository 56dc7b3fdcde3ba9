import type { Readable } from 'node:stream';
import { callbackHeaders, type Call } from '../calls/call.ts';
import type { Step } from '../step.ts';
import { CallbackError } from '../work/client.ts';
import { OutOfTimeError, within } from '../work/within.ts';
import type { WorkingHost } from '../working-host.ts';
import { linkOf, withQueryToken } from './links.ts';
import { reportEnd, reportProgress } from './report.ts';
import { Spool } from './spool.ts';
import { namesOf, taskOf, type Outcome, type ReportedPaths, type Task } from './task.ts';
import { Transformation } from './transform.ts';
import { upload, uploadText } from './upload.ts';

/** Source: extensions, Payloads by extension type, ExternalTask */
const usualTimeoutSeconds = 600;
/** Longest wait that a timer of Node takes, in ms. */
const longestMs = 2 ** 31 - 1;
/** Part of a task's time that is kept for its last reports, and most of it in ms. */
const reservedShare = 0.25;
const mostReservedMs = 5000;
/** Longest time for the last reports of a task whose own time is over, in ms. */
const closingMs = 60_000;
/** Longest input. */
const mostInputBytes = 1024 ** 3;

/** Takes a task, also one that comes again. Source: extensions, Calls to extensions, ExternalTask */
export async function taskAnswer(host: WorkingHost, call: Call): Promise<Step> {
  await host.behaviours.startWork(host, call, (signal) => workOnTask(host, call, signal));
  return { status: 200 };
}

/** Time from the call until the service gives a task up, in ms. Source: extensions, Payloads by extension type, ExternalTask */
export function timeLimitMs({ timeout }: Readonly<Record<string, unknown>>): number {
  const seconds = typeof timeout === 'number' && timeout > 0 ? timeout : usualTimeoutSeconds;
  return Math.min(seconds * 1000, longestMs);
}

async function workOnTask(host: WorkingHost, call: Call, signal: AbortSignal): Promise<void> {
  const task = taskOf(call);
  const limitMs = host.behaviours.timeLimitMs(call.payload);
  const reservedMs = Math.min(limitMs * reservedShare, mostReservedMs);
  const leftMs = limitMs - (host.clock.now() - call.entry.arrivedAt) - reservedMs;
  const outcome = await outcomeOf(host, task, Math.max(0, leftMs), signal);
  await within(host.clock, closingMs, signal, 'the end of a task', async (signal) => {
    const logFilePath = await uploadedLog(host, task, outcome, reservedMs / 2, signal);
    await reported(host, task, outcome, logFilePath, signal);
  });
}

async function outcomeOf(host: WorkingHost, task: Task, leftMs: number, signal: AbortSignal): Promise<Outcome> {
  try {
    return await within(host.clock, leftMs, signal, 'task', (signal) => done(host, task, signal));
  } catch (error) {
    signal.throwIfAborted();
    const problem = error instanceof Error ? error.message : String(error);
    return { status: 'Failed', problem, ...(error instanceof OutOfTimeError && { isLate: true }) };
  }
}

async function done(host: WorkingHost, task: Task, signal: AbortSignal): Promise<Outcome> {
  await reportProgress(host, task, 'The task has started.', signal);
  const result = await host.activity.work(() => Spool.open());
  try {
    const transformation = await transformed(host, task, result, signal);
    await reportProgress(host, task, `The input has ${transformation.counts()}.`, signal);
    const { seconds } = task.settings;
    if (seconds > 0) await host.clock.sleep(Math.min(seconds * 1000, longestMs), signal, 'task work');
    return await ended(host, task, result, signal);
  } finally {
    await host.activity.work(() => result.close());
  }
}

/** Reads the input while it arrives, and keeps what becomes of it. @throws {CallbackError} */
function transformed(host: WorkingHost, task: Task, result: Spool, signal: AbortSignal): Promise<Transformation> {
  const { url } = linkOf(task.links, 'inputFile');
  const inQuery = withQueryToken(url, task.token);
  const headers = callbackHeaders(task.id, inQuery === undefined ? task.token : '');
  return host.client.download(inQuery ?? url, headers, signal, async (body: Readable) => {
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

async function ended(host: WorkingHost, task: Task, result: Spool, signal: AbortSignal): Promise<Outcome> {
  const { cancel, fail, noOutput, operation } = task.settings;
  if (cancel) return { status: 'Canceled', problem: 'The task was canceled.' };
  if (fail !== undefined) return { status: 'Failed', problem: `The task failed: ${fail}` };
  if (noOutput) return { status: 'Completed' };
  const { directory, output } = namesOf(task);
  const type = operation === 'copy' ? 'application/octet-stream' : 'text/plain; charset=utf-8';
  await upload(host, task, { directory, name: output, type }, result, signal);
  await reportProgress(host, task, `The result is ${directory}${output}.`, signal);
  return { status: 'Completed', outputFilePath: directory + output };
}

async function reported(
  host: WorkingHost,
  task: Task,
  outcome: Outcome,
  logFilePath: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { status, outputFilePath } = outcome;
  const paths: ReportedPaths = {
    ...(outputFilePath !== undefined && { outputFilePath }),
    ...(logFilePath !== undefined && { logFilePath }),
  };
  if (status === 'Failed') await host.behaviours.reportFailure(host, task, outcome, paths, signal);
  else await reportEnd(host, task, status, paths, signal);
}

/** Path of the log, which goes first, so that the last report can name it; undefined where the service does not take it in that time. */
async function uploadedLog(
  host: WorkingHost,
  task: Task,
  { problem }: Outcome,
  patienceMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const lines = problem === undefined ? task.log : [...task.log, problem];
  try {
    const { directory, log } = namesOf(task);
    const file = { directory, name: log, type: 'text/plain; charset=utf-8' };
    const text = lines.map((line) => `${line}\n`).join('');
    await within(host.clock, patienceMs, signal, 'log of a task', (signal) =>
      uploadText(host, task, file, text, signal),
    );
    return directory + log;
  } catch (error) {
    signal.throwIfAborted();
    host.say(`The log of task ${task.id} was not taken: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
