// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { keepComposition } from './composition.ts'

it('keeps the keys of an input method from every handler, and no others', () => {
  const heard: string[] = []
  const end = keepComposition(window)
  window.addEventListener('keydown', event => heard.push(event.key), true)
  const press = (key: string, more: KeyboardEventInit & { keyCode?: number } = {}) => {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, ...more })
    if (more.keyCode) Object.defineProperty(event, 'keyCode', { value: more.keyCode })
    document.body.dispatchEvent(event)
  }
  press('Enter', { isComposing: true })
  press('Escape', { isComposing: true })
  // Safari, after the end of the composition.
  press('Enter', { keyCode: 229 })
  press('a', { isComposing: true })
  press('Enter')
  press('Escape')
  expect(heard).toEqual(['a', 'Enter', 'Escape'])
  end()
  press('Enter', { isComposing: true })
  expect(heard.at(-1)).toBe('Enter')
})
