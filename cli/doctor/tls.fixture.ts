import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { listen, type Listening } from '../../fixtures/listening.fixture.ts';
import type { Tls } from '../../simulator/extension/listener.ts';

/** What a certificate says. */
interface Wording {
  /** As `IP:127.0.0.1`. */
  readonly name: string;
  readonly isOver?: true;
}

const lastWeek = [
  ['-days', '-1'],
  // from OpenSSL 3.4 on
  ['-not_before', '20200101000000Z', '-not_after', '20200102000000Z'],
] as const;

/** Whether certificates can be made here. */
export function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** An authority of the test's own. */
export interface Authority {
  /** File with its certificate, for NODE_EXTRA_CA_CERTS. */
  readonly file: string;
  /** A certificate that the authority signed, and its key. */
  sign(wording: Wording): Tls;
  /** Speaks TLS with such a certificate. */
  speakingTls(wording: Wording): Promise<Listening>;
}

/** @param folder for keys and certificates */
export function authorityIn(folder: string): Authority {
  const [key, file] = [join(folder, 'authority.key'), join(folder, 'authority.pem')];
  openssl(['req', '-x509', ...newKey(key), '-out', file, '-days', '2', '-subj', '/CN=authority of a test']);
  const sign = ({ name, isOver }: Wording): Tls => {
    const [own, request, cert] = ['key', 'csr', 'pem'].map((end) => join(folder, `leaf.${end}`)) as [
      string,
      string,
      string,
    ];
    openssl(['req', ...newKey(own), '-out', request, '-subj', '/CN=service', '-addext', `subjectAltName=${name}`]);
    const signed = [
      'x509',
      '-req',
      '-in',
      request,
      '-CA',
      file,
      '-CAkey',
      key,
      '-CAcreateserial',
      '-copy_extensions',
      'copy',
      '-out',
      cert,
    ];
    opensslWithAny(signed, isOver === true ? lastWeek : [['-days', '2']]);
    return { key: readFileSync(own, 'utf8'), certificate: readFileSync(cert, 'utf8') };
  };
  return { file, sign, speakingTls: (wording) => answeringOverTls(sign(wording)) };
}

function newKey(file: string): readonly string[] {
  return ['-newkey', 'rsa:2048', '-nodes', '-keyout', file];
}

function openssl(words: readonly string[]): void {
  execFileSync('openssl', words, { stdio: 'pipe' });
}

/** With the first of the options that this version knows. */
function opensslWithAny(words: readonly string[], [first = [], ...others]: readonly (readonly string[])[]): void {
  try {
    openssl([...words, ...first]);
  } catch (error) {
    if (others.length === 0) throw error;
    opensslWithAny(words, others);
  }
}

function answeringOverTls({ key, certificate }: Tls): Promise<Listening> {
  return listen(
    createServer({ key, cert: certificate }, (_request, response) => void response.end()),
    'https',
  );
}
