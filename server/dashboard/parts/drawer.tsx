import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'

/** A panel from the side, for making or changing one thing without leaving the list. */
export function SidePanel({
  title,
  opened,
  onClose,
  size = 'lg',
  children,
}: {
  readonly title: string
  readonly opened: boolean
  readonly onClose: () => void
  readonly size?: string
  readonly children: ReactNode
}) {
  const t = useTexts()
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size={size}
      title={title}
      closeButtonProps={{ 'aria-label': t.anywhere.close }}
    >
      {children}
    </Drawer>
  )
}
