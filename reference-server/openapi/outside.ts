import { permissionNames } from '../../contract/names.ts';
import { acquirePath } from '../api-keys/acquire.ts';
import { bulkPath } from '../bulk-upload/run.ts';
import { jobsPath, taskStatuses } from '../tasks/job.ts';
import { correlationId, jsonContent, problems } from './components.ts';
import { parameterReference, type JsonObject, type Paths } from './document.ts';

const text = { type: 'string' };
const flag = { type: 'boolean', default: false };

/** A bearer that is no token. Source: extensions, Authentication 2 and 3 */
export const signatureScheme: JsonObject = {
  signature: {
    type: 'http',
    scheme: 'bearer',
    description: 'HMAC SHA512 of the path under an API key, as URL-safe Base64 without padding.',
  },
};

/** Acquiring API keys, and bulk upload on its three levels. */
export function keyPaths(): Paths {
  return {
    [acquirePath]: {
      parameters: [inPath('extensionId', 'Id of a metadata record, of an extension or of a trusted endpoint.')],
      post: acquire,
    },
    [bulkPath]: { post: bulkUpload('collection') },
    [`${bulkPath}/{spaceId}`]: { parameters: [parameterReference('spaceId')], post: bulkUpload('space') },
    [`${bulkPath}/{spaceId}/{participantId}`]: {
      parameters: [parameterReference('spaceId'), inPath('participantId', 'Id of a participant of the space.')],
      post: bulkUpload('participant'),
    },
  };
}

/** Data-exchange jobs, and what their tasks report. */
export function jobPaths(): Paths {
  const parameters = [parameterReference('spaceId'), inPath('jobId', 'Id of a job.')];
  const status = { ...inPath('status', 'How the task ended.'), schema: { enum: taskStatuses } };
  return {
    [`${jobsPath}/{jobId}`]: { parameters, get: readJob },
    [`${jobsPath}/{jobId}/status/{status}`]: { parameters: [...parameters, status], put: reportStatus },
    [`${jobsPath}/{jobId}/progress`]: { parameters, put: reportProgress },
  };
}

const acquire = {
  operationId: 'acquireAccessToken',
  tags: ['collection'],
  summary: 'Have API keys brought to the configured callback',
  security: [{ signature: [] }, { bearer: [] }],
  parameters: [correlationId],
  requestBody: {
    required: true,
    ...jsonContent({
      type: 'object',
      required: ['tokenCallback', 'permissions'],
      properties: {
        tokenCallback: text,
        permissions: { type: 'array', minItems: 1, items: { enum: permissionNames } },
      },
    }),
  },
  responses: {
    204: { description: 'The callback has them.' },
    502: { description: 'The callback did not take them; nothing was issued.' },
    ...problems(400, 401, 403, 404, 415, 422),
  },
};

function bulkUpload(level: string): JsonObject {
  const properties = {
    sourceDirectory: text,
    writeLog: { type: 'boolean' },
    targetDirectory: { ...text, default: '/' },
    replaceFiles: flag,
    deleteFilesAfterUpload: flag,
  };
  return {
    operationId: `bulkUpload.${level}`,
    tags: ['collection'],
    summary: `Copy a directory of the host into the file area of a ${level}`,
    security: [{ signature: [] }],
    parameters: [correlationId],
    requestBody: {
      required: true,
      ...jsonContent({ type: 'object', required: ['sourceDirectory', 'writeLog'], properties }),
    },
    responses: {
      200: { description: 'What became of each file; some may have failed.', ...jsonContent({ type: 'object' }) },
      ...problems(400, 401, 404, 415),
    },
  };
}

const readJob = {
  operationId: 'readJob',
  tags: ['space'],
  summary: 'Read a data-exchange job',
  parameters: [correlationId],
  responses: { 200: { description: 'The job.', ...jsonContent({ type: 'object' }) }, ...problems(401, 403, 404) },
};

const reportStatus = {
  operationId: 'reportTaskStatus',
  tags: ['space'],
  summary: 'Report how a task ended',
  parameters: [correlationId],
  requestBody: {
    required: false,
    ...jsonContent({ type: 'object', properties: { outputFilePath: text, logFilePath: text } }),
  },
  responses: { 204: { description: 'The job has ended.' }, ...problems(400, 401, 403, 404, 409, 415, 422) },
};

const reportProgress = {
  operationId: 'reportTaskProgress',
  tags: ['space'],
  summary: 'Report what a task is at',
  parameters: [correlationId],
  requestBody: {
    required: true,
    ...jsonContent({ type: 'object', required: ['message'], properties: { message: text } }),
  },
  responses: { 204: { description: 'The job shows it.' }, ...problems(400, 401, 403, 404, 409, 415, 422) },
};

function inPath(name: string, description: string): JsonObject {
  return { name, in: 'path', required: true, schema: text, description };
}
