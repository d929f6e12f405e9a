import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, email, NOON, project } from './records.ts'

/** The promises of a store about reports on sent mail. */
export function storeFeedbackContract(fresh: () => Promise<Store>) {
  it('holds rows, writes news of them, and keeps what the news leave out', async () => {
    const store = await fresh()
    const made = project()
    const mail = email(made.id, { status: 'DELIVERED', attempts: 1, sentAt: NOON, deliveredAt: NOON })
    await store.transaction((tx) => tx.emails.add([mail], []))
    await store.transaction(async (tx) => {
      expect((await tx.feedback.lock([mail.id, 'no id'])).map(({ id }) => id)).toEqual([mail.id])
      const news = { projectId: made.id, emailId: mail.id, at: at(5) }
      await tx.feedback.write([{ ...news, status: 'BOUNCED', bouncedAt: at(4), error: '550' }])
    })
    const [row] = await store.feedback.mails([mail.id])
    expect(row).toMatchObject({
      status: 'BOUNCED',
      bouncedAt: at(4),
      error: '550',
      deliveredAt: NOON,
      updatedAt: at(5),
    })
  })

  it('finds by a provider’s name what is not delivered with its acceptance', async () => {
    const store = await fresh()
    const made = project()
    const pending = email(made.id, { status: 'SENT', attempts: 1, sentAt: NOON, providerId: 'p1' })
    const told = email(made.id, {
      status: 'DELIVERED',
      attempts: 1,
      sentAt: NOON,
      deliveredAt: at(3),
      providerId: 'p2',
    })
    const relayed = email(made.id, {
      status: 'DELIVERED',
      attempts: 1,
      sentAt: NOON,
      deliveredAt: NOON,
      providerId: 'p3',
    })
    await store.transaction((tx) => tx.emails.add([pending, told, relayed], []))
    const found = await store.feedback.mailsOfProvider(['p1', 'p2', 'p3', 'p4'])
    expect(found.map(({ id }) => id).toSorted()).toEqual([pending.id, told.id].toSorted())
  })

  it('knows the replies to a mail, and when the first came', async () => {
    const store = await fresh()
    const [made, other] = [project(), project()]
    const mail = email(made.id, { status: 'DELIVERED', attempts: 1, sentAt: NOON, deliveredAt: NOON })
    const [first, second] = [1, 2].map((hours) =>
      email(made.id, { status: 'RECEIVED', sourceType: 'INBOUND', inReplyTo: mail.id, createdAt: at(hours) }),
    )
    const elsewhere = email(other.id, { status: 'RECEIVED', sourceType: 'INBOUND', inReplyTo: mail.id })
    await store.transaction((tx) => tx.emails.add([mail, first!, second!, elsewhere], []))
    const { feedback } = store
    expect(await feedback.repliesTo(made.id, mail.id, 5)).toEqual([second, first])
    expect(await feedback.repliesTo(made.id, mail.id, 1)).toEqual([second])
    expect(await feedback.repliesTo(other.id, mail.id, 5)).toEqual([elsewhere])
    await feedback.replied(other.id, mail.id, at(1))
    for (const hours of [2, 1]) await feedback.replied(made.id, mail.id, at(hours))
    expect(await store.emails.find(made.id, mail.id)).toEqual({ ...mail, repliedAt: at(2) })
    const search = async (asked: object) => (await store.mails.search(made.id, asked, { limit: 9 }, 5_000)).mails
    expect(await search({ inReplyTo: mail.id })).toEqual([second, first])
    expect(await search({ happened: [{ what: 'replied' }] })).toMatchObject([{ id: mail.id }])
  })

  it('tells each report once, until it is forgotten', async () => {
    const store = await fresh()
    const made = project()
    const emailId = email(made.id).id
    const key = { emailId, key: 'k', at: NOON }
    const both = await Promise.all([store.feedback.firstTime([key, key]), store.feedback.firstTime([key])])
    expect(both.flat()).toEqual([key])
    const more = ['b', 'k', 'a'].map((name) => ({ ...key, key: name }))
    const first = await store.feedback.firstTime([...more, { ...key, emailId: email(made.id).id, key: 'k' }])
    expect(first.map((told) => told.key).toSorted()).toEqual(['a', 'b', 'k'])
    expect(first).not.toContainEqual(key)
    expect(await store.feedback.forget(NOON, 10)).toBe(0)
    expect(await store.feedback.forget(at(1), 10)).toBe(4)
    expect(await store.feedback.firstTime([key])).toEqual([key])
  })
}
