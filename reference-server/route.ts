import type { Call, ReadHandler, SpaceCall, UserCall, WriteHandler } from './service.ts';

interface Place {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Template with {names}; `softtype` in it also answers to `SoftType`. */
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
  | Reads<'space', SpaceCall>
  | Writes<'space', SpaceCall>
  | Writes<'participant', SpaceCall>;
