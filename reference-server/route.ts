import type { Answer, Call, ReadHandler, Service, SpaceCall, UserCall, WriteHandler } from './service.ts';

interface Place {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Template with {names}; `softtype` in it also answers to `SoftType`, and `{name*}` at its end stands for one or more segments. */
  readonly path: string;
}

type Reads<Access extends string, C extends Call> = Place & {
  readonly access: Access;
  readonly effect: 'read';
  readonly handle: ReadHandler<C>;
};
type Writes<Access extends string, C extends Call> = Place & {
  readonly access: Access;
  readonly effect: 'write';
  readonly handle: WriteHandler<C>;
  /** Runs ahead of the change set, for what has to be asked outside; the call it returns is the one that `handle` gets. */
  readonly before?: (service: Service, call: C) => Promise<C>;
};
/** Calls out, and so opens its reads and change sets itself: none may stay open while somebody else is waited for. */
type CallsOut<Access extends string, C extends Call> = Place & {
  readonly access: Access;
  readonly effect: 'outside';
  readonly handle: (service: Service, call: C) => Promise<Answer>;
  /** Gets the body as a stream, and need not read it to its end. */
  readonly streams?: true;
};

/**
 * Who may call: `public` anybody, `user` any valid identity, `collection` a Collection Administrator, `space` an identity whose
 * role on a participant of the space allows the method, `participant` one with any such role, whatever the method: its operations
 * are judged one by one. The kernel has checked that before `handle` runs.
 */
export type Route =
  | Reads<'public', Call>
  | Reads<'user', UserCall>
  | Reads<'collection', UserCall>
  | Writes<'collection', UserCall>
  | CallsOut<'collection', UserCall>
  | Reads<'space', SpaceCall>
  | Writes<'space', SpaceCall>
  | CallsOut<'space', SpaceCall>
  | Writes<'participant', SpaceCall>
  | CallsOut<'public', Call>;
