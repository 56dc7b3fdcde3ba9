import { Refusal } from '../problem.ts';
import type { Answer, Call, Service } from '../service.ts';
import { StoreUnavailableError } from '../store/unavailable.ts';

/** What `work` answers or refuses, finished and logged. Never rejects: whatever goes wrong is an answer too. */
export async function answered(service: Service, call: Call, work: () => Promise<Answer>): Promise<Answer> {
  const startedAt = service.clock.monotonic();
  service.behaviours.logStart(service, call);
  const answer = await finished(service, call, work);
  service.behaviours.logEnd(service, call, answer, service.clock.monotonic() - startedAt);
  return answer;
}

async function finished(service: Service, call: Call, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await service.behaviours.finish(service, call, await work());
  } catch (error) {
    const refusal = refusalFor(service, call, error);
    return finishedRefusal(service, call, refusal);
  }
}

async function finishedRefusal(service: Service, call: Call, refusal: Refusal): Promise<Answer> {
  const answer = service.behaviours.problemAnswer(service, call, refusal);
  try {
    return await service.behaviours.finish(service, call, answer);
  } catch (error) {
    service.behaviours.logFailure(service, call, error);
    return answer;
  }
}

function refusalFor(service: Service, call: Call, error: unknown): Refusal {
  if (error instanceof Refusal) {
    service.behaviours.logRefusal(service, call, error);
    return error;
  }
  service.behaviours.logFailure(service, call, error);
  if (error instanceof StoreUnavailableError)
    return new Refusal(
      503,
      'The store cannot be reached at the moment; look what became of the request, then send it again.',
      { headers: { 'Retry-After': '1' } },
    );
  return new Refusal(
    500,
    `The server met a condition that it did not expect; its log has the cause under correlation id ${call.correlationId}.`,
  );
}
