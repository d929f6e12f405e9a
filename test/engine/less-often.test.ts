import { describe, expect, it } from 'vitest'
import type { Engine, Project } from '../../config/library.ts'
import { engineWithSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { SettableClock } from '../support/store.ts'
import { until } from '../support/until.ts'

const FROM = 'news@example.com'
const DAY = 86_400

for (const store of [QUICK]) {
  describe(`contacts who want mail less often, on ${store.name}`, () => {
    const world = async (emails: Readonly<Record<string, number | null>>) => {
      const clock = new SettableClock('2026-11-27T12:00:00Z')
      const made = await engineWithSink({ clock, store: store.store() })
      await made.engine.start()
      for (const [name, everyDays] of Object.entries(emails)) {
        const { contact } = await made.engine.contacts.upsert(made.project, { email: `${name}@example.org` })
        await made.engine.contacts.change(made.project, contact.id, { everyDays })
      }
      return { ...made, clock }
    }

    it('are left out as capped, are listed, and get mail again; the stricter of this and the cap decides', async () => {
      const { engine, project: bare, sink, clock } = await world({ week: 7, day: 1, every: null })
      const project = await engine.projects.change(bare, { frequencyCap: { mails: 2, days: 30 } })
      await news(engine, project)
      expect(sink.messages).toHaveLength(3)
      clock.advance(DAY + 1)
      // the cap would let all of them have it
      const second = await news(engine, project)
      const { stats } = await engine.campaigns.get(project, second)
      expect(stats).toMatchObject({ sent: 2, skipped: { capped: 1 }, leftOutAtStart: 0 })
      expect(await capped(engine, project, second)).toEqual(['week@example.org'])
      // a week but for an hour: the next issue of a weekly letter
      clock.advance(6 * DAY - 3_600)
      expect(await capped(engine, project, await news(engine, project))).toEqual([
        'day@example.org',
        'every@example.org',
      ])
      expect(sink.messages.slice(5).map(({ to }) => to.join())).toEqual(['week@example.org'])
    })

    it('are left out without a cap, too, and skipped by marketing mail of workflows alone', async () => {
      const { engine, project, sink } = await world({ month: 30, every: null })
      const template = async (type: 'MARKETING' | 'TRANSACTIONAL') => {
        const words = { name: type, type, subject: type, body: '<p>x</p>', from: FROM }
        return (await engine.templates.create(project, words)).id
      }
      const [marketing, other] = [await template('MARKETING'), await template('TRANSACTIONAL')]
      const { workflow } = await engine.workflows.create(project, {
        name: 'Flow',
        eventName: 'go',
        allowReentry: true,
        steps: [
          { key: 'one', type: 'SEND_EMAIL', templateId: marketing },
          { key: 'two', type: 'SEND_EMAIL', templateId: other },
        ],
        transitions: [
          { from: 'trigger', to: 'one' },
          { from: 'one', to: 'two' },
        ],
      })
      await engine.workflows.change(project, workflow.id, { enabled: true })
      await news(engine, project)
      expect(await capped(engine, project, await news(engine, project))).toEqual(['month@example.org'])
      for (const name of ['month', 'every', 'new'])
        await engine.events.track(project, { event: 'go', email: `${name}@example.org` })
      await sink.waitFor(8)
      const got = sink.messages.map(({ to, raw }) => `${to.join()} ${/^Subject: (\S+)/m.exec(raw.toString())?.[1]}`)
      expect(got.slice(3).sort()).toEqual([
        'every@example.org MARKETING',
        'every@example.org TRANSACTIONAL',
        'month@example.org TRANSACTIONAL',
        'new@example.org MARKETING',
        'new@example.org TRANSACTIONAL',
      ])
    })
  })
}

/** Sends a campaign to everybody, and waits until it is out. */
async function news(engine: Engine, project: Project): Promise<string> {
  const letter = { name: 'News', subject: 'News', body: '<p>News</p>', from: FROM, audienceType: 'ALL' } as const
  const { campaign } = await engine.campaigns.create(project, letter)
  await engine.campaigns.send(project, campaign.id)
  const isSent = async () => (await engine.campaigns.get(project, campaign.id)).campaign.status === 'SENT'
  await until('it is sent', isSent, 30_000)
  return campaign.id
}

async function capped(engine: Engine, project: Project, id: string): Promise<readonly string[]> {
  const { items } = await engine.campaigns.recipients(project, id, { status: 'SKIPPED' })
  return items
    .filter(({ skipReason }) => skipReason === 'capped')
    .map(({ to }) => to)
    .sort()
}
