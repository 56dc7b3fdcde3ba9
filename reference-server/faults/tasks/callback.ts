import { jobWith } from '../../tasks/job.ts';
import type { SpaceCall } from '../../service.ts';
import { replacing, together, type Fault, type FaultsOf } from '../fault.ts';

export const callbackFaults = {
  'tasks.callback.missing-credential-401': replacing('carryOut', (right) => async (service, route, call) => {
    const [user] = service.configuration.users.values();
    const isOpen = route.path.endsWith('/progress') && call.headers['authorization'] === undefined;
    if (!isOpen || route.effect !== 'write' || user === undefined) return right(service, route, call);
    const space = service.behaviours.spaceOf(service, call);
    return service.store.change((writing) =>
      service.behaviours.reportProgress(service, { ...call, space, user }, writing),
    );
  }),

  'tasks.callback.unknown-job-fails': together(unlessUnknown('reportStatus'), unlessUnknown('reportProgress')),

  'tasks.callback.foreign-space-fails': replacing(
    'locateJob',
    (right) => async (service, call, reading) =>
      (await jobWith(reading, jobIdOf(call))) ?? right(service, call, reading),
  ),

  'tasks.callback.foreign-user': replacing('authorize', (right) => (service, user, access, call) => {
    const isReport = access === 'participant' && call.params['jobId'] !== undefined;
    if (!isReport) right(service, user, access, call);
  }),

  'tasks.progress.message-shown': replacing('jobAfterProgress', () => (job) => job),
} satisfies Partial<FaultsOf<'tasks'>>;

/** Reports on jobs that do not exist are taken and forgotten. */
function unlessUnknown(name: 'reportStatus' | 'reportProgress'): Fault {
  return replacing(name, (right) => async (service, call, writing) => {
    const job = await jobWith(writing, jobIdOf(call));
    return job === undefined ? { status: 204 } : right(service, call, writing);
  });
}

function jobIdOf({ params }: SpaceCall): string {
  return params['jobId'] ?? '';
}
