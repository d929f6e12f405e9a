import { Fragment } from 'react'

/** A text whose addresses break after their @, their dots and their hyphens, and only within a word where that does not do. */
export function Breakable({ text }: { readonly text: string }) {
  if (!text.includes('@')) return <>{text}</>
  return text.split(/(?<=[@.-])(?=\S)/).map((part, at) => (
    <Fragment key={at}>
      {at === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ))
}
