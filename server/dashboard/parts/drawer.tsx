import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { useIsAsked } from './confirm.tsx'
import { UnsavedPlace, useUnsavedPlace } from './unsaved.tsx'

/** A panel from the side, for making or changing one thing without leaving the list. It asks before what was typed in it is lost. */
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
  const { place, leave } = useUnsavedPlace(onClose)
  const isAsked = useIsAsked()
  return (
    <Drawer
      opened={opened}
      onClose={leave}
      closeOnEscape={!isAsked}
      position="right"
      size={size}
      title={title}
      closeButtonProps={{ 'aria-label': t.anywhere.close }}
    >
      <UnsavedPlace value={place}>{children}</UnsavedPlace>
    </Drawer>
  )
}
