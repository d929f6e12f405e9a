import { Combobox, InputBase, Modal, ScrollArea, Text, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { useMay } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { useOnceMounted } from '../parts/once-mounted.ts'
import { useTexts } from '../texts/texts.tsx'
import { PAGES } from './pages.ts'
import { toApp } from './to-app.ts'

/** How many contacts and mails are found, of each. */
const FOUND = 5

/** Go to a page, make something, or find a contact or a mail by its address: everything by the keyboard. */
export default function Palette({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const t = useTexts()
  const may = useMay()
  const { user } = useSession()
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), 200)
  // what is found is shown for as long as the dialog is: Enter takes it, Escape closes both
  const combobox = useCombobox({ opened: true, onOpenedChange: onClose })
  const isFinding = opened && search.length > 1
  const contacts = useAsk(
    ['contacts', 'palette', search],
    (api, signal) => api.GET('/contacts', { params: { query: { search, limit: FOUND } }, signal }),
    { enabled: isFinding, keep: true },
  )
  const mails = useAsk(
    ['emails', 'palette', search],
    (api, signal) => api.GET('/emails', { params: { query: { search: wordsOf(search), limit: FOUND } }, signal }),
    { enabled: isFinding, keep: true },
  )
  const makes = [
    ['campaign', '/campaigns/new', 'campaigns'],
    ['contact', '/contacts?new=1', 'contacts'],
    ['import', '/contacts/import', 'contacts'],
    ['segment', '/segments/new', 'contacts'],
    ['template', '/templates/new', 'templates'],
    ['workflow', '/workflows?new=1', 'workflows'],
    ['domain', '/domains?new=1', 'domains'],
    ['webhook', '/webhooks?new=1', 'webhooks'],
    ['topic', '/topics?new=1', 'contacts'],
    ['suppression', '/suppressions?new=1', 'contacts'],
  ] as const
  const wanted = typed.trim().toLowerCase()
  // "oma" is looked for among people, not in "Domains"
  const matches = (text: string) => text.toLowerCase().includes(wanted)
  const begins = ({ text }: { readonly text: string }) =>
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .some((_, at, words) =>
        words
          .slice(at)
          .join(' ')
          .startsWith(wanted.replace(/[^\p{L}\p{N}]+/gu, ' ')),
      )
  const pages = [
    ...PAGES.map(({ path }) => ({ text: t.shell.pages[path], href: path === 'home' ? '/' : `/${path}` })),
    { text: t.shell.account, href: toApp('/account') },
    ...(user.operator ? [{ text: t.operator.title, href: toApp('/operator') }] : []),
  ].filter(({ text }) => matches(text))
  const made = makes
    .filter(([, , area]) => may[area])
    .map(([name, href]) => ({ text: t.shell.make[name], href }))
    .filter(({ text }) => matches(text))
  const people = isFinding
    ? (contacts.data?.data ?? []).map(({ id, email }) => ({ text: email, href: `/contacts/${id}` }))
    : []
  const sent = isFinding
    ? (mails.data?.data ?? []).map(({ id, to, subject }) => ({
        text: [to, subject].filter(Boolean).join(' · '),
        href: `/mails/${id}`,
      }))
    : []
  const groups = [
    { label: t.shell.paletteGo, options: pages.filter(begins) },
    { label: t.shell.paletteMake, options: made.filter(begins) },
    { label: t.shell.paletteContacts, options: people },
    { label: t.shell.paletteMails, options: sent },
    { label: t.shell.paletteOther, options: [...pages, ...made].filter((each) => !begins(each)) },
  ].filter(({ options }) => options.length > 0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first of what is found is chosen whenever that changes
  useEffect(() => {
    combobox.selectFirstOption()
  }, [typed, contacts.data, mails.data])
  useEffect(() => {
    if (opened) setTyped('')
  }, [opened])
  return (
    <Modal
      opened={useOnceMounted(opened)}
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="12vh"
    >
      <Combobox
        store={combobox}
        onOptionSubmit={(href) => {
          onClose()
          navigate(href)
        }}
      >
        <Combobox.EventsTarget>
          <InputBase
            data-autofocus
            size="md"
            variant="unstyled"
            px="sm"
            leftSection={<IconSearch size={18} />}
            placeholder={t.shell.paletteHint}
            aria-label={t.shell.paletteHint}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </Combobox.EventsTarget>
        <Combobox.Options aria-label={t.shell.palette} px="xs" pb="xs">
          <ScrollArea.Autosize mah="50vh" type="auto">
            {groups.length === 0 ? <Combobox.Empty>{t.shell.paletteNothing}</Combobox.Empty> : null}
            {groups.map(({ label, options }) => (
              <Combobox.Group key={label} label={label}>
                {options.map(({ text, href }) => (
                  <Combobox.Option key={href} value={href}>
                    <Text size="sm" truncate>
                      {text}
                    </Text>
                  </Combobox.Option>
                ))}
              </Combobox.Group>
            ))}
          </ScrollArea.Autosize>
        </Combobox.Options>
      </Combobox>
    </Modal>
  )
}

/** Words of a search of mails: a colon would make a search word of its own, unknown ones are refused. */
function wordsOf(text: string): string {
  return text.replaceAll(':', ' ').trim()
}
