import type { InboundDesk, ReceivedMessage } from '../../core/ports/inbound-mail.ts'

/** A desk that accepts mail for `…@ours.example`, and the mail it got. */
export function inboundDesk(more: Partial<InboundDesk> = {}): {
  readonly desk: InboundDesk
  readonly taken: ReceivedMessage[]
} {
  const taken: ReceivedMessage[] = []
  const desk: InboundDesk = {
    accepts: async (recipient) =>
      recipient.endsWith('@ours.example')
        ? { outcome: 'accepted' }
        : { outcome: 'refused', status: '5.1.1', message: 'no such recipient' },
    deliver: async (message) => void taken.push(message),
    lead: async () => ({ confirm: async () => new AbortController().signal, release: async () => {} }),
    ...more,
  }
  return { desk, taken }
}
