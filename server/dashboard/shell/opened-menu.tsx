import { Menu, type MenuProps } from '@mantine/core'
import { cloneElement, type ReactNode, useEffect, useRef, useState } from 'react'
import type { MenuButton } from './late-menu.tsx'

/** The menu of a LateMenu: it opens as soon as it is there. */
export function OpenedMenu({
  button,
  children,
  ...menu
}: Pick<MenuProps, 'position' | 'width'> & { readonly button: MenuButton; readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  const target = useRef<HTMLButtonElement>(null)
  // this button took the place of the one that was used: it gets the focus, to which the menu leads back
  useEffect(() => {
    target.current?.focus()
    setOpen(true)
  }, [])
  return (
    <Menu opened={isOpen} onChange={setOpen} {...menu}>
      <Menu.Target>{cloneElement(button, { ref: target })}</Menu.Target>
      <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
        {children}
      </Menu.Dropdown>
    </Menu>
  )
}
