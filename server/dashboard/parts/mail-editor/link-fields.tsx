import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { ProfileLink } from '../../../../core/values/look.ts'
import { useTexts } from '../../texts/texts.tsx'
import { wholeAddress } from './whole-address.ts'

/** Where something leads. An address that was typed without its `https://` gets it when the field is left. */
export function AddressField({
  value,
  onChange,
  ...named
}: {
  readonly label?: string
  readonly 'aria-label'?: string
  readonly placeholder: string
  readonly readOnly?: boolean
  readonly value: string
  readonly onChange: (address: string) => void
}) {
  return (
    <TextInput
      {...named}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onBlur={() => {
        const whole = wholeAddress(value)
        if (whole !== value) onChange(whole)
      }}
    />
  )
}

/** Links with their names, each in a row. */
export function LinksField({
  links,
  onChange,
  hint,
  most = Number.POSITIVE_INFINITY,
  readOnly = false,
}: {
  readonly links: readonly ProfileLink[]
  readonly onChange: (links: readonly ProfileLink[]) => void
  /** The hint while there are none. */
  readonly hint?: string
  readonly most?: number
  readonly readOnly?: boolean
}) {
  const t = useTexts()
  const change = (at: number, part: Partial<ProfileLink>) =>
    onChange(links.map((link, index) => (index === at ? { ...link, ...part } : link)))
  return (
    <Stack gap="xs">
      {links.length === 0 && hint !== undefined ? (
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      ) : null}
      {links.map(({ name, url }, at) => (
        <Group key={at} gap={4} wrap="nowrap">
          <TextInput
            aria-label={t.editor.linkName}
            placeholder={t.editor.linkName}
            value={name}
            maxLength={40}
            readOnly={readOnly}
            onChange={({ currentTarget }) => change(at, { name: currentTarget.value })}
          />
          <AddressField
            aria-label={t.editor.address}
            placeholder={t.editor.addressHint}
            value={url}
            readOnly={readOnly}
            onChange={(whole) => change(at, { url: whole })}
          />
          {readOnly ? null : (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t.anywhere.delete}
              onClick={() => onChange(links.filter((_, index) => index !== at))}
            >
              <IconTrash size={14} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {readOnly ? null : (
        <Button
          size="xs"
          variant="default"
          disabled={links.length >= most}
          onClick={() => onChange([...links, { name: '', url: '' }])}
        >
          {t.editor.addLink}
        </Button>
      )}
    </Stack>
  )
}
