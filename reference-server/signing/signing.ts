import { signatureHeaders, signatureKey, signatureText, signedPath, signPath } from './signature.ts';

export const signingBehaviours = { signatureHeaders, signPath, signedPath, signatureKey, signatureText };
