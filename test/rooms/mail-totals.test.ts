import { expect, it, onTestFinished } from 'vitest'
import { silentLog, systemClock } from '../../config/library.ts'
import { totalOf } from '../../core/mails/list-emails.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { campaign, content, email, newProjectId, put } from '../contracts/store/records.ts'

/** More than are counted at once. */
const MAILS = 5_002

it('counts the mails of a project for as long as it may, and those of a campaign not at all', async () => {
  const { store, close } = await sqlite({ file: ':memory:' }).open({ log: silentLog, clock: systemClock })
  onTestFinished(async () => close?.())
  const id = newProjectId()
  const [words, news] = [content(id), campaign(id)]
  const emails = Array.from({ length: MAILS }, (_, i) =>
    email(id, { contentId: words.id, ...(i < 3 ? { campaignId: news.id } : {}) }),
  )
  await put(store, id, { contents: [words], emails })
  expect(await totalOf(store, { id }, {}, 60_000)).toBe(MAILS)
  expect(await totalOf(store, { id }, {}, 0)).toBe(0)
  expect(await totalOf(store, { id }, { status: emails[0]!.status }, 0)).toBe(0)
  expect(await totalOf(store, { id }, { campaignId: news.id }, 0)).toBe(3)
})
