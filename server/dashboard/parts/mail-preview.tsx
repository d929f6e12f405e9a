import { Group, SegmentedControl, Stack, Switch, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState, useSyncExternalStore } from 'react'
import { useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ContactPicker, PICKED } from './contact-picker.tsx'
import type { MailSource } from './mail-editor/written.ts'
import { MailFrame } from './mail-frame.tsx'
import classes from './mail-preview.module.css'
import { Problem } from './problem.tsx'

const WIDTHS = { phone: 375, tablet: 768, desk: 1200 } as const
type Width = keyof typeof WIDTHS
type Contact = components['schemas']['Contact']

/** Whom a mail is shown as. */
export interface PreviewedContact {
  readonly id: string | undefined
  /** Whether it is not known yet whether there is a contact. */
  readonly isPending: boolean
  readonly choose: (id: string | undefined) => void
}

/** So many of the newest subscribers are looked at for an example. */
const EXAMPLES = 50

/** The contacts chosen in this tab, by their projects. */
const chosenIn = new Map<string, string>()
const watchers = new Set<() => void>()

/**
 * The contact a mail is shown as: from the beginning a real one who gets mail, with many fields, so that no name is missing. The one chosen stays so on
 * all pages of the project, and test mails are filled in for it.
 */
export function usePreviewedContact(): PreviewedContact {
  const project = useProjectId()
  const chosen = useSyncExternalStore(watch, () => chosenIn.get(project))
  const choose = (id: string | undefined) => {
    if (id === undefined) chosenIn.delete(project)
    else chosenIn.set(project, id)
    for (const told of watchers) told()
  }
  const subscribers = useAsk(['contacts', 'examples'], (api, signal) =>
    api.GET('/contacts', { params: { query: { subscribed: true, limit: EXAMPLES, total: false } }, signal }),
  )
  const example = fullest(subscribers.data?.data ?? [])
  const others = useAsk(
    ['contacts', 'picker', ''],
    (api, signal) => api.GET('/contacts', { params: { query: { limit: PICKED } }, signal }),
    { enabled: subscribers.isSuccess && example === undefined },
  )
  const isPending = subscribers.isPending || (example === undefined && others.isLoading)
  return { id: chosen ?? (example ?? others.data?.data[0])?.id, isPending, choose }
}

/** The contact with the most fields filled in, and of several the first. */
function fullest(contacts: readonly Contact[]): Contact | undefined {
  const filled = ({ data }: Contact) => Object.values(data).filter((value) => value !== null && value !== '').length
  return contacts.reduce<Contact | undefined>(
    (best, each) => (best === undefined || filled(each) > filled(best) ? each : best),
    undefined,
  )
}

function watch(told: () => void) {
  watchers.add(told)
  return () => void watchers.delete(told)
}

/** A subject and a body as one contact would get them: at three widths, light and dark, as HTML and as text. */
export function MailPreview({
  subject,
  preheader,
  body,
  layoutId = '',
  contact,
  source = null,
}: {
  readonly subject: string
  readonly preheader: string
  readonly body: string
  /** The layout around it; empty for none. */
  readonly layoutId?: string | undefined
  /** Whom it is shown as, where others show that too. */
  readonly contact?: PreviewedContact
  /** Instead of the body, when it is not made yet. */
  readonly source?: MailSource | null
}) {
  const t = useTexts()
  const alone = usePreviewedContact()
  const { id: contactId, isPending, choose } = contact ?? alone
  const [width, setWidth] = useState<Width>(() => (matchMedia('(max-width: 48em)').matches ? 'phone' : 'tablet'))
  const [isDark, setDark] = useState(false)
  const [part, setPart] = useState<'html' | 'text'>('html')
  const [asked] = useDebouncedValue(
    {
      subject,
      preheader: preheader || null,
      ...(source === null ? { body } : { source }),
      ...(layoutId === '' ? {} : { layoutId }),
      ...(contactId === undefined ? {} : { contactId }),
    },
    400,
  )
  const rendered = useAsk(
    ['templates', 'render', asked],
    (api, signal) => api.POST('/templates/render', { body: asked, signal }),
    // not before it is known for whom: names would be missing for a moment
    {
      enabled:
        ('source' in asked ? asked.source.text : asked.body) !== '' && !isPending && asked.contactId === contactId,
      keep: true,
    },
  )
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <ContactPicker label={t.preview.as} value={contactId} onChange={choose} />
        <SegmentedControl
          aria-label={t.preview.width}
          value={width}
          onChange={(chosen) => setWidth(chosen as Width)}
          data={[
            { value: 'phone', label: t.preview.phone },
            { value: 'tablet', label: t.preview.tablet },
            { value: 'desk', label: t.preview.desk },
          ]}
        />
        <SegmentedControl
          value={part}
          onChange={(chosen) => setPart(chosen as 'html' | 'text')}
          data={[
            { value: 'html', label: t.preview.html },
            { value: 'text', label: t.preview.text },
          ]}
        />
        <Switch
          label={t.preview.dark}
          checked={isDark}
          onChange={({ currentTarget }) => setDark(currentTarget.checked)}
          mb={8}
        />
      </Group>
      {rendered.error ? (
        <Problem
          error={rendered.error}
          labels={{ subject: t.templates.subject, preheader: t.templates.preheader, body: t.templates.body }}
        />
      ) : null}
      {rendered.data === undefined ? null : (
        <>
          {subject === '' ? null : (
            <Text size="sm">
              <Text span c="dimmed">
                {t.preview.subject}:{' '}
              </Text>
              {rendered.data.subject}
            </Text>
          )}
          {part === 'html' ? (
            <MailFrame html={rendered.data.html} title={t.preview.title} width={WIDTHS[width]} dark={isDark} pictures />
          ) : (
            <pre className={classes.text}>{rendered.data.text}</pre>
          )}
        </>
      )}
    </Stack>
  )
}
