import type { Answer, Service, SpaceCall } from '../../service.ts';

/** Where an object is validated as it is before a package with it is shared. Source: ledger trigger-validation-binding */
export const sharePath = '/api/space/{spaceId}/shareValidation/{objectId}';

/** POST: the verdict of all extensions that validate the object. @throws {Refusal} 404, 409 not valid, 502 not known */
export async function validateShare(service: Service, call: SpaceCall): Promise<Answer> {
  const { behaviours } = service;
  const question = await service.store.read(async (reading) => {
    const object = await behaviours.locateObject(service, call, reading);
    return { object, validators: await behaviours.validatorsFor(service, reading, object.softType) };
  });
  const verdict = await behaviours.verdictOn(service, call, question.object, question.validators);
  behaviours.requireValid(verdict);
  return { status: 200, body: { isValid: true, message: verdict.message } };
}
