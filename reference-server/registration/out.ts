import type { Header, Registration } from './model.ts';

const secretHeader = /auth|cookie|key|token|secret|password|signature|credential/i;

/** A registration as it is read: without what only its registrar may know. Source: ledger registration-responses */
export function registrationOut(registration: Registration): object {
  if (registration.kind === 'svcExtension') {
    const { kind: _kind, registeredAt: _at, apiKey: _secret, ...shown } = registration;
    return shown;
  }
  const { kind: _kind, registeredAt: _at, headers, ...shown } = registration;
  return { ...shown, headers: headers.map(headerOut) };
}

/** A header that may well be a key is named without its value. */
function headerOut({ name, value }: Header): Partial<Header> {
  return secretHeader.test(name) ? { name } : { name, value };
}
