import { Pace } from '../../../core/values/pace.ts'

/** Reads one item after the other and yields to the event loop in between. Items read as undefined are left out. */
export async function readEach<Item, Read>(
  items: readonly Item[],
  read: (item: Item, place: number) => Read | undefined,
): Promise<readonly Read[]> {
  const pace = new Pace()
  const found: Read[] = []
  for (const [place, item] of items.entries()) {
    if (pace.isDue) await pace.rest()
    const one = read(item, place)
    if (one !== undefined) found.push(one)
  }
  return found
}
