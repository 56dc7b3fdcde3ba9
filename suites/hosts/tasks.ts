import { isSuccess } from '../../judge/exchange.ts';
import { isObject } from '../../judge/json.ts';
import { hostScenario, hostSchedule } from '../../judge/host/host-case.ts';
import type { HostContext } from '../../judge/host/context.ts';
import { type Arrival, finalStatuses } from '../../judge/host/arrival.ts';
import type { Held, Installation, TaskOptions } from '../../judge/host/installation.ts';
import { behind, expectNoStranger, expectNotAtWork, isAbout, isBecauseOfCall } from './callbacks.ts';
import {
  besideStatusMs,
  expectEndInTrouble,
  expectEndIsLast,
  expectEndOfMissing,
  expectEndBesideTrouble,
  expectEndOfOdd,
  expectEndOfEmpty,
  expectEndOfNext,
  expectEndWithoutProgress,
  expectEndByLinks,
  expectEndOfSending,
  expectNextTaken,
  expectNothingKept,
  expectStatuses,
  furtherRealMs,
  lateMs,
  namedAlike,
  type Pair,
  tellDone,
  callInTrouble,
  callPatient,
  tellHaste,
  tellLongTime,
  tellSharedTime,
  tellLostReport,
  tellRepeated,
  isCompletedLater,
} from './task-ends.ts';
import { tellTypes } from './json-notation.ts';
import {
  beginOthers,
  beginTask,
  type Begun,
  callTask,
  endMsOf,
  endOf,
  expectReport,
  finishedTask,
  lastingSeconds,
  requestsOf,
  statusOf,
} from './task-work.ts';
import { endedLongTask, endedTaskOn, longInputOf } from './task-uploads.ts';
import { expectNameTaken, expectThere, isThere } from './told-paths.ts';
import { rules } from '../../judge/rule.ts';

/** How long a task may take beside one that waits, in ms. */
const besideMs = 1000;

/** How long the second of two tasks may take to ask for its input, which is withheld from both until then, in ms. */
const secondMs = 3000;

/** How long the acknowledgement of a task is waited for, in ms. */
const acknowledgedMs = 5000;

/** How long the end of a task is waited for where the case judges it, unless the profile knows better, in s. */
const finalSeconds = 60;

/** How long a second report is waited for where the clock of the host can be moved, in ms. */
const furtherMs = 10_000;

const shortTimeoutSeconds = 20;
/** A timeout is a number: one that is no integer. */
const fractionTimeoutSeconds = 19.5;

/** Two tasks that last as long as one usually may at most, one after the other; three times that has its place in the usual time of a run. */
const failureTimeoutSeconds = 48;

/** How often two tasks are tried whose time was over when the host came to them, or took both, and the time that they have from the second time on, in s. */
const mostRounds = 3;
const patientSeconds = 300;

/** Method of the link of each kind of request. Source: extensions, External task links */
const methods = {
  status: 'PUT',
  progress: 'PUT',
  download: 'GET',
  directory: 'GET',
  upload: 'POST',
  chunk: 'POST',
} as const;

/** Kinds of requests whose links have nothing to fill in but a status. */
const withQuery: readonly string[] = ['status', 'progress', 'directory'];

/** A task that runs longer is expected to tell how far it is, in ms. */
const longRunMs = 10_000;

