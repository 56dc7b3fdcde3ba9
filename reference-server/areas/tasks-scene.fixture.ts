import { expect } from 'vitest';
import { envelopeIn, onStage, record, type Stage } from './calls-host.fixture.ts';
import type { ServerOptions } from '../server.ts';

export interface JobRead {
  readonly id: string;
  readonly state: string;
  readonly taskStatus?: string;
  readonly progress?: string;
  readonly message?: string;
  readonly deadline?: string;
}

export interface Scene extends Stage {
  /** Path of the job. */
  readonly job: string;
  /** As the task, with the token of its envelope; resolves with the status. */
  report(path: string, body?: unknown): Promise<number>;
  read(): Promise<JobRead>;
}

export const startAt = Date.UTC(2030, 0, 1);

/** A job whose task runs. */
export async function withTask(
  work: (scene: Scene) => Promise<void>,
  options: ServerOptions = {},
  timeout = 10,
): Promise<void> {
  await onStage(async (stage) => {
    await stage.register([record('task', 'ExternalTask', { rateLimitNumberOfExecutions: 1000 })]);
    await work(await sceneOf(stage, timeout));
  }, options);
}

export async function sceneOf(stage: Stage, timeout: number): Promise<Scene> {
  const before = stage.arrived.length;
  const body = { recordId: 'task', inputPath: 'in/a.csv', timeout };
  const job = (await stage.ask('edda', 'POST', '/api/space/main/dx', body)).headers.get('location') ?? '';
  const { accessToken } = envelopeIn((await stage.calls(before + 1))[before]);
  const headers = { authorization: `Bearer ${accessToken}` };
  const report: Scene['report'] = async (path, content) =>
    (await stage.ask('', 'PUT', `${job}/${path}`, content, headers)).status;
  const read = async (): Promise<JobRead> => (await (await stage.ask('edda', 'GET', job)).json()) as JobRead;
  await expect.poll(async () => (await read()).state).toBe('Running');
  return Object.assign(stage, { job, report, read });
}
