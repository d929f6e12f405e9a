import { Anchor, Autocomplete } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { useProject } from '../api/project.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

/** Words before the @ that senders commonly have. */
const USUAL = ['hello', 'news', 'team']

/** The sender's address, completed with the project's domains. */
export function SenderField({
  value,
  onChange,
  error,
  withPending = false,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: ReactNode
  /** True where the domains are shown beside it, so that it says nothing of them. */
  readonly withPending?: boolean
}) {
  const t = useTexts()
  const project = useProject()
  const domains = useAsk(['domains'], (api, signal) =>
    api.GET('/domains/project/{projectId}', { params: { path: { projectId: project.id } }, signal }),
  )
  const local = value.split('@', 1)[0]
  const proven = (domains.data ?? []).map(({ domain }) => domain)
  const own = project.from ? [project.from.email] : []
  const verified = (domains.data ?? []).filter((each) => each.verified).map(({ domain }) => domain)
  const waiting = (domains.data ?? []).filter((each) => !each.verified).map(({ domain }) => domain)
  const typed = value.split('@')[1]?.toLowerCase() ?? ''
  const toDomains = (
    <Anchor component={Link} href={toProject(project.id, '/domains')} size="xs">
      {t.domains.title}
    </Anchor>
  )
  // the operator may vouch for domains that are not listed, such as that of the project's own sender
  const hint = waiting.includes(typed) ? (
    <>
      {t.campaigns.fromWaits(typed)} {toDomains}
    </>
  ) : verified.length > 0 ? (
    t.campaigns.fromHint(verified.slice(0, 3))
  ) : project.from === null ? (
    <>
      {t.campaigns.fromNone} {toDomains}
    </>
  ) : undefined
  const offered = proven.flatMap((domain) => (local ? [local] : USUAL).map((word) => `${word}@${domain}`))
  return (
    <Autocomplete
      label={t.campaigns.from}
      description={withPending ? undefined : hint}
      type="email"
      required
      data={[...new Set([...own, ...offered])]}
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      error={error}
    />
  )
}
