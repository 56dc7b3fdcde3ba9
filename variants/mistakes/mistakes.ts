import { accessMistakes } from './core/access.ts';
import { answersToOthersMistakes } from './core/answers-to-others.ts';
import { arraysAndReferencesMistakes } from './core/arrays-and-references.ts';
import { batchBesideRoutesMistakes } from './core/batch-beside-routes.ts';
import { batchChangeSetMistakes } from './core/batch-change-set.ts';
import { batchOperationsMistakes } from './core/batch-operations.ts';
import { batchResultsMistakes } from './core/batch-results.ts';
import { batchRoutesMistakes } from './core/batch-routes.ts';
import { batchVersionsMistakes } from './core/batch-versions.ts';
import { batchMistakes } from './core/batch.ts';
import { cachingMistakes } from './core/caching.ts';
import { collectionAndSpacesMistakes } from './core/collection-and-spaces.ts';
import { correlationIdsMistakes } from './core/correlation-ids.ts';
import { createMistakes } from './core/create.ts';
import { filterValuesMistakes } from './core/filter-values.ts';
import { filtersMistakes } from './core/filters.ts';
import { grantsMistakes } from './core/grants.ts';
import { headersMistakes } from './core/headers.ts';
import { informationFilterMistakes } from './core/information-filter.ts';
import { leftBehindMistakes } from './core/left-behind.ts';
import { linksMistakes } from './core/links.ts';
import { maturityMistakes } from './core/maturity.ts';
import { mergeMistakes } from './core/merge.ts';
import { multiCreateItemsMistakes } from './core/multi-create-items.ts';
import { multiCreateNamesMistakes } from './core/multi-create-names.ts';
import { multiCreateReferencesMistakes } from './core/multi-create-references.ts';
import { multiCreateMistakes } from './core/multi-create.ts';
import { openapiMistakes } from './core/openapi.ts';
import { operationAddMistakes } from './core/operation-add.ts';
import { operationPathsMistakes } from './core/operation-paths.ts';
import { operationRemoveMistakes } from './core/operation-remove.ts';
import { operationReplaceMistakes } from './core/operation-replace.ts';
import { operationsMistakes } from './core/operations.ts';
import { otherDefinitionsMistakes } from './core/other-definitions.ts';
import { pageLinksMistakes } from './core/page-links.ts';
import { pageResponsesMistakes } from './core/page-responses.ts';
import { pagesMistakes } from './core/pages.ts';
import { pagingMistakes } from './core/paging.ts';
import { putMistakes } from './core/put.ts';
import { readDataMistakes } from './core/read-data.ts';
import { readingMistakes } from './core/reading.ts';
import { referenceArraysMistakes } from './core/reference-arrays.ts';
import { referencesAndSpacesMistakes } from './core/references-and-spaces.ts';
import { refusedWritesMistakes } from './core/refused-writes.ts';
import { refusalsMistakes } from './core/refusals.ts';
import { rolesMistakes } from './core/roles.ts';
import { systemPropertiesMistakes } from './core/system-properties.ts';
import { tokensMistakes } from './core/tokens.ts';
import { versionHeaderMistakes } from './core/version-header.ts';
import { versioningMistakes } from './core/versioning.ts';
import { actionsMistakes } from './extensions/actions.ts';
import { apiKeysMistakes } from './extensions/api-keys.ts';
import { bulkUploadFilesMistakes } from './extensions/bulk-upload-files.ts';
import { bulkUploadMistakes } from './extensions/bulk-upload.ts';
import { callTokensMistakes } from './extensions/call-tokens.ts';
import { callsMistakes } from './extensions/calls.ts';
import { capabilitiesMistakes } from './extensions/capabilities.ts';
import { chunkPartsMistakes } from './extensions/chunk-parts.ts';
import { chunkUploadMistakes } from './extensions/chunk-upload.ts';
import { callCorrelationMistakes } from './extensions/correlation-ids.ts';
import { deliveryLogMistakes } from './extensions/delivery-log.ts';
import { downloadAndDeleteMistakes } from './extensions/download-and-delete.ts';
import { emailsMistakes } from './extensions/emails.ts';
import { endpointLimitsMistakes } from './extensions/endpoint-limits.ts';
import { endpointRequestsMistakes } from './extensions/endpoint-requests.ts';
import { endpointsMistakes } from './extensions/endpoints.ts';
import { envelopeMistakes } from './extensions/envelope.ts';
import { eventQueueMistakes } from './extensions/event-queue.ts';
import { eventsMistakes } from './extensions/events.ts';
import { fileAreasMistakes } from './extensions/file-areas.ts';
import { fileAuthMistakes } from './extensions/file-auth.ts';
import { keyRotationMistakes } from './extensions/key-rotation.ts';
import { lostCallsMistakes } from './extensions/lost-calls.ts';
import { metadataExchangeMistakes } from './extensions/metadata-exchange.ts';
import { metadataRecordsMistakes } from './extensions/metadata-records.ts';
import { personalTokensMistakes } from './extensions/personal-tokens.ts';
import { ratesMistakes } from './extensions/rates.ts';
import { recordLimitsMistakes } from './extensions/record-limits.ts';
import { recordVersionsMistakes } from './extensions/record-versions.ts';
import { refusalsOfExtensionsMistakes } from './extensions/refusals.ts';
import { registrationMistakes } from './extensions/registration.ts';
import { retriesMistakes } from './extensions/retries.ts';
import { signingMistakes } from './extensions/signing.ts';
import { streamUploadMistakes } from './extensions/stream-upload.ts';
import { taskCallbacksMistakes } from './extensions/task-callbacks.ts';
import { taskLinksMistakes } from './extensions/task-links.ts';
import { tasksMistakes } from './extensions/tasks.ts';
import { timeoutsMistakes } from './extensions/timeouts.ts';
import { transientErrorsMistakes } from './extensions/transient-errors.ts';
import { trustedEndpointsMistakes } from './extensions/trusted-endpoints.ts';
import { validationMistakes } from './extensions/validation.ts';
import type { Mistake, Mistakes } from './mistake.ts';

