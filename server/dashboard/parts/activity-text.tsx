import { Text } from '@mantine/core'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { toProject } from '../shell/to-app.ts'
import { useFirstTexts } from '../texts/texts.tsx'
import { eventInWords } from './event-in-words.ts'
import { Moment } from './moment.tsx'

export type Activity = components['schemas']['Activity']

/** One thing that happened, in words that lead to what it is about. */
export function ActivityText({
  entry,
  withContact = true,
  withTime = true,
}: {
  readonly entry: Activity
  readonly withContact?: boolean
  readonly withTime?: boolean
}) {
  const t = useFirstTexts()
  const project = useProjectId()
  const { type, timestamp } = entry
  const word = (name: string) => wordIn(entry, name)
  const emailId = word('emailId')
  const [topic, event] = [word('topic'), word('eventName')]
  const topics = useAsk(['topics', 'list'], (api, signal) => api.GET('/topics', { signal }), {
    enabled: topic !== undefined,
  })
  const about =
    topics.data?.data.find(({ slug }) => slug === topic)?.name ??
    topic ??
    word('subject') ??
    (event === undefined ? undefined : eventInWords(event, t)) ??
    word('name') ??
    word('campaignName') ??
    word('workflowName') ??
    word('link')
  return (
    <Text size="sm" component="div">
      {entry.metadata.toFolder === true ? t.home.figures.toFolder : (t.activity.types[type] ?? type)}
      {about === undefined ? null : emailId === undefined ? (
        <> · {about}</>
      ) : (
        <>
          {' · '}
          <Link href={toProject(project, `/mails/${emailId}`)}>{about}</Link>
        </>
      )}
      {withContact && whomIn(entry) !== undefined ? (
        <>
          {' · '}
          <ActivityContact entry={entry} />
        </>
      ) : null}
      {withTime ? (
        <Text size="xs" c="dimmed" component="div">
          <Moment at={timestamp} />
        </Text>
      ) : null}
    </Text>
  )
}

/** Its contact; without one the address that the mail came from. */
export function ActivityContact({ entry }: { readonly entry: Activity }) {
  const project = useProjectId()
  const { contactId } = entry
  const whom = whomIn(entry)
  if (contactId === null) return <>{whom}</>
  return <Link href={toProject(project, `/contacts/${contactId}`)}>{whom}</Link>
}

function whomIn(entry: Activity): string | undefined {
  const { type, contactEmail } = entry
  return contactEmail ?? (type === 'email.received' || type === 'email.replied' ? wordIn(entry, 'from') : undefined)
}

function wordIn({ metadata }: Activity, name: string): string | undefined {
  const value = metadata[name]
  return typeof value === 'string' ? value : undefined
}
