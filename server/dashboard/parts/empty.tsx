import { Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** The content of a page with nothing on it: what would be here, and what to do first. */
export function Empty({
  icon,
  title,
  hint,
  action,
}: {
  readonly icon?: ReactNode
  readonly title: string
  readonly hint?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <Stack align="center" gap="sm" py={56} px="md" ta="center">
      {icon === undefined ? null : (
        <ThemeIcon size={48} radius="xl" variant="light" aria-hidden>
          {icon}
        </ThemeIcon>
      )}
      <Title order={2} size="h4">
        {title}
      </Title>
      {hint === undefined ? null : (
        <Text c="dimmed" maw="52ch">
          {hint}
        </Text>
      )}
      {action}
    </Stack>
  )
}
