import axe from 'axe-core'
import type { Page } from 'puppeteer-core'

/** WCAG 2.2, levels A and AA. */
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Advice of axe beyond them, as far as it can shut people out. */
const ADVICE = [
  'accesskeys',
  'aria-dialog-name',
  'aria-text',
  'aria-treeitem-name',
  'label-title-only',
  'scope-attr-valid',
  'tabindex',
]

/** The rules that colors may break. */
export const COLORS = ['color-contrast', 'link-in-text-block']

/**
 * The faults of the open page that shut people out who cannot see it well or use no mouse. Waits until nothing moves: colors
 * that fade over, and those of a list while its next state is loaded, are not those that are read; a bar that shows progress
 * never ends.
 *
 * @param only the names of the rules to look for, instead of all
 */
export async function faultsOf(page: Page, only?: readonly string[]): Promise<readonly object[]> {
  await page.waitForFunction(
    `document.querySelector('[data-stale]') === null &&
      document.getAnimations().every(({ effect }) => effect.getTiming().iterations === Infinity)`,
  )
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  // each look takes a part of a second: without its preloading, which fetches the style sheets anew for rules that are not
  // asked, and without what passes
  const options = {
    ...{ resultTypes: ['violations'], iframes: false, preload: false, selectors: false, runOnly: only ?? WCAG },
    ...(only ? {} : { rules: Object.fromEntries(ADVICE.map((name) => [name, { enabled: true }])) }),
  }
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as axe.AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({ at: page.url(), id, nodes: nodes.map(({ html }) => html) }))
}
