import { Button, FileButton, Paper, Stack, Text } from '@mantine/core'
import { type DragEvent, type ReactNode, useState } from 'react'

/** Where files are dropped, with a button that chooses them. */
export function DropArea({
  icon,
  text,
  choose,
  accept,
  onFiles,
  many = false,
  isBusy = false,
  tight = false,
}: {
  readonly icon: ReactNode
  readonly text: string
  /** The label of the button. */
  readonly choose: string
  /** The types that the button offers. */
  readonly accept: string
  readonly onFiles: (files: readonly File[]) => void
  /** True when several may come at once; otherwise the first counts. */
  readonly many?: boolean
  readonly isBusy?: boolean
  /** True above a list, where it takes little room. */
  readonly tight?: boolean
}) {
  const [isOver, setOver] = useState(false)
  const take = (files: readonly File[]) => {
    const taken = many ? files : files.slice(0, 1)
    if (taken.length > 0) onFiles(taken)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    take([...event.dataTransfer.files])
  }
  return (
    <Paper
      withBorder
      p={tight ? 'md' : 48}
      bg={isOver ? 'var(--mantine-primary-color-light)' : undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Stack align="center" ta="center" gap={tight ? 'xs' : 'md'}>
        {icon}
        <Text>{text}</Text>
        <FileButton<true> multiple accept={accept} onChange={take}>
          {(props) => (
            <Button {...props} loading={isBusy}>
              {choose}
            </Button>
          )}
        </FileButton>
      </Stack>
    </Paper>
  )
}
