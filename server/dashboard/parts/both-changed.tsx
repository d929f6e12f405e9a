import { Alert, Button, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFirstTexts } from '../texts/texts.tsx'

/** Fields that two people changed to different values. */
export interface Question {
  readonly fields: readonly DisputedField[]
}

interface DisputedField {
  readonly name: string
  readonly label: string
  readonly mine: ReactNode
  readonly theirs: ReactNode
  /** Which of them was chosen, while others are still to be. */
  readonly chosen: Side | undefined
  choose(side: Side): void
}

export type Side = 'mine' | 'theirs'

/** Asks which of two texts stays, with both in view. Until then nothing is written over, and nothing typed is lost. */
export function BothChanged({ question }: { readonly question: Question }) {
  const t = useFirstTexts()
  const words = t.anywhere.both
  return (
    <Alert color="yellow" role="alert" data-unsaved title={words.title}>
      <Stack gap="md">
        <Text size="sm">{words.hint}</Text>
        {question.fields.map(({ name, label, mine, theirs, chosen, choose }) => (
          <section key={name} aria-label={label}>
            <Text fw={600} size="sm" mb={4}>
              {label}
            </Text>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
              {(['mine', 'theirs'] as const).map((side) => (
                <Paper key={side} withBorder p="xs">
                  <Stack gap="xs" align="flex-start">
                    <Text size="xs" c="dimmed">
                      {words[side]}
                    </Text>
                    <Text
                      component="div"
                      size="sm"
                      mah={200}
                      w="100%"
                      tabIndex={0}
                      style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
                    >
                      {(side === 'mine' ? mine : theirs) || words.empty}
                    </Text>
                    <Button
                      size="xs"
                      variant={chosen === side ? 'filled' : 'default'}
                      aria-pressed={chosen === side}
                      onClick={() => choose(side)}
                    >
                      {side === 'mine' ? words.takeMine : words.takeTheirs}
                    </Button>
                  </Stack>
                </Paper>
              ))}
            </SimpleGrid>
          </section>
        ))}
      </Stack>
    </Alert>
  )
}
