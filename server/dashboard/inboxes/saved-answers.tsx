import { Button, Menu, Text, TextInput } from '@mantine/core'
import { IconMessage2 } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useAct, useAsk } from '../api/ask.ts'
import { type Api, answerOf, type components } from '../api/client.ts'
import { useTexts } from '../texts/texts.tsx'

type Snippet = components['schemas']['ListedSnippet']

/** How many are offered. */
const MOST = 100

/**
 * Snippets of the project as answers that are written once: the text of the chosen one is put where the cursor is, with the fields
 * of the contact that the mail goes to.
 */
export function SavedAnswers({
  to,
  isOpen,
  onOpen,
  onChoose,
}: {
  /** The first address that the mail goes to. */
  readonly to: string | undefined
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
  readonly onChoose: (text: string) => void
}) {
  const t = useTexts()
  const [search, setSearch] = useState('')
  const button = useRef<HTMLButtonElement>(null)
  // opened by its key while the button is below what is seen: a menu goes with its button
  useEffect(() => {
    if (isOpen) button.current?.scrollIntoView({ block: 'center' })
  }, [isOpen])
  const known = useAsk<{ readonly snippets: readonly Snippet[] }>(
    ['snippets', 'answers'],
    (calling, signal) => calling.GET('/snippets', { params: { query: { pageSize: MOST } }, signal }),
    { enabled: isOpen },
  )
  const choose = useAct(
    async (calling, { name }: Snippet) => {
      const contactId = await contactAt(calling, to)
      const body = `{% render '${name}' %}`
      return calling.POST('/templates/render', { body: { body, ...(contactId === undefined ? {} : { contactId }) } })
    },
    { changes: [], onDone: ({ text }) => onChoose(text.trim()) },
  )
  const wanted = search.trim().toLowerCase()
  const shown = (known.data?.snippets ?? []).filter(({ title, name }) =>
    `${title ?? ''} ${name}`.toLowerCase().includes(wanted),
  )
  return (
    <Menu opened={isOpen} onChange={onOpen} position="bottom-start" returnFocus={false} trapFocus>
      <Menu.Target>
        <Button
          ref={button}
          variant="default"
          size="xs"
          leftSection={<IconMessage2 size={14} />}
          loading={choose.isPending}
          title={t.inboxes.answers.key}
        >
          {t.inboxes.answers.title}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={340} style={{ overflowY: 'auto' }}>
        <TextInput
          size="xs"
          aria-label={t.inboxes.answers.search}
          placeholder={t.inboxes.answers.search}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
          data-autofocus
        />
        {shown.map((snippet) => (
          <Menu.Item key={snippet.id} onClick={() => choose.mutate(snippet)}>
            {snippet.title ?? snippet.name}
          </Menu.Item>
        ))}
        {known.data !== undefined && shown.length === 0 ? (
          <Text size="sm" c="dimmed" p="xs">
            {t.inboxes.answers.none}
          </Text>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  )
}

/** The id of the contact with this address; undefined when there is none. */
async function contactAt(api: Api, email: string | undefined): Promise<string | undefined> {
  if (email === undefined) return undefined
  const found = await answerOf(api.GET('/contacts', { params: { query: { search: email, limit: 20 } } }))
  return found.data.find((contact) => contact.email === email.toLowerCase())?.id
}
