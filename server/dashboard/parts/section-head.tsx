import { Box, type MantineSpacing, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SectionHeadProps {
  readonly title: ReactNode
  readonly hint?: ReactNode
  /** The space below, where the parts of the section are not in a stack. */
  readonly mb?: MantineSpacing
}

/** The title of a part of a page, and the purpose of that part below it. */
export function SectionHead({ title, hint, mb }: SectionHeadProps) {
  return (
    <Box mb={mb}>
      <Title order={2} size="h4">
        {title}
      </Title>
      {hint === undefined ? null : (
        <Text size="sm" c="dimmed" maw={720}>
          {hint}
        </Text>
      )}
    </Box>
  )
}
