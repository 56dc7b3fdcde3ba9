import { mediaTypes } from '../../contract/names.ts';
import { replacing, together, type Fault } from '../faults/fault.ts';
import { mediaTypeOf, restating } from './choice.ts';

/** Wherever JSON is taken it may come as a merge patch, as plain text or without a type; other types are refused with 400. */
export const looseMediaTypes: Fault = replacing('requireMediaType', (right) => (service, call, accepted) => {
  const given = mediaTypeOf(call);
  const passes = given === undefined || given === 'text/plain' || given === 'application/merge-patch+json';
  if (passes && accepted.includes(mediaTypes.json)) return mediaTypes.json;
  return restating({ 415: 400 }, () => right(service, call, accepted));
});

/** The media type says what a PATCH is, whichever of the two paths it takes. */
export const typeDecidesPatch: Fault = together(
  replacing(
    'mergeObject',
    (right) => async (service, call, writing) =>
      mediaTypeOf(call) === mediaTypes.operations
        ? service.behaviours.operateObject(service, call, writing)
        : right(service, call, writing),
  ),
  replacing('operateObject', (right) => async (service, call, writing) => {
    if (mediaTypeOf(call) !== mediaTypes.json) return right(service, call, writing);
    const softType = service.behaviours.softTypeOf(service, call.space, call.params['definitionId'] ?? '');
    const { id: inputSchemaId } = service.behaviours.pathViewOf(softType);
    return service.behaviours.mergeObject(service, { ...call, params: { ...call.params, inputSchemaId } }, writing);
  }),
);
