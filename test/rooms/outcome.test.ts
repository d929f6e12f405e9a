import { describe, expect, it } from 'vitest'
import { deliveryResult, type Try } from '../../core/delivery/outcome.ts'
import type { Refused } from '../../core/ports/mail-transport.ts'
import type { ClaimedEmail } from '../../core/ports/store/emails.ts'
import { idSource } from '../../core/values/id.ts'
import { asProjectId } from '../../core/values/project-id.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const newId = idSource(() => NOW.getTime())
const projectId = asProjectId(newId())!
const DELAYS = [60, 120]

const email: ClaimedEmail = {
  id: newId(),
  projectId,
  contactId: newId(),
  contentId: newId(),
  to: 'ada@example.com',
  status: 'SENDING',
  sourceType: 'TRANSACTIONAL',
  lane: 'transactional',
  variables: {},
  tags: {},
  createdAt: NOW,
  dueAt: NOW,
  attempts: 1,
  accepted: [],
  opens: 0,
  clicks: 0,
  updatedAt: NOW,
  lease: { token: newId(), until: NOW },
  subscribed: true,
}
const later: Refused = { outcome: 'refused', permanent: false, stage: 'rcpt', code: 451, reason: '451 later' }
const unknown: Refused = {
  outcome: 'refused',
  permanent: true,
  stage: 'rcpt',
  code: 550,
  reason: '550 5.1.1 no such user',
}
const policy: Refused = { outcome: 'refused', permanent: true, stage: 'data', code: 554, reason: '554 5.7.1 spam' }

function outcome(change: Partial<Try>) {
  const tried = {
    email,
    recipients: [email.to],
    from: 'hello@acme.example',
    transport: 'main',
    eventData: { emailId: email.id },
    at: NOW,
    ...change,
  }
  return deliveryResult(tried as Try, DELAYS, newId)
}

