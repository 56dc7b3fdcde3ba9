import type { Reading, Writing } from '../store/store.ts';
import { indexRecords } from './record-index.ts';
import type { Registration, RegistrationKind } from './model.ts';

/** Kind of document under which registrations stand in the store, by id. */
const documentKind = 'registration';

/** The registration with the id, whatever its kind. */
export async function registrationOf(reading: Reading, id: string): Promise<Registration | undefined> {
  const text = await reading.document(documentKind, id);
  return text === undefined ? undefined : registrationFrom(text);
}

/** All of a kind, in the order of their registration. */
export async function registrationsOf(reading: Reading, kind: RegistrationKind): Promise<readonly Registration[]> {
  const texts = await reading.documents(documentKind);
  const registrations = texts
    .map(({ text }) => registrationFrom(text))
    .filter((registration) => registration.kind === kind);
  return registrations.sort((one, other) => one.registeredAt - other.registeredAt);
}

/** Adds the registration, or puts it in the place of the one with its id. */
export async function keepRegistration(writing: Writing, registration: Registration): Promise<void> {
  const former = await registrationOf(writing, registration.id);
  await indexRecords(writing, former, registration);
  await writing.putDocument(documentKind, registration.id, JSON.stringify(registration));
}

export async function dropRegistration(writing: Writing, registration: Registration): Promise<void> {
  await indexRecords(writing, registration, undefined);
  await writing.deleteDocument(documentKind, registration.id);
}

/** Decoder of what `keepRegistration` wrote. */
function registrationFrom(text: string): Registration {
  return JSON.parse(text) as Registration;
}
