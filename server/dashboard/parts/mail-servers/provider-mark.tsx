import { Avatar } from '@mantine/core'
import { IconServer } from '@tabler/icons-react'

const COLORS = ['teal', 'blue', 'indigo', 'grape', 'pink', 'orange', 'green', 'cyan'] as const

/** The mark of a provider: its first letter in a color of its own, so that it is found again at a glance. */
export function ProviderMark({ provider }: { readonly provider: string | undefined }) {
  if (provider === undefined)
    return (
      <Avatar size={28} radius="sm" aria-hidden>
        <IconServer size={16} />
      </Avatar>
    )
  const sum = [...provider.slice(0, 6)].reduce((all, letter) => all + letter.charCodeAt(0), 0)
  return (
    <Avatar size={28} radius="sm" color={COLORS[sum % COLORS.length] ?? 'teal'} variant="filled" aria-hidden>
      {provider.charAt(0)}
    </Avatar>
  )
}
