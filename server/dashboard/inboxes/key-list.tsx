import { ActionIcon, Kbd, Modal, Table, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconKeyboard } from '@tabler/icons-react'
import { useKeys } from '../parts/keys-pressed.ts'
import { useTexts } from '../texts/texts.tsx'

const KEYS = {
  list: ['j', 'k', '/', 'c'],
  thread: ['r', 'a', 'f', 'e', '#', '!', 'j', 'k', 'u'],
} as const

/** The keys of a page of conversations, at `?` and behind a button. */
export function KeyList({ of }: { readonly of: keyof typeof KEYS }) {
  const t = useTexts()
  const [isOpen, { open, close }] = useDisclosure(false)
  const words: Readonly<Record<string, string>> = t.inboxes.keys[of]
  useKeys({ '?': open })
  return (
    <>
      <Tooltip label={t.inboxes.keys.title}>
        <ActionIcon variant="default" size="lg" aria-label={t.inboxes.keys.title} onClick={open} visibleFrom="sm">
          <IconKeyboard size={16} />
        </ActionIcon>
      </Tooltip>
      <Modal
        opened={isOpen}
        onClose={close}
        title={t.inboxes.keys.title}
        closeButtonProps={{ 'aria-label': t.anywhere.close }}
        centered
      >
        <Table>
          <Table.Tbody>
            {KEYS[of].map((key) => (
              <Table.Tr key={key}>
                <Table.Th scope="row" w={60}>
                  <Kbd>{key}</Kbd>
                </Table.Th>
                <Table.Td>{words[key]}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Modal>
    </>
  )
}
