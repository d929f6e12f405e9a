import { expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, contact, eraseWholly, form, NOON, newId, newProjectId, putContact, submission } from './records.ts'

/** The promises of a store about sign-up forms. */
export function storeFormsContract(fresh: () => Promise<Store>) {
  it('gives a form back as it was written, with its figures, which no update changes', async () => {
    const { forms } = await fresh()
    const projectId = newProjectId()
    const fields = [{ type: 'choice', key: 'plan', label: 'ДД', required: true, options: ['a', 'b'] }] as const
    const made = form(projectId, {
      fields,
      redirectUrl: 'https://x.example/',
      origins: ['https://x.example'],
      topicIds: ['b', 'a'],
    })
    await forms.insert(made)
    await Promise.all([forms.note(made.id, { shown: 2 }), forms.note(made.id, { shown: 3 })])
    expect(await forms.find(projectId, made.id)).toEqual({ ...made, shown: 5 })
    expect(await forms.findAnywhere(made.id)).toEqual({ ...made, shown: 5 })
    const { redirectUrl: _, ...bare } = { ...made, active: false, texts: { title: 'T', intro: 'I' }, updatedAt: at(5) }
    await forms.note(made.id, { attackedAt: at(3) })
    expect(await forms.update({ ...bare, submitted: 7 })).toBe(true)
    expect(await forms.find(projectId, made.id)).toEqual({ ...bare, shown: 5, attackedAt: at(3) })
    const attacked = async (since: Date) => (await forms.attackedSince(since)).map(({ id }) => id)
    expect([await attacked(at(3)), await attacked(at(4))]).toEqual([[made.id], []])
    expect(await forms.update(form(projectId))).toBe(false)
    for (const removed of [true, false]) expect(await forms.remove(projectId, made.id)).toBe(removed)
  })

  it('lists the forms of a project, and shows it none of another', async () => {
    const { forms } = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const [first, second, other] = [form(mine), form(mine), form(theirs)]
    for (const each of [first, second, other]) await forms.insert(each)
    expect(await forms.page(mine, { limit: 1 })).toEqual([second, first])
    expect(await forms.page(mine, { limit: 5, after: { value: '', id: second.id } })).toEqual([first])
    expect([await forms.count(mine), await forms.count(theirs)]).toEqual([2, 1])
    expect(await forms.find(mine, other.id)).toBeUndefined()
    expect(await forms.remove(mine, other.id)).toBe(false)
    expect(await forms.update({ ...other, projectId: mine })).toBe(false)
  })

  it('counts what was sent and confirmed, and lists the submissions behind the figures', async () => {
    const store = await fresh()
    const { forms } = store
    const projectId = newProjectId()
    const [one, two] = [form(projectId), form(projectId)]
    for (const each of [one, two]) await forms.insert(each)
    const [ada, bob] = [await putContact(store, projectId), await putContact(store, projectId)]
    const direct = submission(one, ada.id, { outcome: 'subscribed', confirmedAt: NOON, address: '192.0.2.1' })
    const asked = submission(one, bob.id, { answers: { plan: 'ДД' }, topics: { a: true, b: false } })
    const elsewhere = submission(two, bob.id, { outcome: 'waiting' })
    const known = submission(one, bob.id, { outcome: 'known' })
    for (const each of [direct, asked, elsewhere, known]) await forms.addSubmission(each)
    const figures = async (id: string) => {
      const { submitted, confirmed } = (await forms.findAnywhere(id))!
      return [submitted, confirmed]
    }
    expect([await figures(one.id), await figures(two.id)]).toEqual([
      [3, 1],
      [1, 0],
    ])
    const listed = (confirmed?: boolean) =>
      forms.submissions(projectId, one.id, confirmed === undefined ? {} : { confirmed }, { limit: 9 })
    expect(await listed()).toEqual([known, asked, direct])
    expect([await listed(true), await listed(false)]).toEqual([[direct], [known, asked]])
    const [mail, other] = [newId(), newId()]
    expect(await forms.ofContact(projectId, bob.id, 'waiting')).toEqual([elsewhere])
    // one of an earlier edition names no mail
    expect(await forms.ofContact(projectId, bob.id, { emailId: undefined })).toEqual([asked])
    await forms.noteAsked(projectId, [elsewhere.id], mail)
    const named = { ...elsewhere, outcome: 'asked', emailId: mail }
    expect(await forms.ofContact(projectId, bob.id, { emailId: mail })).toEqual([named, asked])
    expect(await forms.ofContact(projectId, bob.id, { emailId: other })).toEqual([asked])
    expect([
      await forms.ofContact(projectId, bob.id, 'waiting'),
      await forms.ofContact(projectId, ada.id, { emailId: mail }),
    ]).toEqual([[], []])
    const both = await forms.ofContact(projectId, bob.id, { emailId: mail })
    for (const time of [at(9), at(10)]) await store.transaction((tx) => tx.forms.confirm(projectId, both, time))
    expect(await forms.ofContact(projectId, bob.id, { emailId: mail })).toEqual([])
    expect(await forms.ofContact(projectId, bob.id, { askedBy: mail })).toEqual([{ ...named, confirmedAt: at(9) }])
    expect([
      await forms.ofContact(projectId, bob.id, { askedBy: other }),
      await forms.ofContact(projectId, ada.id, { askedBy: mail }),
    ]).toEqual([[], []])
    expect(await listed(true)).toEqual([{ ...asked, confirmedAt: at(9) }, direct])
    expect([await figures(one.id), await figures(two.id)]).toEqual([
      [3, 2],
      [1, 1],
    ])
  })

  it('erases what a removed contact sent, and keeps the figures', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const made = form(projectId)
    await store.forms.insert(made)
    const [ada, bob] = [contact(projectId), contact(projectId)]
    for (const each of [ada, bob]) await store.contacts.save([each])
    const bobs = submission(made, bob.id)
    for (const each of [submission(made, ada.id), submission(made, ada.id), bobs]) await store.forms.addSubmission(each)
    await store.contacts.remove(projectId, ada.id, NOON)
    await eraseWholly(store, projectId, [ada.id])
    expect(await store.forms.submissions(projectId, made.id, {}, { limit: 9 })).toEqual([bobs])
    expect((await store.forms.findAnywhere(made.id))?.submitted).toBe(3)
  })
}
