import { Autocomplete } from '@mantine/core'
import type { ReactNode } from 'react'
import { useAsk } from '../api/ask.ts'
import { useProject } from '../api/project.tsx'
import { useTexts } from '../texts/texts.tsx'

/** Words before the @ that senders commonly have. */
const USUAL = ['hello', 'news', 'team']

/** The sender's address, completed with the domains that are proven. */
export function SenderField({
  value,
  onChange,
  error,
  withPending = false,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: ReactNode
  /** Whether domains that are still being checked are offered, too. */
  readonly withPending?: boolean
}) {
  const t = useTexts()
  const project = useProject()
  const domains = useAsk(['domains'], (api, signal) =>
    api.GET('/domains/project/{projectId}', { params: { path: { projectId: project.id } }, signal }),
  )
  const local = value.split('@', 1)[0]
  const proven = (domains.data ?? []).filter(({ verified }) => verified || withPending).map(({ domain }) => domain)
  const own = project.from ? [project.from.email] : []
  const offered = proven.flatMap((domain) => (local ? [local] : USUAL).map((word) => `${word}@${domain}`))
  return (
    <Autocomplete
      label={t.campaigns.from}
      description={withPending ? undefined : t.campaigns.fromHint}
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
