import { ActionIcon, Anchor, Group, Paper, Text, Tooltip, UnstyledButton } from '@mantine/core'
import { IconPaperclip, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { PICTURES } from '../../../core/values/picture-type.ts'
import { API_URL, fileUrl } from '../api/base.ts'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { useFormats } from '../parts/formats.ts'
import { useNotices } from '../parts/notices.ts'
import { downloadFrom } from '../parts/save-file.ts'
import { useTexts } from '../texts/texts.tsx'
import classes from './files.module.css'

type Draft = components['schemas']['InboxDraft']
type Attachment = components['schemas']['ReceivedAttachment']

const PICTURE_TYPES: ReadonlySet<string> = new Set(PICTURES.map(({ type }) => type))
const ENDING = /\.(?:png|jpe?g|gif|webp)$/i
/** The largest picture that is shown in small, in bytes. */
export const LARGEST_PICTURE = 5 * 1024 * 1024

type Called = Pick<Attachment, 'filename' | 'contentType' | 'size'>

/** Whether it is called a picture; the server looks at its bytes, and answers no other type as one. */
export function isPicture({ filename, contentType, size }: Called): boolean {
  return size <= LARGEST_PICTURE && (isPictureType(contentType) || (mayBePicture(contentType) && ENDING.test(filename)))
}

/** Whether a browser only displays what has this type. */
export function isPictureType(contentType: string): boolean {
  return PICTURE_TYPES.has(contentType)
}

/** Whether a picture may be called so by a program that does not know its type. */
export function mayBePicture(contentType: string): boolean {
  return contentType === 'application/octet-stream' || contentType.startsWith('image/')
}

/** The files of a message: pictures in small, others by name, each to download. */
export function Gallery({ files }: { readonly files: readonly Attachment[] }) {
  const t = useTexts()
  const formats = useFormats()
  if (files.length === 0) return null
  return (
    <Group gap="sm" align="flex-start" role="group" aria-label={t.inboxes.files}>
      {files.map(({ filename, contentType, size, url }, place) => (
        <Paper key={place} withBorder className={classes.file}>
          {isPicture({ filename, contentType, size }) ? <Picture url={fileUrl(url)} /> : null}
          <Group gap={4} p={6} wrap="nowrap">
            <IconPaperclip size={14} className={classes.icon} />
            <div className={classes.name}>
              <Anchor
                size="sm"
                href={fileUrl(url)}
                target="_blank"
                rel="noreferrer"
                truncate
                display="block"
                title={filename}
              >
                {filename}
              </Anchor>
              <Text size="xs" c="dimmed">
                {formats.bytes(size)}
              </Text>
            </div>
          </Group>
        </Paper>
      ))}
    </Group>
  )
}

/** A picture in small; nothing where the browser cannot show it. */
function Picture({ url }: { readonly url: string }) {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return null
  return (
    <img
      src={url}
      alt=""
      loading="lazy"
      referrerPolicy="no-referrer"
      className={classes.picture}
      onError={() => setBroken(true)}
    />
  )
}

/** The files of a draft, each to download and, where that is given, to remove. */
export function DraftFiles({
  draft: { id, attachments = [], omittedFiles },
  onRemove,
}: {
  readonly draft: Draft
  readonly onRemove?: (fileId: string) => void
}) {
  const t = useTexts()
  const formats = useFormats()
  const project = useProjectId()
  const notices = useNotices()
  const download = (fileId: string, name: string) =>
    downloadFrom(new URL(`drafts/${id}/attachments/${fileId}`, API_URL), project, name).catch((error: Error) =>
      notices.refused(error, project),
    )
  return (
    <>
      {attachments.length === 0 ? null : (
        <Group gap="xs" role="group" aria-label={t.inboxes.files}>
          {attachments.map((file) => (
            <Paper key={file.id} withBorder px="xs" py={4} className={classes.file}>
              <Group gap={6} wrap="nowrap">
                <IconPaperclip size={14} className={classes.icon} />
                <UnstyledButton
                  className={classes.name}
                  title={file.filename}
                  onClick={() => void download(file.id, file.filename)}
                >
                  <Text size="sm" truncate>
                    {file.filename}
                  </Text>
                </UnstyledButton>
                <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                  {formats.bytes(file.size)}
                </Text>
                {onRemove === undefined ? null : (
                  <Tooltip label={t.inboxes.removeFile(file.filename)}>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size="sm"
                      aria-label={t.inboxes.removeFile(file.filename)}
                      onClick={() => onRemove(file.id)}
                    >
                      <IconTrash size={14} />
                    </ActionIcon>
                  </Tooltip>
                )}
              </Group>
            </Paper>
          ))}
        </Group>
      )}
      {omittedFiles ? (
        <Text size="sm" c="orange.9">
          {t.inboxes.filesLeftOut(formats.number(omittedFiles))}
        </Text>
      ) : null}
    </>
  )
}
