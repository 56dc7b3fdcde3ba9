import { signatureHeaders, signatureKey, signatureText, signedPath, signPath } from './signature.ts';
import { expectedSignature, isSignatureOf, requestPathOf, sameSignature } from './verified.ts';

export const signingBehaviours = {
  signatureHeaders,
  signPath,
  signedPath,
  signatureKey,
  signatureText,
  isSignatureOf,
  expectedSignature,
  sameSignature,
  requestPathOf,
};
