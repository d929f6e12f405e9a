import { Button, FileButton, Group, Image, Menu, Stack, TextInput } from '@mantine/core'
import { IconPhoto, IconUpload } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useAsk } from '../../api/ask.ts'
import { useTexts } from '../../texts/texts.tsx'
import { usePictures } from './pictures.ts'

/** A picture: uploaded, from the gallery, or anywhere else by its address. */
export function PictureField({
  label,
  description,
  src,
  take,
  write,
  error,
  isForm = false,
  readOnly = false,
}: {
  readonly label: string
  readonly description?: string
  readonly src: string
  /** A picture was chosen. */
  readonly take: (picture: { readonly url: string; readonly width: number }) => void
  /** An address was typed. */
  readonly write: (src: string) => void
  readonly error?: ReactNode
  /** True where it is one of several fields: its label then comes first. */
  readonly isForm?: boolean
  readonly readOnly?: boolean
}) {
  const t = useTexts()
  const upload = usePictures()
  const gallery = useAsk(['uploads', 'newest'], (api, signal) =>
    api.GET('/uploads', { params: { query: { limit: 12 } }, signal }),
  )
  const buttons = (
    <Group gap="xs">
      <FileButton
        accept="image/png,image/jpeg,image/gif,image/webp"
        onChange={(file) => file && void upload(file).then((found) => found && take(found))}
      >
        {(props) => (
          <Button size="xs" leftSection={<IconUpload size={14} />} {...props}>
            {t.editor.upload}
          </Button>
        )}
      </FileButton>
      <Menu>
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<IconPhoto size={14} />}>
            {t.editor.gallery}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {(gallery.data?.data ?? []).map((picture) => (
            <Menu.Item
              key={picture.id}
              leftSection={<Image src={picture.url} alt="" w={32} h={24} fit="cover" />}
              onClick={() => take(picture)}
            >
              {picture.name ?? t.uploads.unnamed}
            </Menu.Item>
          ))}
          {gallery.data?.data.length === 0 ? <Menu.Label>{t.uploads.empty}</Menu.Label> : null}
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
  const address = (
    <TextInput
      label={label}
      description={description}
      type="url"
      readOnly={readOnly}
      value={src}
      onChange={({ currentTarget }) => write(currentTarget.value)}
      error={error}
    />
  )
  return (
    <Stack gap="xs">
      {isForm ? address : buttons}
      {!isForm ? address : readOnly ? null : buttons}
    </Stack>
  )
}
