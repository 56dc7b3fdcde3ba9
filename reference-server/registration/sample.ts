import { callOf, sample as serviceSample, type Sample as ServiceSample } from '../auth/sample.ts';
import type { CallOutcome, OutgoingRequest } from '../delivery/delivery.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Service, UserCall } from '../service.ts';
import type { RegistrationKind } from './model.ts';

/** A key of 64 bytes. */
export const key = Buffer.alloc(64, 7).toString('base64');
export const endpoint = {
  id: 'hook',
  url: 'http://host.example/hook',
  method: 'POST',
  category: 'tests',
  headers: [{ name: 'Content-Type', value: 'application/json' }],
};
export const trusted = { ...endpoint, id: 'trusted', tokenLifeTime: 9 };
export const extension = { hostUri: 'http://host.example', apiKey: key, tokenLifeTime: 5 };
export const bodies: Readonly<Record<RegistrationKind, object>> = {
  externalEndpoint: endpoint,
  trustedExternalEndpoint: trusted,
  svcExtension: extension,
};

/** Registrations of a service whose hosts answer as a test says; nothing goes over the network. */
export interface Sample extends ServiceSample {
  /** What was sent to hosts. */
  readonly sent: OutgoingRequest[];
  /** What hosts answer from now on. */
  answer: CallOutcome;
  create(kind: RegistrationKind, body: unknown): Promise<Outcome>;
  put(kind: RegistrationKind, id: string, body: unknown): Promise<Outcome>;
  read(kind: RegistrationKind, id: string): Promise<Outcome>;
  list(kind: RegistrationKind): Promise<Outcome>;
  remove(kind: RegistrationKind, id: string): Promise<Outcome>;
  logged(): Promise<readonly string[]>;
}

export interface Outcome {
  readonly status: number;
  readonly pointer?: string | undefined;
  readonly location?: string | undefined;
  readonly body?: unknown;
}

export function answering(body: unknown, status = 200): CallOutcome {
  return { kind: 'answered', status, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

export function sample(): Sample {
  const sent: OutgoingRequest[] = [];
  const state = { answer: answering([]) };
  const from = serviceSample((right) => ({
    ...right,
    call: async (_service, request) => {
      sent.push(request);
      return state.answer;
    },
  }));
  const { service } = from;
  const { behaviours, store } = service;
  const asked = (work: (call: UserCall) => Promise<Answer>, id = '', body?: unknown): Promise<Outcome> =>
    work(callBy(from, id, body)).then(outcome, refused);
  return Object.assign(state, {
    ...from,
    sent,
    create: (kind: RegistrationKind, body: unknown) => asked((call) => created(service, call, kind), '', body),
    put: (kind: RegistrationKind, id: string, body: unknown) =>
      asked((call) => replaced(service, call, kind), id, body),
    read: (kind: RegistrationKind, id: string) =>
      asked((call) => store.read((reading) => behaviours.readRegistration(service, call, reading, kind)), id),
    list: (kind: RegistrationKind) =>
      asked((call) => store.read((reading) => behaviours.listRegistrations(service, call, reading, kind))),
    remove: (kind: RegistrationKind, id: string) =>
      asked((call) => store.change((writing) => behaviours.deleteRegistration(service, call, writing, kind)), id),
    logged: async () =>
      (await store.read((reading) => reading.logEntries({ after: 0, limit: 99 }))).map(({ message }) => message),
  });
}

function created(service: Service, call: UserCall, kind: RegistrationKind): Promise<Answer> {
  if (kind === 'svcExtension') return service.behaviours.createExtension(service, call);
  return service.store.change((writing) => service.behaviours.createEndpoint(service, call, writing, kind));
}

function replaced(service: Service, call: UserCall, kind: RegistrationKind): Promise<Answer> {
  if (kind === 'svcExtension') return service.behaviours.putExtension(service, call);
  return service.store.change((writing) => service.behaviours.putEndpoint(service, call, writing, kind));
}

function callBy({ configuration }: ServiceSample, id: string, body: unknown): UserCall {
  const user = configuration.users.get('administrator');
  if (user === undefined) throw new Error('no administrator');
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'content-type': 'application/json' };
  return { ...callOf({ params: { id }, headers, ...(text === undefined ? {} : { body: text }) }), user };
}

function outcome({ status, headers, body }: Answer): Outcome {
  return { status, location: headers?.['Location'], body };
}

function refused(error: unknown): Outcome {
  if (!(error instanceof Refusal)) throw error;
  return { status: error.status, pointer: error.pointer };
}

/** The id that an answer names. */
export function idOf({ body }: { readonly body?: unknown }): string {
  return typeof body === 'object' && body !== null && 'id' in body ? String(body.id) : '';
}
