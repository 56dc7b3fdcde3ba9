import { areas } from '../contract/areas.ts';
import { Catalogue, type Declaration, type Rule } from '../judge/rule.ts';
import { readingRules } from './core/reading.ts';
import { entryRules } from './core/entries.ts';
import { pagingFilterRules, readingFilterRules } from './core/filters.ts';
import { createRules } from './core/create.ts';
import { pagingRules } from './core/paging.ts';
import { pageRules } from './core/pages.ts';
import { mergeRules } from './core/merge.ts';
import { patchRules } from './core/patch.ts';
import { operationRules } from './core/operations.ts';
import { operationPathRules } from './core/operation-paths.ts';
import { addRules } from './core/operation-add.ts';
import { replaceRules } from './core/operation-replace.ts';
import { removeRules } from './core/operation-remove.ts';
import { batchRules } from './core/batch.ts';
import { batchChangeSetRules } from './core/batch-change-set.ts';
import { batchIsolationRules } from './core/batch-isolation.ts';
import { batchRouteRules } from './core/batch-routes.ts';
import { batchResultRules } from './core/batch-results.ts';
import { multiCreateRules } from './core/multi-create.ts';
import { multiCreateReferenceRules } from './core/multi-create-references.ts';
import { multiCreateSizeRules } from './core/multi-create-size.ts';
import { batchConditionRules, readingConditionRules, versioningConditionRules } from './core/combined-conditions.ts';
import { maturityRules } from './core/maturity.ts';
import { lastingRules } from './core/lasting.ts';
import { versioningRules } from './core/versioning.ts';
import { versionHeaderRules } from './core/version-header.ts';
import { versionRaceRules } from './core/version-races.ts';
import { authRules } from './core/auth.ts';
import { tokenRules } from './core/tokens.ts';
import { laterGrantRules } from './core/grants.ts';
import { cachingRules } from './core/caching.ts';
import { requestHeaderRules } from './core/request-headers.ts';
import { spellingRules } from './core/spellings.ts';
import { responseHeaderRules } from './core/response-headers.ts';
import { errorRules } from './core/errors.ts';
import { everyAnswerRules } from './core/every-answer.ts';
import { openapiRules } from './core/openapi.ts';
import { hypermediaRules } from './core/hypermedia.ts';
import { collectionRules } from './core/collection.ts';
import { fileAreaRules } from './extensions/file-areas.ts';
import { fileNameRules } from './extensions/file-names.ts';
import { streamUploadRules } from './extensions/stream-upload.ts';
import { chunkUploadRules } from './extensions/chunk-upload.ts';
import { partialUploadRules } from './extensions/partial-uploads.ts';
import { downloadRules } from './extensions/download-and-delete.ts';
import { fileAuthRules } from './extensions/file-auth.ts';
import { bulkUploadRules } from './extensions/bulk-upload.ts';
import { bulkUploadRequestRules } from './extensions/bulk-upload-requests.ts';
import { bulkUploadHistoryRules } from './extensions/bulk-upload-histories.ts';
import { bulkUploadLogRules } from './extensions/bulk-upload-log.ts';
import { registrationHistoryRules } from './extensions/registration-histories.ts';
import { taskHistoryRules } from './extensions/task-histories.ts';
import { registrationRules } from './extensions/registration.ts';
import { activationRules } from './extensions/activation.ts';
import { metadataExchangeRules } from './extensions/metadata-exchange.ts';
import { metadataRecordRules } from './extensions/metadata-records.ts';
import { signingRules } from './extensions/signing.ts';
import { everyCallRules } from './extensions/every-call.ts';
import { envelopeRules } from './extensions/envelope.ts';
import { callTokenRules } from './extensions/call-tokens.ts';
import { actionRules } from './extensions/actions.ts';
import { callRules } from './extensions/calls.ts';
import { endpointRules } from './extensions/endpoints.ts';
import { deliveryRules } from './extensions/delivery.ts';
import { retryRules } from './extensions/retries.ts';
import { timeoutRules } from './extensions/timeouts.ts';
import { rateRules } from './extensions/rates.ts';
import { queueRules } from './extensions/event-queue.ts';
import { callHistoryRules } from './extensions/call-histories.ts';
import { taskTimeoutRules } from './extensions/task-timeouts.ts';
import { taskRules } from './extensions/tasks.ts';
import { taskCallbackRules } from './extensions/task-callbacks.ts';
import { apiKeyRules } from './extensions/api-keys.ts';
import { hostMetadataRules } from './hosts/metadata.ts';
import { hostSigningRules } from './hosts/signing.ts';
import { hostCallRules } from './hosts/calls.ts';
import { hostRequestRules } from './hosts/requests.ts';
import { hostEveryRequestRules } from './hosts/every-request.ts';
import { hostTaskRules } from './hosts/tasks.ts';
import { hostUploadRules } from './hosts/task-uploads.ts';
import { hostApiKeyRules } from './hosts/api-keys.ts';

