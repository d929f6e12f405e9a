import {
  type ComponentPropsWithRef,
  type ComponentType,
  cloneElement,
  type ReactElement,
  Suspense,
  useState,
} from 'react'

export type MenuButton = ReactElement<ComponentPropsWithRef<'button'>>

/** A button whose menu is loaded when it is used for the first time, so that no page waits for menus. */
export function LateMenu({
  button,
  menu: Menu,
}: {
  readonly button: MenuButton
  /** The menu with this button, opened. */
  readonly menu: ComponentType<{ readonly button: MenuButton }>
}) {
  const [isWanted, setWanted] = useState(false)
  const alone = cloneElement(button, {
    onClick: () => setWanted(true),
    'aria-haspopup': 'menu',
    'aria-expanded': false,
  })
  return isWanted ? (
    <Suspense fallback={alone}>
      <Menu button={button} />
    </Suspense>
  ) : (
    alone
  )
}
