import { Button, Modal, Stack, Text } from '@mantine/core'
import { IconArrowMerge } from '@tabler/icons-react'
import { useState } from 'react'
import { useAct } from '../api/ask.ts'
import { ContactPicker } from '../parts/contact-picker.tsx'
import { useTexts } from '../texts/texts.tsx'

/** Merges another contact into this one, once it has been chosen. */
export function MergeContact({ id, email }: { readonly id: string; readonly email: string }) {
  const t = useTexts()
  const [isOpen, setOpen] = useState(false)
  const [from, setFrom] = useState<string | undefined>()
  const close = () => {
    setOpen(false)
    setFrom(undefined)
  }
  const merge = useAct(
    (api, other: string) => api.POST('/contacts/{id}/merge', { params: { path: { id } }, body: { from: other } }),
    { changes: ['contacts', 'emails', 'activity', 'suppressions'], done: t.contacts.merged, onDone: close },
  )
  return (
    <>
      <Button variant="default" leftSection={<IconArrowMerge size={16} />} onClick={() => setOpen(true)}>
        {t.contacts.merge}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t.contacts.mergeTitle(email)}>
        <Stack>
          <Text size="sm">{t.contacts.mergeHint(email)}</Text>
          <ContactPicker label={t.contacts.mergeFrom} value={from} onChange={setFrom} />
          <Button
            color="red"
            disabled={from === undefined || from === id}
            loading={merge.isPending}
            onClick={() => from !== undefined && merge.mutate(from)}
          >
            {t.contacts.mergeNow}
          </Button>
        </Stack>
      </Modal>
    </>
  )
}
