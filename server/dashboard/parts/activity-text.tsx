import { Text } from '@mantine/core'
import { Link } from 'wouter'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
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
  const t = useTexts()
  const project = useProjectId()
  const { type, contactId, contactEmail, metadata, timestamp } = entry
  const word = (name: string) => (typeof metadata[name] === 'string' ? (metadata[name] as string) : undefined)
  const emailId = word('emailId')
  const about =
    word('topic') ??
    word('subject') ??
    word('eventName') ??
    word('name') ??
    word('campaignName') ??
    word('workflowName') ??
    word('link')
  return (
    <Text size="sm" component="div">
      {t.activity.types[type] ?? type}
      {about === undefined ? null : emailId === undefined ? (
        <> · {about}</>
      ) : (
        <>
          {' · '}
          <Link href={toProject(project, `/mails/${emailId}`)}>{about}</Link>
        </>
      )}
      {withContact && contactEmail !== null ? (
        <>
          {' · '}
          {contactId === null ? (
            contactEmail
          ) : (
            <Link href={toProject(project, `/contacts/${contactId}`)}>{contactEmail}</Link>
          )}
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
