import { Anchor, List, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { useProject } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { toApp, toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import { useConfirm } from './confirm.tsx'
import type { FindingField, OwnFinding } from './mail-check.tsx'
import { wordsOf } from './refusals.tsx'

/** Findings beyond these are counted alone. */
const MOST = 12

/** Where a mail is changed, by addresses within the project. */
export interface MailPlace {
  readonly content: string
  readonly audience?: string
}

export interface LastQuestion {
  readonly title: string
  /** The text below the findings. */
  readonly hint?: string
  /** The label of the button when nothing was found. */
  readonly yes: string
  /** Its label otherwise, such as "Send all the same". */
  readonly yesAllTheSame: string
  /** True where it is asked though nothing was found. */
  readonly always?: boolean
}

/** A finding, and the mail that it was found in. */
export interface PlacedFinding extends OwnFinding {
  readonly of: MailPlace
}

/**
 * Asks before mail goes out, with all in view that spoils it and a link to where each is mended. `find` looks for it
 * when the button is pressed; `isAsking` is true meanwhile. Answers whether to go on.
 */
export function useLastQuestion() {
  const t = useTexts()
  const confirm = useConfirm()
  const cureOf = useCure()
  const [, navigate] = useLocation()
  const [isAsking, setAsking] = useState(false)
  const ask = async (find: () => Promise<readonly PlacedFinding[]>, question: LastQuestion): Promise<boolean> => {
    setAsking(true)
    // what cannot be checked now is asked about, too
    const unchecked = (error: Error) => [{ severity: 'error' as const, message: wordsOf(error, t).message }]
    const found: readonly Partial<PlacedFinding>[] = await find()
      .catch(unchecked)
      .finally(() => setAsking(false))
    const asked = found.filter(({ severity, asks }) => severity === 'error' || asks)
    const { title, hint, yes, yesAllTheSame, always = false } = question
    if (asked.length === 0) return always ? confirm({ title, ...(hint && { text: hint }), yes }) : true
    const cured = asked.map(({ message = '', field, of }) => ({
      message,
      field,
      href: field && of && cureOf(field, of),
    }))
    const text = (close: () => void): ReactNode => (
      <Found
        found={cured}
        hint={hint}
        onCure={(href) => {
          close()
          navigate(href)
        }}
      />
    )
    return confirm({ title, text, yes: yesAllTheSame, grave: true })
  }
  return { ask, isAsking }
}

/** Stands outside of the project's pages, as all questions do. */
function Found({
  found,
  hint,
  onCure,
}: {
  readonly found: readonly {
    readonly message: string
    readonly field: FindingField | undefined
    readonly href: string | undefined
  }[]
  readonly hint: string | undefined
  readonly onCure: (href: string) => void
}) {
  const t = useTexts()
  // the variants of a mail have much in common
  const different = [...new Map(found.map((each) => [each.message, each])).values()]
  return (
    <Stack gap="sm">
      <Text size="sm" fw={600}>
        {t.checks.before}
      </Text>
      <List size="sm" spacing={6}>
        {different.slice(0, MOST).map(({ message, field, href }) => (
          <List.Item key={message}>
            {message}{' '}
            {href === undefined ? null : (
              <Anchor component="button" type="button" size="sm" underline="always" onClick={() => onCure(href)}>
                {t.checks.fix[field ?? 'body']}
              </Anchor>
            )}
          </List.Item>
        ))}
      </List>
      {different.length > MOST ? <Text size="sm">{t.checks.andMore(different.length - MOST)}</Text> : null}
      {hint === undefined ? null : <Text size="sm">{hint}</Text>}
    </Stack>
  )
}

/** Answers where a finding is mended, from wherever one is; undefined where this person cannot. */
export function useCure() {
  const { id } = useProject()
  const { user } = useSession()
  return (field: FindingField, of: MailPlace): string | undefined => {
    switch (field) {
      case 'server':
        return user.operator ? toApp('/operator') : undefined
      case 'project':
        return toProject(id, '/settings')
      case 'domain':
        return toProject(id, '/domains')
      case 'audience':
        return of.audience && toProject(id, of.audience)
      default:
        return toProject(id, of.content)
    }
  }
}
