import { ActionIcon, Box, Group, Text, Tooltip } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useAct } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { Copy } from '../parts/copy.tsx'
import { useFormats } from '../parts/formats.ts'
import { Moment } from '../parts/moment.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './uploads.module.css'

export type Upload = components['schemas']['Upload']

/** A picture of the gallery with its address, and the way to delete it. */
export function Picture({ upload }: { readonly upload: Upload }) {
  const t = useTexts()
  const may = useMay()
  const formats = useFormats()
  const confirm = useConfirm()
  const { id, url, width, height, size, createdAt } = upload
  const name = upload.name ?? t.uploads.unnamed
  const remove = useAct((api) => api.DELETE('/uploads/{id}', { params: { path: { id } } }), {
    changes: ['uploads'],
    done: t.uploads.deleted(name),
  })
  const ask = async () => {
    const question = { title: t.uploads.deleteTitle(name), text: t.uploads.deleteHint, yes: t.anywhere.delete }
    if (await confirm({ ...question, grave: true })) remove.mutate()
  }
  return (
    <>
      <a href={url} target="_blank" rel="noopener" aria-label={t.uploads.openPicture(name)}>
        <img src={url} alt="" loading="lazy" className={classes.picture} />
      </a>
      <Group p="sm" pt="xs" gap={4} wrap="nowrap" justify="space-between" align="flex-start">
        <Box miw={0}>
          <Text size="sm" fw={600} truncate title={name}>
            {name}
          </Text>
          <Text size="xs" c="dimmed">
            {t.uploads.size(width, height, formats.bytes(size))} · <Moment at={createdAt} />
          </Text>
        </Box>
        <Group gap={0} wrap="nowrap">
          <Copy value={new URL(url, document.baseURI).href} label={t.uploads.copyAddress(name)} />
          {may.templates ? (
            <Tooltip label={t.anywhere.delete}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t.uploads.deleteTitle(name)}
                onClick={() => void ask()}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </Tooltip>
          ) : null}
        </Group>
      </Group>
    </>
  )
}