describe('the outcome of a try', () => {
  it('is DELIVERED with both events when the next hop accepted', () => {
    const result = outcome({ answer: { outcome: 'accepted', id: '42', messageId: '<theirs@provider>' } })
    expect(result).toMatchObject({ status: 'DELIVERED', providerId: '42' })
    expect(result.events.map(({ name }) => name)).toEqual(['email.sent', 'email.delivery'])
    expect(result.events[0]?.data).toMatchObject({ messageId: '<theirs@provider>', sentAt: NOW.toISOString() })
  })

  it('is SENT when the provider will report the delivery', () => {
    const result = outcome({ answer: { outcome: 'accepted', deliveryPending: true } })
    expect(result.status).toBe('SENT')
    expect(result.ledgerEvents?.map(({ name }) => name)).toEqual(['email.sent'])
  })

  it('has events of its own for a mail that is sent once more, since its row stands for the first time', () => {
    const again = outcome({ email: { ...email, sentAt: NOW }, answer: { outcome: 'accepted' } })
    expect(again.ledgerEvents).toBeUndefined()
    expect(again.events.map(({ name }) => name)).toEqual(['email.sent', 'email.delivery'])
  })

  it('is a permanent bounce with suppression when the recipient is no good', () => {
    const result = outcome({ answer: unknown })
    expect(result).toMatchObject({ status: 'BOUNCED', suppress: { email: email.to, reason: 'BOUNCE' } })
    expect(result.events).toMatchObject([
      { name: 'email.bounce', data: { bounceType: 'Permanent', transientBounce: false, bounceClass: 'permanent' } },
    ])
    expect(result.unsubscribe).toMatchObject({ name: 'contact.unsubscribed', data: { reason: 'bounce' } })
  })

  it('suppresses nobody when the block is ours', () => {
    const result = outcome({ answer: policy })
    expect(result.status).toBe('FAILED')
    expect(result.events).toMatchObject([
      { name: 'email.bounce', data: { bounceType: 'Transient', transientBounce: true, bounceClass: 'policy' } },
    ])
    expect(result.suppress).toBeUndefined()
    expect(result.unsubscribe).toBeUndefined()
  })

  it('is put off by the pauses in their order', () => {
    expect(outcome({ answer: later })).toMatchObject({ status: 'QUEUED', dueAt: new Date(NOW.getTime() + 60_000) })
    const second = outcome({ answer: later, email: { ...email, attempts: 2 } })
    expect(second).toMatchObject({ status: 'QUEUED', dueAt: new Date(NOW.getTime() + 120_000) })
  })

  it('is FAILED with a soft bounce when the tries are used up, and the contact stays subscribed', () => {
    const result = outcome({ answer: later, email: { ...email, attempts: 3 } })
    expect(result.status).toBe('FAILED')
    expect(result.events).toMatchObject([
      { name: 'email.bounce', data: { bounceType: 'Transient', transientBounce: true } },
    ])
    expect(result.events[0]?.data).not.toHaveProperty('bouncedAt')
    expect(result.unsubscribe).toBeUndefined()
  })

  it('is put off when nobody knows whether the mail was taken', () => {
    expect(outcome({ answer: { outcome: 'unknown', reason: 'cut' } })).toMatchObject({ status: 'QUEUED', error: 'cut' })
  })

  it('leaves those who have it out of the next try', () => {
    const recipients = [email.to, 'cc@example.com', 'bcc@example.com']
    const refused = [{ ...later, recipient: 'cc@example.com' }]
    const result = outcome({ recipients, answer: { outcome: 'accepted', refused } })
    expect(result).toMatchObject({ status: 'QUEUED', accepted: [email.to, 'bcc@example.com'] })

    // and of every later one
    const second = { ...email, attempts: 2, accepted: [email.to, 'bcc@example.com'] }
    const left = ['cc@example.com', 'dd@example.com']
    const again = outcome({ email: second, recipients: left, answer: { outcome: 'accepted', refused } })
    expect(again.accepted).toEqual([email.to, 'bcc@example.com', 'dd@example.com'])
  })

  it('judges each recipient of a refused envelope by its own refusal', () => {
    const refused = [
      { ...unknown, recipient: email.to },
      { ...later, recipient: 'cc@example.com' },
    ]
    const result = outcome({ recipients: [email.to, 'cc@example.com'], answer: { ...later, refused } })
    expect(result.status).toBe('BOUNCED')
  })

  it('is DELIVERED when only a copy was refused for good', () => {
    const refused = [{ ...unknown, recipient: 'cc@example.com' }]
    const result = outcome({ recipients: [email.to, 'cc@example.com'], answer: { outcome: 'accepted', refused } })
    expect(result.status).toBe('DELIVERED')
  })

  it('is DELIVERED when a copy was put off until the tries were used up', () => {
    const exhausted = { ...email, attempts: 3, accepted: [email.to] }
    expect(outcome({ email: exhausted, recipients: ['cc@example.com'], answer: later }).status).toBe('DELIVERED')
  })

  it('is BOUNCED when the recipient was refused though a copy was accepted', () => {
    const refused = [{ ...unknown, recipient: email.to }]
    const result = outcome({ recipients: [email.to, 'cc@example.com'], answer: { outcome: 'accepted', refused } })
    expect(result.status).toBe('BOUNCED')
  })

  it('has no events when the contact was removed', () => {
    const { contactId: _, ...orphan } = email
    expect(outcome({ email: orphan, answer: { outcome: 'accepted' } }).events).toEqual([])
  })

  const facts = (change: Partial<Try>) => outcome(change).counted?.facts
  const accepted = { outcome: 'accepted' } as const

  it('is counted for its two domains, once for a mail, and not for a test', () => {
    expect(outcome({ answer: accepted }).counted).toEqual({
      ...{ projectId, at: NOW, sendingDomain: 'acme.example', recipientDomain: 'example.com' },
      facts: ['sent', 'delivered'],
    })
    expect(facts({ answer: { ...accepted, deliveryPending: true } })).toEqual(['sent'])
    expect(facts({ answer: unknown })).toEqual(['sent', 'bounced'])
    expect(facts({ answer: policy })).toEqual(['sent'])
    expect(facts({ answer: later })).toEqual(['deferred'])
    const had = { ...email, accepted: [email.to] }
    expect(facts({ answer: accepted, email: had, recipients: ['cc@example.com'] })).toBeUndefined()
    expect(facts({ answer: accepted, email: { ...email, sourceType: 'CAMPAIGN' } })).toBeUndefined()
    expect(facts({ answer: { outcome: 'unknown', reason: 'cut' } })).toBeUndefined()
  })

  it('is not held against the recipient’s domain when our next hop is the trouble', () => {
    expect(outcome({ answer: { ...later, stage: 'connect' } }).counted).toBeUndefined()
    expect(outcome({ answer: { ...later, stage: 'mail' } }).counted).toBeUndefined()
    const refusal = { code: '554', text: '554 5.7.1 spam' }
    const refused = outcome({ answer: { ...policy, stage: 'mail' } }).counted
    expect(refused).toMatchObject({ recipientDomain: '', facts: [], refusal })
  })

  it('keeps what was said without whom it names', () => {
    const reason = '550 5.1.1 <Ada@example.com>: ada is unknown; Canada, ask bob.x@other.example (adax, x-ada)'
    const counted = outcome({ answer: { ...unknown, enhancedCode: '5.1.1', reason } }).counted
    const text = '550 5.1.1 <…@example.com>: … is unknown; Canada, ask …@other.example (adax, x-ada)'
    expect(counted?.refusal).toEqual({ code: '5.1.1', text })
    const long = outcome({ answer: { ...unknown, enhancedCode: '5'.repeat(99), reason: 'x '.repeat(900) } }).counted
    expect([long?.refusal?.code.length, long?.refusal?.text.length]).toEqual([20, 500])
  })
})
