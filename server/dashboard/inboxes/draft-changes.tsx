import { Stack, Text } from '@mantine/core'
import { diffArrays, diffWordsWithSpace } from 'diff'
import type { ReactNode } from 'react'
import type { components } from '../api/client.ts'
import { useTexts } from '../texts/texts.tsx'
import { textOf } from './body-text.ts'

type Draft = components['schemas']['InboxDraft']
type Part = { readonly value: string; readonly added?: boolean; readonly removed?: boolean }

/** The difference between a draft and what the person was asked about: nothing where there is none. */
export function DraftChanges({ draft }: { readonly draft: Draft }) {
  const t = useTexts()
  const { changedFrom: before } = draft
  if (before === undefined) return null
  const people = ({ to, cc, bcc }: Pick<Draft, 'to' | 'cc' | 'bcc'>) => [...to, ...cc, ...bcc].map(({ email }) => email)
  const files = (draft.attachments ?? []).map(({ filename }) => filename)
  const changes: readonly (readonly [label: string, parts: readonly Part[]])[] = [
    [t.inboxes.to, listed(people(before), people(draft))],
    [t.inboxes.subject, diffWordsWithSpace(before.subject, draft.subject)],
    [t.inboxes.text, diffWordsWithSpace(textOf(before.body), textOf(draft.body))],
    [t.inboxes.files, listed(before.files, files)],
  ]
  const shown = changes.filter(([, parts]) => parts.some(({ added, removed }) => added || removed))
  if (shown.length === 0) return null
  return (
    <Stack gap="xs" component="section" aria-label={t.inboxes.changedSince}>
      <Text size="sm" fw={600}>
        {t.inboxes.changedSince}
      </Text>
      {shown.map(([label, parts]) => (
        <div key={label}>
          <Text size="sm" c="dimmed">
            {label}
          </Text>
          <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
            {parts.map(marked)}
          </Text>
        </div>
      ))}
    </Stack>
  )
}

function marked({ value, added, removed }: Part, at: number): ReactNode {
  const key = `${at} ${value}`
  if (added)
    return (
      <Text key={key} component="ins" span inherit fw={600} td="underline">
        {value}
      </Text>
    )
  return removed ? (
    <Text key={key} component="del" span inherit c="dimmed" td="line-through">
      {value}
    </Text>
  ) : (
    <span key={key}>{value}</span>
  )
}

function listed(before: readonly string[], after: readonly string[]): readonly Part[] {
  return diffArrays([...before], [...after]).flatMap(({ value, ...how }) =>
    value.map((each) => ({ ...how, value: `${each}\n` })),
  )
}
