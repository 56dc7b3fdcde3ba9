import { type CaseContext, review } from '../../judge/case.ts';
import { ConnectionLost } from '../../judge/client/failure.ts';
import type { RequestSpec } from '../../judge/exchange.ts';
import type { WrongAnswer } from '../../judge/every-answer/every-answer.ts';
import { rules } from '../../judge/rule.ts';
import { expectSeenAlone } from './checks/seen-alone.ts';

/** So many answers are told beside the first. */
const mostTold = 30;
/** So many requests that had no answer are sent again, each until its connection was lost so often at first use. */
const mostSentAgain = 5;
const enoughLosses = 3;
/** Kept connections may have ended as well. */
const mostSendings = 10;

export const everyAnswerRules = rules('reading', {
  'reading.answers.right-throughout': {
    source: 'core: SoftType read response; Page response; Batch result; Endpoint table; Versioning',
    statement:
      'Each answer of a run, whatever was asked for and by whom, has the form of its route: reads, pages, page links and results of batches, the code of a success, versions that one edit raises by one and that never fall, the texts and states that were written to its version and read of it before, what another user reads, links of a reader that write nothing, and no ETag of former data; what was read before shows each kind of write behind it, where nobody else writes; none is the end of its connection each time that it is asked for; and a case comes to the same where some of its requests are sent behind one like them that is refused, as an operation of a batch, or as a multi-create.',
    fault: 'A read that names a tag is answered with another kind of schema.',
    needs: ['soft-type'],
    repeats: ['reading', 'paging', 'patch', 'maturity', 'versioning', 'batch', 'hypermedia', 'caching', 'headers'],
    test: review(async (context) => {
      const { everyAnswer, expect, given, notes, service } = context;
      const expectNoneWrong = (): void => {
        const [first] = everyAnswer.wrong;
        expect(first ? told(first) : 'none', `wrong among the answers of the run`, first?.reply).toEqual('none');
      };
      const thing = await given.object();
      // so that the rule speaks by itself too
      await service.read(thing, { headers: { 'If-None-Match': '"another"' } });
      for (const one of everyAnswer.wrong.slice(1, 1 + mostTold))
        notes.remark(`${one.reply.exchange.request.method} ${one.reply.url}: ${told(one)}`);
      notes.observe('whether answers were looked at', everyAnswer.judged > 0);
      expectNoneWrong();
      for (const { spec, sentBy } of everyAnswer.unanswered.slice(0, mostSentAgain)) {
        const end = (await isNeverAnswered(context, spec)) ? 'the end of its connection' : 'an answer';
        expect(end, `what ${spec.method} ${spec.url} comes to each time, as in ${sentBy}`).toEqual('an answer');
      }
      await expectSeenAlone(context);
      expectSameByDetours(context);
      // among what it asked for itself too
      expectNoneWrong();
    }),
  },
});

/** What a case came to by detours, twice, and not by the requests themselves. */
function expectSameByDetours({ detours, notes }: CaseContext): void {
  const [first, ...others] = detours.found;
  if (first === undefined) return;
  for (const { rule, violation } of others.slice(0, mostTold)) notes.remark(`${toldAs(rule)}: ${violation.message}`);
  notes.remark(toldAs(first.rule));
  throw first.violation;
}

function toldAs(rule: string): string {
  return `seen in ${rule} by detours, behind requests that are refused and as operations of a batch, and not without`;
}

/** Others were answered all the time; a state that has gone since may be what it needs to end like that. */
async function isNeverAnswered({ service }: CaseContext, spec: RequestSpec): Promise<boolean> {
  for (let [sent, losses] = [0, 0]; losses < enoughLosses; sent += 1) {
    try {
      await service.send(spec);
      return false;
    } catch (error) {
      if (!(error instanceof ConnectionLost) || sent === mostSendings) throw error;
      if (!error.reused) losses += 1;
    }
  }
  return true;
}

function told({ rule, what, expected, actual, sentBy }: WrongAnswer): string {
  return `${what} is ${String(actual)} instead of ${String(expected)} (${rule}), asked for by ${sentBy}`;
}