export const hostTaskRules = rules('tasks', {
  'tasks.host.acknowledged-first': {
    source: 'extensions: Calls to extensions, row ExternalTask',
    statement:
      "A task call is acknowledged with 2xx before the task's work: the answer arrives while the suite still withholds the input file and whatever else the host asks for. Another task is not refused for good when that one has ended. That a call which comes again before, as after a lost acknowledgement, is refused for good is remarked on.",
    fault: 'Host runs the task and answers afterwards.',
    needs: ['extension-host', 'extension-task'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async (context) => {
      const { host, records, stage, samples, clock, expect, notes } = context;
      const installation = await stage.installation();
      const held = installation.hold();
      const task = installation.task();
      const call = task.call(records.named(samples.all.task?.success?.record, 'ExternalTask'));
      const answer = host.call(call);
      answer.catch(() => undefined);
      const reply = await clock.until(answer, acknowledgedMs);
      if (reply === undefined) await expectNotAtWork(context, installation, call, answer);
      const answeredAt = clock.now();
      // what is sent right behind the answer may be here as soon
      const early = installation.arrivals({
        kind: 'status',
        where: ({ arrivedAt }) => arrivedAt < answeredAt - besideStatusMs,
      });
      clock.expectCame(
        `an answer to the task call within ${acknowledgedMs / 1000} s, while all that the host asks for is withheld`,
        reply && clock.now(),
      );
      if (reply === undefined) return;
      expect(reply).toSucceed();
      if (reply.status !== 200 && reply.status !== 201)
        notes.observe('status by which a task is acknowledged', reply.status);
      expect(early.length, 'status reports before the answer', early[0]?.seen).toEqual(0);
      await tellRepeated(context, call);
      held.release();
      await expectNextTaken(context, installation, call);
    }),
  },
  'tasks.host.final-status': {
    source: 'extensions: States and transitions; Callbacks from an external task',
    statement:
      'For an acknowledged task the host reports one of Completed, Canceled and Failed by PUT to the taskStatus address; and for another of the same space, of which it tells its own job, for one with the same input, for one whose input is empty, and for one beside calls that cannot be done; of tasks of other records it tells no other status. Further reports are remarked on, and another end of the same input, and that one which a passing failure of the service kept from it does not come again, or as another end; one that comes again carries the token as the first did.',
    fault: 'Status is reported as `completed`.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.acknowledged-first'],
    test: hostSchedule(finalSeconds + furtherMs / 1000, async (context) => {
      const { samples, clock, given, expect, notes } = context;
      const timeout = lastingSeconds(context, finalSeconds);
      const begun = await beginTask(context, { sample: samples.task('success'), timeout });
      const { installation } = begun;
      const final = await endOf(context, begun, timeout * 1000);
      const what = `the status that the host reports by PUT within the timeout of ${timeout} s, which extensionHost.samples.task.seconds of the profile can make longer`;
      expect(expectReport(context, final, what), what, final?.seen).toBeOneOf(finalStatuses);
      await clock.pass(clock.controlled ? furtherMs : furtherRealMs);
      const further = installation.arrivals({ kind: 'status', where: (arrival) => arrival !== final });
      if (further.length > 0)
        notes.remark(
          `the host reported a final status ${further.length + 1} times: ${further.map(statusOf).join(', ')} came afterwards`,
        );
      if (final !== undefined) {
        const others = await beginOthers(context);
        await expectEndOfNext(context, installation);
        await expectEndOfEmpty(context, timeout);
        await expectEndBesideTrouble(context);
        await expectEndOfOdd(context, timeout);
        await tellLostReport(context);
        for (const other of others) expectStatuses(context, other);
      }
      if (final !== undefined && statusOf(final) !== 'Completed' && !(await isCompletedLater(context, timeout)))
        given.inconclusive(
          `The task of extensionHost.samples.task.success, which is said to be completed, was reported as ${statusOf(final)}: nothing shows that the host can work on a task.`,
        );
    }),
  },
  'tasks.host.end-is-last': {
    level: 'should',
    source: 'extensions: States and transitions (from a running task alone)',
    statement:
      'After the status that ends a task, be it done or not, the host sends no progress, no file and no other status for it, and deletes no file that it reported; that a task which is delivered once more, as after a lost acknowledgement, comes to another end, and that the input is deleted, is remarked on.',
    fault: 'The last progress is reported after the end.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status'],
    test: hostScenario(async (context) => {
      const { host, samples, notes } = context;
      const { installation, call, ended } = await expectEndIsLast(context, samples.task('success'));
      if (samples.all.task?.failure !== undefined) await expectEndIsLast(context, samples.task('failure'));
      await expectEndIsLast(context, samples.task('success'), longInputOf(context));

      const once = installation.arrivals();
      const isOfRepeat = (arrival: Arrival): boolean => !once.includes(arrival);
      notes.observe('status of a task call that comes again', (await host.call(call)).status);
      const isWorked = (await installation.arrived({ where: isOfRepeat }, furtherRealMs)) !== undefined;
      notes.observe('a task that comes again is worked on again', isWorked);
      if (isWorked) await installation.arrivedInTurn({ kind: 'status', where: isOfRepeat }, endMsOf(context));
      const others = installation.arrivals({ kind: 'status' }).map(statusOf);
      const other = others.find((status) => status !== ended);
      if (other !== undefined)
        notes.remark(
          `a task that was delivered once more after it was reported as ${ended}, as after a lost acknowledgement, was then reported as ${other}`,
        );
    }),
  },
  'tasks.host.status-body': {
    source: 'extensions: Callbacks from an external task, row status',
    statement:
      'A body of the status report, when there is one, is a JSON object whose outputFilePath and logFilePath, where they have a value, are strings that name by its path a file which is there: the input or one that the host uploaded, also where names have signs that addresses encode, where the file is long or the input empty, where uploads are refused and where the task fails; that a task of which no upload was taken is completed, and a member that is one of these but for its spelling, is remarked on.',
    fault: 'Paths are sent as an array.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status'],
    test: hostScenario(async (context) => {
      const sample = context.samples.task('success');
      const task = await finishedTask(context, { sample });
      await expectBodyOfStatus(context, task, (name, path) => expectThere(context, task, name, path));
      tellTypes(context, task.installation.arrivals({ kind: 'status' }));
      const odd = await finishedTask(context, { sample, inOddPlace: true });
      if (statusOf(odd.final) === 'Completed')
        await expectBodyOfStatus(context, odd, (name, path) => expectThere(context, odd, name, path));
      await expectLogOfFailure(context);
      await expectNothingNamedThatWasRefused(context, hasResult(task.final));
      await expectNameTaken(context);
      for (const other of [await endedLongTask(context), await endedTaskOn(context, new Uint8Array())])
        if (other !== undefined && statusOf(other.final) === 'Completed')
          await expectBodyOfStatus(context, other, (name, path) => expectThere(context, other, name, path));
    }),
  },
  'tasks.host.failure-reported': {
    source: 'extensions: States and transitions, row Failed',
    statement:
      'A task that cannot be done ends with Failed (or Canceled), not with silence or Completed, also beside or behind one that is done, whose file has the same name, and where its input is refused; where that is not there it comes to an end.',
    fault: 'Errors of the work are logged only and no status is sent.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status'],
    test: hostSchedule(3 * failureTimeoutSeconds, async (context) => {
      const { samples, given } = context;
      const timeout = lastingSeconds(context, failureTimeoutSeconds);
      const failing = { sample: samples.task('failure'), timeout };
      await expectFailure(context, await beginTask(context, failing), { what: 'a task that cannot be done', timeout });
      const pair = await namedAlike(context);
      await finishedTask(context, { sample: pair.good, timeout });
      await expectFailure(context, await beginTask(context, { ...failing, sample: pair.bad }), {
        what: 'a task that cannot be done, behind one that can',
        timeout,
      });
      const longer = { ...failing, timeout: patientSeconds };
      let isSeen = await expectEachItsEnd(context, failing, pair);
      for (let round = 2; !isSeen && round <= mostRounds; round += 1)
        isSeen = await expectEachItsEnd(context, longer, pair);
      if (!isSeen) given.inconclusive(behind);
      const without = await beginTask(context, { sample: samples.task('success'), timeout }, (installation) =>
        installation.refuse('download', 403),
      );
      const gone = await beginTask(context, { sample: samples.task('success'), timeout }, (installation) =>
        installation.refuse('download', 404),
      );
      await expectFailure(context, without, { what: 'a task whose input is refused', timeout });
      // a job may have no input, and get one from the task
      await expectEndOfMissing(context, gone, timeout);
      await expectNothingKept(context, timeout);
    }),
  },
  'tasks.host.failure-named': {
    level: 'should',
    source: 'extensions: States and transitions, rows Canceled and Failed',
    statement:
      'A task that fails ends as Failed; Canceled says that the external service was canceled. That another end is reported behind it is remarked on.',
    fault: 'A task that fails is reported as Canceled.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.failure-reported'],
    test: hostScenario(async (context) => {
      const { installation, final } = await finishedTask(context, { sample: context.samples.task('failure') });
      context.expect(statusOf(final), 'the status reported for a task that fails', final.seen).toEqual('Failed');
      const isOther = (arrival: Arrival): boolean => arrival !== final && statusOf(arrival) !== statusOf(final);
      const later = await installation.arrived({ kind: 'status', where: isOther }, furtherRealMs);
      if (later !== undefined)
        context.notes.remark(`a task that was reported as Failed was then reported as ${statusOf(later)}`);
    }),
  },
  'tasks.host.progress': {
    source: 'extensions: External task links, row taskProgress; Callbacks, row progress',
    statement:
      'Progress reports are PUTs with a JSON object with message (string); a task whose progress the service refuses comes to an end as well. That a long task sends none, or one after the final status, is remarked on, and so is a task that fails only because of such a refusal.',
    fault: 'message is a number.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status'],
    test: hostScenario(async (context) => {
      const { samples, given, expect, notes } = context;
      const task = await finishedTask(context, { sample: samples.task('success') });
      const reports = task.installation.arrivals({ kind: 'progress' });
      const [first] = requestsOf(task);
      const lasted = task.final.arrivedAt - (first?.arrivedAt ?? task.final.arrivedAt);
      if (reports.length === 0)
        given.notExercised(`the host reported no progress of a ${lasted <= longRunMs ? 'short' : 'long'} task`);
      for (const { method, json, seen } of reports) {
        expect(method, 'method of a progress report', seen).toEqual(methods.progress);
        expect(isObject(json) ? json['message'] : json, 'message of a progress report', seen).toBeAString();
        if (!isObject(json)) notes.remark('a progress report is its message, and no object that holds it');
      }
      tellTypes(context, reports);
      if (reports.some(({ arrivedAt }) => arrivedAt > task.final.arrivedAt))
        notes.remark('the host reported progress after the final status');
      await expectEndWithoutProgress(context, task.final);
    }),
  },
  'tasks.host.callback-token': {
    source: 'extensions: Authentication, rules 1 and 4; External task links (token in query)',
    statement:
      "Requests on the links carry the token of this call's envelope, as bearer or, for downloads, in the query, also while another task is under way; what is reported is of its job.",
    fault: 'Status report is sent without Authorization.',
    needs: ['extension-host', 'extension-task'],
    after: ['tasks.host.acknowledged-first'],
    test: hostScenario(async (context) => {
      expectOwnToken(context, await taskAtWork(context));
      // the input of the first comes when the second is at work, or has shown that it waits for the first
      const { held, ...first } = await beginHeld(context);
      const second = await beginTask(context);
      await second.installation.arrived({ kind: 'status' }, besideMs);
      held?.release();
      for (const task of [first, second]) {
        await endOf(context, task, endMsOf(context));
        expectOwnToken(context, task);
      }
      await expectOwnTokenOfNext(context, first);
    }),
  },
  'tasks.host.follows-links': {
    level: 'should',
    source: 'extensions: External task links, table',
    statement:
      'The host uses the urls, with their queries, and methods of the links, whatever their order, and does not build the addresses itself.',
    fault: 'Status address is built from baseAddress and spaceId.',
    needs: ['extension-host', 'extension-task'],
    after: ['tasks.host.final-status'],
    test: hostScenario(async (context) => {
      const { expect } = context;
      const task = await taskAtWork(context, { unusualLinks: true });
      // objects are read and files deleted by no link
      for (const { kind, method, path, target, port, seen } of requestsOf(task).filter(({ kind }) => kind in methods)) {
        expect(port, `port at which ${kind} arrives, whose link has it`, seen).toEqual(task.installation.port);
        expect(path, `path of ${kind}, whose link has another prefix`, seen).toSatisfy(
          `one that begins with ${task.task.prefix}`,
          (text) => text.startsWith(`${task.task.prefix}/`),
        );
        expect(method, `method of ${kind}`, seen).toEqual(methods[kind as keyof typeof methods]);
        if (withQuery.includes(kind))
          expect(target, `address of ${kind}, whose link has a query`, seen).toSatisfy(
            `one with ${task.task.mark}`,
            (text) => text.includes(task.task.mark),
          );
      }
      await expectEndByLinks(context, task);
    }),
  },
  'tasks.host.within-timeout': {
    level: 'should',
    source: 'extensions: Payloads, row ExternalTask (timeout)',
    statement:
      "The host reports a final status before the payload's timeout is over, while its download does not end as well as while an upload does not, or the service has trouble with what the task asks of it all the time; that it completes a task whose download does not end, sends more for the task when that upload is answered, or gives up a download of 2 s although it has 600 s, or with a task of less time, is remarked on.",
    fault: 'timeout of the payload is ignored.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status'],
    test: hostSchedule(2 * shortTimeoutSeconds + 5, async (context) => {
      const { samples, expect, given } = context;
      let input: Held | undefined;
      const { installation } = await beginTask(
        context,
        { sample: samples.task('success'), timeout: shortTimeoutSeconds },
        (place) => {
          input = place.hold('download');
        },
      );
      let held: Held | undefined;
      const sending = await callTask(
        context,
        { sample: samples.task('success'), timeout: fractionTimeoutSeconds },
        (place) => {
          held = place.hold('upload', 'chunk');
        },
      );
      const inTrouble = await callInTrouble(context, shortTimeoutSeconds);
      // a host that does one thing after another is not judged by what others of the run give it to do
      const begun = await installation.arrivedInTurn({ kind: ['download', 'status'] }, shortTimeoutSeconds * 1000);
      if (begun === undefined && (await installation.isBehind())) given.inconclusive(behind);
      const patient = begun?.kind === 'download' ? callPatient(context, installation) : undefined;
      const isPatient = ({ path }: Arrival): boolean => patient !== undefined && path.includes(patient.jobId);
      const final = await installation.arrived(
        { kind: 'status', where: (arrival) => !isPatient(arrival) },
        shortTimeoutSeconds * 1000 + lateMs,
      );
      const what = `the status reported within the timeout of ${shortTimeoutSeconds} s, while the download does not end`;
      expect(expectReport(context, final, what), what, final?.seen).toBeOneOf(finalStatuses);
      tellDone(context, installation, final);
      if (patient !== undefined) await tellSharedTime(context, installation, patient);
      input?.release();
      await expectEndOfSending(context, sending, { timeout: fractionTimeoutSeconds, release: () => held?.release() });
      await expectEndInTrouble(context, inTrouble, shortTimeoutSeconds);
      await tellHaste(context);
      await tellLongTime(context);
    }),
  },
});

