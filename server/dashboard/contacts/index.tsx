import { Route, Switch } from 'wouter'
import { OnlyFor } from '../parts/only-for.tsx'
import { ContactList } from './contact-list.tsx'
import { ContactPage } from './contact-page.tsx'
import { ImportContacts } from './import-contacts.tsx'

/** The people that mail goes to. */
export default function Contacts() {
  return (
    <Switch>
      <Route path="/">
        <ContactList />
      </Route>
      <Route path="/import">
        <OnlyFor area="contacts">
          <ImportContacts />
        </OnlyFor>
      </Route>
      <Route path="/:id">{({ id }) => <ContactPage key={id} id={id} />}</Route>
    </Switch>
  )
}
