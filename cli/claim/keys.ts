import { Clean, writeNew } from '../outlet.ts';
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readTextFile } from '../../contract/named-file.ts';
import { UsageError } from '../usage.ts';

/** Environment variable that may hold the private key, as PEM. */
export const keyVariable = 'SVC_CLAIM_KEY';

/** Writes a new pair of Ed25519 keys as PEM: the private one for its owner alone, the public one beside it, with `.pub`. @throws {UsageError} one is there already */
export function writeKeys(file: string): { readonly publicFile: string; readonly keyId: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const publicFile = `${file}.pub`;
  try {
    writeNew(file, Clean.own(String(privateKey.export({ type: 'pkcs8', format: 'pem' }))), { flag: 'wx', mode: 0o600 });
    try {
      writeNew(publicFile, String(publicKey.export({ type: 'spki', format: 'pem' })), { flag: 'wx' });
    } catch (error) {
      // half a pair is none
      rmSync(file);
      throw error;
    }
  } catch (error) {
    const { code = String(error), path = file } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'EEXIST'
        ? `${path} is there already, and no key is written over; name another`
        : `${path} cannot be written (${code})`,
    );
  }
  return { publicFile, keyId: keyIdOf(publicKey) };
}

/** The private key of a file, or of the environment. @throws {UsageError} there is none, or it is another kind of key */
export function readPrivateKey(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): KeyObject {
  const text = file === undefined ? environment[keyVariable] : textOf(file);
  if (text === undefined || text === '')
    throw new UsageError(
      `there is no key to sign with; name its file with --key, or put it into ${keyVariable}; \`claim keys\` makes one`,
    );
  const where = file ?? keyVariable;
  return ed25519(where, 'private', () => createPrivateKey(text));
}

/** The public key of a file. @throws {UsageError} it holds none */
export function readPublicKey(file: string): KeyObject {
  const text = textOf(file);
  if (text.includes('PRIVATE KEY'))
    throw new UsageError(`${file} holds a private key; verify with the public one, ${file}.pub`);
  return ed25519(file, 'public', () => createPublicKey(text));
}

/** The public key of the letters of a claim; undefined where they are none. */
export function publicKeyOf(base64: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), type: 'spki', format: 'der' });
    return key.asymmetricKeyType === 'ed25519' && lettersOf(key) === base64 ? key : undefined;
  } catch {
    return undefined;
  }
}

/** A public key as a claim holds it: DER in Base64. */
export function lettersOf(key: KeyObject): string {
  const own = key.type === 'private' ? createPublicKey(key) : key;
  return own.export({ type: 'spki', format: 'der' }).toString('base64');
}

/** What people compare keys by. */
export function keyIdOf(key: KeyObject): string {
  return `sha256:${hash('sha256', Buffer.from(lettersOf(key), 'base64'))}`;
}

function textOf(file: string): string {
  return readTextFile(file, (why) => new UsageError(`the key ${file} cannot be read: ${why}`));
}

function ed25519(where: string, kind: 'private' | 'public', make: () => KeyObject): KeyObject {
  const expected = `expected an Ed25519 ${kind} key as PEM in ${where}, as \`claim keys\` writes it`;
  let key: KeyObject;
  try {
    key = make();
  } catch {
    // what the library says may quote the key
    throw new UsageError(`${expected}, found something else`);
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new UsageError(`${expected}, found ${key.asymmetricKeyType ?? 'another'}`);
  return key;
}
