import { Pace } from '../../../core/values/pace.ts'

/** Reads one item after the other; everybody else has their turn between them. What is read as undefined is left out. */
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