/** Every rule about the service, in the order of the documents. */
export const serviceRules = {
  ...readingRules,
  ...entryRules,
  ...readingFilterRules,
  ...readingConditionRules,
  ...createRules,
  ...pagingRules,
  ...pageRules,
  ...pagingFilterRules,
  ...mergeRules,
  ...patchRules,
  ...operationRules,
  ...operationPathRules,
  ...addRules,
  ...replaceRules,
  ...removeRules,
  ...batchRules,
  ...batchChangeSetRules,
  ...batchIsolationRules,
  ...batchRouteRules,
  ...batchResultRules,
  ...batchConditionRules,
  ...multiCreateRules,
  ...multiCreateReferenceRules,
  ...multiCreateSizeRules,
  ...maturityRules,
  ...versioningRules,
  ...lastingRules,
  ...versionHeaderRules,
  ...versionRaceRules,
  ...versioningConditionRules,
  ...authRules,
  ...tokenRules,
  ...laterGrantRules,
  ...cachingRules,
  ...requestHeaderRules,
  ...spellingRules,
  ...responseHeaderRules,
  ...errorRules,
  ...everyAnswerRules,
  ...openapiRules,
  ...hypermediaRules,
  ...collectionRules,
  ...fileAreaRules,
  ...fileNameRules,
  ...streamUploadRules,
  ...chunkUploadRules,
  ...partialUploadRules,
  ...downloadRules,
  ...fileAuthRules,
  ...bulkUploadRules,
  ...bulkUploadRequestRules,
  ...bulkUploadLogRules,
  ...bulkUploadHistoryRules,
  ...registrationRules,
  ...activationRules,
  ...registrationHistoryRules,
  ...taskHistoryRules,
  ...metadataExchangeRules,
  ...metadataRecordRules,
  ...signingRules,
  ...envelopeRules,
  ...everyCallRules,
  ...callTokenRules,
  ...callRules,
  ...actionRules,
  ...endpointRules,
  ...deliveryRules,
  ...retryRules,
  ...timeoutRules,
  ...rateRules,
  ...queueRules,
  ...callHistoryRules,
  ...taskRules,
  ...taskTimeoutRules,
  ...taskCallbackRules,
  ...apiKeyRules,
};

/** Every rule about extension hosts. */
export const hostRules = {
  ...hostMetadataRules,
  ...hostSigningRules,
  ...hostCallRules,
  ...hostRequestRules,
  ...hostTaskRules,
  ...hostEveryRequestRules,
  ...hostUploadRules,
  ...hostApiKeyRules,
};

const declarations: Readonly<Record<string, Declaration>> = { ...serviceRules, ...hostRules };

/** All rules: by area, those about the service before those about extension hosts. */
export const catalogue = new Catalogue(
  areas.flatMap((area) =>
    Object.entries(declarations)
      .filter(([id]) => id.startsWith(`${area}.`))
      .map(([id, declaration]): Rule => ({
        level: 'must',
        ...declaration,
        id: id as Rule['id'],
        area,
        side: declaration.test.side ?? 'service',
      })),
  ),
);

/** Where a thread finds this module. */
export const catalogueUrl = import.meta.url;
