import { randomUUID } from 'node:crypto';
import type { MetadataAnswer } from '../metadata/exchange.ts';
import type { Answer, Service, UserCall } from '../service.ts';
import type { Writing } from '../store/store.ts';
import { createdAnswer, locateRegistration, registrationBody } from './endpoints.ts';
import { keepRegistration } from './kept.ts';
import type { Extension, ExtensionFields } from './model.ts';

/** POST of an extension, answered when its metadata is there, or is known not to be had. Source: extensions, Metadata exchange; ledger metadata-fetch-timing */
export async function createExtension(service: Service, call: UserCall): Promise<Answer> {
  const fields = service.behaviours.extensionFrom(service, registrationBody(service, call));
  const metadata = await service.behaviours.fetchMetadata(service, fields, call.correlationId);
  const fresh: Extension = {
    ...fields,
    kind: 'svcExtension',
    id: randomUUID(),
    registeredAt: service.clock.now(),
    records: [],
  };
  await service.store.change(async (writing) => {
    await keepRegistration(writing, informed(service, fresh, metadata));
    await logComplaints(service, call, writing, fields, metadata);
  });
  return { ...createdAnswer('svcExtension', fresh.id), body: withWarning({ id: fresh.id }, metadata) };
}

/** PUT of an extension; the records that it had stay when the metadata cannot be had. */
export async function putExtension(service: Service, call: UserCall): Promise<Answer> {
  await service.store.read((reading) => locateRegistration(service, call, reading, 'svcExtension'));
  const fields = service.behaviours.extensionFrom(service, registrationBody(service, call));
  const metadata = await service.behaviours.fetchMetadata(service, fields, call.correlationId);
  const id = await service.store.change(async (writing) => {
    const former = await locateRegistration(service, call, writing, 'svcExtension');
    const next = informed(service, { ...former, ...fields }, metadata);
    await keepRegistration(writing, next);
    await logComplaints(service, call, writing, fields, metadata);
    await service.behaviours.resumeDeliveries(service, writing, former.id);
    return former.id;
  });
  return { status: 200, body: withWarning({ id }, metadata) };
}

function informed(service: Service, extension: Extension, metadata: MetadataAnswer): Extension {
  if ('warning' in metadata) return extension;
  return { ...extension, records: service.behaviours.recordsInForce(extension.records, metadata.records) };
}

function withWarning(body: object, metadata: MetadataAnswer): object {
  return 'warning' in metadata ? { ...body, warning: metadata.warning } : body;
}

/** Source: ledger metadata-invalid-record */
async function logComplaints(
  service: Service,
  call: UserCall,
  writing: Writing,
  { hostUri: endpoint }: ExtensionFields,
  metadata: MetadataAnswer,
): Promise<void> {
  const messages = 'warning' in metadata ? [metadata.warning] : metadata.complaints;
  for (const message of messages) {
    const entry = {
      at: service.clock.now(),
      kind: 'metadata',
      envelopeId: call.correlationId,
      endpoint,
      message,
    } as const;
    await service.behaviours.logEntry(service, writing, entry);
  }
}
