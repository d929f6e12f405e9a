import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Contact } from '../../../core/ports/store/contacts.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { KnownContacts, WriteBatchRequest } from '../../../core/ports/store/write-batch.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { at, contact, content, email, event, HOSTILE, newProjectId, put, putContact, request } from './records.ts'

/** The promises of a store about taking requests in. */
export function storeWriteBatchContract(fresh: () => Promise<Store>) {
  it('writes what was decided and gives back the answer', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = contact(projectId, { data: HOSTILE })
    const words = content(projectId)
    const mail = email(projectId, { contactId: ada.id, contentId: words.id, variables: HOSTILE, tags: { a: 'b' } })
    const sent = event(projectId, ada.id, { emailId: mail.id })
    const writes = { contacts: [ada], contents: [words], emails: [mail], events: [sent], answer: HOSTILE }
    const outcome = await store.writeBatch.commit(request(projectId, () => writes))
    expect(outcome).toEqual({ outcome: 'taken', answer: HOSTILE })
    expect(await store.contacts.find(projectId, ada.id)).toEqual(ada)
    expect(await store.emails.find(projectId, mail.id)).toEqual(mail)
    expect(await store.emails.contents([words.id])).toEqual([words])
    expect(await store.events.page(projectId, {}, { limit: 9 })).toMatchObject([sent])
  })

  it('shows `decide` the named contacts of its project', async () => {
    const store = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const ada = await putContact(store, mine, { email: 'ada@example.com', data: HOSTILE })
    const bob = await putContact(store, mine, { email: 'bob@example.com' })
    const stranger = await putContact(store, theirs, { email: 'eve@example.com' })
    const known = await seen(store, mine, {
      addresses: ['ada@example.com', 'eve@example.com', 'nobody@example.com'],
      contactIds: [bob.id, stranger.id],
    })
    expect(known.byAddress('ada@example.com')).toEqual(ada)
    expect(known.byId(bob.id)).toEqual(bob)
    for (const address of ['eve@example.com', 'nobody@example.com', 'ADA@example.com']) {
      expect(known.byAddress(address)).toBeUndefined()
    }
    expect(known.byId(stranger.id)).toBeUndefined()
  })

  it('tells which keys of public callers are new to the project, and counts each of them once', async () => {
    const store = await fresh()
    const [projectId, other] = [newProjectId(), newProjectId()]
    await putContact(store, projectId, { data: { known: 1 } })
    const own = await putContact(store, other, { email: 'own@example.com', data: { own: 1 } })
    const bring = (publicDataKeys: readonly string[], by = projectId, refuse = false) => {
      let seen: KnownContacts['publicDataKeys'] | undefined
      const decide = ({ publicDataKeys }: KnownContacts) => {
        seen = publicDataKeys
        if (refuse) throw new Error('too many')
        return { contacts: [], contents: [], emails: [], events: [], answer: null }
      }
      const taken = store.writeBatch.commit(request(by, decide, { publicDataKeys, addresses: [own.email] }))
      return taken.catch(() => {}).then(() => seen)
    }
    expect(await bring(['known', 'a'], projectId, true)).toEqual({ fresh: ['a'], count: 0 })
    expect(await bring(['known', 'a', 'b'])).toEqual({ fresh: ['a', 'b'], count: 0 })
    expect(await bring(['a', 'c'])).toEqual({ fresh: ['c'], count: 2 })
    expect(await bring(['own', 'a'], other)).toEqual({ fresh: ['a'], count: 0 })
    const many = Array.from({ length: 40 }, (_, i) => bring([`same${i % 10}`, `own${i}`]))
    const counts = (await Promise.all(many)).map((seen) => seen!.count + seen!.fresh.length)
    expect(Math.max(...counts)).toBe(3 + 10 + 40)
    expect(new Set(counts).size).toBe(40)
    // deleted, they make room
    for (const key of ['a', 'own0'])
      expect(await store.contactFields.remove(projectId, key, at(1), { limit: 9 })).toEqual({ removed: 0 })
    expect(await bring(['a'])).toEqual({ fresh: ['a'], count: 51 })
  })

  it('writes over a stored contact', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId, { data: { plan: 'free' } })
    const changed = { ...ada, subscribed: false, data: { plan: 'paid' }, updatedAt: at(5) }
    await put(store, projectId, { contacts: [changed] })
    expect(await store.contacts.find(projectId, ada.id)).toEqual(changed)
    expect(await store.contacts.count(projectId, {})).toBe(1)
  })

  it('makes one contact of a hundred requests that would create it at the same time', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const address = 'ada@example.com'
    const take = (i: number) =>
      store.writeBatch.commit(
        request(projectId, (known) => changing(projectId, known, address, { [`key${i}`]: i }), {
          addresses: [address],
        }),
      )
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, i) => take(i)))
    const [only, ...others] = await store.contacts.page(projectId, {}, { sort: 'createdAt', dir: 'asc' }, { limit: 9 })
    expect(others).toEqual([])
    expect(Object.keys(only?.data ?? {})).toHaveLength(100)
    expect(new Set(outcomes.map((outcome) => 'answer' in outcome && outcome.answer))).toEqual(new Set([only?.id]))
    expect(await store.emails.count(projectId, { contactId: only!.id })).toBe(100)
  })

  it('keeps projects apart that ask for the same address at the same time', async () => {
    const store = await fresh()
    const projects = Array.from({ length: 10 }, () => newProjectId())
    const address = 'ada@example.com'
    const take = (projectId: ProjectId) =>
      store.writeBatch.commit(
        request(projectId, (known) => changing(projectId, known, address, { projectId }), { addresses: [address] }),
      )
    await Promise.all(projects.map(take))
    for (const projectId of projects) {
      const found = await store.contacts.page(projectId, {}, { sort: 'email', dir: 'asc' }, { limit: 9 })
      expect(found).toMatchObject([{ projectId, data: { projectId } }])
    }
  })

  it('lets every request see what the one before made of a stored contact', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId, { data: { n: 0 } })
    const byAddress = { addresses: [ada.email] }
    const byId = { contactIds: [ada.id] }
    const add = (i: number) => {
      const named = i % 2 ? byAddress : byId
      return store.writeBatch.commit(
        request(
          projectId,
          (known) => {
            const found = i % 2 ? known.byAddress(ada.email) : known.byId(ada.id)
            const n = Number(found?.data.n) + 1
            return { contacts: [{ ...ada, data: { n } }], contents: [], emails: [], events: [], answer: n }
          },
          named,
        ),
      )
    }
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => add(i)))
    const answers = outcomes.map((outcome) => ('answer' in outcome ? Number(outcome.answer) : 0))
    expect(answers.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1))
    expect((await store.contacts.find(projectId, ada.id))?.data).toEqual({ n: 50 })
  })

  it('throws what `decide` threw to its caller alone and writes nothing of it', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const refusal = new RangeError('not this one')
    const mails = Array.from({ length: 10 }, () => email(projectId))
    const outcomes = await Promise.allSettled(
      mails.map((mail, i) =>
        store.writeBatch.commit(
          request(projectId, () => {
            if (i % 3 === 0) throw refusal
            return { contacts: [], contents: [], emails: [mail], events: [], answer: i }
          }),
        ),
      ),
    )
    for (const [i, outcome] of outcomes.entries()) {
      if (i % 3 === 0) expect(outcome).toEqual({ status: 'rejected', reason: refusal })
      else expect(outcome).toEqual({ status: 'fulfilled', value: { outcome: 'taken', answer: i } })
      expect((await store.emails.find(projectId, mails[i]!.id)) === undefined).toBe(i % 3 === 0)
    }
  })

  it('lets a request the database refuses fail alone, with all of its writes', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const stored = email(projectId)
    await put(store, projectId, { emails: [stored] })
    const [before, lost, behind] = [email(projectId), email(projectId), email(projectId)]
    const outcomes = await Promise.allSettled([
      put(store, projectId, { emails: [before] }),
      put(store, projectId, { contacts: [contact(projectId)], emails: [lost, stored] }),
      put(store, projectId, { emails: [behind] }),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await store.emails.find(projectId, lost.id)).toBeUndefined()
    expect(await store.contacts.count(projectId, {})).toBe(0)
    for (const { id } of [before, behind]) expect(await store.emails.find(projectId, id)).toBeDefined()
  })

  it('stores the same content once, attachments included', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 256)
    const pdf = { filename: 'a "b" ü.pdf', contentType: 'application/pdf', disposition: 'attachment', bytes } as const
    const logo = {
      ...pdf,
      filename: 'l.png',
      disposition: 'inline',
      contentId: 'logo',
      bytes: new Uint8Array(0),
    } as const
    const words = content(projectId, {
      text: 'plain',
      from: { email: 'a@acme.example', name: 'A "B" Ü' },
      replyTo: 'r@acme.example',
      cc: [{ email: 'c@example.com' }],
      bcc: [{ email: 'd@example.com', name: 'D' }],
      headers: [
        ['X-B', '1'],
        ['X-A', '2'],
        ['X-B', '3'],
      ],
      attachments: [pdf, logo],
      marketing: true,
      tracking: false,
      locale: 'pt-BR',
    })
    const takes = Array.from({ length: 5 }, () => put(store, projectId, { contents: [words] }))
    await Promise.all(takes)
    await put(store, projectId, { contents: [words] })
    const other = content(projectId)
    await put(store, projectId, { contents: [other] })
    const found = await store.emails.contents([other.id, words.id, words.id, email(projectId).id])
    expect(found).toHaveLength(2)
    expect(found).toEqual(expect.arrayContaining([words, other]))
    expect(await store.emails.contents([])).toEqual([])
  })

  it('reads no more contents at once than have so many bytes, but one always', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const made = [6, 6, 0, 3].map((size, i) => {
      const bytes = new Uint8Array(size)
      const attachment = {
        filename: 'a.bin',
        contentType: 'application/octet-stream',
        disposition: 'attachment',
        bytes,
      } as const
      const words = { subject: `${i}`, html: '', attachments: size === 0 ? [] : [attachment] }
      // a text counts by its bytes
      return content(projectId, i === 1 ? { ...words, html: 'ä', text: 'öü', attachments: [] } : words)
    })
    for (const words of made) {
      const writes = { contacts: [], contents: [words], emails: [], events: [], answer: null }
      await store.writeBatch.commit(request(projectId, () => writes))
    }
    const read = async (maxBytes: number) => {
      const found = await store.emails.contents(
        made.map(({ id }) => id),
        maxBytes,
      )
      return found.map(({ subject }) => subject).toSorted()
    }
    expect(await read(12)).toEqual(['0', '1', '2'])
    expect(await read(15)).toEqual(['0', '1', '2', '3'])
    expect(await read(1)).toEqual(['0'])
  })

  // a store may compress them: what bounds memory is what they are once they are read
  it('keeps texts of megabytes, whatever they are made of, and counts all their bytes', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const random = randomBytes(1_000_000).toString('base64')
    const made = [
      content(projectId, { subject: 'alike', html: '<p>ä😀</p>'.repeat(200_000), text: `${'x'.repeat(1_500_000)}ü` }),
      content(projectId, { subject: 'random', html: random, text: random }),
    ]
    const writes = { contacts: [], contents: made, emails: [], events: [], answer: null }
    await store.writeBatch.commit(request(projectId, () => writes))
    const ids = made.map(({ id }) => id)
    const found = await store.emails.contents(ids)
    expect(found.toSorted((a, b) => (a.subject < b.subject ? -1 : 1))).toEqual(made)
    const within = async (maxBytes: number) => (await store.emails.contents(ids, maxBytes)).length
    const all = made.reduce((sum, { html, text = '' }) => sum + Buffer.byteLength(html) + Buffer.byteLength(text), 0)
    expect([await within(all), await within(all - 1)]).toEqual([2, 1])
  })

  it('takes thousands of waiting requests, each once', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mails = Array.from({ length: 1200 }, () => email(projectId))
    await Promise.all(mails.map((mail) => put(store, projectId, { emails: [mail] })))
    expect(await store.emails.count(projectId, {})).toBe(mails.length)
  })
}

/** The named contacts as `decide` sees them. */
async function seen(
  store: Store,
  projectId: ProjectId,
  named: Pick<WriteBatchRequest<null>, 'addresses' | 'contactIds'>,
): Promise<KnownContacts> {
  return new Promise((resolve, reject) => {
    const decide = (known: KnownContacts) => {
      resolve(known)
      return { contacts: [], contents: [], emails: [], events: [], answer: null }
    }
    store.writeBatch.commit(request(projectId, decide, named)).catch(reject)
  })
}

/** The decision of an upsert with a mail; the answer is the contact's id. */
function changing(projectId: ProjectId, known: KnownContacts, address: string, data: Contact['data']) {
  const found = known.byAddress(address) ?? contact(projectId, { email: address })
  const changed = { ...found, data: { ...found.data, ...data } }
  return {
    contacts: [changed],
    contents: [],
    emails: [email(projectId, { contactId: changed.id })],
    events: [],
    answer: changed.id,
  }
}
