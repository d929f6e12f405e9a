import type { DashboardServer } from '../dashboard-server.ts'

/** Adds what the demo lacks, so that every page has something to press. */
export async function enliven({ engine, demo, url }: DashboardServer): Promise<void> {
  await engine.domains.add(demo, { domain: 'lumen.example' })
  await engine.webhooks.create(demo, { url: new URL('/health', url).href, events: ['noted'] })
  await engine.events.track(demo, { email: 'ada@example.org', event: 'noted' })
  await engine.projects.change(demo, { archiveSlug: 'probe-news', signUpUrl: 'https://probed.example/news' })
  await engine.contacts.upsert(demo, { email: 'newest@example.org', data: { plan: 'pro' } })
  await engine.contacts.upsert(demo, { email: 'asked@example.org', subscribed: false })
  await engine.suppressions.add(demo, { email: 'away@example.org' })
  const { topics } = engine.subscriptions
  for (const name of ['News', 'Offers', 'Events']) await topics.create(demo, { name, standing: 'in' })
  for (const name of ['Frame', 'Band'])
    await engine.templates.layouts.create(demo, { name, body: '<i>Framed</i>{{ content }}' })
  for (const slug of ['signature', 'legal'])
    await engine.templates.snippets.create(demo, { name: slug, body: '<p>Bye</p>' })
  for (const name of ['Picked', 'Also picked']) {
    const segment = await engine.segments.create(demo, { name, type: 'STATIC' })
    await engine.segments.addMembers(demo, segment.id, { emails: ['newest@example.org'] })
  }
  const draft = {
    subject: 'What June brings',
    body: '<p>Hello</p>',
    from: 'news@lumen.example',
    audienceType: 'ALL',
  } as const
  for (const name of ['June', 'July']) await engine.campaigns.create(demo, { ...draft, name })
  await engine.campaigns.create(demo, {
    ...{ ...draft, name: 'In two ways' },
    variants: [{ subject: 'June, in short' }, { subject: 'Again June' }],
    test: { share: 50, holdOut: 10, winner: 'manual' },
  })
  const { inbox } = await engine.inboxes.create(demo, {
    name: 'Help',
    address: 'help@lumen.example',
    labels: [{ name: 'urgent', colour: '#2f6fde' }],
  })
  const { inbox: desk } = await engine.inboxes.create(demo, {
    name: 'Desk',
    approval: 'always',
    address: 'desk@lumen.example',
  })
  const { record } = await engine.projects.keys.create(demo, {
    ...{ name: 'Agent 7', kind: 'secret', scopes: ['inbox'] },
    inbox: { inboxIds: [inbox.id, desk.id], rights: ['draft', 'send'], approval: 'never' },
  })
  const author = { authorType: 'key', authorId: record.id, authorName: record.name } as const
  const answer = { to: ['ada@friend.example'], body: '<p>Friday?</p>', reason: 'She asked.' }
  for (const subject of ['Your visit', 'Your order', 'Your letter']) {
    const { id } = await engine.inboxes.drafts.create(demo, inbox.id, { ...answer, subject }, author)
    if (subject !== 'Your letter') await engine.inboxes.drafts.send(demo, id, {}, author)
  }
  for (const subject of ['Your visit', 'Your order', 'Your letter']) {
    const { id } = await engine.inboxes.drafts.create(demo, desk.id, { ...answer, subject }, author)
    await engine.inboxes.drafts.send(demo, id, {}, author)
  }
}
