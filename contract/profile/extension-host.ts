import type { Static } from 'typebox';
import { time } from './calls-out.ts';
import { json, optional, text } from '../schema-parts.ts';
import { Type } from '../type.ts';

const calledRecord = text('Id of the metadata record that is called; the first of its type unless given.');

const action = Type.Closed({
  payload: json(
    'Payload of the envelope. One whose contentPayload holds selectedObject or contextObject is that of a ribbon action; any other is that of a form action, and gets a requestedRoute and a httpVerb where it has none.',
  ),
  record: optional(calledRecord),
});

/** An extension host under test, and payloads whose outcome there is known. */
export const extensionHost = Type.Closed({
  hostUri: Type.String({ description: 'Base URL of the extension host.', pattern: '^https?://[^\\s]+' }),
  apiKey: text('Base64 of the key that calls are signed with, usually ${NAME_OF_AN_ENVIRONMENT_VARIABLE}.'),
  refusalStatus: optional(
    Type.Integer({ minimum: 400, maximum: 599, description: 'Status for a wrong signature; recorded unless given.' }),
  ),
  signatureIncludesBasePath: optional(
    Type.Boolean({ description: 'Whether the signed path holds the path of hostUri; true unless given.' }),
  ),
  queryTokenName: optional(
    text(
      'Query parameter by which calls of validations, tasks and mails tell the token as well; access_token unless given.',
    ),
  ),
  time: optional(time),
  objects: optional(
    Type.Record(Type.String(), json('Members of data.'), {
      description:
        'Objects that the host can read while it works, by their id; every other id answers 404. Any id can be read unless given.',
    }),
  ),
  jobSettings: optional(
    json(
      'Members of jobSettings of every task, in the place of or besides timeZone: UTC, language: en, culture: en-US and effectivityMode: None.',
    ),
  ),
  samples: optional(
    Type.Closed({
      event: optional(json('contentPayload of an event.')),
      eventRecord: optional(calledRecord),
      validation: optional(
        Type.Closed({
          valid: json('Payload that is found valid.'),
          invalid: json('Payload that is found invalid.'),
          record: optional(calledRecord),
        }),
      ),
      action: optional(Type.Closed({ success: optional(action), failure: optional(action), batch: optional(action) })),
      task: optional(
        Type.Closed({
          success: optional(taskSample('Task that is completed.')),
          failure: optional(taskSample('Task that fails.')),
          seconds: optional(
            Type.Number({
              description:
                'Longest time that one of these tasks takes, in s, where that is more than 20; their payload allows it.',
              exclusiveMinimum: 0,
              maximum: 600,
            }),
          ),
        }),
      ),
      email: optional(json('Payload of a mail.')),
      emailRecord: optional(calledRecord),
    }),
  ),
});

function taskSample(description: string) {
  return Type.Closed(
    {
      inputName: text('Name of the input file.'),
      input: optional(Type.String({ description: 'Text of the input file, which may be empty.' })),
      inputBase64: optional(
        Type.String({
          description: 'Bytes of the input file in Base64, where it is no text; counts before input.',
          pattern: '^[A-Za-z0-9+/]*={0,2}$',
        }),
      ),
      record: optional(calledRecord),
      taskSettings: optional(json('taskSettings of the payload.')),
      hasOutput: optional(Type.Boolean({ description: 'Whether a result is uploaded; true unless given.' })),
    },
    { description },
  );
}

export type ExtensionHostProfile = Static<typeof extensionHost>;
