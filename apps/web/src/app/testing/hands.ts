/** What a person does to the document; what is looked for is waited for by the caller. */

/** The first element that can be pressed or filled under this name, in `where`; null when there is none. */
export function named(
  name: string | RegExp,
  selector = 'button, a, input, textarea, select, [role]',
): HTMLElement | null {
  for (const element of document.querySelectorAll<HTMLElement>(selector)) {
    const words = [
      element.getAttribute('aria-label'),
      element.textContent,
      element.id === '' ? null : document.querySelector(`label[for="${CSS.escape(element.id)}"]`)?.textContent,
    ]
    if (words.some(word => word !== null && word !== undefined && matches(word.trim(), name))) return element
  }
  return null
}

function matches(word: string, name: string | RegExp): boolean {
  return typeof name === 'string' ? word === name : name.test(word)
}

/** Types a text in place of what a field holds. */
export function fill(field: HTMLElement | null, text: string): void {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) throw new Error('no field')
  const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype
  // React has put a setter of its own on the element.
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, text)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Presses a button, link or box. */
export function press(element: HTMLElement | null): void {
  if (!element) throw new Error('nothing to press')
  element.click()
}
