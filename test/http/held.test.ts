import { beforeAll, describe, expect, it } from 'vitest'
import { entities } from '../../plugins/kit/sql/engine/tables.ts'
import { expectEnvelope, ownProject, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const LETTER = { name: 'Letter', subject: 'Hi', body: '<p>Hi</p>', from: 'hello@example.com' }
const MARKETING = { ...LETTER, type: 'MARKETING' }
const asks = (field: string, operator = 'exists') => ({ operator: 'AND', conditions: [{ field, operator }] })

type Ask = TestApp['ask']
type Made = (path: string, json: object) => Promise<{ readonly id: string }>

/** A user of a noun, and what it is called in the refusal. */
interface User {
  readonly noun:
    | 'layouts'
    | 'topics'
    | 'templates'
    | 'segments'
    | 'snippets'
    | 'campaigns'
    | 'contacts/fields'
    | 'events'
  readonly called: string
  make(id: string, made: Made, ask: Ask): Promise<unknown>
}

/** Nouns by the names that others have in their texts and filters. */
const NAMED = { topics: 'news', snippets: 'footer', 'contacts/fields': 'plan', events: 'paid' }
const draftOf = (fields: object) => async (_id: string, made: Made, ask: Ask) =>
  ask('PUT', `/templates/${(await made('/templates', MARKETING)).id}/draft`, { json: fields })
const stepOf = (type: string, config: object) => async (_id: string, made: Made) =>
  made(`/workflows/${(await made('/workflows', { name: 'W', eventName: 'x' })).id}/steps`, { type, config })

/** Every field of a record that has an id or a name of something else: its user, or why nothing is kept by it. */
const FIELDS: Readonly<Record<string, User | readonly User[] | string>> = {
  'campaigns.layoutId': {
    noun: 'layouts',
    called: 'the campaign "Letter"',
    make: (layoutId, made) => made('/campaigns', { ...LETTER, audienceType: 'ALL', layoutId }),
  },
  'campaigns.topicId': {
    noun: 'topics',
    called: 'the campaign "Letter"',
    make: (topicId, made) => made('/campaigns', { ...LETTER, audienceType: 'ALL', topicId }),
  },
  'campaigns.templateId': {
    noun: 'templates',
    called: 'the campaign "C"',
    make: (template, made) => made('/campaigns', { name: 'C', from: LETTER.from, audienceType: 'ALL', template }),
  },
  'campaigns.segmentId': {
    noun: 'segments',
    called: 'the campaign "Letter"',
    make: (segmentId, made) => made('/campaigns', { ...LETTER, audienceType: 'SEGMENT', segmentId }),
  },
  'campaigns.audienceFilter': (['topics', 'contacts/fields', 'events'] as const).map((noun) => ({
    noun,
    called: 'the campaign "Letter"',
    make: (_id, made) => {
      const [field, operator] = {
        topics: ['topic.news'],
        'contacts/fields': ['data.plan'],
        events: ['event.paid', 'triggered'],
      }[noun]
      return made('/campaigns', { ...LETTER, audienceType: 'FILTERED', audienceFilter: asks(field ?? '', operator) })
    },
  })),
  'campaigns.audienceCondition': 'the same filter as it was written',
  'campaigns.originId': 'the history of a campaign',
  'seed_tests.campaignId': 'where the mail of a campaign landed; it goes with its age',
  'campaigns.seriesId': 'an issue stays when its series ends',
  'campaigns.variants': {
    noun: 'layouts',
    called: 'the campaign "Letter"',
    make: (layoutId, made) =>
      made('/campaigns', {
        ...{ ...LETTER, audienceType: 'ALL', variants: [{ layoutId }] },
        test: { share: 20, metric: 'clicks', hours: 4 },
      }),
  },
  'campaigns.test': {
    noun: 'events',
    called: 'the campaign "Letter"',
    make: (_id, made) =>
      made('/campaigns', {
        ...{ ...LETTER, audienceType: 'ALL', variants: [{ subject: 'Hello' }] },
        test: { share: 20, metric: 'event', event: 'paid', hours: 4 },
      }),
  },
  'campaigns.body': {
    noun: 'snippets',
    called: 'the campaign "Letter"',
    make: (_id, made) => made('/campaigns', { ...LETTER, audienceType: 'ALL', body: "<p>{% render 'footer' %}</p>" }),
  },
  'templates.layoutId': {
    noun: 'layouts',
    called: 'the template "Letter"',
    make: (layoutId, made) => made('/templates', { ...MARKETING, layoutId }),
  },
  'templates.topicId': {
    noun: 'topics',
    called: 'the template "Letter"',
    make: (topicId, made) => made('/templates', { ...MARKETING, topicId }),
  },
  'templates.body': {
    noun: 'snippets',
    called: 'the template "Letter"',
    make: (_id, made) => made('/templates', { ...MARKETING, body: "<p>{% render 'footer' %}</p>" }),
  },
  'template_drafts.fields': [
    { noun: 'topics', called: 'the draft of the template "Letter"', make: draftOf({ topicId: 'news' }) },
    {
      noun: 'topics',
      called: 'the draft of the template "Letter"',
      make: (topicId, made, ask) => draftOf({ topicId })('', made, ask),
    },
    {
      noun: 'layouts',
      called: 'the draft of the template "Letter"',
      make: (layoutId, made, ask) => draftOf({ layoutId })('', made, ask),
    },
    {
      noun: 'snippets',
      called: 'the draft of the template "Letter"',
      make: draftOf({ body: "<p>{% render 'footer' %}</p>" }),
    },
  ],
  'template_drafts.templateId': 'a draft ends with its template',
  'template_versions.templateId': 'versions end with their template',
  'template_versions.fields': 'what is gone is left out when a version is restored',
  'inbox_drafts.body': 'a draft is sent as it stands, with nothing filled in',
  'mail_words.body': 'words by which a mail is found, with nothing filled in',
  'layouts.body': {
    noun: 'snippets',
    called: 'the layout "L"',
    make: (_id, made) => made('/layouts', { name: 'L', body: "{{ content }}{% render 'footer' %}" }),
  },
  'snippets.body': {
    noun: 'snippets',
    called: 'the snippet "outer"',
    make: (_id, made) => made('/snippets', { name: 'outer', body: "{% render 'footer' %}" }),
  },
  'forms.topicIds': {
    noun: 'topics',
    called: 'the form "F"',
    make: (id, made) =>
      made('/forms', { name: 'F', texts: { title: 'T' }, consent: 'Yes', topicIds: [id], doubleOptIn: false }),
  },
  'forms.fields': {
    noun: 'contacts/fields',
    called: 'the form "F"',
    make: (_id, made) =>
      made('/forms', {
        ...{ name: 'F', texts: { title: 'T' }, consent: 'Yes', doubleOptIn: false },
        fields: [{ type: 'text', key: 'plan', label: 'Plan' }],
      }),
  },
  'form_submissions.formId': 'the proof of a consent outlives its form',
  'segments.filter': (['topics', 'segments', 'contacts/fields', 'events'] as const).map((noun) => ({
    noun,
    called: 'the segment "S"',
    make: (id, made) => {
      const { topics, segments, events, ...others } = {
        topics: asks('topic.news'),
        segments: asks(`segment.${id}`, 'memberOfSegment'),
        events: asks('event.paid', 'triggered'),
        'contacts/fields': asks('data.plan'),
      }
      return made('/segments', { name: 'S', filters: { topics, segments, events, ...others }[noun] })
    },
  })),
  'segments.condition': 'the same filter as it was written',
  'workflow_steps.config': [
    { noun: 'topics', called: 'the workflow "W"', make: stepOf('CONDITION', asks('contact.topic.news')) },
    { noun: 'contacts/fields', called: 'the workflow "W"', make: stepOf('UPDATE_CONTACT', { data: { plan: 'x' } }) },
    { noun: 'events', called: 'the workflow "W"', make: stepOf('WAIT_FOR_EVENT', { eventName: 'paid' }) },
    {
      noun: 'snippets',
      called: 'the workflow "W"',
      make: stepOf('SEND_EMAIL', { subject: 'Hi', body: "<p>{% render 'footer' %}</p>", from: LETTER.from }),
    },
  ],
  'workflow_steps.templateId': {
    noun: 'templates',
    called: 'the workflow "W"',
    make: (templateId, made) => stepOf('SEND_EMAIL', { templateId })('', made),
  },
  'workflows.eventName': {
    noun: 'events',
    called: 'the workflow "W"',
    make: (_id, made) => made('/workflows', { name: 'W', eventName: 'paid' }),
  },
  'workflows.goalEvent': {
    noun: 'events',
    called: 'the workflow "W"',
    make: (_id, made) => made('/workflows', { name: 'W', eventName: 'x', goal: { eventName: 'paid' } }),
  },
  'workflow_executions.waitingFor': 'its step has the event',
  'campaign_series.campaignId': {
    noun: 'campaigns',
    called: 'the series "S"',
    make: (campaignId, made) => made('/campaign-series', { name: 'S', campaignId, rhythm: { every: 'day' } }),
  },
  'segment_stays.segmentId': 'members end with their segment',
  'topic_choices.topicId': 'choices end with their topic',
  'webhook_endpoints.events': 'deleted events may come again; another name follows, see renames.test.ts',
}

/** Fields that may have an id or a name of these nouns. */
const HOLDS =
  /^(?:(?:template|topic|layout|segment|campaign|series|form|origin)Ids?|filter|condition|audienceFilter|audienceCondition|config|variants|test|events|eventName|goalEvent|waitingFor|fields|body)$/
/** Tables of what has happened: it stays as it was, whatever is deleted. */
const PAST: ReadonlySet<string> = new Set([
  ...['activity_counts', 'anonymous_counts', 'audit_entries', 'campaign_left_out', 'campaign_series_items'],
  ...['emails', 'link_clicks', 'mail_contents', 'webhook_deliveries'],
])

it('is asked of every field of a record', () => {
  const found = entities.flatMap(({ meta: { tableName, properties } }) =>
    PAST.has(tableName)
      ? []
      : Object.keys(properties)
          .filter((name) => HOLDS.test(name))
          .map((name) => `${tableName}.${name}`),
  )
  expect(found.toSorted()).toEqual(Object.keys(FIELDS).toSorted())
})

describe(`what something has on ${QUICK.name}`, () => {
  let test: TestApp
  const fresh = async () => {
    const { ask } = await ownProject(test)
    const made: Made = async (path, json) => {
      const answer = await ask('POST', path, { json })
      expect(answer.status, answer.text).toBeLessThan(300)
      return answer.body.data?.id ? answer.body.data : answer.body
    }
    return { ask, made }
  }

  beforeAll(async () => {
    test = await testApp(QUICK, {}, { publicUrl: 'https://mail.example.net' })
    await test.engine.start()
  })

  const users = Object.entries(FIELDS).flatMap(([field, user]) =>
    typeof user === 'string' ? [] : [user].flat().map((each) => [field, each.noun, each as User] as const),
  )

  it.each(users)('by %s, one of the %s, cannot be deleted unasked', async (_field, noun, { called, make }) => {
    const { ask, made } = await fresh()
    const things = {
      layouts: { name: 'L', body: '{{ content }}' },
      topics: { name: 'News' },
      templates: MARKETING,
      segments: { name: 'Held', type: 'STATIC' },
      snippets: { name: 'footer', body: '<p>Bye</p>' },
      campaigns: { ...LETTER, audienceType: 'ALL' },
    }
    const track = { email: 'ada@example.org', event: 'paid', data: { plan: 'pro' } }
    await ask('POST', '/contacts', { json: { email: track.email, data: track.data } })
    await ask('POST', '/v1/track', { json: track })
    const isMade = noun !== 'contacts/fields' && noun !== 'events'
    const { id } = isMade ? await made(`/${noun}`, things[noun]) : { id: NAMED[noun] }
    await make(id, made, ask)
    const refused = await ask('DELETE', `/${noun}/${id}`)
    expectEnvelope(refused, 409, 'CONFLICT')
    expect(refused.body.message).toContain(called)
  })

  it('but a version and a copy do without a layout that is gone', async () => {
    const { ask, made } = await fresh()
    const { id: layoutId } = await made('/layouts', { name: 'L', body: '<b>{{ content }}</b>' })
    const { id } = await made('/templates', { ...MARKETING, layoutId })
    await ask('PATCH', `/templates/${id}`, { json: { layoutId: null, subject: 'Other' } })
    await made('/contacts', { email: 'ada@example.org' })
    const sent = await made('/campaigns', {
      ...LETTER,
      audienceType: 'ALL',
      layoutId,
      variants: [{ layoutId, subject: 'B' }],
      test: { share: 100, metric: 'clicks', hours: 4 },
    })
    await ask('POST', `/campaigns/${sent.id}/send`)
    await test.engine.idle()
    await ask('POST', `/campaigns/${sent.id}/cancel`)
    expect((await ask('DELETE', `/layouts/${layoutId}`)).status).toBe(204)
    const restored = await ask('POST', `/templates/${id}/versions/1/restore`)
    expect(restored.status, restored.text).toBe(200)
    expect(restored.body).toMatchObject({ subject: 'Hi', body: LETTER.body })
    expect(restored.body.layoutId ?? null).toBeNull()
    const copy = await ask('POST', `/campaigns/${sent.id}/duplicate`)
    expect(copy.status, copy.text).toBe(201)
    expect(copy.body).toMatchObject({ status: 'DRAFT', body: LETTER.body })
    expect(JSON.stringify(copy.body)).not.toContain(layoutId)
  })

  it('is a topic as the reason why nobody can be mailed, and one that is put away', async () => {
    const { ask, made } = await fresh()
    const { id: topicId } = await made('/topics', { name: 'Offers' })
    await made('/contacts', { email: 'ada@example.org' })
    await made('/contacts', { email: 'bob@example.org', subscribed: false })
    const { id } = await made('/campaigns', { ...LETTER, audienceType: 'ALL', topicId })
    const refused = await ask('POST', `/campaigns/${id}/send`)
    expectEnvelope(refused, 400, 'BAD_REQUEST')
    expect(refused.body.message).toContain('1 do not get the topic "Offers", 1 are unsubscribed')
    await ask('PATCH', `/topics/${topicId}`, { json: { archived: true, standing: 'in' } })
    const message = expect.stringContaining('the topic "Offers", which is archived')
    expect((await ask('POST', `/campaigns/${id}/preview`)).body.warnings).toEqual([{ field: 'topicId', message }])
    const done = await ask('POST', `/campaigns/${id}/send`, { json: {} })
    expect(done.status, done.text).toBe(200)
    expect(done.text + (done.headers.get('mailwright-warning') ?? '')).toContain('Offers')
  })
})
