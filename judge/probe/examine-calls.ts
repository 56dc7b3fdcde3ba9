import type { Need } from '../../contract/needs.ts';
import type { TriggerName } from '../../contract/profile.ts';
import type { Call, CallFilter, CalledType } from '../extension/call.ts';
import { callWaitMs, triggerUntilCalled } from '../extension/trigger-calls.ts';
import type { Reached } from '../extension/extension.ts';
import type { Triggered } from '../extension/triggers.ts';
import { eventUsable } from '../run/preflight/extensions.ts';
import { aboutReply, type Bench, examine, type Examination, type Trial } from './trials.ts';

/** A trigger that is tried, with an extension or an endpoint of its own. */
interface Attempt {
  readonly name: TriggerName;
  readonly needs: readonly Need[];
  /** Resolves with the call that came. */
  readonly work: () => Promise<{ readonly reached: Reached; readonly call: Call | undefined }>;
}

/** Registers what the service can call, sets off each trigger of the profile and removes everything again. */
export async function examineCalls(bench: Bench): Promise<readonly Examination[]> {
  const { all } = bench.context.profile;
  if (all.listener === undefined || all.identities.administrator === undefined) return [];
  // a clock that cannot be asked is told of by itself, and without it no wait ends
  if (
    !(await bench.session.time.begin().then(
      () => true,
      () => false,
    ))
  )
    return [];
  const found: Examination[] = [];
  for (const { name, needs, work } of attemptsOf(bench)) {
    if (all.triggers?.[name] === undefined) continue;
    found.push(
      await examine(
        bench,
        `triggers.${name}, and the call that it leads to`,
        needs,
        async () => (name === 'event' ? eventUsable(all) : undefined) ?? calledBy(bench, name, work),
      ),
    );
  }
  return [...found, ...(await examineRegistrations(bench)), ...(await examineQueue(bench))];
}

async function calledBy({ context, record }: Bench, name: TriggerName, work: Attempt['work']): Promise<Trial> {
  const { reached, call } = await work();
  // that of the trigger: others follow
  const exchange = record.history().at(-1)?.exchange;
  // a validation that stays registered would go on stopping operations
  if (reached.registration !== undefined) await context.registrations.remove(reached.registration);
  if (call !== undefined) return undefined;
  const failure = `no call came within ${callWaitMs / 1000} s: correct triggers.${name}, or let what it names be called`;
  return exchange === undefined ? failure : { failure, exchange };
}

function attemptsOf({ context }: Bench): readonly Attempt[] {
  const { given, triggers, profile } = context;
  const isActionForm = profile.all.triggers?.actionForm !== undefined;
  const until = async (
    type: CalledType,
    trigger: (extension: Awaited<ReturnType<typeof given.extension>>) => Promise<Triggered>,
    filter: CallFilter,
  ) => {
    const extension = await given.extension({ types: [type] });
    return { reached: extension, call: await triggerUntilCalled(extension, () => trigger(extension), filter) };
  };
  const once = async (type: CalledType, filter: CallFilter, isInContext: boolean) => {
    const [thing, context] = [await given.object(), isInContext ? await given.object() : undefined];
    const extension = await given.extension({ types: [type], concerns: [thing] });
    const triggered =
      type === 'ExternalValidation'
        ? await triggers.validation(thing, context && { extension, contextObjectId: context.oid })
        : await triggers.actionRibbon(extension, { thing, ...(context && { context }) });
    return { reached: extension, call: await callAfter(triggered, extension, filter) };
  };
  return [
    {
      name: 'event',
      needs: ['trigger-event', 'trigger-headers'],
      work: () => until('ExternalEvent', (extension) => triggers.event(extension), { kind: 'event' }),
    },
    {
      name: 'endpoint',
      needs: ['trigger-endpoint'],
      work: async () => {
        const endpoint = await given.endpoint();
        return { reached: endpoint, call: await triggerUntilCalled(endpoint, () => triggers.endpoint(endpoint)) };
      },
    },
    {
      name: 'task',
      needs: ['trigger-task'],
      work: async () => {
        const extension = await given.extension({ types: ['ExternalTask'] });
        return { reached: extension, call: (await given.task(extension)).call };
      },
    },
    {
      name: 'email',
      needs: ['trigger-email'],
      work: () => until('Email', (extension) => triggers.email(extension), { kind: 'email' }),
    },
    {
      name: 'actionForm',
      needs: ['trigger-action-form', 'trigger-action'],
      work: async () => {
        const thing = await given.object();
        const extension = await given.extension({ types: ['ExternalAction'] });
        const form = { requestedRoute: '/', httpVerb: 'POST', payload: {}, thing };
        const triggered = await triggers.actionForm(extension, form);
        return { reached: extension, call: await callAfter(triggered, extension, { kind: 'action' }) };
      },
    },
    {
      name: 'actionRibbon',
      needs: ['trigger-action-ribbon', ...(isActionForm ? [] : ['trigger-action' as const])],
      work: () => once('ExternalAction', { kind: 'action' }, false),
    },
    {
      name: 'actionRibbonInContext',
      needs: ['context-module'],
      work: () => once('ExternalAction', { kind: 'action' }, true),
    },
    {
      name: 'validation',
      needs: ['trigger-validation'],
      work: () => once('ExternalValidation', { kind: 'validation' }, false),
    },
    {
      name: 'validationInContext',
      needs: ['context-module'],
      work: () => once('ExternalValidation', { kind: 'validation' }, true),
    },
  ];
}