/** A task whose input is withheld. */
async function beginHeld(context: HostContext): Promise<Begun & { readonly held: Held | undefined }> {
  let held: Held | undefined;
  const begun = await beginTask(context, {}, (installation) => {
    held = installation.hold('download');
  });
  return { ...begun, held };
}

function expectOwnToken(context: HostContext, task: Begun): void {
  const { expect } = context;
  const { jobId } = task.task;
  for (const { kind, path, seen } of requestsOf(task).filter(({ kind }) => kind === 'status' || kind === 'progress'))
    expect(jobIn(path), `the job that ${kind} (${path}) tells of`, seen).toEqual(jobId);
  for (const { kind, method, path, token, callId, seen } of requestsOf(task)) {
    const what = `${kind} (${method} ${path})`;
    expect(callId ?? 'none', `the call whose token ${what} carries`, seen).toEqual(task.call.envelope.id);
    const admitted = kind === 'download' || kind === 'directory' ? ['header', 'query'] : ['header'];
    expect(token?.in, `where ${what} carries the token`, seen).toBeOneOf(admitted);
  }
  expectNoStranger(context, task.installation);
}

/** A token is that of its call, also where a task of the same service was called with another one before. */
async function expectOwnTokenOfNext(context: HostContext, { installation }: Begun): Promise<void> {
  const { expect } = context;
  const { call, task, reply } = await callTask(context, {}, undefined, installation);
  // that it is taken and ends is the business of other rules
  if (!isSuccess(reply.status)) return;
  const where = (arrival: Arrival): boolean =>
    isBecauseOfCall(arrival) && (isAbout(arrival, call) || arrival.callId === call.envelope.id);
  await installation.arrivedInTurn({ kind: 'status', where }, endMsOf(context));
  for (const { kind, method, path, callId, seen } of installation.arrivals({ where })) {
    const what = `${kind} (${method} ${path})`;
    expect(callId ?? 'none', `the call whose token ${what} carries, behind another task`, seen).toEqual(
      call.envelope.id,
    );
    if (kind === 'status' || kind === 'progress')
      expect(jobIn(path), `the job that ${what} tells of, behind another task`, seen).toEqual(task.jobId);
  }
}