/** Mistakes by section, in the order of the documents. */
export const sections: Readonly<Record<string, Mistakes>> = {
  'core/collection-and-spaces': collectionAndSpacesMistakes,
  'core/reading': readingMistakes,
  'core/read-data': readDataMistakes,
  'core/system-properties': systemPropertiesMistakes,
  'core/links': linksMistakes,
  'core/page-links': pageLinksMistakes,
  'core/page-responses': pageResponsesMistakes,
  'core/information-filter': informationFilterMistakes,
  'core/batch-operations': batchOperationsMistakes,
  'core/batch-routes': batchRoutesMistakes,
  'core/batch-change-set': batchChangeSetMistakes,
  'core/batch': batchMistakes,
  'core/batch-results': batchResultsMistakes,
  'core/batch-versions': batchVersionsMistakes,
  'core/batch-beside-routes': batchBesideRoutesMistakes,
  'core/multi-create-items': multiCreateItemsMistakes,
  'core/multi-create-names': multiCreateNamesMistakes,
  'core/multi-create': multiCreateMistakes,
  'core/multi-create-references': multiCreateReferencesMistakes,
  'core/maturity': maturityMistakes,
  'core/refused-writes': refusedWritesMistakes,
  'core/headers': headersMistakes,
  'core/correlation-ids': correlationIdsMistakes,
  'core/create': createMistakes,
  'core/put': putMistakes,
  'core/merge': mergeMistakes,
  'core/paging': pagingMistakes,
  'core/pages': pagesMistakes,
  'core/filters': filtersMistakes,
  'core/filter-values': filterValuesMistakes,
  'core/operations': operationsMistakes,
  'core/operation-paths': operationPathsMistakes,
  'core/operation-add': operationAddMistakes,
  'core/operation-replace': operationReplaceMistakes,
  'core/operation-remove': operationRemoveMistakes,
  'core/arrays-and-references': arraysAndReferencesMistakes,
  'core/tokens': tokensMistakes,
  'core/grants': grantsMistakes,
  'core/access': accessMistakes,
  'core/refusals': refusalsMistakes,
  'core/roles': rolesMistakes,
  'core/openapi': openapiMistakes,
  'core/caching': cachingMistakes,
  'core/version-header': versionHeaderMistakes,
  'core/versioning': versioningMistakes,
  'core/other-definitions': otherDefinitionsMistakes,
  'core/reference-arrays': referenceArraysMistakes,
  'core/references-and-spaces': referencesAndSpacesMistakes,
  'core/answers-to-others': answersToOthersMistakes,
  'core/left-behind': leftBehindMistakes,
  'extensions/file-areas': fileAreasMistakes,
  'extensions/stream-upload': streamUploadMistakes,
  'extensions/chunk-parts': chunkPartsMistakes,
  'extensions/chunk-upload': chunkUploadMistakes,
  'extensions/download-and-delete': downloadAndDeleteMistakes,
  'extensions/file-auth': fileAuthMistakes,
  'extensions/bulk-upload': bulkUploadMistakes,
  'extensions/bulk-upload-files': bulkUploadFilesMistakes,
  'extensions/registration': registrationMistakes,
  'extensions/endpoints': endpointsMistakes,
  'extensions/endpoint-requests': endpointRequestsMistakes,
  'extensions/endpoint-limits': endpointLimitsMistakes,
  'extensions/trusted-endpoints': trustedEndpointsMistakes,
  'extensions/api-keys': apiKeysMistakes,
  'extensions/key-rotation': keyRotationMistakes,
  'extensions/metadata-exchange': metadataExchangeMistakes,
  'extensions/metadata-records': metadataRecordsMistakes,
  'extensions/record-versions': recordVersionsMistakes,
  'extensions/record-limits': recordLimitsMistakes,
  'extensions/capabilities': capabilitiesMistakes,
  'extensions/signing': signingMistakes,
  'extensions/envelope': envelopeMistakes,
  'extensions/correlation-ids': callCorrelationMistakes,
  'extensions/call-tokens': callTokensMistakes,
  'extensions/personal-tokens': personalTokensMistakes,
  'extensions/refusals': refusalsOfExtensionsMistakes,
  'extensions/calls': callsMistakes,
  'extensions/validation': validationMistakes,
  'extensions/emails': emailsMistakes,
  'extensions/actions': actionsMistakes,
  'extensions/events': eventsMistakes,
  'extensions/event-queue': eventQueueMistakes,
  'extensions/lost-calls': lostCallsMistakes,
  'extensions/delivery-log': deliveryLogMistakes,
  'extensions/transient-errors': transientErrorsMistakes,
  'extensions/retries': retriesMistakes,
  'extensions/rates': ratesMistakes,
  'extensions/timeouts': timeoutsMistakes,
  'extensions/tasks': tasksMistakes,
  'extensions/task-links': taskLinksMistakes,
  'extensions/task-callbacks': taskCallbacksMistakes,
};

/** All mistakes, by their ids, which are unique. */
export const mistakes: ReadonlyMap<string, Mistake> = new Map(Object.values(sections).flatMap(Object.entries<Mistake>));
