import { progressBody, reportFailure, statusBody, statusHeaders, statusUrl, statusWord } from './report.ts';
import { checksumHeader } from './upload.ts';
import { taskAnswer, timeLimitMs } from './work.ts';

export const tasksBehaviours = {
  taskAnswer,
  timeLimitMs,
  progressBody,
  reportFailure,
  statusBody,
  statusHeaders,
  statusUrl,
  statusWord,
  checksumHeader,
};
