import { replacing, type Fault } from '../faults/fault.ts';
import { freshRead } from '../reading/memory.ts';

/** Every read is assembled anew, as members of a read may change without a new version. */
export const unremembered: Fault = replacing('rememberedRead', () => async (_service, _call, _reading, _object, _view, assemble) =>
  freshRead(await assemble()),
);
