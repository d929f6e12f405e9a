import { useAsk } from '../api/ask.ts'

/** The address of a contact of whom only the id is known. */
export function ContactName({ id }: { readonly id: string }) {
  const contact = useAsk(['contacts', id], (api, signal) =>
    api.GET('/contacts/{id}', { params: { path: { id } }, signal }),
  )
  return <>{contact.data?.email ?? (contact.error ? id : '…')}</>
}
