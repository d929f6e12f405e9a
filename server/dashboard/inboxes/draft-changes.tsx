import { Stack, Text } from '@mantine/core'
import { diffArrays, diffWordsWithSpace } from 'diff'
import type { ReactNode } from 'react'
import type { components } from '../api/client.ts'
import { useTexts } from '../texts/texts.tsx'
import { comparable } from './body-text.ts'

type Draft = components['schemas']['InboxDraft']
type Part = { readonly value: string; readonly added?: boolean; readonly removed?: boolean }

/** The difference between a draft and what the person was asked about: nothing where there is none. */
export function DraftChanges({ draft }: { readonly draft: Draft }) {
  const t = useTexts()
  const { changedFrom: before } = draft
  if (before === undefined) return null
  const people = (field: 'to' | 'cc' | 'bcc') => listed(before[field].map(addressed), draft[field].map(addressed))
  const text = diffWordsWithSpace(comparable(before.body), comparable(draft.body))
  const changes: readonly (readonly [label: string, parts: readonly Part[]])[] = [
    [t.inboxes.to, people('to')],
    [t.inboxes.cc, people('cc')],
    [t.inboxes.bcc, people('bcc')],
    [t.inboxes.subject, diffWordsWithSpace(before.subject, draft.subject)],
    // what does not show in words is marked as a whole
    [t.inboxes.text, isSame(text) && before.body !== draft.body ? diffWordsWithSpace(before.body, draft.body) : text],
    [t.inboxes.files, listed(before.files.map(file), (draft.attachments ?? []).map(file))],
  ]
  const shown = changes.filter(([, parts]) => !isSame(parts))
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

/** Something in a list: what it is known by, and how it is shown. */
interface Item {
  readonly key: string
  readonly text: string
}

const addressed = ({ email }: { readonly email: string }): Item => ({ key: email, text: email })
const file = ({ id, filename }: { readonly id: string; readonly filename: string }): Item => ({
  key: id,
  text: filename,
})

function isSame(parts: readonly Part[]): boolean {
  return !parts.some(({ added, removed }) => added || removed)
}

function listed(before: readonly Item[], after: readonly Item[]): readonly Part[] {
  const changes = diffArrays([...before], [...after], { comparator: (one, other) => one.key === other.key })
  return changes.flatMap(({ value, ...how }) => value.map(({ text }) => ({ ...how, value: `${text}\n` })))
}