/** Id of the job that a report is about. */
function jobIn(path: string): string {
  return /\/dx\/([^/]+)/.exec(path)?.[1] ?? 'none';
}

/** @param assertThere asserts that there is a file of that path, and returns the upload that it is, where it is one */
async function expectBodyOfStatus(
  context: HostContext,
  { final, ...task }: Begun & { readonly final: Arrival },
  assertThere: (name: string, path: string) => Promise<Arrival | undefined>,
): Promise<void> {
  const { expect, notes } = context;
  expect(final.text, 'body of a status report', final.seen).toSatisfy(
    'empty or a JSON object',
    (text) => text === '' || isObject(final.json),
  );
  const body = isObject(final.json) ? final.json : {};
  if (typeof body['outputFilePath'] === 'string' && body['outputFilePath'] === (body['logFilePath'] || undefined))
    notes.remark(`one file (${body['logFilePath']}) is told as the output and as the log`);
  const before = requestsOf(task);
  for (const name of ['outputFilePath', 'logFilePath'] as const) {
    // how a member looks that does not apply is not said
    const told = body[name] ?? '';
    if (told === '') {
      if (name in body) notes.observe(`${name} that does not apply`, String(body[name]) || 'empty');
      continue;
    }
    expect(told, name, final.seen).toBeAString();
    expect(told, name, final.seen).toSatisfy('a path, and no address', (text) => !/^https?:\/\//i.test(String(text)));
    const path = String(told).replace(/^\/+/, '');
    const upload = await assertThere(name, path);
    if (upload !== undefined && !before.includes(upload))
      notes.remark(`${name} (${path}) was not uploaded before it was reported`);
  }
  const further = Object.keys(body).filter((name) => name !== 'outputFilePath' && name !== 'logFilePath');
  for (const name of further.filter((other) => /^(?:output|log)(?:[_-]?file)?(?:[_-]?path)?$/i.test(other)))
    notes.remark(
      `the status report has a member ${JSON.stringify(name)}, which no service reads for want of its spelling`,
    );
  if (further.length > 0) notes.observe('further members of the status report', further.join(', '));
}

/** Whether a task may have a result: one that names its log alone has none, and is done without the log as well. */
function hasResult({ json }: Arrival): boolean {
  const { outputFilePath = '', logFilePath = '' } = isObject(json) ? json : {};
  return outputFilePath !== '' || logFilePath === '';
}

/** A path of a log may be told of a failure as well. Whether there is an end at all is the business of another rule. */
async function expectLogOfFailure(context: HostContext): Promise<void> {
  const { samples } = context;
  if (samples.all.task?.failure === undefined) return;
  const task = await beginTask(context, { sample: samples.task('failure') });
  const final = await endOf(context, task, endMsOf(context));
  if (final !== undefined)
    await expectBodyOfStatus(context, { ...task, final }, (name, path) => expectThere(context, task, name, path));
}

/** Asserts that the end of a task whose uploads are all refused names none of them. @param isExpected whether one of them is a result */
async function expectNothingNamedThatWasRefused(context: HostContext, isExpected: boolean): Promise<void> {
  const { samples, notes } = context;
  const task = await beginTask(context, { sample: samples.task('success') }, (installation) => {
    for (const kind of ['upload', 'chunk'] as const) installation.refuse(kind, 403);
  });
  const final = await task.installation.arrivedInTurn({ kind: 'status' }, endMsOf(context));
  const what = 'the end of a task whose uploads are refused';
  const isTried = task.installation.arrivals({ kind: ['upload', 'chunk'] }).length > 0;
  notes.observe(what, final === undefined ? 'none in time' : statusOf(final));
  // how long it tries is not said
  if (final === undefined) {
    if (isTried) notes.remark(`${what} was not reported within ${endMsOf(context) / 1000} s`);
    return;
  }
  if (isTried && isExpected && statusOf(final) === 'Completed')
    notes.remark('a task of which the service took no upload was reported as Completed');
  await expectBodyOfStatus(context, { ...task, final }, async (name, path) => {
    const found = isThere(task, path) ? 'there' : 'not there';
    context
      .expect(found, `the file that ${name} (${path}) names, of a task whose uploads were refused`, final.seen)
      .toEqual('there');
    return undefined;
  });
}

/** A task that fails and one that is done, whose inputs come at the same moment: neither may get what belongs to the other. Resolves with whether the host came to them in time. */
async function expectEachItsEnd(
  context: HostContext,
  failing: TaskOptions & { readonly timeout: number },
  samples: Pair,
): Promise<boolean> {
  const { expect, notes } = context;
  const { timeout } = failing;
  const holds: Held[] = [];
  const hold = (installation: Installation): void => void holds.push(installation.hold('download'));
  const good = await beginTask(context, { ...failing, sample: samples.good }, hold);
  await good.installation.arrived({ kind: 'download' }, besideMs);
  const bad = await callTask(context, { ...failing, sample: samples.bad }, hold);
  await bad.installation.arrived({ kind: 'download' }, secondMs);
  // a host that holds its callers to a rate takes the other one later
  const isLate = context.clock.now() - good.calledAt > (timeout * 1000) / 2;
  for (const held of holds) held.release();
  if (isLate) return false;
  // a host may be busy
  if (bad.reply.status > 299) {
    notes.observe('status of a task call beside another task', bad.reply.status);
    return true;
  }
  await expectFailure(context, bad, { what: 'a task that cannot be done, beside one that can', timeout });
  const final = await endOf(context, good, timeout * 1000);
  const status = final === undefined ? 'none' : statusOf(final);
  if (status !== 'Completed') {
    if (!isBegunInTime(good, timeout) || isLateEnd(good, final, timeout)) return false;
    const { final: alone } = await finishedTask(context, { sample: samples.good });
    if (statusOf(alone) !== 'Completed')
      context.given.inconclusive(`the task that is said to be completed was reported as ${statusOf(alone)} by itself`);
  }
  const what = 'the status reported for a task that can be done, beside one that cannot';
  expect(expectReport(context, final, what), what, final?.seen).toEqual('Completed');
  return true;
}

/** Whether the host did not come to a task when most of its time was over. */
function isBegunInTime(task: Begun, timeout: number): boolean {
  const [first] = requestsOf(task);
  return first === undefined || first.arrivedAt - task.calledAt <= (timeout * 1000) / 2;
}

/** Whether a task came to an end when so much of its time was over that the host may have given it up. */
function isLateEnd({ calledAt }: Begun, final: Arrival | undefined, timeout: number): boolean {
  return final !== undefined && final.arrivedAt - calledAt > (timeout * 1000) / 3;
}

async function expectFailure(
  context: HostContext,
  begun: Begun,
  { what, timeout }: { readonly what: string; readonly timeout: number },
): Promise<void> {
  const { expect, notes } = context;
  const { installation } = begun;
  const final = await endOf(context, begun, timeout * 1000);
  const status = final === undefined ? 'none' : statusOf(final);
  if (status === 'Completed' && what.includes('input') && installation.arrivals({ kind: 'download' }).length === 0) {
    notes.observe(`the end of ${what}`, 'Completed, without asking for it');
    return;
  }
  const report = `the status reported for ${what}, within the timeout of its payload`;
  expect(expectReport(context, final, report), report, final?.seen).toBeOneOf(['Failed', 'Canceled']);
  notes.observe(`the end of ${what}`, status);
}

/** The task with whatever the host sent because of it. @throws {Inconclusive} it sent nothing */
async function taskAtWork(context: HostContext, options: TaskOptions = {}): Promise<Begun> {
  const task = await beginTask(context, options);
  await endOf(context, task, endMsOf(context));
  if (requestsOf(task).length === 0)
    context.given.notExercised(`the host sent nothing because of a task within ${endMsOf(context) / 1000} s`);
  return task;
}
