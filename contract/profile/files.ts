import { caller } from './calls-out.ts';
import { optional, pathTemplate, text } from '../schema-parts.ts';
import { Type } from '../type.ts';

const area = (description: string) => optional(Type.Closed({ as: caller }, { description }));

/** File areas that the deployment offers, each with an identity that may use it. */
export const files = Type.Closed({
  areas: Type.Closed(
    {
      collection: area('Collection area.'),
      space: area('Area of the space under test.'),
      user: area('User area in the space under test.'),
      participant: area('Area of the participant under test.'),
    },
    { minProperties: 1 },
  ),
  secondParticipant: optional(
    Type.Closed({
      id: text(
        'Id of another participant of the same space, on which this identity holds a role and the editor does not.',
      ),
      as: caller,
    }),
  ),
  minChunkSize: optional(
    Type.Integer({
      minimum: 1,
      description: 'Smallest nominal chunk size in bytes that the service takes; 1 unless given.',
    }),
  ),
  maxStreamSize: optional(
    Type.Integer({ minimum: 1, description: 'Longest stream upload in bytes, where there is a limit.' }),
  ),
  chunkOrder: optional(
    Type.Union([Type.Literal('any'), Type.Literal('ascending')], {
      description:
        'In which order chunks are taken; ascending is used and others are recorded unless given. What is promised here has to be kept.',
    }),
  ),
  chunkChecksumRequired: optional(
    Type.Boolean({ description: 'Whether a chunk without checksum is refused; recorded unless given.' }),
  ),
  basicOnDelete: optional(
    Type.Boolean({
      description: 'Whether Basic opens DELETE; a warning is given where it does not, unless this says so.',
    }),
  ),
  dir: optional(
    pathTemplate('Path template of the directory listing; {area} is the base path without /file.', ['area', 'path']),
  ),
});

export const bulk = Type.Closed({
  adminApiKey: optional(text('Base64 of the administration API key, usually ${NAME_OF_AN_ENVIRONMENT_VARIABLE}.')),
  hostDirectory: optional(
    Type.Closed({
      path: text("Directory as the service's host names it."),
      mountedAt: optional(text('The same directory as the suite reaches it; the same path unless given.')),
    }),
  ),
  routePrefix: optional(
    Type.String({
      description: 'Put before the documented bulk routes, as /api; nothing unless given. The path is signed with it.',
    }),
  ),
  signatureIncludesBasePath: optional(
    Type.Boolean({
      description: 'Whether the path is signed with that of baseUrl before it, where it has one; false unless given.',
    }),
  ),
  completionSeconds: optional(
    Type.Number({
      exclusiveMinimum: 0,
      description:
        'Longest time after the answer, or after what was seen of the upload last, until more of it is seen; 10 unless given.',
    }),
  ),
});

/** How API keys of extensions are asked for. */
export const apiKeys = Type.Closed({
  acquireAs: Type.Union(
    [Type.Literal('administrator'), Type.Literal('editor'), Type.Literal('signature'), Type.Literal('envelope-token')],
    {
      description:
        'Credential that the acquire route accepts: the token of an identity, the signature with the key of the extension, or the token of an envelope; a trusted endpoint shows that of its own call under either of the last two.',
    },
  ),
  callbackTimeoutSeconds: optional(
    Type.Number({ exclusiveMinimum: 0, description: 'Longest wait for the callback; 10 unless given.' }),
  ),
  overlapSeconds: optional(
    Type.Number({
      minimum: 0,
      description: 'How long a key stays valid after the next one was issued; recorded unless given.',
    }),
  ),
});

/** Where reports on jobs can be read. */
export const tasks = Type.Closed({
  inputPath: optional(
    text(
      'File of the space area that a task is given as input, for services whose triggers name a fixed one; uploaded by the suite unless given.',
    ),
  ),
  state: optional(text('JSON Pointer into a job to its state; /state unless given.')),
  message: optional(
    text('JSON Pointer into a job to what progress said; looked for anywhere in the job unless given.'),
  ),
  states: optional(
    Type.Closed(
      {
        completed: optional(Type.Array(text('state'))),
        failed: optional(Type.Array(text('state'))),
      },
      {
        description:
          'Words of the service for a job that went well and one that failed; Completed, and Failed or Canceled, unless given.',
      },
    ),
  ),
  timeoutSetting: optional(
    text(
      'Member of taskSettings that configures the timeout of a task, for services whose triggers have no other place for {{timeout}}.',
    ),
  ),
  timeoutClock: optional(
    Type.Union([Type.Literal('call'), Type.Literal('acknowledgement')], {
      description: 'What starts the timeout; recorded unless given.',
    }),
  ),
});
