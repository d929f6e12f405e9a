import classes from './header-list.module.css'

/** The fields of a mail's header, in their order. */
export function HeaderList({
  headers,
}: {
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}) {
  return (
    <dl className={classes.headers}>
      {headers.map(({ name, value }, at) => (
        <div key={at}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
