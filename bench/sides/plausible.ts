import { createServer, type Socket } from 'node:net';
import { listen } from '../../fixtures/listening.fixture.ts';
import { answerParent, settingsOf } from '../harness/parent.ts';
import { answerTo } from '../traffic/answers.ts';

/**
 * A target that costs as little as Node allows, so that whoever loads it is the bottleneck: bytes of the documents' shape, made
 * beforehand, over bare sockets. It takes well-formed requests without chunked bodies only.
 */
export interface PlausibleSettings {
  /** Whether an edit under a version that is not the latest one is refused, as it should be. */
  readonly refusesOldVersions: boolean;
}

const { refusesOldVersions } = settingsOf<PlausibleSettings>();
const server = createServer({ noDelay: true }, (socket) => {
  let kept = '';
  socket.on('data', (piece: Buffer) => {
    kept = answered(socket, kept + piece.toString('latin1'));
  });
  socket.on('error', () => socket.destroy());
});
const { url } = await listen(server);
answerParent(url, async () => process.exit());

/** Answers the request once it is whole. Returns what is to be kept of it until then. */
function answered(socket: Socket, text: string): string {
  const headEnd = text.indexOf('\r\n\r\n') + 4;
  if (headEnd < 4) return text;
  const head = text.slice(0, headEnd);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (text.length < headEnd + length) return text;
  socket.write(answerTo(head, text.slice(headEnd, headEnd + length), refusesOldVersions), 'latin1');
  return answered(socket, text.slice(headEnd + length));
}
