import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { Empty } from '../parts/empty.tsx'
import { useFirstTexts } from '../texts/texts.tsx'

/** Catches what a page throws while it is drawn. */
export class Broken extends Component<{ readonly children: ReactNode }, { readonly isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override render() {
    return this.state.isBroken ? <Told /> : this.props.children
  }
}

function Told() {
  const t = useFirstTexts()
  return (
    <Empty
      title={t.anywhere.somethingBroke}
      hint={t.anywhere.somethingBrokeHint}
      action={<Button onClick={() => location.reload()}>{t.anywhere.refresh}</Button>}
    />
  )
}