/** The call that a trigger led to; what was refused has led there before its answer, or never. */
function callAfter({ reply }: Triggered, reached: Reached, filter: CallFilter): Promise<Call | undefined> {
  return reached.arrived(filter, { withinMs: reply.status < 400 ? callWaitMs : 0 });
}

/** The routes of registrations, on one of each kind that has them. */
async function examineRegistrations(bench: Bench): Promise<readonly Examination[]> {
  const { given, registrations, profile } = bench.context;
  const { registrationRead, registrationUpdate, registrationDelete } = profile.all.routes ?? {};
  if ([registrationRead, registrationUpdate, registrationDelete].every((route) => route === undefined)) return [];
  const on = async (key: string, needs: readonly Need[], act: (made: Made) => Promise<Trial>): Promise<Examination> =>
    examine(bench, `${key}, for an extension and an endpoint`, needs, async () => {
      for (const reached of [await given.extension(), await given.endpoint()]) {
        const failure = reached.registration === undefined ? undefined : await act(reached.registration);
        if (failure !== undefined) return failure;
        if (reached.registration !== undefined) await registrations.remove(reached.registration);
      }
      return undefined;
    });
  const found: Examination[] = [];
  if (registrationRead !== undefined)
    found.push(
      await on('routes.registrationRead', [], async (made) => {
        const reply = await registrations.read(made);
        return reply && aboutReply(reply, 'routes.registrationRead');
      }),
    );
  if (registrationUpdate !== undefined)
    found.push(
      await on('routes.registrationUpdate', ['registration-update'], async (made) =>
        aboutReply(await registrations.update(made), 'routes.registrationUpdate'),
      ),
    );
  if (registrationDelete !== undefined)
    found.push(
      await on('routes.registrationDelete', [], async (made) => {
        const reply = await registrations.remove(made);
        return reply && aboutReply(reply, 'routes.registrationDelete');
      }),
    );
  return found;
}

type Made = NonNullable<Reached['registration']>;

/** What the profile says of jobs, of queued events and of the log of deliveries. */
async function examineQueue(bench: Bench): Promise<readonly Examination[]> {
  const { given, triggers, tasks, profile } = bench.context;
  const { job, eventDelete, deliveryLog } = profile.all.routes ?? {};
  const { task, event } = profile.all.triggers ?? {};
  const found: Examination[] = [];
  if (job !== undefined && task !== undefined)
    found.push(
      await examine(bench, 'routes.job, for a job that was scheduled', ['job-read'], async () => {
        const made = await given.task(await given.extension({ types: ['ExternalTask'] }));
        return aboutReply(await tasks.job(made), 'routes.job or triggers.task.idPath');
      }),
    );
  if (eventDelete !== undefined && event !== undefined)
    found.push(
      await examine(bench, 'routes.eventDelete, for an event that waits for its retry', ['event-delete'], async () => {
        const extension = await given.extension({
          script: [{ when: { kind: 'event' }, steps: [{ status: 503 }], afterwards: 'last' }],
        });
        const queued = await triggers.event(extension);
        await extension.ended(1, { about: queued });
        return aboutReply(await triggers.deleteEvent(queued), 'routes.eventDelete or triggers.event.idPath');
      }),
    );
  if (deliveryLog !== undefined)
    found.push(
      await examine(bench, 'routes.deliveryLog', [], async () => {
        const reply = await triggers.log();
        return reply && aboutReply(reply, 'routes.deliveryLog');
      }),
    );
  return found;
}
