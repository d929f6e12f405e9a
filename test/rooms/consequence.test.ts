import { describe, expect, it } from 'vitest'
import { consequence } from '../../core/feedback/consequence.ts'
import type { FeedbackReport } from '../../core/ports/feedback-report.ts'
import type { Email } from '../../core/ports/store/emails.ts'
import { idSource } from '../../core/values/id.ts'
import { asProjectId } from '../../core/values/project-id.ts'

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes))
const [SENT, NOW] = [at(10), at(60)]
const newId = idSource(() => SENT.getTime())

const email: Email = {
  id: newId(),
  projectId: asProjectId(newId())!,
  contactId: newId(),
  contentId: newId(),
  to: 'ada@example.com',
  status: 'DELIVERED',
  sourceType: 'TRANSACTIONAL',
  lane: 'transactional',
  variables: {},
  tags: {},
  createdAt: SENT,
  dueAt: SENT,
  sentAt: SENT,
  deliveredAt: SENT,
  attempts: 1,
  accepted: [],
  opens: 0,
  clicks: 0,
  updatedAt: SENT,
}
const bounced: FeedbackReport = { kind: 'bounced', mail: { emailId: email.id }, at: at(20), key: '1' }

describe('what a report means for a mail', () => {
  it('happened when it says, but neither before the mail was made nor later than now', () => {
    const moment = (said: Date) => {
      const report: FeedbackReport = { ...bounced, at: said, bounce: { class: 'permanent' } }
      return consequence(email, report, NOW)?.email.bouncedAt
    }
    expect(moment(at(20))).toEqual(at(20))
    expect(moment(at(9))).toEqual(NOW)
    expect(moment(at(61))).toEqual(NOW)
  })

  it('of a delivery at the very moment of sending comes just after it, since that moment means acceptance', () => {
    const { deliveredAt, ...sent } = { ...email, status: 'SENT' as const }
    const delivered = (said: Date): FeedbackReport => ({ ...bounced, kind: 'delivered', at: said })
    expect(consequence(sent, delivered(SENT), NOW)?.email.deliveredAt).toEqual(new Date(SENT.getTime() + 1))
    expect(consequence(sent, delivered(at(20)), NOW)?.email.deliveredAt).toEqual(at(20))
  })

  it('is nothing for a failure that may pass when somebody has seen the mail, and for one that is for good it is all', () => {
    const seen: Email = { ...email, status: 'OPENED', opens: 1, openedAt: at(15), humanOpenedAt: at(15) }
    const byMachine: Email = { ...email, status: 'OPENED', opens: 1, openedAt: at(15) }
    const report: FeedbackReport = { ...bounced, bounce: { class: 'transient' } }
    expect(consequence(seen, report, NOW)).toBeUndefined()
    expect(consequence(byMachine, report, NOW)).toMatchObject({ isSoftBounce: true, email: { softBouncedAt: at(20) } })
    const forGood = consequence(seen, { ...bounced, bounce: { class: 'permanent' } }, NOW)
    expect(forGood).toMatchObject({ email: { status: 'BOUNCED' }, signOff: { reason: 'BOUNCE' } })
  })
})
