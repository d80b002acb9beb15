import type { Page } from 'playwright-core'

/**
 * What can be measured to be wrong with the page as it stands: wider than the window, words cut through, an ellipsis
 * without the whole on hover, heads of columns that do not fit, letters cut at the foot of a line, controls that
 * something else lies over, and a page that the menu calls by another name.
 */
export async function layoutFaults(page: Page): Promise<string[]> {
  // The compiler marks inner functions with a helper that the page does not have.
  await page.evaluate('globalThis.__name = value => value')
  return page.evaluate(() => {
    const faults = new Set<string>()
    const root = document.documentElement
    const over = root.scrollWidth - root.clientWidth
    if (over > 0) faults.add(`the page is ${over} px wider than the window`)
    const shown = (element: Element) => {
      const { width, height } = element.getBoundingClientRect()
      const style = getComputedStyle(element)
      return width > 1 && height > 1 && style.visibility !== 'hidden' && Number(style.opacity) > 0
    }
    const words = (element: Element) => (element.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 60)
    const what = (element: Element) => {
      const name = element.getAttribute('aria-label') ?? element.getAttribute('title') ?? words(element)
      return `${element.tagName.toLowerCase()} “${name.slice(0, 60)}”`
    }
    const ownText = (element: Element) =>
      [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent!.trim() !== '')
    /** Drawn for those who cannot see. */
    const unseen = (style: CSSStyleDeclaration) => style.clipPath !== 'none' || style.clip !== 'auto'

    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      if (element.closest('svg, canvas, [aria-hidden=true], textarea, input') || !shown(element)) continue
      const style = getComputedStyle(element)
      if (unseen(style)) continue
      const hides = /hidden|clip/.test(style.overflowX)
      const cut = element.scrollWidth - element.clientWidth
      if (hides && cut > 1 && element.clientWidth > 0 && (ownText(element) || element.matches('td, th'))) {
        const whole = element.closest('[title]') ?? element.querySelector('[title]')
        if (element.matches('th')) faults.add(`head cut by ${cut} px: ${what(element)}`)
        else if (style.textOverflow !== 'ellipsis') faults.add(`cut by ${cut} px: ${what(element)}`)
        else if (!whole) faults.add(`ellipsis without the whole on hover: ${what(element)}`)
      }
      const tall = element.scrollHeight - element.clientHeight
      if (/hidden|clip/.test(style.overflowY) && ownText(element) && tall > 2 && style.webkitLineClamp === 'none')
        faults.add(`letters cut by ${tall} px at the foot: ${what(element)}`)
    }

    const PRESSED = 'a[href], button, input, select, textarea, [role=tab], [role=switch], [role=button]'
    for (const element of document.querySelectorAll<HTMLElement>(PRESSED)) {
      const style = getComputedStyle(element)
      if (!shown(element) || style.pointerEvents === 'none' || unseen(style)) continue
      const box = element.getBoundingClientRect()
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
      if (x < 0 || y < 0 || x >= root.clientWidth || y >= window.innerHeight) continue
      let inView = true
      for (let up = element.parentElement; up && up !== document.body; up = up.parentElement) {
        if (!/auto|scroll|hidden|clip/.test(getComputedStyle(up).overflow)) continue
        const clip = up.getBoundingClientRect()
        if (x < clip.left || x > clip.right || y < clip.top || y > clip.bottom) inView = false
      }
      if (!inView) continue
      const hit = document.elementFromPoint(x, y)
      if (!hit || element.contains(hit) || hit.contains(element) || hit.closest('label')?.contains(element)) continue
      // A control that is drawn by what stands over it: the library's own inputs.
      if (element.matches('input') && element.closest('.ant-select, .ant-radio-button-wrapper, .ant-segmented'))
        continue
      faults.add(`covered: ${what(element)} by ${what(hit)}`)
    }
    const entry = document.querySelector('[data-testid=side-menu] [aria-current=page]')
    const title = document.querySelector('main h1')
    if (entry?.getAttribute('href') === location.pathname && title && words(title) !== words(entry))
      faults.add(`called “${words(entry)}” in the menu and “${words(title)}” on the page`)
    return [...faults]
  })
}
